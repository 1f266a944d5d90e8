"""Pairing: every drop is counted, and criteria are never mixed."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.calibration.pairing import Pairing, pair
from judgekit.calibration.reference import reference_labels
from judgekit.errors import CriterionMismatch, InputError
from judgekit.model.item import Item

from .records import label, verdict


def paired(labels: list[Any], verdicts: list[Any], **more: Any) -> Pairing:
    criterion = more.pop("criterion", None)
    return pair(reference_labels(labels, rule="auto", criterion=criterion), verdicts, **more)


def test_every_drop_has_its_reason() -> None:
    items = {name: Item(id=name, output=name) for name in "abcdefg"}
    found = paired(
        [label(name, "pass") for name in "abcdefghx"] + [label("g", "fail", "other")],
        [
            verdict("a", True),
            verdict("a", False, regrade=1),
            verdict("c", None),
            verdict("d", True, item_hash="sha256:of another text"),
            verdict("e", True), verdict("e", False),
            verdict("f", True), verdict("f", True),
            verdict("zzz", True),
        ],
        items=items,
        within={"a", "b", "c", "d", "e", "f"},
    )  # fmt: skip
    assert [p.item_id for p in found.scored] == ["a", "f"]
    assert found.dropped == {
        "conflicting_verdicts": 1,
        "duplicate_verdict": 1,
        "missing": 1,
        "other_split": 1,
        "regrade": 1,
        "stale_verdict": 1,
        "unknown_item": 2,
        "unlabelled": 1,
    }
    assert found.unscored_counts == {"invalid": 1}
    assert {p.item_id for p in found.unscored} == {"b", "c", "d"}


def test_unresolved_items_are_dropped_with_their_reason() -> None:
    found = paired(
        [label("a", "pass"), label("b", "pass", "p"), label("b", "fail", "q")],
        [verdict("a", True), verdict("b", True)],
    )
    assert found.dropped == {"disagreement": 1}


def test_a_criterion_is_read_from_the_judges_lists() -> None:
    both = verdict("a", False, passed_criteria=("one",), failed_criteria=("two",))
    for criterion, wanted in (("one", "pass"), ("two", "fail")):
        found = paired([label("a", "pass", criterion=criterion)], [both], criterion=criterion)
        assert found.scored[0].judge == wanted
    other = paired([label("a", "pass", criterion="three")], [both], criterion="three")
    assert other.scored == ()
    assert other.unscored_counts == {"invalid": 1}


def test_criteria_are_never_mixed_without_a_mapping() -> None:
    labels = [label("a", "pass", criterion="ours")]
    verdicts = [verdict("a", True, criterion="theirs")]
    with pytest.raises(CriterionMismatch) as refused:
        paired(labels, verdicts)
    assert refused.value.found == "labels: ours; verdicts: theirs"
    assert len(paired(labels, verdicts, labels_criterion="theirs").scored) == 1


def test_two_orders_are_never_mixed() -> None:
    labels = [label("a", "pass")]
    verdicts = [verdict("a", True, order="original"), verdict("a", False, order="swapped")]
    with pytest.raises(InputError, match="several orders"):
        paired(labels, verdicts)
    assert paired(labels, verdicts, order="swapped").scored[0].judge == "fail"
    with pytest.raises(InputError, match="no verdict has the order"):
        paired(labels, verdicts, order="sideways")
