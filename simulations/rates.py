"""False approval and false rejection of the error-rate conditions over the grid."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from judgekit.stats.intervals import clopper_pearson
from simulations.bounds import Sums, approved, lower_bound, rejected, upper_bound, withheld
from simulations.draw import (
    all_cuts,
    cuts_of,
    draw,
    draw_by_verdict,
    draw_one_class,
    pass_share,
)
from simulations.grid import ALPHA, CHUNK, ICCS, LIMITS, LOOKS, REPLICATES, Truth

CONDITIONS_TOGETHER = 2
MONTE_CARLO_TAIL = 0.01
HEADER = (
    "design", "condition", "n", "limit", "rate", "share", "icc", "group_size", "looks",
    "replicates", "labels_mean", "withheld", "approved", "rejected", "approved_low99",
    "rejected_low99",
)  # fmt: skip


@dataclass(frozen=True)
class Key:
    """One condition of one truth at one limit and number of looks."""

    condition: str
    limit: float
    looks: int


@dataclass
class Tally:
    """Replicates that were approved, rejected or withheld at some look; labels at the last."""

    replicates: int = 0
    labels: int = 0
    withheld: int = 0
    approved: int = 0
    rejected: int = 0

    def add(self, approvals: Any, rejections: Any, held: Any, labels: Any) -> None:
        """Count (R, looks) outcomes: one look that approves is an approval."""
        self.replicates += len(approvals)
        self.approved += int(approvals.any(axis=1).sum())
        self.rejected += int(rejections.any(axis=1).sum())
        self.withheld += int(held[:, -1].sum())
        self.labels += int(labels[:, -1].sum())


Tallies = dict[Key, Tally]


def simulate(design: str, truth: Truth, replicates: int = REPLICATES) -> list[tuple[Any, ...]]:
    """Return the rows of one truth: every limit, condition and number of looks."""
    rng, tallies = truth.rng(design), dict[Key, Tally]()
    pick, count = WAYS[design]
    for start in range(0, replicates, CHUNK):
        count(tallies, truth, pick(rng, truth, min(CHUNK, replicates - start)))
    iccs = ICCS if truth.size == 1 else (truth.icc,)
    return [row(design, truth, icc, key, tally) for key, tally in tallies.items() for icc in iccs]


def places(truth: Truth, looks: int) -> list[int]:
    """Return where among all cuts the looks are."""
    every = all_cuts(truth.n_groups)
    return [every.index(cut) for cut in cuts_of(truth.n_groups, looks)]


def _tally_random(tallies: Tallies, truth: Truth, sums: dict[str, Sums]) -> None:
    labels = sum(whole.m for whole in sums.values())
    for limit, looks in product(truth.limits, LOOKS):
        at = (slice(None), places(truth, looks))
        level = ALPHA / looks
        approvals, rejections, held = [], [], []
        for name, whole in sums.items():
            seen = whole.take(at)
            approvals.append(approved(seen, limit, level))
            rejections.append(rejected(seen, limit, level / CONDITIONS_TOGETHER))
            held.append(withheld(seen))
            alone = rejected(seen, limit, level)
            tally = tallies.setdefault(Key(name, limit, looks), Tally())
            tally.add(approvals[-1], alone, held[-1], seen.m)
        if len(sums) == CONDITIONS_TOGETHER:
            both = tallies.setdefault(Key("both", limit, looks), Tally())
            both.add(
                approvals[0] & approvals[1], rejections[0] | rejections[1],
                held[0] | held[1], labels[at],
            )  # fmt: skip


def _tally_stratified(tallies: Tallies, truth: Truth, sums: dict[str, Sums]) -> None:
    share = pass_share(truth)
    for looks in LOOKS:
        at = (slice(None), places(truth, looks))
        passing, failing = (sums[name].take(at) for name in ("judge pass", "judge fail"))
        low, high = false_pass_bounds(passing, failing, share, ALPHA / looks)
        held = withheld(passing) | withheld(failing)
        for limit in truth.limits:
            tally = tallies.setdefault(Key("false pass", limit, looks), Tally())
            tally.add((high <= limit) & ~held, low > limit, held, passing.m + failing.m)


def false_pass_bounds(passing: Sums, failing: Sums, share: float, level: float) -> Any:
    """Return always-valid bounds of the false-pass rate from labels stratified by verdict.

    The rate rises in the share of human fails among judge passes and falls in that among judge
    fails; each is bounded at half the level. A bound that could decide nothing at any limit is
    left at 0 or 1: the lower one where the estimate is under every limit, the upper one where it
    would be past every limit even without an error among the judge's passes.
    """
    among_fail = failing.x / np.maximum(failing.m, 1)
    estimate = false_pass(passing.x / np.maximum(passing.m, 1), among_fail, share)
    low, high = np.zeros(estimate.shape), np.ones(estimate.shape)
    tail = level / 2
    best = false_pass(1 - tail ** (1 / np.maximum(passing.m, 1)), among_fail, share)
    above = np.nonzero(estimate > min(LIMITS))
    below = np.nonzero(np.maximum(estimate, best) <= max(LIMITS))
    low[above] = false_pass(
        lower_bound(passing.take(above), tail), upper_bound(failing.take(above), tail), share
    )
    high[below] = false_pass(
        upper_bound(passing.take(below), tail), lower_bound(failing.take(below), tail), share
    )
    return low, high


def false_pass(among_pass: Any, among_fail: Any, share: float) -> Any:
    """Return P(judge pass given human fail) by Bayes' rule; 1 where no human fail is possible."""
    missed, caught = among_pass * share, among_fail * (1 - share)
    total = missed + caught
    return np.where(total > 0, missed / np.where(total > 0, total, 1.0), 1.0)


WAYS: dict[str, tuple[Any, Any]] = {
    "random": (draw, _tally_random),
    "stratified": (draw_by_verdict, _tally_stratified),
    "one class": (draw_one_class, _tally_random),
}


def row(design: str, truth: Truth, icc: float, key: Key, tally: Tally) -> tuple[Any, ...]:
    """Return one line of the table, with the 99 % lower limits of both shares."""
    approvals, rejections = (
        round(clopper_pearson(found, tally.replicates, MONTE_CARLO_TAIL).low, 5)
        for found in (tally.approved, tally.rejected)
    )
    return (
        design, key.condition, truth.n, key.limit, truth.rate, truth.share, icc, truth.size,
        key.looks, tally.replicates, round(tally.labels / tally.replicates, 1), tally.withheld,
        tally.approved, tally.rejected, approvals, rejections,
    )  # fmt: skip
