"""Ratios of sums and clustered means against regressions with robust errors, which are the same."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from judgekit.stats.cost import cost_per_correct
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.ratio import clustered_mean, ratio_of_sums


def estimate(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def test_the_ratio_of_sums_has_cochrans_error() -> None:
    # by hand: r = 20/10; residuals 0, 1, -1, 0; se = sqrt(2 * 4/3)/10; t(3) at 97.5 %
    found = estimate(ratio_of_sums([2, 5, 5, 8], [1, 2, 3, 4]))
    assert found.value == 2.0
    assert found.high == pytest.approx(2.0 + 3.182446305284263 * (2 * 4 / 3) ** 0.5 / 10)
    assert found.status == "few_groups"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_ratio_is_that_of_a_weighted_regression_with_a_robust_error(seed: int) -> None:
    # statsmodels: WLS through the origin with weights 1/b has the slope sum a/sum b, and its HC1
    # error is sqrt(sum (a - r b)^2 n/(n-1))/sum b
    rng = np.random.default_rng(seed)
    below = rng.uniform(0.5, 4, 25)
    above = 3 * below + rng.normal(0, 1, 25)
    fitted = sm.WLS(above, below, weights=1 / below).fit(cov_type="HC1", use_t=True)
    found = estimate(ratio_of_sums(list(above), list(below), 0.05))
    assert found.value == pytest.approx(fitted.params[0])
    assert [found.low, found.high] == pytest.approx(list(fitted.conf_int(alpha=0.1)[0]))
    assert found.status is None


def test_the_lower_bound_of_a_ratio_is_never_below_0() -> None:
    assert estimate(ratio_of_sums([0, 9], [1, 1])).low == 0.0


def test_a_ratio_without_groups_or_over_0_is_undefined_and_one_group_has_no_interval() -> None:
    assert ratio_of_sums([], []) == Undefined(undefined="the denominators sum to 0")
    assert ratio_of_sums([1.0], [0.0]) == Undefined(undefined="the denominators sum to 0", n=1)
    lone = estimate(ratio_of_sums([3.0], [2.0]))
    assert (lone.value, lone.low, lone.high, lone.status) == (1.5, None, None, "few_groups")


def test_the_cost_of_a_correct_case_is_such_a_ratio() -> None:
    cost, right = [0.3, 0.1, 0.4, 0.1, 0.5, 0.9], [1, 0, 1, 1, 0, 1]
    ratio, priced = estimate(ratio_of_sums(cost, right)), cost_per_correct(cost, right)
    assert estimate(priced.per_correct).high == pytest.approx(ratio.high)


def test_a_clustered_mean_is_that_of_a_regression_on_a_constant_with_clustered_errors() -> None:
    # statsmodels: OLS on a constant, cov_type="cluster", whose correction is G/(G-1) (n-1)/(n-1)
    rng = np.random.default_rng(4)
    sizes = rng.integers(1, 6, 18)
    groups = np.repeat(np.arange(18), sizes)
    credits = np.clip(rng.normal(0.5, 0.1, len(groups)) + rng.normal(0, 0.1, 18)[groups], 0, 1)
    fitted = sm.OLS(credits, np.ones(len(groups))).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    found = estimate(clustered_mean(list(credits), [f"g{group}" for group in groups]))
    assert found.value == pytest.approx(credits.mean())
    assert [found.low, found.high] == pytest.approx(list(fitted.conf_int()[0]))
    assert found.n == len(groups)


def test_a_clustered_mean_by_hand_and_cut_at_0_and_1() -> None:
    # By hand: groups (0.2, 0.4), (0.6), (0.8): m = 0.5, residuals -0.4, 0.1, 0.3; n = 4, G = 3:
    # se = sqrt(1.5 * (0.16 + 0.01 + 0.09)) / 4 = 0.156125; t(0.975; 2) = 4.302653: half 0.671751.
    found = estimate(clustered_mean([0.2, 0.4, 0.6, 0.8], ["a", "a", "b", "c"]))
    assert (found.low, found.high) == (0.0, 1.0)
    narrow = estimate(clustered_mean([0.2, 0.4, 0.6, 0.8], ["a", "a", "b", "c"], 0.2))
    # t(0.8; 2) = 1.060660: half 0.165596
    assert (narrow.low, narrow.high) == pytest.approx((0.334404, 0.665596), abs=1e-6)


def test_a_clustered_mean_of_one_group_or_without_spread_has_no_interval() -> None:
    lone = estimate(clustered_mean([0.2, 0.4], ["a", "a"]))
    flat = estimate(clustered_mean([0.2, 0.4, 0.3], ["a", "a", "b"]))
    assert (lone.low, lone.status) == (None, "few_groups")
    assert (flat.low, flat.status) == (None, "no_variance")
    assert isinstance(clustered_mean([], []), Undefined)


def test_a_credit_above_1_is_refused() -> None:
    with pytest.raises(ValueError, match=r"credits must lie in \[0, 1\]"):
        clustered_mean([0.5, 1.5], ["a", "b"])
