"""The plan: sizes in human fails and in items, looks, groups, and what oversampling saves."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from judgekit.calibration.plan import Oversampling, Plan, PlanRequest, make_plan
from judgekit.render.plan_text import plan_text
from judgekit.stats.estimate import Undefined


def plan(limit: float, rate: float, **more: float) -> Plan:
    return make_plan(PlanRequest(limit=limit, expected_rate=rate, **more))


def least(found: Plan) -> list[int]:
    return [size.human_fail for size in found.least]


def test_the_least_labels_for_5_percent_and_0_to_3_errors_are_the_known_ones() -> None:
    assert least(plan(0.05, 0.01)) == [59, 93, 124, 153]


def test_the_zero_error_minimum_follows_the_limit() -> None:
    found = [least(plan(limit, 0.0))[0] for limit in (0.01, 0.02, 0.05, 0.10, 0.20)]
    assert found == [299, 149, 59, 29, 14]


def test_the_zero_error_minimum_follows_the_planned_looks() -> None:
    found = [least(plan(0.10, 0.02, looks=looks))[0] for looks in (1, 3, 5, 10)]
    assert found == [29, 39, 44, 51]
    assert plan(0.10, 0.02, looks=5).level == pytest.approx(0.01)


def test_a_rate_of_1_percent_under_a_limit_of_5_needs_124_and_that_is_stable() -> None:
    found = plan(0.05, 0.01, power=0.8)
    assert (found.n_first, found.n_stable, found.infeasible) == (124, 124, None)
    assert found.first is not None
    assert (found.first.max_errors, round(found.first.power, 6)) == (2, 0.871554)
    assert (plan(0.10, 0.05).n_first, plan(0.10, 0.05).n_stable) == (179, 203)


def test_items_to_label_are_the_fails_over_their_share_and_more_for_assurance() -> None:
    found = plan(0.05, 0.01, fail_share=0.2)
    assert found.first is not None
    assert found.first.items == 620
    assert found.first.items_assured == 685
    assert [size.items for size in found.least] == [295, 465, 620, 765]
    without = plan(0.05, 0.01).least[0]
    assert (without.items, without.items_assured) == (None, None)


def test_oversampling_says_what_it_saves_or_costs() -> None:
    rare = plan(0.05, 0.01, fail_share=0.2).oversampling
    common = plan(0.05, 0.01, fail_share=0.5).oversampling
    assert isinstance(rare, Oversampling)
    assert isinstance(common, Oversampling)
    assert rare.saves < 0 < common.saves
    assert common.saves == common.items_at_random - common.judge_passes - common.judge_fails
    assert "it saves nothing" in plan_text(plan(0.05, 0.01, fail_share=0.2))
    assert "which is little" in plan_text(plan(0.05, 0.01, fail_share=0.5))
    for found in (plan(0.05, 0.01), plan(0.05, 0.01, fail_share=0.2, group_size=4)):
        assert isinstance(found.oversampling, Undefined)


@pytest.mark.parametrize("more", [{}, {"group_size": 5}])
def test_an_expected_rate_at_the_limit_is_infeasible_in_words(more: dict[str, float]) -> None:
    found = plan(0.05, 0.05, fail_share=0.2, **more)
    assert (found.n_first, found.n_stable, found.first, found.power_curve) == (None, None, None, ())
    assert found.infeasible == "the expected rate 0.05 is not below the limit 0.05"
    assert "No number of labels would do: the expected rate 0.05" in plan_text(found)


def test_a_rate_too_near_the_limit_gets_no_plan_but_the_least_sizes() -> None:
    found = plan(0.05, 0.0499)
    assert found.infeasible is not None
    assert "No plan: more than 50,000 labels" in plan_text(found)
    assert least(found) == [59, 93, 124, 153]


def test_groups_cost_labels_and_a_small_rho_does_not_lower_the_decision() -> None:
    alone, low, high = (
        plan(0.05, 0.01),
        plan(0.05, 0.01, group_size=5, rho=0.1),
        plan(0.05, 0.01, group_size=5, rho=0.6),
    )
    assert alone.n_first is not None
    assert low.n_first is not None
    assert high.n_first is not None
    assert alone.n_first < low.n_first < high.n_first
    assert (alone.rho_used, low.rho_used, high.rho_used) == (None, 0.3, 0.6)
    assert low.design_effect == pytest.approx(2.2)
    assert low.n_groups == math.ceil(low.n_first / 5)
    assert least(low)[0] == 129  # 58.4 independent labels (ln .05 / ln .95) times 2.2
    assert any("Groups: 2.2 labels" in note for note in low.notes)


def test_the_curve_starts_at_no_power_and_ends_beyond_the_stable_size() -> None:
    curve = plan(0.10, 0.05).power_curve
    assert (curve[0].n, curve[0].max_errors, curve[0].power) == (1, -1, 0.0)
    assert curve[-1].n > 203
    assert curve[-1].power >= 0.8


def test_the_text_holds_the_table_and_the_curve() -> None:
    text = plan_text(plan(0.10, 0.05, fail_share=0.25, looks=1))
    assert "Label 179 human fails; from 203 on every number has the power." in text
    assert "first with the power" in text
    rows = [line for line in text.splitlines() if line.strip().startswith("179  ")]
    assert rows == ["179  0.813 |#################################"]
    assert len(text[text.index("Power by") :].splitlines()) <= 22


@pytest.mark.parametrize(
    "bad",
    [
        {"limit": 0.0}, {"limit": 1.0}, {"limit": math.nan}, {"expected_rate": -0.1},
        {"power": 1.0}, {"confidence": 0.5}, {"looks": 0}, {"fail_share": 0.0},
        {"group_size": 0.5}, {"rho": 1.5}, {"assurance": 0.0}, {"power": math.inf},
    ],
)  # fmt: skip
def test_values_out_of_range_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        PlanRequest(**{"limit": 0.05, "expected_rate": 0.01, **bad})
