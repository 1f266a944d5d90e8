from __future__ import annotations

import random
from pathlib import Path

import pytest
from label_event_records import event

from judgekit.errors import InputError
from judgekit.store.label_files.fold import fold, labels_text
from judgekit.store.readers import read_labels

ADJUDICATION = "_adjudication"


def stands(*events) -> list[tuple[str, str, object]]:
    return [(x.annotator, x.criterion, x.label) for x in fold(events).labels]


def test_the_highest_revision_stands() -> None:
    log = [event(1), event(2, label="fail", rev=2, prev_rev=1)]
    assert stands(*log) == [("ana", "_overall", "fail")]
    assert stands(*reversed(log)) == [("ana", "_overall", "fail")]


def test_an_undo_brings_back_what_stood_before_or_nothing() -> None:
    undo = event(2, kind="undo", value=None, rev=2, prev_rev=1)
    assert stands(event(1), undo) == []
    assert stands(event(1), undo, event(3, label="fail", rev=3)) == [("ana", "_overall", "fail")]
    back = event(3, kind="undo", value={"label": "pass"}, rev=3, prev_rev=2)
    assert stands(event(1), event(2, label="fail", rev=2), back) == [("ana", "_overall", "pass")]


def test_a_skip_is_no_label_and_unsure_is_one() -> None:
    """Honest 5."""
    skip = event(1, kind="skip", value=None)
    unsure = event(2, item_id="case-2", kind="unsure", value={"label": "unsure"})
    folded = fold([skip, unsure])
    assert [(x.item_id, x.label) for x in folded.labels] == [("case-2", "unsure")]
    assert folded.left_out == {"skip": 1}


def test_criteria_of_one_operation_are_labels_of_their_own() -> None:
    log = [event(1), event(2, op_id="op-1", field="tone", label="fail")]
    assert stands(*log) == [("ana", "_overall", "pass"), ("ana", "tone", "fail")]


def test_hidden_repeats_and_changes_after_the_reveal_are_no_calibration_data() -> None:
    """L17, honest 2 and 4, C9."""
    repeat = event(2, label="fail", repeat=1)
    changed = event(3, label="fail", rev=2, prev_rev=1, after_reveal=True)
    folded = fold([event(1), repeat, changed])
    assert [x.label for x in folded.labels] == ["pass"]
    assert folded.left_out == {"after_reveal": 1, "hidden_repeat": 1}


def test_an_adjudication_is_a_label_of_its_own_beside_the_annotators() -> None:
    decision = event(
        3, actor="lea", annotator=ADJUDICATION, kind="adjudicate", value={"label": "fail"}
    )
    folded = fold([event(1), event(2, actor="ben", label="fail"), decision])
    assert [(x.annotator, x.effective_origin) for x in folded.labels] == [
        ("ana", "human"),
        ("ben", "human"),
        ("lea", "adjudicated"),
    ]


def test_an_excluded_field_keeps_its_reason_and_the_items_other_fields_stay() -> None:
    """A6, C5."""
    out = {"excluded": True, "reason": "the policy does not say"}
    log = [
        event(1),
        event(2, op_id="op-1", field="tone"),
        event(3, actor="lea", annotator=ADJUDICATION, field="tone", kind="exclude", value=out),
    ]
    folded = fold(log)
    assert [x.criterion for x in folded.labels] == ["_overall"]
    assert [(x.item_id, x.criterion, x.reason) for x in folded.exclusions] == [
        ("case-1", "tone", "the policy does not say")
    ]
    assert folded.left_out == {"excluded": 1}
    back = event(
        4, actor="lea", annotator=ADJUDICATION, field="tone", kind="restore", value=None, rev=2
    )
    assert [x.criterion for x in fold([*log, back]).labels] == ["_overall", "tone"]
    assert fold([*log, back]).exclusions == ()


def test_the_sampling_design_and_the_guideline_travel_with_each_label() -> None:
    log = [event(1, design="targeted", guideline="v2"), event(2, actor="ben", design="random")]
    assert [(x.design, x.guideline) for x in fold(log).labels] == [
        ("targeted", "v2"),
        ("random", None),
    ]


def test_quotes_of_spans_are_the_evidence() -> None:
    span = {"start": 1, "end": 2, "quote": "\U0001f600", "field": "output", "item_hash": "h"}
    value = {"label": "fail", "failure_mode": "wrong_amount", "spans": [span], "note": "see it"}
    label = fold([event(1, value=value)]).labels[0]
    assert (label.failure_mode, label.evidence, label.note) == (
        "wrong_amount",
        ("\U0001f600",),
        "see it",
    )


def test_an_imported_label_keeps_its_origin_weight_and_missing_date() -> None:
    value = {"label": 4, "origin": "objective", "weight": 2.5, "undated": True}
    label = fold([event(1, kind="import", actor="gold", value=value)]).labels[0]
    assert (label.label, label.origin, label.weight, label.labelled_at) == (
        4,
        "objective",
        2.5,
        None,
    )


def test_the_order_of_the_log_does_not_change_the_labels() -> None:
    log = [
        event(n, item_id=f"case-{n % 7}", actor="abc"[n % 3], rev=1 + n // 21, label="pf"[n % 2])
        for n in range(1, 60)
    ]
    expected = labels_text(fold(log).labels)
    random.Random(4).shuffle(log)
    assert labels_text(fold(log).labels) == expected


def test_labels_written_are_read_back_by_the_reader_every_command_uses(tmp_path: Path) -> None:
    value = {"label": "fail", "note": "line one\nline \u2028 two", "failure_mode": "empty_reply"}
    folded = fold([event(1, value=value), event(2, field="tone"), event(3, actor="ben")])
    path = tmp_path / "labels.jsonl"
    path.write_text(labels_text(folded.labels), encoding="utf-8", newline="")
    read = read_labels(path).labels
    assert [x.model_dump() for x in read] == [x.model_dump() for x in folded.labels]
    assert labels_text(read) == labels_text(folded.labels)


def test_where_only_criteria_were_answered_there_is_no_overall_label() -> None:
    log = [event(1, value={"note": "see tone"}), event(2, op_id="op-1", field="tone")]
    assert [x.criterion for x in fold(log).labels] == ["tone"]


def test_an_empty_log_has_no_labels() -> None:
    assert fold([]).labels == ()
    assert labels_text([]) == ""


@pytest.mark.parametrize(
    "value", [{"label": []}, {"label": "fail", "spans": [{"quote": 3}]}, {"label": {"a": 1}}]
)
def test_an_answer_without_a_label_is_refused_by_name(value: dict) -> None:
    with pytest.raises(InputError, match="op-1"):
        fold([event(1, value=value)])
