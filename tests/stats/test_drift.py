"""A rate, an agreement or a fixed set that moves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from judgekit.stats.confusion import Confusion
from judgekit.stats.control_charts import bernoulli_cusum, cusum_threshold, ewma
from judgekit.stats.drift import (
    canary_flips,
    kappa_drop,
    newcombe_difference,
    paired_kappa_change,
    two_proportion,
)
from judgekit.stats.estimate import Estimate, Statistic, Undefined


def table(a: int, b: int, c: int, d: int) -> Confusion:
    return Confusion(labels=("pass", "fail"), rows=((a, b), (c, d)))


def estimate(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def test_newcombes_example_has_the_published_interval() -> None:
    # Newcombe 1998, Statistics in Medicine 17:873, 56/70 - 48/80, method 10: .0524 to .3339
    found = estimate(newcombe_difference(48, 80, 56, 70))
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_the_tea_tasting_has_fishers_p() -> None:
    # Fisher 1935: 3 of 4 against 1 of 4, two-sided .4857
    assert two_proportion(1, 4, 3, 4).p_fisher == pytest.approx(0.4857, abs=5e-5)


def test_exchanged_windows_turn_the_sign() -> None:
    one, other = two_proportion(3, 40, 9, 50), two_proportion(9, 50, 3, 40)
    assert estimate(one.difference).low == pytest.approx(-(estimate(other.difference).high or 0))
    assert one.p_fisher == pytest.approx(other.p_fisher)
    assert one.z_pooled == pytest.approx(-(other.z_pooled or 0))


def test_no_error_in_either_window_leaves_only_the_interval_and_fisher() -> None:
    found = two_proportion(0, 50, 0, 60)
    assert (found.z_pooled, found.p_pooled, found.p_fisher) == (None, None, 1.0)
    assert estimate(found.difference).high == pytest.approx(0.06017, abs=1e-5)
    empty = two_proportion(0, 0, 1, 5)
    assert isinstance(empty.difference, Undefined)
    assert empty.p_fisher is None


def test_a_drop_of_kappa_is_tested_between_windows() -> None:
    # kappas .78 and .62 by hand; z with the errors of Fleiss, Cohen & Everitt
    found = kappa_drop(table(45, 5, 6, 44), table(40, 10, 9, 41))
    assert (found.baseline, found.window) == pytest.approx((0.78, 0.62))
    assert found.z == pytest.approx(-1.594590, abs=1e-6)
    assert not found.small_sample


def test_a_kappa_without_an_error_is_not_testable() -> None:
    perfect = kappa_drop(table(20, 0, 0, 10), table(18, 2, 2, 8))
    assert (perfect.status, perfect.baseline, perfect.z) == ("not_testable", 1.0, None)
    constant = kappa_drop(table(30, 0, 0, 0), table(18, 2, 2, 8))
    assert (constant.baseline, constant.p_drop) == (None, None)
    assert constant.reason == "both raters gave one and the same answer"
    assert constant.small_sample


def test_a_change_on_the_same_items_is_surer_than_between_windows() -> None:
    joint = np.array([[[80, 6], [2, 2]], [[2, 3], [5, 100]]])
    found = estimate(paired_kappa_change(joint, rng=np.random.default_rng(1)))
    first, second = joint.sum(axis=2), joint.sum(axis=1)
    windows = kappa_drop(table(*first.ravel().tolist()), table(*second.ravel().tolist()))
    assert windows.window is not None
    assert windows.baseline is not None
    assert found.value == pytest.approx(windows.window - windows.baseline)
    assert found.low is not None
    assert found.high is not None
    assert (found.high - found.low) / 3.92 < abs(found.value / (windows.z or 1))


def test_a_change_that_cannot_be_estimated_says_so() -> None:
    rng = np.random.default_rng(1)
    assert isinstance(paired_kappa_change(np.zeros((2, 2, 2)), rng=rng), Undefined)
    constant = np.zeros((2, 2, 2))
    constant[0, 0, 0] = 9
    assert isinstance(paired_kappa_change(constant, rng=rng), Undefined)
    still = np.zeros((2, 2, 2))
    still[0, 0, 0] = still[1, 1, 1] = 40
    unmoved = estimate(paired_kappa_change(still, rng=rng))
    assert (unmoved.value, unmoved.low, unmoved.status) == (0.0, None, "no_variation")
    rare = np.zeros((2, 2, 2))
    rare[0, 0, 0], rare[1, 1, 0], rare[1, 1, 1] = 20, 1, 1
    status = estimate(paired_kappa_change(rare, rng=rng)).status
    assert status is not None
    assert status.startswith("undefined in ")


def test_flips_are_measured_against_the_run_to_run_rate() -> None:
    baseline, now = [True] * 90 + [False] * 10, [True] * 84 + [False] * 15 + [True]
    quiet = canary_flips(baseline, now, run_to_run=0.07)
    assert (quiet.to_fail, quiet.to_pass) == (6, 1)
    assert estimate(quiet.flips).value == 0.07
    assert quiet.p_excess is not None
    assert quiet.p_excess > 0.5
    assert quiet.p_direction == pytest.approx(0.125)  # 2 * 8/128
    assert canary_flips(baseline, now).p_excess is None
    assert isinstance(canary_flips([], []).flips, Undefined)
    assert canary_flips([], []).p_direction is None


def test_the_cusum_climbs_by_log_ratios_and_resets_at_zero() -> None:
    found = bernoulli_cusum([1, 1, 1, 0, 0], 0.05, 0.2, 3.0)
    up, down = math.log(4), math.log(0.8 / 0.95)
    assert found.path == pytest.approx((up, 2 * up, 3 * up, 3 * up + down, 3 * up + 2 * down))
    assert found.first_signal == 3
    quiet = bernoulli_cusum([0] * 5, 0.05, 0.2, 3.0)
    assert (quiet.path, quiet.first_signal) == ((0.0,) * 5, None)
    assert bernoulli_cusum([], 0.05, 0.2, 3.0).path == ()
    for rates in ((0.0, 0.2), (0.1, 1.0), (0.1, 0.1)):
        with pytest.raises(ValueError, match="both rates"):
            bernoulli_cusum([1], *rates, 3.0)


def test_the_tuned_threshold_raises_as_few_false_alarms_as_asked() -> None:
    threshold = cusum_threshold(
        0.05, 0.2, horizon=200, false_alarm=0.1, rng=np.random.default_rng(1)
    )
    rng = np.random.default_rng(2)
    alarms = sum(
        bernoulli_cusum((rng.random(200) < 0.05).tolist(), 0.05, 0.2, threshold).first_signal
        is not None
        for _ in range(500)
    )
    assert alarms <= 75  # 10 % of 500, and its error in both simulations
    shifted = bernoulli_cusum((rng.random(200) < 0.2).tolist(), 0.05, 0.2, threshold)
    assert shifted.first_signal is not None


def test_the_moving_average_starts_at_the_in_control_rate() -> None:
    assert ewma([1, 0], 0.05) == pytest.approx((0.24, 0.192))
    assert ewma([], 0.05) == ()
    with pytest.raises(ValueError, match="lam"):
        ewma([1], 0.05, 0.0)
