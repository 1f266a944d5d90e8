"""Disagreements: exactly the cases of a matrix cell, to be read, walked and marked."""

from __future__ import annotations

from pathlib import Path

import pytest
from judge_desk import (
    command,
    component,
    example_workspace,
    open_project,
    opened,
    sent,
    texts,
)
from streamlit.testing.v1 import AppTest

from judgekit.store.label_store import open_label_store


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return example_workspace(tmp_path, monkeypatch)


def probe(app: AppTest) -> str:
    """Return the page's probe."""
    return next(e.proto.body for e in app.get("html") if 'id="probe"' in e.proto.body)


def test_an_annotator_is_told_not_allowed_and_gets_no_case(root: Path) -> None:
    app = opened("disagreements", user="ann", judge="policy-rules")
    assert "Not allowed" in texts(app)
    assert app.get("bidi_component") == []
    assert "case-0" not in sent(app)


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("false pass", "human_fail_judge_pass"),
        ("false fail", "human_pass_judge_fail"),
        ("both pass", "human_pass_judge_pass"),
        ("both fail", "human_fail_judge_fail"),
    ],
)
def test_the_list_is_as_long_as_the_cell_of_the_matrix(
    root: Path, capsys: pytest.CaptureFixture[str], cell: str, name: str
) -> None:
    """D1: the count is that of `judgekit calibrate`."""
    words = ("calibrate", "--judge", "policy-rules", "--split", "development")
    expected = command(capsys, root, *words)["confusion"][name]
    app = opened("disagreements", user="eve", judge="policy-rules", cell=cell)
    assert f"Case 1 of {expected}" in texts(app)
    assert f'data-saved="{expected}"' in probe(app)


def test_an_address_opens_the_same_case_again(root: Path) -> None:
    """D2: the filter and the case stand in the address."""
    where = {"judge": "policy-rules", "cell": "false pass"}
    app = opened("disagreements", user="eve", **where)
    ids = [row["id"] for row in component(app, "list")["rows"]]
    again = opened("disagreements", user="eve", **where, case=ids[2])
    assert component(again, "list")["current"] == ids[2]
    assert f'data-item="{ids[2]}"' in probe(again)


def test_j_goes_on_and_k_goes_back_through_every_case_once(root: Path) -> None:
    """D4, logic: distinct cases in the list's order."""
    app = opened("disagreements", user="eve", judge="always-pass", cell="false pass")
    seen = [component(app, "list")["current"]]
    for _ in range(50):
        app.button("step-j").click().run()
        seen.append(component(app, "list")["current"])
    assert len(set(seen)) == 51
    app.button("step-k").click().run()
    assert component(app, "list")["current"] == seen[-2]


def test_a_case_shows_labels_verdict_and_both_sides_evidence_as_plain_text(root: Path) -> None:
    """D5: the rationale is a code block without a language, the item text nodes of ours."""
    where = {"judge": "policy-rules", "cell": "false pass", "case": "case-042-1"}
    app = opened("disagreements", user="eve", **where)
    people = component(app, "labels")["rows"]
    assert [(row[0], row[1], row[3]) for row in people] == [
        ("ana", "fail", "unsupported_promise"),
        ("ben", "fail", "unsupported_promise"),
    ]
    assert ["answer", "pass"] in component(app, "verdict")["rows"]
    spans = component(app, "item")["spans"]
    assert {(span["mark"], span["tag"]) for span in spans} == {("a", "people"), ("b", "judge")}
    (code,) = app.code
    assert (code.value, code.language) == ("evidence: 4,50 €", "plaintext")


def test_judges_are_compared_word_by_word(root: Path) -> None:
    where = {"judge": "policy-rules", "against": "always-pass", "cell": "false pass"}
    app = opened("disagreements", user="eve", **where, case="case-042-1")
    first, second = component(app, "diff")["sides"]
    assert (first["name"], second["name"]) == ("policy-rules", "always-pass")
    assert "".join(piece["text"] for piece in first["pieces"]) == "evidence: 4,50 €"


def test_filters_narrow_by_failure_mode_and_by_how_people_agree(root: Path) -> None:
    where = {"judge": "always-pass", "cell": "false pass"}
    every = opened("disagreements", user="eve", **where)
    mode = opened("disagreements", user="eve", **where, mode="wrong_amount")
    split = opened("disagreements", user="eve", **where, agreement="disagree")
    counts = [len(component(app, "list")["rows"]) for app in (every, mode, split)]
    assert counts[0] > counts[1] > 0
    assert counts[0] > counts[2] > 0
    assert all("wrong_amount" in row["meta"] for row in component(mode, "list")["rows"])


def test_no_case_of_a_holdout_is_sent_before_a_look_was_spent(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = {"judge": "policy-rules", "cell": "false pass", "split": "holdout"}
    app = opened("disagreements", user="eve", **where)
    assert "nobody has looked" in texts(app)
    assert "case-" not in sent(app)
    command(capsys, root, "calibrate", "--judge", "policy-rules")
    looked = opened("disagreements", user="eve", **where)
    assert component(looked, "list")["rows"]


def test_label_wrong_makes_an_adjudication_task_and_changes_no_label(root: Path) -> None:
    """D3."""
    open_project(root)
    labels = root / "annotations" / "refund_desk" / "labels.jsonl"
    before = labels.read_bytes()
    where = {"judge": "policy-rules", "cell": "false pass", "case": "case-042-1"}
    app = opened("disagreements", user="eve", **where)
    app.text_input("mark-note-case-042-1").set_value("reads as a pass")
    app.button("mark-label_wrong").click().run()
    assert "Marked: Label wrong. It is in the adjudication queue." in texts(app)
    app.text_input("mark-note-case-042-1").set_value("another reason")
    app.button("mark-label_wrong").click().run()
    assert "Marked before: Label wrong. This note was not added." in texts(app)
    with open_label_store(None, root) as store:
        (flag,) = store.adjudication.flags("refund_desk")
        events = store.events.count("refund_desk")
        tasks = store.adjudication.tasks("refund_desk")
    assert (flag.item_id, flag.reason, flag.actor) == ("case-042-1", "label_wrong", "eve")
    assert [task.item_id for task in tasks if "label_wrong" in task.reasons] == ["case-042-1"]
    assert events == 0
    assert labels.read_bytes() == before


def test_a_selection_without_cases_says_so(root: Path) -> None:
    app = opened("disagreements", user="eve", judge="policy-rules", cell="no answer")
    assert "No case is in this selection." in texts(app)


def declared_targeted(root: Path) -> None:
    """Say that the labelled items were picked on purpose."""
    manifest = root / "annotations" / "refund_desk" / "dataset.yaml"
    words = manifest.read_text(encoding="utf-8")
    rest = [line for line in words.splitlines() if not line.startswith("design:")]
    manifest.write_text("\n".join([*rest, "design: targeted", ""]), encoding="utf-8")


def test_cases_of_targeted_labels_are_read_and_only_the_rates_are_withheld(root: Path) -> None:
    where = {"judge": "policy-rules", "cell": "false pass"}
    expected = component(opened("disagreements", user="eve", **where), "list")["rows"]
    declared_targeted(root)
    app = opened("disagreements", user="eve", **where)
    assert component(app, "list")["rows"] == expected
    assert "No rate is shown: targeted labels cannot estimate a rate" in texts(app)
    assert "Error:" not in texts(app)


def test_no_case_of_a_holdout_with_targeted_labels_is_sent(root: Path) -> None:
    declared_targeted(root)
    app = opened("disagreements", user="eve", judge="policy-rules", split="holdout")
    assert "no look at them can be spent, so no case is shown" in texts(app)
    assert "case-" not in sent(app)


def test_a_judge_without_verdicts_is_told_with_the_command_and_where_people_differ(
    root: Path,
) -> None:
    for journal in (root / ".judgekit").rglob("policy-rules.jsonl"):
        journal.unlink()
    app = opened("disagreements", user="eve", judge="policy-rules")
    assert "judgekit run --dataset refund_desk --grader policy-rules" in texts(app)
    assert "What people answered differently among themselves is on the page Adjudicate" in texts(
        app
    )
    assert "Error:" not in texts(app)
