"""Differences of two separate estimates against published intervals."""

from __future__ import annotations

import pytest
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from judgekit.stats.drift import newcombe_difference
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.independent import independent_difference, interval_at_tail


def estimate(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def share(x: int, n: int) -> Estimate:
    low, high = proportion_confint(x, n, method="wilson")
    return Estimate(value=x / n, low=low, high=high, n=n, method="Wilson")


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        # Newcombe 1998, Statistics in Medicine 17:873, table II, method 10
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((10, 10), (0, 10), 0.6075, 1.0000),
    ],
)
def test_the_difference_of_two_shares_is_newcombes(one, other, low: float, high: float) -> None:
    found = estimate(independent_difference(share(*one), share(*other)))
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    same = estimate(newcombe_difference(*other, *one))
    assert (same.low, same.high) == pytest.approx((found.low, found.high))
    assert found.n == one[1] + other[1]


def test_a_side_that_is_undefined_or_has_no_interval_leaves_no_difference() -> None:
    none = Undefined(undefined="no trial")
    assert independent_difference(none, share(1, 2)) == none
    assert independent_difference(share(1, 2), none) == none
    bare = Estimate(value=0.5, n=2, method="none")
    assert independent_difference(share(1, 2), bare) == Undefined(
        undefined="a share without an interval"
    )


@pytest.mark.parametrize("tail", [0.001, 0.0125, 0.1])
def test_a_normal_interval_at_another_tail_is_that_of_scipy(tail: float) -> None:
    low, high = norm.interval(0.95, loc=2.0, scale=0.5)
    known = Estimate(value=2.0, low=low, high=high, n=50, method="normal")
    found = estimate(interval_at_tail(known, tail))
    assert (found.low, found.high) == pytest.approx(norm.interval(1 - 2 * tail, loc=2.0, scale=0.5))


def test_each_arm_keeps_its_length_against_the_other() -> None:
    found = estimate(interval_at_tail(Estimate(value=0, low=-1, high=3, n=9, method="x"), 0.01))
    assert found.high == pytest.approx(-3 * (found.low or 0.0))


def test_without_an_interval_there_is_nothing_to_widen() -> None:
    bare, none = Estimate(value=0.5, n=2, method="none"), Undefined(undefined="no trial")
    assert (interval_at_tail(bare, 0.01), interval_at_tail(none, 0.01)) == (bare, none)


def test_a_known_tail_of_no_level_is_refused() -> None:
    with pytest.raises(ValueError, match="known_tail must lie between 0 and 1/2"):
        interval_at_tail(share(1, 2), 0.01, known_tail=0.7)
