"""Intervals over groups cover at about their stated rate, and the sign-flip test keeps its level.

Simulated truths, seeds fixed. A rate of 0.95 over 400 data sets has a standard error of 1.1
points; the intervals are known to be a little short for skewed values.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from judgekit.stats.estimate import Statistic, bounds_of
from judgekit.stats.ratio import clustered_mean, ratio_of_sums
from judgekit.stats.repeats import pass_hat_k_difference
from judgekit.stats.sign_flip import sign_flip_test
from judgekit.stats.within_task import within_task_variance, within_task_variance_difference

SETS = 400


def covered(draw: Callable[[np.random.Generator], Statistic], truth: float) -> float:
    """Return the share of data sets whose interval holds the truth."""
    rng = np.random.default_rng(20261130)
    found = [bounds_of(draw(rng)) for _ in range(SETS)]
    return sum(one is not None and one.low <= truth <= one.high for one in found) / SETS


def costs(rng: np.random.Generator) -> Statistic:
    below = rng.gamma(4, 1, 30)
    return ratio_of_sums(list(2 * below * rng.gamma(8, 1 / 8, 30)), list(below))


def credits_in_groups(rng: np.random.Generator) -> Statistic:
    groups = np.repeat(np.arange(30), 4)
    values = rng.beta(2, 2, 30)[groups] * 0.5 + rng.beta(2, 2, 120) * 0.5
    return clustered_mean(list(values), [str(group) for group in groups])


def one_side(rng: np.random.Generator) -> Statistic:
    return within_task_variance([4] * 40, rng.binomial(4, rng.beta(2, 2, 40)))


def two_sides(rng: np.random.Generator) -> Statistic:
    chance = rng.beta(2, 2, 40)
    one, other = rng.binomial(4, chance), rng.binomial(4, np.sqrt(chance))
    return within_task_variance_difference([4] * 40, one, [4] * 40, other)


def two_agents(rng: np.random.Generator) -> Statistic:
    chance = rng.beta(2, 2, 40)
    one, other = rng.binomial(4, np.sqrt(chance)), rng.binomial(4, chance)
    return pass_hat_k_difference([4] * 40, one, other, 2, rng=rng)


@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        (costs, 2.0),
        (credits_in_groups, 0.5),
        # p from Beta(2, 2): E p = 1/2, E p^2 = 3/10, E sqrt(p) = 24/35: E p(1-p) = 1/5 on one
        # side, E sqrt(p) - E p on the other; pass^2 is E p - E p^2
        (one_side, 1 / 5),
        (two_sides, 1 / 5 - (24 / 35 - 1 / 2)),
        (two_agents, 1 / 2 - 3 / 10),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_intervals_over_groups_cover(
    draw: Callable[[np.random.Generator], Statistic], truth: float
) -> None:
    assert 0.92 <= covered(draw, truth) <= 0.98


@pytest.mark.parametrize("groups", [8, 12, 30])
def test_the_sign_flip_test_keeps_its_level(groups: int) -> None:
    rng = np.random.default_rng(5)
    draws = np.random.default_rng(6)
    sets = 600 if groups <= 14 else 100
    gains = [rng.binomial(3, 0.6, groups) - rng.binomial(3, 0.6, groups) for _ in range(sets)]
    rejected = sum(sign_flip_test(one, rng=draws) <= 0.05 for one in gains) / sets
    assert rejected <= 0.05 + 3 * (0.05 * 0.95 / sets) ** 0.5
