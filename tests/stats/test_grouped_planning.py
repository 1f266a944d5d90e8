"""How many labels in groups: the rule of the decision, exact sums, and what is never searched."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import betabinom, binom

from judgekit.stats import grouped_planning
from judgekit.stats.estimate import Undefined
from judgekit.stats.grouped_planning import (
    GroupedPlan,
    approves,
    assumed_effect,
    grouped_curve,
    grouped_power,
    least_grouped_labels,
    plan_grouped_labels,
)
from judgekit.stats.intervals import GroupedCounts, rate_bounds
from judgekit.stats.planning import least_labels


@pytest.mark.parametrize("errors", [0, 1, 2, 5])
@pytest.mark.parametrize("size", [2, 5])
def test_the_least_labels_are_the_first_that_the_decision_itself_approves(
    errors: int, size: int
) -> None:
    # errors in groups of their own, so that the assumed design effect rules
    n = least_grouped_labels(0.05, size, rho=0.3, alpha=0.05, errors=errors)
    groups = -(-n // size)
    one = [1] * errors + [0] * (groups - errors)
    full = GroupedCounts(errors=tuple(one), sizes=(size,) * groups)
    less = GroupedCounts(errors=tuple(one[:-1]), sizes=(size,) * (groups - 1))
    assert rate_bounds(full, 0.05).high <= 0.05 < rate_bounds(less, 0.05).high


def test_without_groups_the_least_labels_are_the_independent_ones() -> None:
    for errors in range(4):
        found = least_grouped_labels(0.05, 1, rho=0.3, alpha=0.05, errors=errors)
        assert found == least_labels(0.05, alpha=0.05, errors=errors).min_n
    assert assumed_effect(1, 0.9) == 1.0
    assert assumed_effect(11, 0.5) == 6.0


def test_ten_groups_are_the_least() -> None:
    assert least_grouped_labels(0.5, 20, rho=0.3, alpha=0.05) == 200
    curve = grouped_curve(0.0, 0.5, 20, rho=0.3, alpha=0.05, groups=12)
    assert [p.power for p in curve] == [0.0] * 9 + [1.0] * 3
    assert [p.max_errors for p in curve][8:10] == [-1, curve[9].max_errors]


def test_the_power_is_that_of_simulated_beta_binomial_groups() -> None:
    rate, rho, size, groups = 0.05, 0.3, 5, 60
    rng = np.random.default_rng(4)
    spread = (1 - rho) / rho
    errors = rng.binomial(size, rng.beta(rate * spread, (1 - rate) * spread, (20_000, groups))).sum(
        axis=1
    )
    for most in (5, 12, 20):
        exact = grouped_power(rate, size, rho=rho, groups=groups, errors=most)
        assert (errors <= most).mean() == pytest.approx(exact, abs=0.012)
    point = grouped_curve(rate, 0.10, size, rho=rho, alpha=0.05, groups=groups)[-1]
    assert point.n == 300
    assert point.power == pytest.approx((errors <= point.max_errors).mean(), abs=0.012)
    effect = assumed_effect(size, rho)
    assert approves(point.max_errors, 300, 0.10, effect=effect, alpha=0.05)
    assert not approves(point.max_errors + 1, 300, 0.10, effect=effect, alpha=0.05)


def test_special_correlations_are_the_known_distributions() -> None:
    independent = grouped_power(0.01, 5, rho=0.0, groups=20, errors=1)
    assert independent == pytest.approx(binom.cdf(1, 100, 0.01))
    whole = grouped_power(0.01, 5, rho=1.0, groups=20, errors=4)
    assert whole == pytest.approx(0.99**20)
    one = grouped_power(0.1, 8, rho=0.25, groups=1, errors=2)
    assert one == pytest.approx(betabinom.cdf(2, 8, 0.3, 2.7))
    assert grouped_power(0.0, 5, rho=0.3, groups=20, errors=0) == 1.0


def test_a_fractional_group_size_is_a_mixture_of_its_neighbours() -> None:
    mixed = grouped_power(0.1, 2.5, rho=0.3, groups=1, errors=0)
    two = grouped_power(0.1, 2, rho=0.3, groups=1, errors=0)
    three = grouped_power(0.1, 3, rho=0.3, groups=1, errors=0)
    assert mixed == pytest.approx((two + three) / 2)


def test_a_grouped_plan_holds_the_power_at_both_sizes() -> None:
    found = plan_grouped_labels(0.05, 0.10, 5, rho=0.3, alpha=0.05, power=0.8)
    assert isinstance(found, GroupedPlan)
    plan = found.plan
    assert plan.power_first >= 0.8
    assert plan.n_first <= plan.n_stable
    assert all(p.power >= 0.8 for p in found.curve if p.n >= plan.n_stable)
    assert all(p.power < 0.8 for p in found.curve if p.n < plan.n_first)
    assert plan.n_first > 2 * 179  # 179 independent labels: label_planner r5_l10


def test_an_infeasible_or_too_large_plan_is_said_and_not_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    far = plan_grouped_labels(0.0999, 0.10, 5, rho=0.3, alpha=0.05)
    assert isinstance(far, Undefined)
    assert far.undefined.startswith("more than 50,000 labels")
    monkeypatch.setattr(grouped_planning, "grouped_curve", lambda *_, **__: pytest.fail("searched"))
    found = plan_grouped_labels(0.2, 0.1, 5, rho=0.3, alpha=0.05)
    assert found == Undefined(undefined="the expected rate 0.2 is not below the limit 0.1")
