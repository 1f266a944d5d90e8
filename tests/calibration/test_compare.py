"""Comparing judges: hand-made cases and published anchors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judgekit.calibration.calibrate import CalibrationRequest
from judgekit.calibration.compare import ComparisonRequest, compare
from judgekit.calibration.comparison import ComparisonReport
from judgekit.calibration.looks import LookLedger
from judgekit.errors import InputError, UsageError
from judgekit.model.item import Item
from judgekit.model.policy import Policy
from judgekit.render.compare_report import comparison_markdown, comparison_text
from judgekit.stats.estimate import Estimate, Undefined

from .records import label, verdict

Cells = dict[tuple[str, str, str], int]
AIRWAY: Cells = {
    ("fail", "fail", "fail"): 1,
    ("fail", "fail", "pass"): 1,
    ("fail", "pass", "fail"): 7,
    ("fail", "pass", "pass"): 12,
    ("pass", "pass", "pass"): 30,
}
"""Fagerland, Lydersen & Laake 2014, table 2 (airway hyper-responsiveness), as human fails."""


def judges(
    cells: Cells, *, group_size: int = 1, split: str | None = None, start: int = 0, **more: Any
) -> tuple[CalibrationRequest, ...]:
    """Build two judges from counts of (human, first, second); `none` is an invalid verdict."""
    items, labels, answers, number = [], [], ([], []), start
    for (human, *both), n in cells.items():
        for _ in range(n):
            number += 1
            name = f"i{number:05}"
            group = f"{human}{number // group_size}" if group_size > 1 else None
            items.append(Item(id=name, output=name, group=group))
            labels.append(label(name, human))
            for own, answer in zip(answers, both, strict=True):
                own.append(verdict(name, None if answer == "none" else answer == "pass"))
    given: dict[str, Any] = {"policy": None, "split": split, **more}
    return tuple(
        CalibrationRequest(
            judge=name,
            fingerprint=name,
            labels=tuple(labels),
            verdicts=tuple(own),
            items=tuple(items),
            **given,
        )
        for name, own in zip(("cheap", "dear"), answers, strict=True)
    )


def compared(cells: Cells, **more: Any) -> ComparisonReport:
    return compare(ComparisonRequest(requests=judges(cells), **more))


def test_a_difference_of_false_pass_rates_has_tangos_published_interval_and_mcnemars_p() -> None:
    report = compared(AIRWAY)
    found = next(d for d in report.measured.differences if d.rate == "false_pass_rate")
    assert (found.n, found.only_first_wrong, found.only_second_wrong) == (21, 7, 1)
    assert isinstance(found.difference, Estimate)
    assert found.difference.value == pytest.approx(6 / 21)
    assert found.difference.low == pytest.approx(0.0260, abs=5e-5)
    assert found.difference.high == pytest.approx(0.5172, abs=5e-5)
    assert (found.test, found.p_value) == ("exact McNemar", pytest.approx(0.0703125))
    assert found.p_holm == pytest.approx(2 * 0.0703125)


def test_judges_that_never_differ_have_an_interval_around_zero_and_p_one() -> None:
    report = compared({("fail", "fail", "fail"): 40, ("pass", "pass", "pass"): 40})
    for found in report.measured.differences:
        assert isinstance(found.difference, Estimate)
        assert (found.difference.value, found.p_value) == (0.0, 1.0)
        assert found.difference.low == pytest.approx(-found.difference.high)
        assert found.difference.high > 0.05


def test_grouped_items_use_the_jackknife_and_never_mcnemar() -> None:
    cells: Cells = {
        ("fail", "fail", "fail"): 60, ("fail", "pass", "fail"): 20,
        ("fail", "fail", "pass"): 8, ("pass", "pass", "pass"): 60,
    }  # fmt: skip
    grouped = compare(ComparisonRequest(requests=judges(cells, group_size=4)))
    single = compared(cells)
    (one, *_), (other, *_) = grouped.measured.differences, single.measured.differences
    assert "jackknife" in one.difference.method
    assert one.n_groups < one.n
    assert one.difference.high - one.difference.low > other.difference.high - other.difference.low
    assert one.p_value > other.p_value == one.mcnemar_p
    assert any("groups" in caveat for caveat in grouped.caveats)


def test_groups_that_all_say_the_same_are_no_certainty() -> None:
    cells: Cells = {("fail", "pass", "fail"): 40, ("pass", "pass", "pass"): 40}
    found = compare(ComparisonRequest(requests=judges(cells, group_size=2))).measured
    difference = found.differences[0].difference
    assert isinstance(difference, Estimate)
    assert (difference.value, difference.high) == (1.0, 1.0)
    assert difference.low < 0.95


def test_the_grouped_p_is_where_the_interval_meets_zero() -> None:
    from judgekit.calibration.paired_figures import rows_of
    from judgekit.calibration.same_items import shared_items

    cells: Cells = {("fail", "fail", "fail"): 60, ("fail", "pass", "fail"): 30}
    requests = judges({**cells, ("pass", "pass", "pass"): 9}, group_size=3)
    found = compare(ComparisonRequest(requests=requests)).measured.differences[0]
    rows = rows_of(shared_items(requests).of_two("cheap", "dear", "fail"), "cheap", "dear")
    edge = rows.accuracy_difference(found.p_value / 2)
    assert isinstance(edge, Estimate)
    assert edge.high == pytest.approx(0.0, abs=1e-6)


def test_under_ten_groups_nothing_is_tested() -> None:
    cells: Cells = {
        ("fail", "fail", "fail"): 20, ("fail", "pass", "fail"): 5, ("pass", "pass", "pass"): 20,
    }  # fmt: skip
    requests = judges(cells, group_size=5)
    report = compare(ComparisonRequest(requests=requests, baseline="dear", margin=0.5))
    assert all(d.p_value is None and d.p_holm is None for d in report.measured.differences)
    (test,) = report.measured.non_inferiority
    assert (test.outcome, test.p_value, report.exit_code) == ("not_shown", None, 3)
    assert "too few" in test.sentence


@pytest.mark.parametrize(
    ("worse", "outcome", "code"),
    [(0, "non_inferior", 0), (6, "not_shown", 3), (60, "inferior", 1)],
)
def test_a_cheaper_judge_is_shown_within_the_margin_refuted_or_neither(
    worse: int, outcome: str, code: int
) -> None:
    cells: Cells = {
        ("fail", "fail", "fail"): 100, ("fail", "pass", "fail"): worse,
        ("pass", "pass", "pass"): 50,
    }  # fmt: skip
    report = compared(cells, baseline="dear", margin=0.05)
    (test,) = report.measured.non_inferiority
    assert (test.candidate, test.outcome, report.exit_code) == ("cheap", outcome, code)


def test_the_dearest_judge_is_the_baseline_and_unknown_costs_are_not_guessed() -> None:
    report = compared(AIRWAY, margin=0.1, costs={"cheap": 1.0, "dear": 9.0})
    assert report.baseline == "dear"
    with pytest.raises(UsageError, match="margin needs to know"):
        compared(AIRWAY, margin=0.1, costs={"cheap": 1.0})


def test_cost_per_1000_items_is_unknown_as_soon_as_one_verdict_is_silent() -> None:
    first, second = judges(AIRWAY)
    priced = tuple(v.model_copy(update={"cost_usd": 0.002}) for v in first.verdicts)
    silent = (*priced[1:], first.verdicts[0])
    for verdicts, wanted in ((priced, 2.0), (silent, None)):
        one = first.model_copy(update={"verdicts": verdicts})
        report = compare(ComparisonRequest(requests=(one, second)))
        cost = report.measured.candidate("cheap").usd_per_1000
        if wanted is None:
            assert isinstance(cost, Undefined)
            assert "1 of 51" in cost.undefined
        else:
            assert isinstance(cost, Estimate)
            assert cost.value == pytest.approx(wanted)


def test_items_that_one_judge_alone_gets_wrong_are_named() -> None:
    cells: Cells = {
        ("fail", "pass", "fail"): 1, ("pass", "pass", "fail"): 2, ("fail", "pass", "pass"): 1,
        ("fail", "fail", "fail"): 1, ("pass", "none", "fail"): 1,
    }  # fmt: skip
    report = compared(cells)
    cheap, dear = report.measured.candidates
    assert (cheap.alone_false_passes, cheap.alone_false_fails) == (("i00001",), ())
    assert (dear.alone_false_passes, dear.alone_false_fails) == ((), ("i00002", "i00003"))
    assert cheap.alone_of == report.measured.n_shared == 5
    assert any("5 items were answered by every judge" in caveat for caveat in report.caveats)


def test_with_one_person_per_item_the_human_ceiling_is_said_to_be_missing() -> None:
    report = compared(AIRWAY)
    ceiling = report.measured.candidates[0].ceiling
    assert (ceiling.passes, ceiling.reason) == (None, "no item was labelled by two people")
    assert any("not testable" in caveat for caveat in report.caveats)


GOOD: Cells = {
    ("fail", "fail", "fail"): 90, ("fail", "pass", "fail"): 10,
    ("pass", "pass", "pass"): 95, ("pass", "fail", "pass"): 5,
}  # fmt: skip
LIMITS = Policy(max_false_pass_rate=0.1, max_false_fail_rate=0.2)


def chosen(
    holdout: Cells, ledger: LookLedger | None = None, policy: Policy | None = LIMITS, **more: Any
) -> ComparisonReport:
    return compare(
        ComparisonRequest(
            requests=judges(GOOD, split="development", policy=policy),
            confirm_on=judges(holdout, split="holdout", start=1000, policy=policy),
            **more,
        ),
        ledger=ledger,
    )


def test_the_winner_is_marked_as_biased_where_chosen_and_not_where_confirmed() -> None:
    report = chosen(GOOD)
    assert report.choice is not None
    assert report.choice.winner == "dear"
    assert [one.biased for one in report.measured.candidates] == [False, True]
    assert report.confirmed is not None
    (one,) = report.confirmed.candidates
    assert (one.judge, one.biased, one.figures.split) == ("dear", False, "holdout")
    assert one.alone_of == 0
    assert "dear (biased)" in comparison_text(report)
    assert any("are biased" in reason for reason in report.reasons)


@pytest.mark.parametrize(
    ("holdout", "decision", "code"),
    [
        (GOOD, "approved", 0),
        ({("fail", "fail", "pass"): 50, ("pass", "pass", "pass"): 50}, "rejected", 1),
        ({("fail", "fail", "fail"): 5, ("pass", "pass", "pass"): 5}, "need_labels", 3),
    ],
)
def test_the_exit_code_is_that_of_the_confirmation_and_not_of_the_choice(
    holdout: Cells, decision: str, code: int
) -> None:
    report = chosen(holdout)
    assert report.confirmed is not None
    assert report.confirmed.candidates[0].figures.decision == decision
    assert report.exit_code == code


def test_confirming_spends_one_look_and_repeating_it_is_free(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    for _ in range(2):
        report = chosen(GOOD, ledger)
        assert len(ledger.read()) == 1
        assert any("look 1 of 3" in reason for reason in report.reasons)


def test_the_difference_to_a_baseline_on_the_holdout_is_a_second_look(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    report = chosen(GOOD, ledger, baseline="cheap", margin=0.05)
    assert len(ledger.read()) == 2
    assert report.confirmed is not None
    (test,) = report.confirmed.non_inferiority
    assert (test.candidate, test.outcome) == ("dear", "non_inferior")
    assert test.level == pytest.approx(0.05 / 3)


def test_no_difference_is_shown_once_the_looks_are_used_up(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    policy = LIMITS.model_copy(update={"max_looks": 1})
    report = chosen(GOOD, ledger, policy, baseline="cheap", margin=0.05)
    assert report.confirmed is not None
    assert report.confirmed.non_inferiority == report.confirmed.differences == ()
    assert report.exit_code == 3
    assert any("used up" in reason for reason in report.reasons)


def test_a_choice_by_cost_takes_the_cheapest_within_the_margin() -> None:
    costs = {"cheap": 1.0, "dear": 9.0}
    near = chosen(GOOD, choose_by="cost", margin=0.15, costs=costs)
    far = chosen(GOOD, choose_by="cost", margin=0.05, costs=costs)
    assert near.choice is not None
    assert far.choice is not None
    assert (near.choice.winner, far.choice.winner) == ("cheap", "dear")


def test_among_equal_judges_the_cheaper_one_is_chosen() -> None:
    same: Cells = {("fail", "fail", "fail"): 30, ("pass", "pass", "pass"): 30}
    requests = judges(same, split="development")
    later = judges(same, split="holdout", start=1000)
    costs = {"cheap": 5.0, "dear": 4.0}
    report = compare(ComparisonRequest(requests=requests, confirm_on=later, costs=costs))
    assert report.choice is not None
    assert report.choice.winner == "dear"


def test_a_judge_that_leaves_items_out_is_not_chosen_for_it() -> None:
    cells: Cells = {
        ("fail", "none", "fail"): 30, ("fail", "fail", "fail"): 10, ("fail", "fail", "pass"): 2,
        ("pass", "pass", "pass"): 40,
    }  # fmt: skip
    report = compare(
        ComparisonRequest(
            requests=judges(cells, split="development"),
            confirm_on=judges(cells, split="holdout", start=1000),
        )
    )
    assert report.choice is not None
    assert report.choice.winner == "dear"


def test_no_judge_is_chosen_without_both_error_rates() -> None:
    only: Cells = {("pass", "pass", "pass"): 30}
    report = compare(
        ComparisonRequest(
            requests=judges(only, split="development"),
            confirm_on=judges(only, split="holdout", start=1000),
        )
    )
    assert report.choice is not None
    assert (report.choice.winner, report.confirmed, report.exit_code) == (None, None, 3)


def test_what_cannot_be_compared_is_refused() -> None:
    first, second = judges(AIRWAY)
    with pytest.raises(UsageError, match="two judges"):
        compare(ComparisonRequest(requests=(first,)))
    with pytest.raises(UsageError, match="no judge 'x'"):
        compared(AIRWAY, baseline="x")
    with pytest.raises(UsageError, match="needs a margin"):
        compared(AIRWAY, choose_by="cost")
    strata = tuple(r.model_copy(update={"design": "stratified:pass"}) for r in (first, second))
    with pytest.raises(UsageError, match="stratum"):
        compare(ComparisonRequest(requests=strata))
    other = second.model_copy(update={"verdicts": (verdict("elsewhere", True),)})
    with pytest.raises(InputError, match="no verdict on any labelled item"):
        compare(ComparisonRequest(requests=(first, other)))


def test_json_holds_each_judge_as_calibrate_shows_it_and_markdown_is_escaped() -> None:
    report = compared(AIRWAY, baseline="dear", margin=0.1)
    data = report.to_json()
    assert data["schema"] == 1
    figures = data["measured"]["candidates"][0]["figures"]
    assert figures["confusion"]["human_fail_judge_pass"] == 19
    assert data["measured"]["differences"][0]["difference"]["method"] == "Tango score"
    named = judges(AIRWAY)
    bold = named[0].model_copy(update={"judge": "<b>|x"})
    text = comparison_markdown(compare(ComparisonRequest(requests=(bold, named[1]))))
    assert "<b>" not in text
    assert "\\<b\\>\\|x" in text
