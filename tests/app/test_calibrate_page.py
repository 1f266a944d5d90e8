"""Calibrate: the numbers of `judgekit calibrate`, and a look is asked for before it is spent."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from judge_desk import (
    command,
    component,
    example_workspace,
    open_project,
    opened,
    sent,
    shown_components,
    texts,
)
from streamlit.testing.v1 import AppTest

from judgekit.approval.label_release import release_labels
from judgekit.store.label_files.imports import apply_import, plan_import
from judgekit.store.label_store import open_label_store
from judgekit.store.workspace import find_workspace

LOOKS = Path("annotations") / "refund_desk" / "looks.jsonl"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return example_workspace(tmp_path, monkeypatch)


def cells(app: AppTest, judge: str) -> dict[str, tuple[str, str]]:
    """Return each cell's words and address, by its name."""
    links = [e.proto for e in app.get("page_link") if f"judge={judge}" in e.proto.query_string]
    return {link.label.split(" ", 1)[1]: (link.label, link.query_string) for link in links}


def test_an_annotator_is_told_not_allowed_and_gets_no_figure(root: Path) -> None:
    app = opened("calibrate", user="ann")
    assert "Not allowed" in texts(app)
    assert (len(app.selectbox), len(app.get("bidi_component"))) == (0, 0)
    assert "policy-rules" not in sent(app)


def test_the_figures_are_those_of_the_command_line(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """C1, C7: cells, table, chart and download carry the values of `judgekit calibrate --json`."""
    expected = command(capsys, root, "calibrate", "--split", "development")
    app = opened("calibrate", user="eve")
    from judgekit.stats.estimate import Estimate
    from parts.calibrate_figures import figure_words

    rows = {row[0]: row for row in component(app, "overview-table")["rows"]}
    assert list(rows) == [report["judge"] for report in expected["judges"]]
    charts = {e.proto.alt for e in app.get("vega_lite_chart")}
    for report in expected["judges"]:
        told = figure_words(Estimate(**report["false_pass_rate"]))
        row = rows[report["judge"]]
        assert (row[1], row[2]) == (str(report["n_pairs"]), told)
        assert any(f"{report['judge']} {told}" in alt for alt in charts)
        figures = component(app, f"figures-{report['judge']}")["rows"]
        assert [told] == [value for title, value, *_ in figures if title == "False passes"]
        counts = report["confusion"]
        shown = cells(app, report["judge"])
        assert shown["false pass"][0] == f"**{counts['human_fail_judge_pass']}** false pass"
        assert sum(int(label.split("*")[2]) for label, _ in shown.values()) == report["n_pairs"]


def test_the_download_holds_the_reports_with_the_hashes(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """C8: release, labels file and each judge's fingerprint, on the page and in the download."""
    from judgekit.cli.calibrate_inputs import Options
    from parts.calibrate_load import ask, offer, versions
    from parts.calibrate_rests import download

    expected = command(capsys, root, "calibrate", "--split", "development")
    found = offer("refund_desk")
    asked = ask(Options(workspace=root, dataset="refund_desk", split="development"))
    parts = versions(asked.options, tuple(r.judge for r in asked.foresight.reports))
    content = json.loads(download(found, None, asked, parts))
    assert content["judges"] == expected["judges"]
    assert content["dataset"]["labels_file"] == found.labels_hash
    app = opened("calibrate", user="eve")
    hashes = json.dumps([component(app, "rests-dataset"), component(app, "rests-judges")])
    for report in expected["judges"]:
        assert report["fingerprint"] in hashes
        assert report["verdicts_hash"] in hashes
    assert str(found.labels_hash) in hashes


def test_each_cell_opens_its_cases(root: Path) -> None:
    """C2: the filter is in the address."""
    app = opened("calibrate", user="eve")
    _, query = cells(app, "policy-rules")["false pass"]
    assert "judge=policy-rules" in query
    assert "cell=false+pass" in query
    assert "split=development" in query


def test_invalid_verdicts_stand_outside_the_cells(root: Path) -> None:
    """C3: counted apart, and the cells add up to n without them."""
    app = opened("calibrate", user="eve")
    outside = dict(component(app, "outside-local-gemma")["rows"])
    assert int(outside["verdict invalid"]) > 0
    labels = [label for label, _ in cells(app, "local-gemma").values()]
    n = next(r for r in component(app, "overview-table")["rows"] if r[0] == "local-gemma")[1]
    assert sum(int(label.split("*")[2]) for label in labels) == int(n)


def test_every_figure_says_its_n_and_its_interval_or_why_not(root: Path) -> None:
    """C4; fewer than 30 human passes or fails are said to be too few."""
    app = opened("calibrate", user="eve")
    for row in component(app, "overview-table")["rows"]:
        for figure in row[2:6]:
            assert "n=" in figure
            assert " to " in figure or "no interval" in figure or "not measurable" in figure
    assert "too few: 25 human fail and 24 human pass (under 30)" in texts(app)


def test_without_human_fails_a_rate_is_not_measurable_instead_of_zero(root: Path) -> None:
    """C6."""
    path = root / "annotations" / "refund_desk" / "labels.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    failed = {row["item_id"] for row in rows if row["label"] == "fail"}
    kept = [row for row in rows if row["item_id"] not in failed]
    path.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    app = opened("calibrate", user="eve")
    row = next(r for r in component(app, "overview-table")["rows"] if r[0] == "policy-rules")
    assert row[2].startswith("not measurable")
    assert "n=0" in row[2]


def test_a_look_at_the_holdout_is_asked_for_and_no_figure_is_sent_before(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = opened("calibrate", user="eve", split="holdout", judges=["policy-rules"])
    assert "Showing the figures of policy-rules spends 1 look; 6 are left." in texts(app)
    assert shown_components(app) == []
    assert not (root / LOOKS).exists()
    app.button("spend-look").click().run()
    assert len((root / LOOKS).read_text(encoding="utf-8").splitlines()) == 1
    assert "1 of 6 looks used" in texts(app)
    rows = component(app, "overview-table")["rows"]
    assert [row[0] for row in rows] == ["policy-rules"]
    again = opened("calibrate", user="eve", split="holdout", judges=["policy-rules"])
    assert component(again, "overview-table")["rows"] == rows
    report = command(capsys, root, "calibrate", "--judge", "policy-rules")
    assert report["looks"]["repeated"] is True
    assert rows[0][1] == str(report["n_pairs"])
    assert len((root / LOOKS).read_text(encoding="utf-8").splitlines()) == 1


def test_a_look_that_the_command_line_spent_is_free_here(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command(capsys, root, "calibrate", "--judge", "policy-rules", "--judge", "always-pass")
    app = opened("calibrate", user="eve", split="holdout", judges=["policy-rules", "always-pass"])
    assert "2 of 6 looks used" in texts(app)
    assert component(app, "differences-table")["rows"]
    assert len((root / LOOKS).read_text(encoding="utf-8").splitlines()) == 2


def test_differences_between_judges_are_those_of_compare(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--judge", "policy-rules", "--judge", "always-pass", "--split", "development")
    expected = command(capsys, root, "compare", *words)["measured"]["differences"]
    app = opened("calibrate", user="eve", judges=["policy-rules", "always-pass"])
    rows = component(app, "differences-table")["rows"]
    assert [row[2] for row in rows] == [
        f"{d['only_first_wrong']} / {d['only_second_wrong']}" for d in expected
    ]
    assert f"{expected[0]['difference']['value']:+.3f}" in rows[0][1]


def test_slices_stand_each_on_its_own(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--judge", "policy-rules", "--split", "development", "--slice", "language")
    expected = command(capsys, root, "calibrate", *words)["judges"]
    app = opened("calibrate", user="eve", judges=["policy-rules"], slice="language")
    rows = component(app, "overview-table")["rows"]
    assert [row[1] for row in rows] == [str(report["n_pairs"]) for report in expected]
    assert rows[0][0] == f"policy-rules, {expected[0]['slice']}"


def test_items_used_for_tuning_are_not_counted_on_the_holdout(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """C9: the development items are outside, and counted there."""
    command(capsys, root, "calibrate", "--judge", "policy-rules")
    app = opened("calibrate", user="eve", split="holdout", judges=["policy-rules"])
    outside = dict(component(app, "outside-policy-rules")["rows"])
    assert outside["other split"] == "219"


def test_a_dataset_without_labels_is_told_in_one_sentence(root: Path) -> None:
    (root / "annotations" / "refund_desk" / "labels.jsonl").unlink()
    app = opened("calibrate", user="eve")
    assert "no released labels yet" in texts(app)
    assert shown_components(app) == []


def test_a_broken_address_shows_the_page_with_its_defaults(root: Path) -> None:
    app = opened("calibrate", user="eve", split="<b>", judges=["nobody"], slice="../..")
    assert component(app, "overview-table")["rows"]


def test_a_workspace_whose_verdicts_are_gone_says_which_command_fetches_them(root: Path) -> None:
    shutil.rmtree(root / ".judgekit" / "verdicts")
    shutil.rmtree(root / "annotations" / "refund_desk" / "verdicts")
    app = opened("calibrate", user="eve", judges=["policy-rules"])
    assert "judgekit run --dataset refund_desk --grader policy-rules" in texts(app)


def test_an_older_release_is_calibrated_as_the_command_line_does(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """C8: the release stands in the address, on the page and in what was compared."""
    open_project(root)
    path = root / "annotations" / "refund_desk" / "labels.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.unlink()
    place = find_workspace(root)
    with open_label_store(None, root) as store:
        for part in (lines[:300], lines[300:]):
            source = ("labels.jsonl", ("\n".join(part) + "\n").encode())
            plan = plan_import(store, "refund_desk", source, kind="labels", actor="lea")
            apply_import(store, plan, actor="lea")
            release_labels(store, place, "refund_desk", by="lea")
    first, last = place.dataset("refund_desk").manifest.releases
    words = ("calibrate", "--judge", "policy-rules", "--split", "development")
    expected = command(capsys, root, *words, "--release", first.version)
    where = {"judges": ["policy-rules"], "release": first.version}
    app = opened("calibrate", user="eve", **where)
    assert component(app, "overview-table")["rows"][0][1] == str(expected["n_pairs"])
    assert ["labels.jsonl", first.files["labels.jsonl"]] in component(app, "rests-dataset")["rows"]
    newest = opened("calibrate", user="eve", judges=["policy-rules"])
    told = dict(component(newest, "rests-dataset")["rows"])
    assert told["release"].startswith(f"{last.version}, ")
    assert component(newest, "overview-table")["rows"][0][1] == "219"
