"""Data: counts by group of labels of both classes and of the judge's errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulations.bounds import Sums
from simulations.grid import LOOKS, SHARE_ICC, Truth


def shares(rng: np.random.Generator, mean: float, icc: float, shape: tuple[int, ...]) -> Any:
    """Return one share per group: Beta with this mean and correlation; the mean itself at 0."""
    if icc == 0.0:
        return np.full(shape, mean)
    total = 1 / icc - 1
    return rng.beta(mean * total, (1 - mean) * total, size=shape)


def cuts_of(n_groups: int, looks: int) -> tuple[int, ...]:
    """Return after how many groups each look comes; looks that see nothing new fall away."""
    return tuple(sorted({max(1, math.ceil(n_groups * k / looks)) for k in range(1, looks + 1)}))


def all_cuts(n_groups: int) -> tuple[int, ...]:
    """Return the cuts of every number of looks together."""
    return tuple(sorted({cut for looks in LOOKS for cut in cuts_of(n_groups, looks)}))


def draw(rng: np.random.Generator, truth: Truth, replicates: int) -> dict[str, Sums]:
    """Return the sums of both classes at every cut: a random sample of items, group by group."""
    if truth.size == 1:
        return _draw_independent(rng, truth, replicates)
    shape = (replicates, truth.n_groups)
    fails = rng.binomial(truth.size, shares(rng, truth.share, SHARE_ICC, shape))
    passes = truth.size - fails
    false_pass = rng.binomial(fails, shares(rng, truth.rate, truth.icc, shape))
    false_fail = rng.binomial(passes, shares(rng, truth.rate, truth.icc, shape))
    cuts = all_cuts(truth.n_groups)
    return {
        "false pass": Sums.of_prefixes(false_pass, fails, cuts),
        "false fail": Sums.of_prefixes(false_fail, passes, cuts),
    }


def draw_one_class(rng: np.random.Generator, truth: Truth, replicates: int) -> dict[str, Sums]:
    """Return the sums of human fails alone: n of them, every group of the same size."""
    cuts, rate = all_cuts(truth.n_groups), truth.rate
    if truth.size == 1:
        steps = np.diff((0, *cuts))
        errors = rng.binomial(steps, rate, size=(replicates, len(steps))).cumsum(axis=1)
        return {"false pass": Sums.independent(errors, np.broadcast_to(cuts, errors.shape))}
    shape = (replicates, truth.n_groups)
    errors = rng.binomial(truth.size, shares(rng, rate, truth.icc, shape))
    sizes = np.full(shape, truth.size)
    return {"false pass": Sums.of_prefixes(errors, sizes, cuts)}


def _draw_independent(rng: np.random.Generator, truth: Truth, replicates: int) -> dict[str, Sums]:
    steps = np.diff((0, *all_cuts(truth.n)))
    fails = rng.binomial(steps, truth.share, size=(replicates, len(steps)))
    passes = steps - fails
    sums = {}
    for name, sizes in (("false pass", fails), ("false fail", passes)):
        errors = rng.binomial(sizes, truth.rate)
        sums[name] = Sums.independent(errors.cumsum(axis=1), sizes.cumsum(axis=1))
    return sums


def draw_by_verdict(rng: np.random.Generator, truth: Truth, replicates: int) -> dict[str, Sums]:
    """Return the sums of human fails among the judge's passes and among its fails.

    Half of the labels go to each verdict. Groups are large; how many of their items of one kind are
    labelled is Poisson with the group's own share of that kind.
    """
    half = truth.size / 2
    passing = pass_share(truth)
    if truth.size == 1:
        return _by_verdict_independent(rng, truth, replicates)
    shape = (replicates, truth.n_groups)
    share = shares(rng, truth.share, SHARE_ICC, shape)
    wrong_fail = shares(rng, truth.rate, truth.icc, shape)
    wrong_pass = shares(rng, truth.rate, truth.icc, shape)
    at_pass, at_fail = half / passing, half / (1 - passing)
    cells = {
        "judge pass": (share * wrong_fail * at_pass, (1 - share) * (1 - wrong_pass) * at_pass),
        "judge fail": (share * (1 - wrong_fail) * at_fail, (1 - share) * wrong_pass * at_fail),
    }
    cuts, sums = all_cuts(truth.n_groups), {}
    for name, (human_fail, human_pass) in cells.items():
        fails = rng.poisson(human_fail)
        sums[name] = Sums.of_prefixes(fails, fails + rng.poisson(human_pass), cuts)
    return sums


def pass_share(truth: Truth) -> float:
    """Return the share of items that the judge passes."""
    return truth.share * truth.rate + (1 - truth.share) * (1 - truth.rate)


def _by_verdict_independent(
    rng: np.random.Generator, truth: Truth, replicates: int
) -> dict[str, Sums]:
    cuts = all_cuts(truth.n)
    halves = np.diff((0, *(math.ceil(cut / 2) for cut in cuts)))
    passing, sums = pass_share(truth), {}
    for name, fails in (
        ("judge pass", truth.share * truth.rate / passing),
        ("judge fail", truth.share * (1 - truth.rate) / (1 - passing)),
    ):
        errors = rng.binomial(halves, fails, size=(replicates, len(halves)))
        sizes = np.broadcast_to(halves, errors.shape)
        sums[name] = Sums.independent(errors.cumsum(axis=1), sizes.cumsum(axis=1))
    return sums
