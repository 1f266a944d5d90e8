from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from label_workspace import (
    case,
    give,
    item_rows,
    make_workspace,
    open_desk,
    opened,
    write_rows,
)

from judgekit.approval import label_release
from judgekit.cli.main import run_cli
from judgekit.goldens.entry_text import EntryTexts
from judgekit.goldens.two_experts import entry_body
from judgekit.store.dataset import read_manifest
from judgekit.store.label_files.project_source import open_project
from judgekit.store.label_store import (
    Answer,
    Decision,
    LabelStore,
    ProjectSettings,
    open_label_store,
)
from judgekit.store.workspace import find_workspace

PROCESS = (sys.executable, "-c", "from judgekit.cli.main import main; main()")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = run_cli([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "desk-workspace"
    make_workspace(root)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def labelled(desk: Path) -> Path:
    workspace = make_workspace(desk / ".." / "unused").model_copy(update={"root": desk})
    with opened(workspace) as store:
        open_desk(store, workspace)
        give(store, "ana", "pass", *[case(n) for n in range(1, 7)])
        give(store, "ben", "pass", *[case(n) for n in range(1, 5)])
        give(store, "ben", "fail", case(5), failure_mode="rude", note="=1+1")
    return desk


def decide(store: LabelStore, rev: int, **values: Any) -> None:
    decision = Decision(item_id=case(5), **values)
    done = store.adjudication.adjudicate(
        "desk", decision, adjudicator="ada", op_id=f"d{rev}", rev_seen=rev
    )
    assert done.kind == "adjudicated", done


def test_a_dataset_is_opened_for_labelling_and_a_dry_run_writes_nothing(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(desk)
    code, found = run(capsys, "labels", "import", "--rubric", "reply", "--dry-run")
    assert (code, found["schema"], found["dry_run"]) == (0, 1, True)
    assert found["imports"][0]["n_new"] == 6
    assert not found["imports"][0]["written"]
    assert tree(desk) == before
    code, found = run(capsys, "labels", "import")
    assert (code, found["imports"][0]["n_new"], found["imports"][0]["written"]) == (0, 6, True)
    code, found = run(capsys, "labels", "import")
    assert (code, found["imports"][0]["n_new"], found["imports"][0]["n_known"]) == (0, 0, 6)


def test_labels_of_no_release_are_pointed_out_when_the_dataset_is_opened(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"item_id": case(1), "annotator": "zoe", "label": "pass"}
    write_rows(desk / "annotations" / "desk" / "labels.jsonl", [row])
    assert run_cli(["labels", "import"]) == 0
    assert "judgekit labels import --file annotations/desk/labels.jsonl" in capsys.readouterr().err
    assert run_cli(["labels", "export", "--by", "lea"]) == 2
    assert run_cli(["labels", "import", "--file", "annotations/desk/labels.jsonl"]) == 0
    assert run_cli(["labels", "export", "--by", "lea"]) == 0
    capsys.readouterr()
    assert run_cli(["labels", "import"]) == 0
    assert "note:" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("design", "words"),
    [
        ("targeted", "design targeted: no rate can be estimated from these labels"),
        ("random", "design random: rates can be estimated from these labels"),
        ("stratified:fail", "where the strata are the judge's verdicts"),
    ],
)
def test_an_import_says_what_the_design_of_the_items_means(
    desk: Path, capsys: pytest.CaptureFixture[str], design: str, words: str
) -> None:
    manifest = desk / "annotations" / "desk" / "dataset.yaml"
    kept = manifest.read_text(encoding="utf-8").splitlines()
    rest = [line for line in kept if not line.startswith("design:")]
    manifest.write_text("\n".join([*rest, f"design: {design}", ""]), encoding="utf-8")
    for dry in (["--dry-run"], []):
        assert run_cli(["labels", "import", "--rubric", "reply", *dry]) == 0
        assert words in capsys.readouterr().err


def test_a_release_is_written_once_and_known_to_status(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(labelled / "annotations")
    code, found = run(capsys, "labels", "export", "--dry-run")
    assert (code, found["written"], found["added"]) == (0, False, 11)
    assert tree(labelled / "annotations") == before
    code, found = run(capsys, "labels", "export", "--by", "lea")
    assert (code, found["written"], found["version"]) == (0, True, "4")
    after = tree(labelled / "annotations")
    code, found = run(capsys, "labels", "export", "--by", "lea")
    assert (code, found["written"], found["unchanged"]) == (0, False, True)
    assert tree(labelled / "annotations") == after
    code, found = run(capsys, "labels", "status")
    project = found["projects"][0]
    assert [r["version"] for r in project["releases"]] == ["4"]
    assert project["labels_file"] == "release 4"
    assert project["events_since_release"] == 0


@pytest.mark.parametrize("version", [[], ["--version", "b"]])
def test_the_later_of_two_releases_at_once_is_told_of_the_other_and_what_to_do(
    labelled: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    version: list[str],
) -> None:
    """The other one is made between what this one previewed and what it writes."""
    preview = label_release.preview_release
    later: list[bool] = []

    def overtaken(*args: Any, **options: Any) -> Any:
        plan = preview(*args, **options)
        if not later:
            later.append(True)
            subprocess.run([*PROCESS, "labels", "export", "--by", "ana"], check=True, timeout=120)
        return plan

    monkeypatch.setattr(label_release, "preview_release", overtaken)
    code, found = run(capsys, "labels", "export", "--by", "ben", *version)
    assert (code, found["error"]["type"]) == (2, "LabelConflict")
    folder = labelled / "annotations" / "desk"
    (release,) = read_manifest(folder).releases
    assert found["error"] == {
        "type": "LabelConflict",
        "message": "another release of the dataset 'desk' was finished meanwhile",
        "where": str(folder / "dataset.yaml"),
        "found": f"release '4' by 'ana' at {release.at:%Y-%m-%d %H:%M:%S} UTC",
        "expected": "no release since this one was previewed or proposed",
        "mend": "judgekit labels export --dataset desk --dry-run shows what is not in it; "
        "then export again, or send the proposal back and propose again",
        "exit_code": 2,
    }
    assert run(capsys, "labels", "export", "--by", "ben")[1]["unchanged"]
    assert run_cli(["labels", "export", "--by", "ben"]) == 0
    words = f"nothing changed since release 4 by ana at {release.at:%Y-%m-%d %H:%M:%S} UTC"
    assert words in capsys.readouterr().out


def test_a_release_says_how_many_items_nobody_has_decided_yet(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["labels", "export", "--dry-run"]) == 0
    assert (
        "note: 1 item still waits for adjudication; where labels differ, all are released"
        in capsys.readouterr().out
    )


def test_status_shows_people_what_is_open_and_agreement_with_its_interval(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = run(capsys, "labels", "status")
    project = found["projects"][0]
    people = {p["annotator"]: p["labelled"] for p in project["annotators"]}
    assert code == 0
    assert (people["ana"], people["ben"]) == (6, 5)
    assert project["adjudication"]["open"] == 1
    agreement = project["agreement"]["_overall"]["agreement"]
    assert (agreement["value"], agreement["n"]) == (0.8, 5)
    assert agreement["low"] < 0.8 < agreement["high"]
    assert project["self_agreement"] == {}
    assert run_cli(["labels", "status"]) == 0
    text = capsys.readouterr().out
    assert "_overall: people agree 0.800 (95 %" in text
    assert "1 open" in text
    assert "  (n: pairs of answers of two people to one item, without unsure)\n" in text
    assert "  events (no release yet): 11\n" in text


def test_status_says_how_many_labels_are_hidden_repeats(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = ProjectSettings(repeat_share=1, repeat_gap=1, min_dwell_ms=0)
    with open_label_store(None, desk) as store:
        open_project(
            store, find_workspace(desk), dataset="desk", rubric="reply", actor="lea",
            settings=settings,
        )  # fmt: skip
        while shown := store.queue.next_presentation("desk", "ana"):
            op = f"{shown.item.id}{shown.position}"
            store.labels.save(
                shown.id, Answer(label="pass"), annotator="ana", op_id=op, rev_seen=shown.rev
            )
    assert run_cli(["labels", "status"]) == 0
    text = capsys.readouterr().out
    assert "  ana: 11 labelled (5 of them again, 0 unsure), 0 skipped, 0 left\n" in text
    assert "  (n with themselves: answers that somebody gave twice)\n" in text


def test_a_release_counts_in_words_what_people_and_adjudicators_gave(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(find_workspace(labelled)) as store:
        decide(store, 0, choice="other", label="pass", cause="slip")
    assert run_cli(["labels", "export", "--by", "lea"]) == 0
    first = capsys.readouterr().out
    assert (
        "12 labels about 6 items, 11 of 2 annotators and 1 of adjudication; "
        "no release before: 12 added, 0 changed, 0 removed; 0 fields excluded" in first
    )
    with opened(find_workspace(labelled)) as store:
        decide(store, 1, choice="exclude", reason="ambiguous")
    assert run_cli(["labels", "export", "--dry-run"]) == 0
    second = capsys.readouterr().out
    assert "since the last release 0 added" in second
    assert "; 1 field excluded" in second


def test_a_copy_can_be_imported_elsewhere_and_exported_again_byte_for_byte(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """M4."""
    first = tmp_path / "first"
    code, found = run(capsys, "labels", "export", "--out", str(first))
    assert (code, found["labels"], found["written"]) == (0, 11, True)
    other = tmp_path / "other"
    make_workspace(other)
    shutil.rmtree(other / "annotations" / "desk")
    shutil.copytree(first, other / "annotations" / "desk")
    code, found = run(capsys, "labels", "import", "--workspace", str(other), "--rubric", "reply")
    assert (code, [r["n_new"] for r in found["imports"]]) == (0, [6, 11])
    second = tmp_path / "second"
    assert run(capsys, "labels", "export", "--workspace", str(other), "--out", str(second))[0] == 0
    assert tree(second) == tree(first)


def test_a_csv_copy_quotes_formulas(labelled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """M9."""
    code, found = run(capsys, "labels", "export", "--csv", "out.csv")
    assert (code, found["labels"]) == (0, 11)
    with (labelled / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["note"] for row in rows} == {"", "'=1+1"}


def test_foreign_labels_are_imported_from_a_file_whose_kind_is_read(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "labels", "import")
    rows = [{"item_id": case(n), "rater": "zoe", "human_label": "yes"} for n in (1, 2)]
    file = write_rows(desk / "theirs.jsonl", rows)
    code, found = run(capsys, "labels", "import", "--file", str(file))
    assert (code, found["imports"][0]["kind"], found["imports"][0]["n_new"]) == (0, "labels", 2)
    more = write_rows(desk / "more.jsonl", item_rows(8))
    code, found = run(capsys, "labels", "import", "--file", str(more), "--design", "targeted")
    assert (code, found["imports"][0]["kind"], found["imports"][0]["n_new"]) == (0, "items", 2)
    events = desk / "annotations" / "desk" / "events" / "zoe.jsonl"
    code, found = run(capsys, "labels", "import", "--file", str(events))
    assert (code, found["imports"][0]["kind"], found["imports"][0]["n_known"]) == (0, "events", 2)


def test_a_conflict_is_exit_2_with_file_and_line_and_nothing_is_changed(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"item_id": case(6), "annotator": "ben", "label": "pass"},
        {"item_id": case(1), "annotator": "ana", "label": "fail"},
    ]
    write_rows(labelled / "theirs.jsonl", rows)
    before = tree(labelled / "annotations")
    code, found = run(capsys, "labels", "import", "--file", "theirs.jsonl")
    assert (code, found["error"]["type"]) == (2, "LabelConflict")
    assert "1 new, 0 known, 1 conflicting, 0 rejected" in found["error"]["message"]
    assert found["error"]["where"] == "theirs.jsonl:2 label"
    assert tree(labelled / "annotations") == before


def test_a_folder_whose_log_is_broken_opens_no_project(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = desk / "annotations" / "desk" / "events"
    events.mkdir()
    (events / "ana.jsonl").write_text("<<<<<<< ours\n")
    code, found = run(capsys, "labels", "import")
    assert (code, found["error"]["where"]) == (2, "ana.jsonl:1")
    assert not (desk / ".judgekit").exists()


def test_doctor_and_calibrate_refuse_labels_that_were_edited_after_their_release(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "labels", "export", "--by", "lea")[0] == 0
    path = labelled / "annotations" / "desk" / "labels.jsonl"
    path.write_text(path.read_text().replace('"fail"', '"pass"'))
    code, found = run(capsys, "calibrate", "--dataset", "desk")
    assert (code, "not as it was released" in found["error"]["message"]) == (2, True)
    for words in (("estimate", "--assume", "random"), ("plan", "--next", "1")):
        code, found = run(capsys, *words, "--dataset", "desk")
        assert (code, "not as it was released" in found["error"]["message"]) == (2, True)


def test_a_lost_database_comes_back_with_notes_and_entries(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = find_workspace(labelled)
    entry = entry_body(EntryTexts(fields="amount = 1"))
    with opened(workspace) as store:
        store.codes.add_note("desk", case(1), "rude", author="eva", op_id="n1")
        store.goldens.save("desk", case(1), entry, expert="eve", rev_seen=0, done=True)
        before = store.codes.book("desk"), store.goldens.cases("desk", "eve")
        n_events = store.events.count("desk") + len(store.events.reviews(project="desk"))
    shutil.rmtree(labelled / ".judgekit")
    for found in ((n_events, 0), (0, n_events)):
        code, done = run(capsys, "labels", "import", "--rubric", "reply")
        assert code == 0
        assert (done["imports"][1]["n_new"], done["imports"][1]["n_known"]) == found
        with opened(workspace) as store:
            assert (store.codes.book("desk"), store.goldens.cases("desk", "eve")) == before
    notes = labelled / "annotations" / "desk" / "events" / "codes" / "eva.jsonl"
    code, done = run(capsys, "labels", "import", "--file", str(notes))
    assert (code, done["imports"][0]["kind"], done["imports"][0]["n_known"]) == (0, "events", 1)
    before_fault = tree(labelled)
    notes.write_text(notes.read_text().replace('"rude"', '""'))
    code, _ = run(capsys, "labels", "import")
    assert code != 0
    assert {**tree(labelled), str(notes.relative_to(labelled)): b""} == {
        **before_fault, str(notes.relative_to(labelled)): b"",
    }  # fmt: skip
