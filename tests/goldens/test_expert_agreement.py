from __future__ import annotations

from typing import Any

import pytest
from golden_records import expectation

from judgekit.goldens.expert_agreement import FieldAgreement, FinishedPair, expert_agreement
from judgekit.stats.agreement import cohen_kappa
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.intervals import wilson


def pair(
    number: int, one: dict[str, Any], other: dict[str, Any], group: str | None = None
) -> FinishedPair:
    return FinishedPair(
        case_id=f"c{number}",
        group=group or f"c{number}",
        experts=("ann", "bob"),
        entries=(expectation(**one), expectation(**other)),
    )


def decided(value: str) -> dict[str, Any]:
    return {"fields": {"decision": {"value": value}}}


def by_name(pairs: list[FinishedPair]) -> dict[str, FieldAgreement]:
    return {row.name: row for row in expert_agreement(pairs)}


ANSWERS = [("yes", "yes")] * 20 + [("no", "no")] * 12 + [("yes", "no")] * 5 + [("no", "yes")] * 3


def test_a_field_has_its_exact_share_with_n_and_the_interval_of_the_library() -> None:
    """G6: the share is that of cases with the same value, with Wilson's interval."""
    row = by_name([pair(n, decided(a), decided(b)) for n, (a, b) in enumerate(ANSWERS)])
    share = row["field decision"].share
    interval = wilson(32, 40, 0.025)
    assert isinstance(share, Estimate)
    assert interval is not None
    assert (share.value, share.n) == (0.8, 40)
    assert (share.low, share.high) == (pytest.approx(interval.low), pytest.approx(interval.high))


def test_categories_have_the_kappa_of_the_library() -> None:
    """G6: kappa equals cohen_kappa on the same pairs, with an interval."""
    found = by_name([pair(n, decided(a), decided(b)) for n, (a, b) in enumerate(ANSWERS)])
    kappa = found["field decision"].kappa
    expected = cohen_kappa(Confusion.of(ANSWERS, ("yes", "no"))).value
    assert isinstance(kappa, Estimate)
    assert kappa.value == pytest.approx(expected)
    assert kappa.low is not None
    assert kappa.low < kappa.value
    assert kappa.n == 40


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([f"text {n}" for n in range(40)], "40 different answers in 40 cases"),
        (list(range(40)), "not categories"),
        (["yes"] * 40, "one and the same answer"),
    ],
)
def test_kappa_that_cannot_be_says_why(values: list[Any], reason: str) -> None:
    """G6: free text, numbers and a single category have no kappa, and the reason is told."""
    cases = [decided(value) for value in values]
    kappa = by_name([pair(n, case, case) for n, case in enumerate(cases)])["field decision"].kappa
    assert isinstance(kappa, Undefined)
    assert reason in kappa.undefined


def test_a_part_that_one_expert_left_out_counts_as_a_disagreement() -> None:
    """G6: leaving out is an answer of its own."""
    row = by_name(
        [pair(1, decided("yes"), {"scenario": "edge"}), pair(2, decided("yes"), decided("yes"))]
    )
    assert isinstance(row["field decision"].share, Estimate)
    assert (row["field decision"].share.value, row["field decision"].share.n) == (0.5, 2)
    assert row["scenario"].share == Estimate(
        **{**row["scenario"].share.model_dump(), "value": 0.0, "n": 1}
    )


def test_another_weight_is_no_other_value() -> None:
    heavier = {"fields": {"decision": {"value": "yes", "weight": 2.0}}}
    row = by_name([pair(n, decided("yes"), heavier) for n in range(3)])["field decision"]
    assert isinstance(row.share, Estimate)
    assert row.share.value == 1.0


def test_arguments_and_rows_are_named_by_tool_and_table_and_clustered_by_case() -> None:
    """G6: several units of a case are one cluster, so the interval is wider than for loose ones."""

    def entry(amount: int) -> dict[str, Any]:
        calls = [{"tool": "refund", "arguments": {"amount": {"value": amount}}} for _ in range(4)]
        rows = {f"r{n}": {"fields": {"status": {"value": amount}}} for n in range(4)}
        return {"paths": {"p1": {"calls": calls}}, "state": {"tables": {"orders": rows}}}

    rows = by_name([pair(n, entry(1), entry(1 if n % 2 else 2)) for n in range(30)])
    assert set(rows) == {"argument refund.amount", "state orders.status", "tool calls"}
    share = rows["argument refund.amount"].share
    loose = wilson(60, 120, 0.025)
    assert isinstance(share, Estimate)
    assert loose is not None
    assert (share.value, share.n, rows["argument refund.amount"].n_cases) == (0.5, 120, 30)
    assert share.low is not None
    assert share.low < loose.low
    assert isinstance(rows["argument refund.amount"].kappa, Undefined)


def test_no_finished_case_has_no_figures() -> None:
    assert expert_agreement([]) == ()
