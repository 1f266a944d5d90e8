"""Two judges on the same items."""

from __future__ import annotations

import math

import pytest

from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.paired import (
    Pairs,
    ScoreTest,
    grouped_difference,
    mcnemar,
    newcombe_paired,
    noninferiority,
    tango,
)


def counts(a: int, b: int, c: int, d: int) -> Pairs:
    return Pairs(both_right=a, only_first=b, only_second=c, both_wrong=d)


AIRWAY = counts(1, 1, 7, 12)
"""Airway hyper-responsiveness before and after stem cell transplantation, Bentur et al. 2009."""
SMALL = [
    (a, b, c, n - a - b - c)
    for n in range(1, 8)
    for a in range(n + 1)
    for b in range(n + 1 - a)
    for c in range(n + 1 - a - b)
]


def bounds(found: object) -> tuple[float, float]:
    assert isinstance(found, Estimate)
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_the_airway_table_gives_the_published_intervals_and_tests() -> None:
    # Fagerland, Lydersen & Laake 2013 and 2014, tables of results
    assert bounds(tango(AIRWAY)) == pytest.approx((-0.5172, -0.0260), abs=5e-5)
    assert bounds(newcombe_paired(AIRWAY)) == pytest.approx((-0.5069, -0.0256), abs=5e-5)
    test = mcnemar(AIRWAY)
    assert (test.p_exact, test.p_midp) == pytest.approx((0.0703, 0.0391), abs=5e-5)


def test_without_a_discordant_item_the_score_interval_is_that_of_the_rule_of_z_squared() -> None:
    # b = c = 0 solves to -+ z^2/(n + z^2)
    z = 1.959963984540054
    found = tango(counts(30, 0, 0, 10))
    assert bounds(found) == pytest.approx((-(z**2) / (40 + z**2), z**2 / (40 + z**2)), abs=1e-9)
    assert mcnemar(counts(30, 0, 0, 10)).p_exact == 1.0


@pytest.mark.parametrize("interval", [tango, newcombe_paired])
def test_every_small_table_gets_an_interval_that_holds_its_value_and_turns_with_the_judges(
    interval: object,
) -> None:
    assert callable(interval)
    for a, b, c, d in SMALL:
        found, turned = interval(counts(a, b, c, d)), interval(counts(a, c, b, d))
        low, high = bounds(found)
        assert -1 <= low <= found.value + 1e-12
        assert found.value - 1e-12 <= high <= 1
        assert bounds(turned) == pytest.approx((-high, -low), abs=1e-9)


def test_total_reversal_ends_at_one() -> None:
    low, high = bounds(tango(counts(0, 10, 0, 0)))
    assert high == 1.0
    assert low == pytest.approx(0.4449, abs=1e-4)
    assert bounds(tango(counts(0, 0, 10, 0)))[0] == -1.0


def test_noninferiority_agrees_with_the_one_sided_score_interval() -> None:
    pairs = counts(80, 9, 5, 6)
    low, _ = bounds(tango(pairs, 0.05))
    at_bound = noninferiority(pairs, -low)
    assert isinstance(at_bound, ScoreTest)
    assert at_bound.p == pytest.approx(0.05, abs=1e-8)


def test_what_cannot_be_compared_is_undefined_with_a_reason() -> None:
    empty = counts(0, 0, 0, 0)
    assert isinstance(tango(empty), Undefined)
    assert isinstance(newcombe_paired(empty), Undefined)
    assert isinstance(noninferiority(empty, 0.05), Undefined)
    assert isinstance(noninferiority(counts(5, 0, 0, 5), 0.0), Undefined)
    assert isinstance(grouped_difference([1], [0], [5]), Undefined)
    with pytest.raises(ValueError, match="margin"):
        noninferiority(AIRWAY, 1.0)
    with pytest.raises(ValueError, match="tail"):
        tango(AIRWAY, 0.5)


def test_rows_are_counted_by_who_was_right() -> None:
    rows = [(True, True), (True, False), (False, True), (False, True), (False, False)]
    assert Pairs.of(rows) == counts(1, 1, 2, 1)


def test_groups_of_one_give_the_usual_error_of_a_mean() -> None:
    b, c = [1] * 12 + [0] * 48, [0] * 12 + [1] * 8 + [0] * 40
    found = grouped_difference(b, c, [1] * 60)
    gains = [x - y for x, y in zip(b, c, strict=True)]
    mean = sum(gains) / 60
    se = math.sqrt(sum((g - mean) ** 2 for g in gains) / (60 * 59))
    low, high = bounds(found)
    assert isinstance(found, Estimate)
    assert found.method == "group jackknife"
    assert (high - low) / 2 == pytest.approx(2.000995 * se, rel=1e-5)  # t(59) at .975


def test_few_groups_with_a_difference_widen_the_interval_and_say_so() -> None:
    found = grouped_difference([0] * 6, [0] * 6, [5] * 6)
    assert isinstance(found, Estimate)
    low, high = bounds(found)
    wide = bounds(tango(counts(14, 0, 0, 0)))  # 30 items / 2.2 is just under 14
    assert low < wide[0]
    assert high > wide[1]
    assert found.status == "few_groups"


@pytest.mark.parametrize("sizes", [[5] * 20, [5, 10] * 10])
def test_groups_that_all_say_the_same_still_leave_an_error(sizes: list[int]) -> None:
    gains = [size // 5 for size in sizes]
    found = grouped_difference(gains, [0] * 20, sizes)
    assert isinstance(found, Estimate)
    low, high = bounds(found)
    n, effect = sum(sizes), 1 + (sum(sizes) / 20 - 1) * 0.3
    wide = bounds(tango(counts(0, round(n / 5 / effect), 0, round(n * 0.8 / effect))))
    assert found.value == pytest.approx(0.2)
    assert (low, high) == pytest.approx(wide, abs=0.03)
    assert "correlation 0.3 assumed" in found.method
    whole = grouped_difference(sizes, [0] * 20, sizes)
    assert bounds(whole)[1] == 1
    assert 0.8 < bounds(whole)[0] < 1
