"""`sequential: anytime`: looking as often as one likes, under its conditions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from judgekit.calibration.calibrate import CalibrationRequest, calibrate
from judgekit.calibration.looks import LookLedger
from judgekit.model.policy import Policy

from .records import request, verdict

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LIMIT = Policy(max_false_pass_rate=0.05, sequential="anytime")


def arriving(errors: list[int], **more: Any) -> CalibrationRequest:
    """Human fails that arrive minute by minute; 1 = the judge passes it."""
    found = request({("fail", "fail"): len(errors)}, LIMIT, design="random")
    labels = tuple(
        one.model_copy(update={"labelled_at": NOW + timedelta(minutes=k)})
        for k, one in enumerate(found.labels)
    )
    verdicts = tuple(
        verdict(one.item_id, bool(error)) for one, error in zip(labels, errors, strict=True)
    )
    return found.model_copy(update={"labels": labels, "verdicts": verdicts, **more})


def test_approval_without_an_error_comes_at_72_human_fails() -> None:
    # Prior with mean at the limit; 59 for one fixed look (STATISTICS section 3).
    assert calibrate(arriving([0] * 71)).decision == "need_labels"
    report = calibrate(arriving([0] * 72))
    assert report.decision == "approved"
    assert "largest e-value 20.2 where 20 decides (any time, level 0.05)" in (
        report.conditions[0].sentence
    )


def test_what_was_decided_stays_decided_when_later_labels_are_worse() -> None:
    assert calibrate(arriving([0] * 72 + [1, 1, 1])).decision == "approved"
    assert calibrate(arriving([1, 1, 1] + [0] * 72)).decision == "rejected"


def test_a_bad_judge_is_rejected_early() -> None:
    assert calibrate(arriving([1, 1, 0, 1])).decision == "rejected"


def test_the_order_is_that_of_arrival_and_not_of_the_file() -> None:
    found = arriving([0] * 72 + [1, 1, 1])
    shuffled = found.model_copy(update={"labels": tuple(reversed(found.labels))})
    assert calibrate(shuffled).decision == "approved"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"design": None}, "not declared `design: random`"),
        ({"policy": LIMIT.model_copy(update={"min_kappa": 0.1})}, "no anytime bound"),
        ({"rule": "each"}, "more than once"),
    ],
    ids=["design", "kappa", "each"],
)
def test_where_a_condition_fails_planned_looks_are_used_with_the_reason(
    change: dict[str, Any], reason: str
) -> None:
    found = arriving([0] * 72)
    if change.get("rule") == "each":
        again = found.labels[0].model_copy(update={"annotator": "bob"})
        change = {**change, "labels": (*found.labels, again)}
    report = calibrate(found.model_copy(update=change))
    assert any(reason in one and "planned looks were used" in one for one in report.reasons)
    assert "at most" in report.conditions[0].sentence


def test_groups_and_unknown_times_also_fall_back_with_the_reason() -> None:
    found = arriving([0] * 72)
    one_group = tuple(i.model_copy(update={"group": "g"}) for i in found.items or ())
    grouped = calibrate(found.model_copy(update={"items": one_group}))
    assert any("items come in groups" in one for one in grouped.reasons)
    timeless = (found.labels[0].model_copy(update={"labelled_at": None}), *found.labels[1:])
    unknown = calibrate(found.model_copy(update={"labels": timeless}))
    assert any("`labelled_at`" in one for one in unknown.reasons)


def test_one_candidate_may_look_at_a_holdout_as_often_as_it_likes(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    for n in (10, 20, 30, 50, 71):
        report = calibrate(arriving([0] * n, split="holdout"), ledger=ledger, now=NOW)
        assert report.decision == "need_labels"
        assert report.conditions[0].level == pytest.approx(0.05)
    last = calibrate(arriving([0] * 72, split="holdout"), ledger=ledger, now=NOW)
    assert (last.decision, last.approvable) == ("approved", True)


def test_the_anytime_test_of_one_candidate_leaves_nothing_for_another(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    calibrate(arriving([0] * 72, split="holdout"), ledger=ledger, now=NOW)
    other = arriving([0] * 300, split="holdout", judge="k", fingerprint="k")
    report = calibrate(other, ledger=ledger, now=NOW)
    assert (report.decision, report.approvable) == ("need_labels", False)
    planned = other.model_copy(update={"policy": Policy(max_false_pass_rate=0.05)})
    assert calibrate(planned, ledger=ledger, now=NOW).decision == "need_labels"


def test_after_planned_looks_the_anytime_test_gets_what_is_left(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    planned = arriving([0] * 30, split="holdout", fingerprint="p")
    first = planned.model_copy(update={"policy": Policy(max_false_pass_rate=0.05)})
    calibrate(first, ledger=ledger, now=NOW)
    report = calibrate(arriving([0] * 90, split="holdout"), ledger=ledger, now=NOW)
    assert report.conditions[0].level == pytest.approx(0.05 * 2 / 3)
    assert report.decision == "approved"
