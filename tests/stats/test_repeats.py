"""Repeats of a task or a judgement, and what they cost."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy.stats import bootstrap

from judgekit.stats.cost import cost_per_correct
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.repeats import (
    pass_at_k,
    pass_hat_k,
    pass_hat_k_difference,
    repeat_stability,
)

SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]
"""Shrout & Fleiss 1979, table 2: six targets, four judges."""


def estimate(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def test_pass_at_k_counts_draws_without_replacement() -> None:
    # of 3 trials 2 passed: two drawn are never both failures, and both passes in 1 of 3 draws
    assert estimate(pass_at_k([3], [2], 2)).value == 1.0
    assert estimate(pass_hat_k([3], [2], 2)).value == pytest.approx(1 / 3)


def test_at_one_both_are_the_share_of_successes() -> None:
    for function in (pass_at_k, pass_hat_k):
        assert estimate(function([4, 10], [1, 5], 1)).value == pytest.approx(0.375)


def test_many_trials_neither_overflow_nor_lose_small_shares() -> None:
    assert estimate(pass_hat_k([2000], [1000], 900)).value < 1e-300
    assert estimate(pass_at_k([2000], [1], 1000)).value == pytest.approx(0.5)


def test_a_task_with_fewer_than_k_trials_leaves_no_number() -> None:
    found = pass_at_k([3, 10], [2, 5], 4)
    assert isinstance(found, Undefined)
    assert found.undefined == "1 of 2 tasks have fewer than 4 trials"
    assert isinstance(pass_hat_k([], [], 1), Undefined)
    for bad in (([3], [4], 1), ([3], [2], 0)):
        with pytest.raises(ValueError, match=r"k must be|successes must not be above trials"):
            pass_at_k(*bad)


def test_tasks_are_resampled_and_not_trials() -> None:
    rng = np.random.default_rng(5)
    half = estimate(pass_at_k([100] * 40, [100] * 20 + [0] * 20, 1, rng=rng))
    assert half.low is not None
    assert half.high is not None
    # binomial of 40 tasks: 0.5 -+ 1.96 * 0.079, on the grid of 1/40
    assert half.low == pytest.approx(0.35, abs=0.026)
    assert half.high == pytest.approx(0.65, abs=0.026)
    assert half.status is None


def test_where_all_tasks_agree_the_bounds_are_exact_and_not_the_value_itself() -> None:
    rng = np.random.default_rng(5)
    # n of n by Clopper and Pearson 1934: the lower bound is tail ** (1 / n)
    for measure in (pass_at_k, pass_hat_k):
        good = estimate(measure([5] * 3, [5] * 3, 2, rng=rng))
        assert (good.value, good.high, good.status) == (1.0, 1.0, "few_tasks")
        assert good.low == pytest.approx(0.025 ** (1 / 3))
        bad = estimate(measure([4] * 50, [0] * 50, 2, tail=0.05))
        assert (bad.value, bad.low) == (0.0, 0.0)
        assert bad.high == pytest.approx(1 - 0.05 ** (1 / 50))
    between = estimate(pass_hat_k([4] * 3, [3] * 3, 2, rng=rng))
    assert (between.value, between.low, between.high) == (0.5, None, None)
    level = estimate(pass_hat_k_difference([4] * 3, [4] * 3, [4] * 3, 2, rng=rng))
    assert (level.value, level.low) == (0.0, None)


def test_the_difference_of_pass_hat_k_has_the_percentile_interval_of_scipys_bootstrap() -> None:
    rng = np.random.default_rng(6)
    n, one, other = np.full(30, 5), rng.binomial(5, 0.9, 30), rng.binomial(5, 0.6, 30)
    gains = np.array(
        [(comb(c, 3) - comb(d, 3)) / comb(5, 3) for c, d in zip(one, other, strict=True)]
    )
    ends = bootstrap(
        (gains,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(2)
    ).confidence_interval
    found = estimate(pass_hat_k_difference(n, one, other, 3, rng=np.random.default_rng(1)))
    assert (found.value, found.n, found.status) == (pytest.approx(gains.mean()), 30, None)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=0.02)
    apart = estimate(pass_hat_k(n, one, 3)).value - estimate(pass_hat_k(n, other, 3)).value
    assert found.value == pytest.approx(apart)


def test_a_difference_of_pass_hat_k_needs_k_trials_and_no_more_successes_than_trials() -> None:
    assert isinstance(pass_hat_k_difference([3, 2], [1, 1], [2, 2], 3), Undefined)
    with pytest.raises(ValueError, match="0 <= successes <= trials"):
        pass_hat_k_difference([3], [1], [4], 2)


def test_the_intraclass_correlation_is_the_published_one() -> None:
    # Shrout & Fleiss 1979, table 4: BMS 11.24, WMS 6.26, ICC(1,1) .17
    found = repeat_stability(SHROUT_FLEISS)
    assert found.anova is not None
    assert found.anova.ms_between == pytest.approx(11.24, abs=0.005)
    assert found.anova.ms_within == pytest.approx(6.26, abs=0.005)
    icc = estimate(found.icc1)
    assert icc.value == pytest.approx(0.17, abs=0.005)
    # published in R psych 2.2.9, ICC(SF): lower -0.13, upper 0.72
    assert icc.low == pytest.approx(-0.13, abs=0.005)
    assert icc.high == pytest.approx(0.72, abs=0.005)


def test_disagreement_is_averaged_over_pairs_of_runs() -> None:
    found = repeat_stability([[1, 1, 1], [0, 0, 0], [1, 0, 1], [0, 1, 0]])
    assert estimate(found.disagreement).value == pytest.approx(1 / 3)
    assert estimate(found.flipped).value == 0.5
    # observed 2/3, expected 1/2
    assert estimate(found.test_retest).value == pytest.approx(1 / 3)
    drawn = repeat_stability([[1, 1]] * 30 + [[1, 0]] * 10, rng=np.random.default_rng(1))
    bounds = estimate(drawn.disagreement)
    assert bounds.low is not None
    assert bounds.high is not None
    assert 0.1 < bounds.low < 0.25 < bounds.high < 0.45


def test_a_judge_that_never_moves_has_no_reliability_coefficient() -> None:
    found = repeat_stability([[1, 1, 1]] * 5, rng=np.random.default_rng(1))
    assert estimate(found.disagreement).value == 0.0
    assert estimate(found.disagreement).high is None
    assert estimate(found.flipped).high == pytest.approx(0.434, abs=1e-3)
    assert isinstance(found.test_retest, Undefined)
    assert isinstance(found.icc1, Undefined)
    steady = repeat_stability([[1, 1], [0, 0], [1, 1]])
    assert estimate(steady.icc1).value == 1.0
    assert estimate(steady.icc1).status == "no_interval"


def test_items_judged_once_and_unequal_repeats_are_left_out_or_undefined() -> None:
    found = repeat_stability([[1], [1, None], [1, 0, 1], [1, 1, None]])
    assert estimate(found.disagreement).n == 2
    assert isinstance(found.icc1, Undefined)
    assert isinstance(found.test_retest, Undefined)
    nothing = repeat_stability([[1], []])
    assert isinstance(nothing.disagreement, Undefined)
    lone = repeat_stability([[1, 0, 1]])
    assert lone.anova is None
    assert isinstance(lone.icc1, Undefined)
    assert estimate(lone.test_retest).value == pytest.approx(-0.5)


def test_a_negative_intraclass_correlation_is_reported_as_it_is() -> None:
    assert estimate(repeat_stability([[1, 2, 3], [3, 2, 1], [2, 1, 3]]).icc1).value == -0.5


def test_cost_per_correct_case_is_money_over_successes() -> None:
    found = cost_per_correct([0.1, None, 0.3, 0.2], [1, 1, 0, 1])
    assert estimate(found.per_correct).value == pytest.approx(0.6 / 2)
    assert (found.n, found.n_missing, found.median) == (3, 1, 0.2)
    assert found.p95 == pytest.approx(0.29)


def test_without_a_correct_case_the_cost_is_undefined_and_not_zero() -> None:
    found = cost_per_correct([0.1, 0.2], [0, 0])
    assert isinstance(found.per_correct, Undefined)
    assert (found.mean, found.fraction_correct) == (pytest.approx(0.15), 0.0)
    assert isinstance(cost_per_correct([None, float("nan")], [1, 1]).per_correct, Undefined)
    lone = cost_per_correct([0.5], [1])
    assert (estimate(lone.per_correct).value, lone.se) == (0.5, None)
    free = cost_per_correct([0.0, 0.0], [1, 1])
    assert (free.se, estimate(free.per_correct).high) == (0.0, None)


def test_whole_cases_are_resampled_with_the_ratio_inside() -> None:
    rng = np.random.default_rng(7)
    cost, correct = [0.1, 0.3] * 60, [1, 0] * 60
    drawn = cost_per_correct(cost, correct, rng=rng)
    linear = estimate(cost_per_correct(cost, correct).per_correct)
    found = estimate(drawn.per_correct)
    assert found.value == linear.value == pytest.approx(0.4)
    assert found.low == pytest.approx(linear.low, abs=0.02)
    assert found.high == pytest.approx(linear.high, abs=0.03)
    assert drawn.undefined_share == 0.0
    rare = cost_per_correct([0.1, 0.2, 0.3], [1, 0, 0], rng=rng)
    assert rare.undefined_share == pytest.approx((2 / 3) ** 3, abs=0.02)


def test_many_different_costs_fall_back_on_the_linearised_interval() -> None:
    cost = [i / 1000 for i in range(3000)]
    found = cost_per_correct(cost, [1] * 3000, rng=np.random.default_rng(1))
    assert estimate(found.per_correct).method == "ratio of sums, linearised t"
