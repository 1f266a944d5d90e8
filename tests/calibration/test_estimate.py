"""Estimating a pass rate: hand-made cases and published anchors."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.calibration.estimate import EstimateReport, EstimateRequest, estimate
from judgekit.errors import InputError, UsageError
from judgekit.model.item import Item
from judgekit.model.verdict import Verdict
from judgekit.render.estimate_report import estimate_markdown, estimate_text
from judgekit.stats.estimate import Estimate, Undefined

from .records import request, verdict

TYPICAL = {
    ("pass", "pass"): 90, ("pass", "fail"): 10, ("fail", "pass"): 10, ("fail", "fail"): 40,
}  # fmt: skip


def outputs(passes: int, fails: int, invalid: int = 0) -> tuple[Verdict, ...]:
    answers = [True] * passes + [False] * fails + [None] * invalid
    return tuple(verdict(f"out{k}", answer) for k, answer in enumerate(answers))


def estimated(
    cells: dict[tuple[str, str], int], given: tuple[Verdict, ...], assume: Any, **more: Any
) -> EstimateReport:
    return estimate(
        EstimateRequest(
            calibration=request(cells, policy=None), assume=assume, outputs=given, **more
        )
    )


def test_label_shift_gives_rogan_gladen_with_lang_and_reiczigels_interval() -> None:
    # TPR .9 of 100, TNR .8 of 50, 720 of 1,000 pass: the formula of Lang & Reiczigel 2014, as
    # R's epiR (value) and an R implementation of the paper (interval) give it.
    report = estimated(TYPICAL, outputs(720, 280), "label-shift")
    rate = report.pass_rate
    assert isinstance(rate, Estimate)
    assert rate.value == pytest.approx(0.742857142857)
    assert (rate.low, rate.high) == pytest.approx((0.656997145141, 0.832928350625))
    assert isinstance(report.youden_j, Estimate)
    assert report.youden_j.value == pytest.approx(0.7)
    assert isinstance(report.labels_only, Undefined)
    assert (report.exit_code, report.refused) == (0, None)


def test_random_gives_ppi_plus_plus_with_an_interval_for_outputs_and_product() -> None:
    report = estimated(TYPICAL, outputs(720, 280), "random")
    rate, at_large = report.pass_rate, report.at_large
    assert isinstance(rate, Estimate)
    assert isinstance(at_large, Estimate)
    # By hand: lam = cov/((1 + n/N) var(F)), theta = lam .72 + 100/150 - lam 100/150.
    cov = 90 / 150 - (100 / 150) ** 2
    share = 820 / 1150
    lam = cov / ((1 + 0.15) * share * (1 - share) * 1150 / 1149)
    assert rate.value == pytest.approx(100 / 150 + lam * (0.72 - 100 / 150), rel=1e-6)
    assert rate.value == pytest.approx(at_large.value)
    assert rate.low < at_large.low + 1e-3
    assert rate.high > at_large.high - 1e-3
    assert isinstance(report.labels_only, Estimate)
    assert at_large.high - at_large.low < report.labels_only.high - report.labels_only.low


def test_the_interval_grows_by_much_only_where_outputs_are_few() -> None:
    few = estimated(TYPICAL, outputs(72, 28), "random")
    many = estimated(TYPICAL, outputs(7200, 2800), "random")
    widths = [
        (r.pass_rate.high - r.pass_rate.low) / (r.at_large.high - r.at_large.low)
        for r in (few, many)
    ]
    assert widths[0] > 1.2
    assert widths[1] < 1.05


@pytest.mark.parametrize("assume", ["random", "label-shift"])
@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ({("pass", "pass"): 50, ("pass", "fail"): 50, ("fail", "pass"): 50, ("fail", "fail"): 50},
         "not above 0"),
        ({("pass", "pass"): 6, ("pass", "fail"): 2, ("fail", "pass"): 2, ("fail", "fail"): 2},
         "not above 0"),
        ({("pass", "pass"): 50, ("pass", "fail"): 5}, "undefined"),
    ],
)  # fmt: skip
def test_a_judge_that_may_know_nothing_gives_no_pass_rate(
    assume: str, cells: dict[tuple[str, str], int], why: str
) -> None:
    report = estimated(cells, outputs(60, 40), assume)
    assert (report.exit_code, isinstance(report.pass_rate, Undefined)) == (3, True)
    assert report.refused is not None
    assert why in report.refused
    assert "No pass rate can be given" in estimate_text(report).splitlines()[0]


def test_a_weak_judge_and_few_labels_are_warned_about() -> None:
    weak = {
        ("pass", "pass"): 300, ("pass", "fail"): 200, ("fail", "pass"): 200, ("fail", "fail"): 300,
    }  # fmt: skip
    assert any("under 0.3" in w for w in estimated(weak, outputs(60, 40), "random").warnings)
    few = {("pass", "pass"): 60, ("fail", "fail"): 8}
    assert any("Only 8 labels" in w for w in estimated(few, outputs(60, 8), "random").warnings)
    assert estimated(TYPICAL, outputs(60, 35), "label-shift").warnings[1:] == ()


def test_a_rate_outside_zero_to_one_is_clipped_and_said() -> None:
    cells = {
        ("pass", "pass"): 80, ("pass", "fail"): 20, ("fail", "pass"): 15, ("fail", "fail"): 85,
    }  # fmt: skip
    report = estimated(cells, outputs(20, 380), "label-shift")
    assert isinstance(report.pass_rate, Estimate)
    assert (report.pass_rate.value, report.pass_rate.status) == (0.0, "clipped")
    assert any("clipped" in warning for warning in report.warnings)


def test_labels_that_do_not_look_like_a_sample_of_the_outputs_are_warned_about() -> None:
    apart = estimated(TYPICAL, outputs(100, 900), "random")
    assert any("looks wrong" in warning for warning in apart.warnings)
    alike = estimated(TYPICAL, outputs(660, 340), "random")
    assert not any("looks wrong" in warning for warning in alike.warnings)


def test_groups_widen_the_interval_and_unknown_groups_are_said() -> None:
    items = tuple(Item(id=f"out{k}", group=f"g{k // 20}") for k in range(1000))
    for assume in ("random", "label-shift"):
        alone = estimated(TYPICAL, outputs(720, 280), assume)
        grouped = estimated(TYPICAL, outputs(720, 280), assume, output_items=items)
        assert grouped.grouped
        assert grouped.n_output_groups == 50
        assert grouped.pass_rate.value == pytest.approx(alone.pass_rate.value)
        assert (
            grouped.pass_rate.high - grouped.pass_rate.low
            > alone.pass_rate.high - alone.pass_rate.low
        )
        assert any("groups are not known" in warning for warning in alone.warnings)
        assert not any("groups are not known" in warning for warning in grouped.warnings)


def test_without_outputs_the_unlabelled_items_are_the_outputs() -> None:
    given = request(TYPICAL, policy=None)
    unlabelled = {f"i{k:04}" for k in range(1, 31)}
    kept = tuple(one for one in given.labels if one.item_id not in unlabelled)
    report = estimate(
        EstimateRequest(calibration=given.model_copy(update={"labels": kept}), assume="random")
    )
    assert (report.n_outputs, report.n_labelled) == (30, 120)


def test_outputs_without_an_answer_are_counted_and_named_as_unsupported() -> None:
    report = estimated(TYPICAL, outputs(60, 40, invalid=7), "label-shift")
    assert (report.n_outputs, report.unscored_outputs) == (100, {"invalid": 7})
    assert any("7 outputs without a usable verdict" in caveat for caveat in report.caveats)


def test_what_cannot_be_estimated_is_refused_as_bad_input() -> None:
    with pytest.raises(InputError, match="no unlabelled outputs"):
        estimated(TYPICAL, (), "random")
    with pytest.raises(InputError, match="must not overlap"):
        estimated(TYPICAL, (verdict("i0001", True),), "random")
    strata = request(TYPICAL, policy=None, design="stratified:judge_pass")
    with pytest.raises(UsageError, match="stratum"):
        estimate(EstimateRequest(calibration=strata, assume="random", outputs=outputs(1, 1)))


def test_each_assumption_is_listed_as_a_claim_the_data_cannot_support() -> None:
    random = estimated(TYPICAL, outputs(60, 40), "random")
    shift = estimated(TYPICAL, outputs(60, 40), "label-shift")
    assert "random sample" in random.caveats[0]
    assert "nothing here can show it" in shift.caveats[0]
    assert "## Pass rate" in estimate_markdown(random)
    data = shift.to_json()
    assert data["calibration"]["confusion"] == data["confusion"]
    assert data["refused"] is None
