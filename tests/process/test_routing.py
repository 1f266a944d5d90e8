from __future__ import annotations

import numpy as np
import pytest
from trial_sets import recorded, scored_set

from judgekit.process.differences import Answered
from judgekit.process.rates import share
from judgekit.process.routing import Tier, curve
from judgekit.process.step_tiers import routing
from judgekit.stats.estimate import Undefined


def tier(name: str, cost: float | None, answers: np.ndarray) -> Tier:
    """A synthetic tier: one row of answers a case, every trial at one cost."""
    held = {
        (f"c{i:03}", j): bool(answers[i, j])
        for i in range(answers.shape[0])
        for j in range(answers.shape[1])
    }
    quality = share([(case, yes) for (case, _), yes in held.items()], "none")
    return Tier(name, cost, quality, answers.size, Answered(held, {}))


def drawn(rng: np.random.Generator, p: float, n: int = 100, k: int = 4) -> np.ndarray:
    """Answers of which cases explain some: each case has its own chance around p."""
    own = rng.beta(p * 8, (1 - p) * 8, size=(n, 1))
    return rng.random((n, k)) < own


def fixed(right: int, n: int = 100, k: int = 4) -> np.ndarray:
    return np.repeat((np.arange(n) < right)[:, None], k, axis=1)


def test_a_fall_between_neighbours_is_a_cliff_and_the_tier_above_it_is_chosen() -> None:
    found = curve(
        "all", [tier("s", 1, fixed(40)), tier("m", 3, fixed(90)), tier("l", 9, fixed(91))]
    )
    assert (found.shape, found.cheapest) == ("cliff", "m")
    assert "m against s is better by more than 0.05" in found.sentence
    assert [p.on_frontier for p in found.points] == [True, True, True]


def test_alike_within_the_margin_is_flat_and_the_cheapest_is_chosen() -> None:
    tiers = [tier("s", 1, fixed(180, 200)), tier("m", 3, fixed(181, 200))]
    found = curve("all", tiers)
    assert (found.shape, found.cheapest) == ("flat", "s")


def test_few_cases_that_are_alike_are_unclear_and_not_flat() -> None:
    found = curve("all", [tier("s", 1, fixed(18, 20)), tier("m", 3, fixed(18, 20))])
    assert found.shape == "unclear"


def test_a_dearer_tier_that_is_worse_is_paid_for_nothing() -> None:
    found = curve("all", [tier("s", 1, fixed(90)), tier("l", 9, fixed(60))])
    assert (found.shape, found.cheapest) == ("pay_for_nothing", "s")
    assert "l against s costs more and is worse" in found.sentence
    assert [p.on_frontier for p in found.points] == [True, False]


def test_a_tier_that_is_no_better_than_a_cheaper_one_is_not_on_the_frontier() -> None:
    tiers = [tier("s", 1, fixed(40)), tier("m", 3, fixed(90)), tier("l", 9, fixed(90))]
    found = curve("all", tiers)
    assert [p.on_frontier for p in found.points] == [True, True, False]


def test_a_cliff_before_a_plateau_says_both() -> None:
    tiers = [
        tier("s", 1, fixed(80, 400)),
        tier("m", 3, fixed(360, 400)),
        tier("l", 9, fixed(360, 400)),
    ]
    found = curve("all", tiers)
    assert found.shape == "cliff"
    assert "l against m costs more and is not better by 0.05" in found.sentence


def test_no_model_is_needed_only_where_always_right_is_shown_and_not_with_three_cases() -> None:
    many = [tier("s", 1, fixed(200, 200)), tier("l", 9, fixed(200, 200))]
    few = [tier("s", 1, fixed(3, 3)), tier("l", 9, fixed(3, 3))]
    assert curve("all", many).shape == "no_model_needed"
    assert curve("all", few).shape == "unclear"
    assert "too few" in curve("all", few).sentence


def test_a_slow_rise_is_no_cliff() -> None:
    tiers = [tier(n, 2**i, fixed(50 + 8 * i, 100)) for i, n in enumerate("abcde")]
    found = curve("all", tiers)
    assert found.shape == "unclear"
    assert "is better, but where the quality rises cannot be told" in found.sentence


def test_tiers_without_a_known_cost_or_quality_are_left_out_by_name() -> None:
    none = Tier("no", 1.0, Undefined(undefined="no trial"), 0)
    tiers = [tier("s", 1, fixed(40)), tier("m", 3, fixed(90)), tier("x", None, fixed(90)), none]
    found = curve("all", tiers)
    assert found.left_out == ("x", "no")
    assert curve("all", tiers[1:]) is None


def shapes(rng: np.random.Generator, rates, n: int, draws: int, margin: float = 0.05) -> list[str]:
    return [
        curve("x", [tier(f"t{i}", 2.0**i, drawn(rng, p, n)) for i, p in enumerate(rates)],
              margin=margin).shape
        for _ in range(draws)
    ]  # fmt: skip


def test_among_equal_tiers_no_cliff_is_named_by_chance() -> None:
    found = shapes(np.random.default_rng(1), [0.8, 0.8, 0.8], 60, 200)
    assert found.count("cliff") <= 4  # at most 2.5 % in theory, here far below: margin + interval


def test_at_a_true_difference_of_the_margin_cliff_and_flat_are_rare() -> None:
    # the hardest place: both statements are false at the limit and may occur in 2.5 % each
    found = shapes(np.random.default_rng(2), [0.70, 0.80], 150, 200, margin=0.10)
    assert found.count("cliff") <= 12
    assert found.count("flat") + found.count("pay_for_nothing") <= 12


def test_where_tiers_truly_differ_the_cliff_is_found() -> None:
    found = shapes(np.random.default_rng(3), [0.4, 0.9], 100, 30)
    assert found.count("cliff") == 30


def test_a_cheaper_tier_that_is_inferior_by_the_margin_is_seldom_chosen() -> None:
    rng = np.random.default_rng(4)
    chosen = [
        curve("x", [tier("s", 1, drawn(rng, 0.75, 150)), tier("l", 9, drawn(rng, 0.85, 150))],
              margin=0.10).cheapest
        for _ in range(200)
    ]  # fmt: skip
    assert chosen.count("s") <= 12


def test_among_many_equal_tiers_the_cheapest_is_chosen_where_the_cases_suffice() -> None:
    tiers = [tier(f"t{i}", 2.0**i, fixed(320 + i % 2, 400)) for i in range(4)]
    assert curve("all", tiers).cheapest == "t0"


def test_configurations_are_routed_by_their_own_trials() -> None:
    small = scored_set(recorded("small", {f"c{i}": [i < 20] * 2 for i in range(60)}, cost=0.01))
    big = scored_set(recorded("big", {f"c{i}": [i < 55] * 2 for i in range(60)}, cost=0.09))
    found = routing([big, small]).overall
    assert [p.name for p in found.points] == ["small", "big"]
    assert (found.shape, found.cheapest) == ("cliff", "big")


@pytest.mark.parametrize("cost", [None, 0.01])
def test_one_configuration_has_no_curve(cost) -> None:
    assert routing([scored_set(recorded("a", {"c": [True]}, cost=cost))]) is None
