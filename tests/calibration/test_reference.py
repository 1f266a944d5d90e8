"""Reference labels under each rule; what cannot be resolved is counted."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.calibration.answers import Reading
from judgekit.calibration.reference import ReferenceSet, reference_labels
from judgekit.errors import CriterionMismatch, InputError, UsageError
from judgekit.model.rubric import Criterion, FailureMode, Rubric

from .records import label

RUBRIC = Rubric(
    name="r",
    task="t",
    criteria=(Criterion(id="a", description="a"), Criterion(id="b", description="b")),
    failure_modes=(FailureMode(id="m", description="m"),),
)


def answers(found: ReferenceSet) -> dict[str, str]:
    return {r.item_id: r.answer for r in found.references}


def resolve(*labels: Any, rule: str = "auto", **more: Any) -> ReferenceSet:
    return reference_labels(labels, rule=rule, **more)


def test_auto_prefers_the_adjudicated_answer_else_asks_for_agreement() -> None:
    found = resolve(
        label("x", "pass", "p"), label("x", "fail", "q"), label("x", "fail", "gold"),
        label("y", "pass", "p"), label("y", "pass", "q"),
        label("z", "pass", "p"), label("z", "fail", "q"),
        label("u", "pass", "p"),
        label("v", "fail", "boss", origin="adjudicated"), label("v", "pass", "p"),
    )  # fmt: skip
    assert answers(found) == {"x": "fail", "y": "pass", "u": "pass", "v": "fail"}
    assert found.unresolved == {"z": "disagreement"}
    assert found.single == 1
    assert found.origins == {"adjudicated": 1, "human": 3, "objective": 1}


def test_a_named_annotator_and_adjudicated_take_only_their_own() -> None:
    labels = (label("x", "pass", "p"), label("x", "fail", "gold"), label("y", "pass", "p"))
    assert answers(resolve(*labels, rule="p")) == {"x": "pass", "y": "pass"}
    found = resolve(*labels, rule="adjudicated")
    assert answers(found) == {"x": "fail"}
    assert found.unresolved == {"y": "no_reference"}
    with pytest.raises(UsageError, match="neither a rule nor an annotator"):
        resolve(*labels, rule="nobody")


def test_majority_is_a_strict_plurality_and_ties_stay_open() -> None:
    found = resolve(
        label("x", "pass", "p"), label("x", "pass", "q"), label("x", "fail", "r"),
        label("t", "pass", "p"), label("t", "fail", "q"),
        label("u", "unsure", "p"), label("u", "unsure", "q"), label("u", "pass", "r"),
        rule="majority",
    )  # fmt: skip
    assert answers(found) == {"x": "pass"}
    assert found.unresolved == {"t": "tie", "u": "unsure"}


def test_unsure_and_contradictory_labels_stay_open_and_are_counted() -> None:
    found = resolve(
        label("x", "unsure", "p"),
        label("y", "pass", "p"), label("y", "fail", "p"), label("y", "pass", "q"),
        label("z", "pass", "p"), label("z", "pass", "p"),
    )  # fmt: skip
    assert found.unresolved == {"x": "unsure", "y": "contradictory"}
    assert answers(found) == {"z": "pass"}


def test_mean_takes_numbers_first_and_the_threshold_after() -> None:
    at_least = Reading(pass_if=lambda x: x >= 3.5)
    found = resolve(
        label("x", 3, "p"), label("x", 4, "q"),
        label("y", 3, "p"), label("y", "3", "q"),
        label("u", "unsure", "p"), label("u", 4, "q"),
        rule="mean", reading=at_least,
    )  # fmt: skip
    assert answers(found) == {"x": "pass", "y": "fail"}
    assert found.unresolved == {"u": "unsure"}
    with pytest.raises(UsageError, match="which mean passes"):
        resolve(label("x", 3), rule="mean")
    with pytest.raises(InputError, match="cannot be read"):
        resolve(label("x", "nice"), rule="mean", reading=at_least)


def test_each_makes_every_label_line_a_row() -> None:
    found = resolve(
        label("x", "pass", "p"), label("x", "fail", "p"), label("x", "unsure", "q"),
        label("y", "na", "p"),
        rule="each", reading=Reading(not_applicable=("na",)),
    )  # fmt: skip
    assert [(r.item_id, r.answer) for r in found.references] == [("x", "pass"), ("x", "fail")]
    assert found.left_out == {"unsure": 1, "not_applicable": 1}
    with pytest.raises(InputError, match="none is about the whole"):
        resolve(label("x", "pass", criterion="a"), rule="each", rubric=RUBRIC)


def test_not_applicable_labels_are_dropped_with_that_reason() -> None:
    found = resolve(label("x", "NA"), reading=Reading(not_applicable=("na",)))
    assert found.unresolved == {"x": "not_applicable"}


def test_the_rubric_unit_takes_overall_else_the_pass_rule() -> None:
    found = resolve(
        label("x", "fail"), label("x", "pass", criterion="a"), label("x", "pass", criterion="b"),
        label("y", "pass", criterion="a"), label("y", "fail", criterion="b", failure_mode="m"),
        label("z", "pass", criterion="a"),
        label("w", "pass", criterion="a"), label("w", "pass", criterion="b"),
        rubric=RUBRIC,
    )  # fmt: skip
    assert answers(found) == {"x": "fail", "y": "fail", "w": "pass"}
    assert found.unresolved == {"z": "incomplete"}
    assert {r.item_id: r.failure_mode for r in found.references}["y"] == "m"


def test_several_criteria_without_a_choice_are_refused_and_named() -> None:
    labels = (label("x", "pass", criterion="a"), label("x", "pass", criterion="b"))
    with pytest.raises(CriterionMismatch, match="several criteria") as refused:
        resolve(*labels)
    assert refused.value.found == "a, b"
    assert answers(resolve(*labels, criterion="b")) == {"x": "pass"}
    with pytest.raises(CriterionMismatch, match="no label is about"):
        resolve(*labels, criterion="c")
    with pytest.raises(CriterionMismatch, match="no labels"):
        resolve()


def test_min_annotators_leaves_thin_items_open() -> None:
    found = resolve(
        label("x", "pass", "p"), label("y", "pass", "p"), label("y", "pass", "q"),
        min_annotators=2,
    )  # fmt: skip
    assert answers(found) == {"y": "pass"}
    assert found.unresolved == {"x": "too_few_annotators"}


def test_words_numbers_and_categories_are_read_as_told() -> None:
    words = [True, "Yes", 1, "correct", False, "no", "0", "incorrect"]
    found = [Reading().answer(label("x", word)) for word in words]
    assert found == ["pass"] * 4 + ["fail"] * 4
    assert Reading(positives=frozenset({"1"})).answer(label("x", "tie")) == "fail"
    assert Reading(pass_if=lambda x: x >= 4).answer(label("x", 4)) == "pass"
    assert Reading(categories=("1", "2")).answer(label("x", 2)) == "2"
    with pytest.raises(InputError, match="cannot be read"):
        Reading().answer(label("x", "tie", line=3))
    with pytest.raises(InputError, match="cannot be read"):
        Reading(categories=("1", "2")).answer(label("x", "3"))
