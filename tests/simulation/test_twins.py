"""What the simulations compute over arrays is what the library computes one table at a time."""

from __future__ import annotations

import numpy as np
import pytest

from judgekit.stats.agreement import disagreement_effect, jackknife_kappa, kappa_interval
from judgekit.stats.decision import ceiling_outcome
from judgekit.stats.intervals import (
    LEAST_GROUPS,
    GroupedCounts,
    clopper_pearson,
    decision_n,
    rate_bounds,
    rate_display,
)
from judgekit.stats.verification import VerifiedCounts
from judgekit.stats.verification import false_pass_bounds as library_false_pass_bounds
from simulations import coverage, kappa
from simulations.bounds import Sums, approved, bounds, effective_n, rejected, withheld
from simulations.rates import false_pass_bounds

TABLES = 400
TAILS = (0.05, 0.05 / 3, 0.005, 0.0025)


def random_tables() -> list[tuple[np.ndarray, np.ndarray]]:
    """Tables of every kind: no items, one group, singletons, few and many groups and errors."""
    rng = np.random.default_rng(7)
    made = []
    for _ in range(TABLES):
        groups, largest = int(rng.integers(1, 60)), int(rng.integers(1, 12))
        sizes = rng.integers(0, largest + 1, size=groups)
        rate = rng.choice([0.0, 0.01, 0.04, 0.1, 0.3, 1.0])
        errors = rng.binomial(sizes, rng.beta(max(rate, 1e-9), max(1 - rate, 1e-9), size=groups))
        made.append((errors, sizes))
    return made


def sums_of(errors: np.ndarray, sizes: np.ndarray) -> Sums:
    return Sums.of_prefixes(errors[None], sizes[None], (len(sizes),))


def counts_of(errors: np.ndarray, sizes: np.ndarray) -> GroupedCounts:
    """The library's record; a group without items of the class is no group."""
    full = sizes > 0
    return GroupedCounts(
        errors=tuple(int(x) for x in errors[full]), sizes=tuple(int(m) for m in sizes[full])
    )


@pytest.mark.parametrize("tail", TAILS)
def test_effective_n_and_bounds_equal_the_library_s(tail: float) -> None:
    for errors, sizes in random_tables():
        sums, counts = sums_of(errors, sizes), counts_of(errors, sizes)
        expected = decision_n(counts, tail).n or 0.0
        assert effective_n(sums, tail)[0, 0] == pytest.approx(expected, rel=1e-9, abs=1e-12)
        low, high = bounds(sums, tail)
        library = rate_bounds(counts, tail)
        assert (low[0, 0], high[0, 0]) == pytest.approx((library.low, library.high), abs=1e-9)


@pytest.mark.parametrize("limit", [0.05, 0.10, 0.30])
@pytest.mark.parametrize("tail", TAILS)
def test_outcomes_equal_the_library_s_decision(limit: float, tail: float) -> None:
    seen = set()
    for errors, sizes in random_tables():
        sums, counts = sums_of(errors, sizes), counts_of(errors, sizes)
        library = rate_bounds(counts, tail)
        outcome = ceiling_outcome(limit, high=library.high, reject_low=library.low)
        few = counts.grouped and counts.n_groups < LEAST_GROUPS
        seen.add(outcome)
        assert approved(sums, limit, tail)[0, 0] == (outcome == "safe" and not few)
        assert rejected(sums, limit, tail)[0, 0] == (outcome == "past_limit")
        assert withheld(sums)[0, 0] == few
    assert {"past_limit", "undecided"} <= seen


def test_outcomes_of_independent_items_equal_the_library_s_at_every_count() -> None:
    n = np.repeat(np.arange(1, 200), 25)
    x = np.minimum(np.tile(np.arange(25), 199), n)
    sums = Sums.independent(x, n)
    found = approved(sums, 0.05, 0.05)
    expected = [
        clopper_pearson(a, b, 0.05).high <= 0.05
        for a, b in zip(x.tolist(), n.tolist(), strict=True)
    ]
    assert found.tolist() == expected
    assert n[found & (x == 0)].min() == 59  # ln(0.05)/ln(0.95), Hanley & Lippman-Hand 1983


def test_the_displayed_interval_equals_the_library_s() -> None:
    for errors, sizes in random_tables()[:200]:
        counts = counts_of(errors, sizes)
        shown, _ = rate_display(counts, 0.025)
        if shown is not None:
            low, high = coverage.wilson_bounds(sums_of(errors, sizes), 0.025)
            assert (low[0, 0], high[0, 0]) == pytest.approx((shown.low, shown.high), abs=1e-9)


def test_design_effect_and_jackknife_of_kappa_equal_the_library_s() -> None:
    rng = np.random.default_rng(3)
    truth = kappa.KappaTruth(n=100, kappa=0.6, share=0.2, size=5, icc=0.3)
    groups = kappa.tables(rng, truth, 60)
    effects, jackknife = kappa.effects(groups), kappa.jackknife_bounds(groups)
    for table, effect, found in zip(groups, effects, jackknife, strict=True):
        assert effect == pytest.approx(disagreement_effect(table), rel=1e-9)
        library = [jackknife_kappa(table).fisher_z(tail) for tail in kappa.TAILS]
        if library[0] is None or library[1] is None:
            assert np.isnan(found).all()
        else:
            expected = [*(b[0] for b in library if b), *(b[1] for b in library if b)]
            assert found.tolist() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("size", "icc"), [(1, 0.0), (5, 0.3)])
def test_bounds_of_kappa_equal_the_library_s_within_the_draws(size: int, icc: float) -> None:
    rng = np.random.default_rng(4)
    truth = kappa.KappaTruth(n=100, kappa=0.6, share=0.2, size=size, icc=icc)
    groups = kappa.tables(rng, truth, 5)
    found = kappa.all_bounds(rng, groups, draws=20_000)
    for table, row in zip(groups, found, strict=True):
        library = [kappa_interval(table, tail) for tail in kappa.TAILS]
        expected = [*(b.low for b in library), *(b.high for b in library)]
        assert row.tolist() == pytest.approx(expected, abs=0.015)


def test_the_bound_under_verdict_stratified_labels_equals_the_library_s() -> None:
    rng, looked_for = np.random.default_rng(5), [0, 0]
    for labels in rng.integers(1, 400, size=(200, 2)).tolist():
        bad = [int(rng.binomial(n, rate)) for n, rate in zip(labels, (0.03, 0.7), strict=True)]
        counts = VerifiedCounts(
            all_pass=700, all_fail=300, pass_pass=labels[0] - bad[0], pass_fail=bad[0],
            fail_pass=labels[1] - bad[1], fail_fail=bad[1],
        )  # fmt: skip
        passing, failing = (
            Sums.independent(np.array([[x]]), np.array([[m]]))
            for x, m in zip(bad, labels, strict=True)
        )
        low, high = false_pass_bounds(passing, failing, 0.7, 0.05)
        library = library_false_pass_bounds(counts, 0.05)
        if high[0, 0] < 1:
            looked_for[0] += 1
            assert high[0, 0] == pytest.approx(library.high, abs=1e-9)
        if low[0, 0] > 0:
            looked_for[1] += 1
            assert low[0, 0] == pytest.approx(library.low, abs=1e-9)
        for limit in (0.05, 0.10):
            assert (high[0, 0] <= limit, low[0, 0] > limit) == (
                library.high <= limit, library.low > limit,
            )  # fmt: skip
    assert min(looked_for) >= 10


def test_the_bound_under_verdict_stratified_labels_follows_bayes_rule_by_hand() -> None:
    # 2 human fails of 400 judge passes, 60 of 100 judge fails, 70 % of all items pass
    passing = Sums.independent(np.array([[2]]), np.array([[400]]))
    failing = Sums.independent(np.array([[60]]), np.array([[100]]))
    _, high = false_pass_bounds(passing, failing, 0.7, 0.05)
    worst, least = clopper_pearson(2, 400, 0.025).high, clopper_pearson(60, 100, 0.025).low
    assert high[0, 0] == pytest.approx(0.7 * worst / (0.7 * worst + 0.3 * least), abs=1e-12)
