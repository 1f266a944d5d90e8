"""The variance within a task against numpy, scipy and a published interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap, ttest_1samp

from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.variance_share import variance_share
from judgekit.stats.within_task import (
    student_mean,
    within_task_variance,
    within_task_variance_difference,
)

SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
"""Student 1908: hours of sleep gained with the second drug over the first, ten patients."""
TRIALS, RIGHT = [4, 4, 3, 1, 5, 2], [1, 4, 2, 1, 3, 1]
OTHER_TRIALS, OTHER_RIGHT = [4, 3, 1, 4, 5, 2], [2, 1, 1, 2, 5, 0]


def estimate(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def sample_variance(n: int, right: int) -> float:
    return float(np.var([1] * right + [0] * (n - right), ddof=1))


def bounds(found: Estimate) -> tuple[float | None, float | None]:
    return found.low, found.high


def test_the_mean_of_students_sleep_data_has_the_interval_that_r_prints() -> None:
    # R 4.3, t.test(extra ~ group, data = sleep, paired): 0.7001142 to 2.4598858, mean 1.58
    found = estimate(student_mean(SLEEP))
    assert (found.value, found.status) == (pytest.approx(1.58), None)
    assert bounds(found) == pytest.approx((0.7001142, 2.4598858), abs=5e-8)


def test_one_value_or_values_all_alike_have_a_mean_and_no_interval() -> None:
    assert student_mean([]) == Undefined(undefined="no values")
    assert estimate(student_mean([3.0])).status == "few_groups"
    flat = estimate(student_mean([2.0, 2.0, 2.0]))
    assert (flat.value, flat.low, flat.status) == (2.0, None, "no_variance")


def test_variance_within_tasks_is_the_mean_of_numpys_unbiased_variances() -> None:
    rows = zip(TRIALS, RIGHT, strict=True)
    values = [sample_variance(n, right) for n, right in rows if n > 1]
    found = estimate(within_task_variance(TRIALS, RIGHT))
    assert (found.value, found.n) == (pytest.approx(np.mean(values)), 5)
    ends = ttest_1samp(values, 0).confidence_interval(0.95)
    assert bounds(found) == pytest.approx((max(0, ends.low), ends.high))


def test_a_variance_is_never_below_0() -> None:
    assert estimate(within_task_variance([2, 2, 2], [0, 0, 1])).low == 0.0


def test_the_difference_of_variances_is_paired_by_task() -> None:
    rows = zip(TRIALS, RIGHT, OTHER_TRIALS, OTHER_RIGHT, strict=True)
    values = [sample_variance(n, c) - sample_variance(m, d) for n, c, m, d in rows if min(n, m) > 1]
    found = estimate(
        within_task_variance_difference(TRIALS, RIGHT, OTHER_TRIALS, OTHER_RIGHT, 0.01)
    )
    assert (found.value, found.n) == (pytest.approx(np.mean(values)), 4)
    ends = ttest_1samp(values, 0).confidence_interval(0.98)
    assert bounds(found) == pytest.approx((ends.low, ends.high))


def test_without_a_task_of_two_trials_there_is_no_variance() -> None:
    none = Undefined(undefined="no case has two trials")
    assert within_task_variance([1, 1], [0, 1]) == none
    assert within_task_variance_difference([2, 1], [1, 1], [1, 2], [1, 1]) == none


def test_more_successes_than_trials_are_refused_on_either_side() -> None:
    with pytest.raises(ValueError, match="other_successes must not be above other_trials"):
        within_task_variance_difference([2], [1], [2], [3])
    with pytest.raises(ValueError, match="the same length"):
        within_task_variance_difference([2], [1], [2, 2], [1, 1])


def test_the_share_of_the_variance_has_the_percentile_interval_of_scipys_bootstrap() -> None:
    rng = np.random.default_rng(8)
    n = np.full(40, 6)
    live, replayed = rng.binomial(6, 0.5, 40), rng.binomial(6, 0.85, 40)
    found = variance_share(n, live, n, replayed, rng=np.random.default_rng(1))
    assert not isinstance(found, Undefined)
    sides = [np.array([sample_variance(6, c) for c in side]) for side in (live, replayed)]
    assert (found.live, found.replayed) == pytest.approx((sides[0].mean(), sides[1].mean()))
    ends = bootstrap(
        sides, lambda one, other, axis: other.mean(axis) / one.mean(axis), paired=True,
        method="percentile", n_resamples=20_000, rng=np.random.default_rng(2),
    ).confidence_interval  # fmt: skip
    share = estimate(found.agent_share)
    assert share.value == pytest.approx(sides[1].mean() / sides[0].mean())
    assert bounds(share) == pytest.approx((ends.low, ends.high), abs=0.02)


def test_tasks_with_one_trial_on_a_side_are_in_no_share() -> None:
    found = variance_share([2, 1, 2], [1, 1, 1], [2, 2, 1], [1, 1, 1])
    assert not isinstance(found, Undefined)
    assert (found.n_cases, estimate(found.agent_share).value) == (1, 1.0)
    assert estimate(found.agent_share).low is None
