"""Labels drawn by the judge's verdict: power, allocation, and what they are worth."""

from __future__ import annotations

import numpy as np
import pytest

from judgekit.stats.allocation import (
    StratifiedPlan,
    VerdictStrata,
    neyman_allocation,
    plan_stratified,
    rate_spreads,
    smoothed_rate,
    stratified_power,
    verdict_strata,
    worth_at_random,
)
from judgekit.stats.estimate import Undefined
from judgekit.stats.intervals import clopper_pearson


def test_strata_give_back_the_rate_that_they_were_made_from() -> None:
    # 1000 items: 200 human fails, 2 passed by the judge; 800 human passes, 720 passed
    strata = verdict_strata(0.01, 0.1, 0.2)
    assert strata.pass_share == pytest.approx(722 / 1000)
    assert strata.fails_among_passes == pytest.approx(2 / 722)
    assert strata.fails_among_fails == pytest.approx(198 / 278)
    assert strata.false_pass_rate == pytest.approx(0.01)
    assert verdict_strata(0.0, 1.0, 1.0).pass_share == 0.0
    assert (
        VerdictStrata(pass_share=0.5, fails_among_passes=0, fails_among_fails=0).false_pass_rate
        is None
    )


def test_the_power_is_that_of_the_always_valid_bound_in_simulation() -> None:
    strata, limit, v1, v0, alpha = verdict_strata(0.01, 0.1, 0.3), 0.05, 416, 74, 0.05
    rng = np.random.default_rng(1)
    x1 = rng.binomial(v1, strata.fails_among_passes, 4_000)
    x0 = rng.binomial(v0, strata.fails_among_fails, 4_000)
    w = strata.pass_share
    approved = 0
    for a, b in zip(x1.tolist(), x0.tolist(), strict=True):
        high = clopper_pearson(a, v1, alpha / 2).high * w
        low = clopper_pearson(b, v0, alpha / 2).low * (1 - w)
        approved += high / (high + low) <= limit
    exact = stratified_power(strata, limit, passes=v1, fails=v0, alpha=alpha)
    assert approved / 4_000 == pytest.approx(exact, abs=0.03)


def test_a_rate_at_the_limit_is_approved_less_often_than_alpha() -> None:
    strata = verdict_strata(0.05, 0.1, 0.3)
    for passes, fails in ((100, 50), (400, 80), (2_000, 500)):
        power = stratified_power(strata, 0.05, passes=passes, fails=fails, alpha=0.05)
        assert power <= 0.05
    assert stratified_power(strata, 0.05, passes=100, fails=0, alpha=0.05) == 0.0


def test_drawing_by_verdict_saves_labels_only_where_human_fails_are_common() -> None:
    # 124 human fails at random: 620 items where a fifth fail, 248 where half fail
    rare = plan_stratified(verdict_strata(0.01, 0.1, 0.2), 0.05, alpha=0.05, most=3_000)
    common = plan_stratified(verdict_strata(0.01, 0.1, 0.5), 0.05, alpha=0.05, most=3_000)
    assert isinstance(rare, StratifiedPlan)
    assert isinstance(common, StratifiedPlan)
    assert rare.total > 620
    assert common.total < 248
    assert min(rare.power, common.power) >= 0.8


def test_a_stratified_plan_that_cannot_be_made_says_why() -> None:
    def reason(rate: float, fail_share: float, *, most: int = 100) -> str:
        strata = verdict_strata(rate, 0.0, fail_share)
        found = plan_stratified(strata, 0.05, alpha=0.05, most=most)
        assert isinstance(found, Undefined)
        return found.undefined

    assert reason(0.05, 0.2) == "the expected rate 0.05 is not below the limit 0.05"
    assert reason(0.01, 0.2) == "more than 100 labels would be needed"
    assert reason(0.0, 1.0) == "the judge is expected to give one and the same verdict"


def test_neyman_shares_follow_the_spreads_within_floor_and_size() -> None:
    assert neyman_allocation((3.0, 1.0), (1_000, 1_000), (0, 0), 80) == (60, 20)
    assert neyman_allocation((99.0, 1.0), (1_000, 1_000), (0, 0), 80) == (70, 10)
    assert neyman_allocation((99.0, 1.0), (30, 1_000), (0, 0), 80) == (30, 50)
    assert neyman_allocation((1.0, 1.0), (50, 50), (40, 0), 20) == (0, 20)
    assert neyman_allocation((1.0, 1.0), (5, 3), (0, 0), 80) == (5, 3)
    assert neyman_allocation((1.0, 1.0), (100, 100), (0, 0), 6) == (3, 3)
    assert neyman_allocation((1.0, 1.0), (100, 100), (0, 0), 0) == (0, 0)
    assert neyman_allocation((1.0, 0.0), (20, 100), (20, 10), 30) == (0, 30)


@pytest.mark.parametrize("more", [1, 7, 20, 33, 150])
def test_every_label_is_given_out_once(more: int) -> None:
    rng = np.random.default_rng(more)
    for _ in range(50):
        sizes = rng.integers(0, 80, 3).tolist()
        labelled = [int(rng.integers(0, size + 1)) for size in sizes]
        found = neyman_allocation(rng.random(3).tolist(), sizes, labelled, more)
        left = [size - done for size, done in zip(sizes, labelled, strict=True)]
        assert sum(found) == min(more, sum(left))
        assert all(0 <= n <= most for n, most in zip(found, left, strict=True))


def test_the_optimal_division_is_worth_most() -> None:
    spreads, sizes = rate_spreads(verdict_strata(0.05, 0.1, 0.2)), (700, 300)
    best = neyman_allocation(spreads, sizes, (0, 0), 100)
    worth = worth_at_random(spreads, sizes, (0, 0), best)
    assert isinstance(worth, float)
    assert worth > 100
    for other in ((50, 50), (70, 30)):
        other_worth = worth_at_random(spreads, sizes, (0, 0), other)
        assert isinstance(other_worth, float)
        assert other_worth <= worth + 1e-6
    assert worth_at_random(spreads, sizes, (0, 0), (70, 30)) == pytest.approx(100, abs=1e-3)


def test_worth_is_undefined_without_labels_or_without_items() -> None:
    assert worth_at_random((1.0, 1.0), (10, 10), (0, 0), (5, 0)) == Undefined(
        undefined="a stratum stays without a label"
    )
    assert worth_at_random((1.0, 1.0), (10, 10), (10, 10), (0, 0)) == Undefined(
        undefined="every item is labelled already"
    )


def test_worth_is_undefined_where_labels_do_not_bear_on_the_aim() -> None:
    spreads = rate_spreads(VerdictStrata(pass_share=0, fails_among_passes=0.5, fails_among_fails=1))
    assert spreads == (0.0, 0.0)
    assert isinstance(worth_at_random(spreads, (0, 50), (0, 10), (0, 5)), Undefined)
    # what is drawn holds labels of a stratum that random draws no longer reach
    assert isinstance(worth_at_random((1.0, 1.0), (10, 50), (0, 50), (5, 0)), float)


def test_smoothed_rates_are_never_0_or_1() -> None:
    assert (smoothed_rate(0, 0), smoothed_rate(0, 9), smoothed_rate(9, 9)) == (0.5, 0.05, 0.95)
