"""The condition on kappa and the coverage of its interval, on a coarser grid.

A twin of `judgekit.stats.agreement.kappa_interval` over arrays of 2 x 2 tables; tests/simulation
compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import t

from judgekit.stats.agreement import kappa_of_shares
from judgekit.stats.intervals import FEW_ERROR_GROUPS, LEAST_GROUPS, clopper_pearson
from simulations.bounds import Sums
from simulations.grid import ALPHA, SEED, SIZES

LIMIT = 0.6
TRUE_KAPPAS = (0.3, 0.6, 0.8)
FAIL_SHARES = (0.5, 0.2, 0.1)
GROUPINGS = ((1, 0.0), (5, 0.1), (5, 0.3), (10, 0.3))
REPLICATES = 2_000
DRAWS = 2_000
CHUNK = 250
TAILS = (ALPHA, ALPHA / 2)
HEADER = (
    "n", "kappa", "share", "icc", "group_size", "replicates", "undefined", "withheld",
    "approved", "rejected", "covered95", "missed_low", "dirichlet95",
    "jackknife95", "approved_low99",
    "rejected_low99",
)  # fmt: skip


@dataclass(frozen=True)
class KappaTruth:
    """n labels in groups of `size`; both raters fail the same share; a true kappa."""

    n: int
    kappa: float
    share: float
    size: int
    icc: float

    @property
    def cells(self) -> Any:
        """Return the shares of (pass, pass), (pass, fail), (fail, pass), (fail, fail)."""
        product_ = self.share * (1 - self.share)
        apart = (1 - self.kappa) * product_
        return np.array([1 - self.share - apart, apart, apart, self.share - apart])


def truths() -> tuple[KappaTruth, ...]:
    """Return the coarser grid."""
    grid = product(SIZES, TRUE_KAPPAS, FAIL_SHARES, GROUPINGS)
    return tuple(KappaTruth(n, kappa, share, *grouping) for n, kappa, share, grouping in grid)


def tables(rng: np.random.Generator, truth: KappaTruth, replicates: int) -> Any:
    """Return (R, G, 2, 2) counts; a group's shares are Dirichlet with the given correlation."""
    shape = (replicates, truth.n // truth.size)
    if truth.icc == 0.0:
        shares = np.broadcast_to(truth.cells, (*shape, 4))
    else:
        shares = rng.dirichlet(truth.cells * (1 / truth.icc - 1), size=shape)
    return rng.multinomial(truth.size, shares).reshape(*shape, 2, 2)


def effects(groups: Any) -> Any:
    """Return `disagreement_effect` for each replicate of (R, G, 2, 2) counts."""
    sizes = groups.sum(axis=(2, 3))
    wrong = sizes - np.trace(groups, axis1=2, axis2=3)
    sums = Sums.of_prefixes(wrong, sizes, (groups.shape[1],))
    x, m, g = sums.x[:, 0], sums.m[:, 0], sums.groups[:, 0]
    p = x / m
    spread = sums.xx[:, 0] - 2 * p * sums.xm[:, 0] + p * p * sums.mm[:, 0]
    v = g / np.maximum(g - 1, 1) * spread / m**2
    known = (v > 1e-15) & (x > 0) & (x < m) & (g > 1)
    effect = np.where(known, v * m / np.where(known, p * (1 - p), 1.0), 1.0)
    few = ~known | (sums.error_groups[:, 0] < FEW_ERROR_GROUPS)
    assumed = 1 + (m / g - 1) * 0.3
    return np.maximum(1.0, np.where(few, np.maximum(effect, assumed), effect))


def dirichlet_bounds(rng: np.random.Generator, counts: Any, draws: int = DRAWS) -> Any:
    """Return quantiles of kappa at each tail and its complement, (R, 4), from (R, 2, 2) counts."""
    gammas = rng.standard_gamma((counts + 0.5).reshape(-1, 1, 4), size=(len(counts), draws, 4))
    shares = (gammas / gammas.sum(axis=-1, keepdims=True)).reshape(len(counts), draws, 2, 2)
    levels = [*TAILS, *(1 - tail for tail in TAILS)]
    return np.quantile(kappa_of_shares(shares), levels, axis=1).T


def jackknife_bounds(groups: Any) -> Any:
    """Return the Fisher-z jackknife bounds like `dirichlet_bounds`; NaN where there are none."""
    n_groups, total = groups.shape[1], groups.sum(axis=1)
    value = kappa_of_shares(total / total.sum(axis=(1, 2), keepdims=True))
    rest = total[:, None] - groups
    leave = kappa_of_shares(rest / rest.sum(axis=(2, 3), keepdims=True))
    spread = ((leave - leave.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    se = np.sqrt(spread * (n_groups - 1) / n_groups)
    inside = np.abs(value) < 1 - 1e-12
    value = np.where(inside, value, 0.0)
    half = t.ppf(1 - np.array(TAILS), n_groups - 1) * (se / (1 - value**2))[:, None]
    centre = np.arctanh(value)[:, None]
    found = np.concatenate((np.tanh(centre - half), np.tanh(centre + half)), axis=1)
    return np.where(inside[:, None], found, np.nan)


def all_bounds(rng: np.random.Generator, groups: Any, draws: int = DRAWS) -> Any:
    """Return the bounds of `kappa_interval` at each tail, (R, 4): two low ones, two high ones."""
    return each_bounds(rng, groups, draws)[0]


def each_bounds(rng: np.random.Generator, groups: Any, draws: int = DRAWS) -> tuple[Any, Any, Any]:
    """Return the bounds used, and those of Dirichlet and of the jackknife alone."""
    total = groups.sum(axis=1)
    if not (groups.sum(axis=(2, 3)) > 1).any():
        found = dirichlet_bounds(rng, total, draws)
        return found, found, jackknife_bounds(groups)
    found = dirichlet_bounds(rng, total / effects(groups)[:, None, None], draws)
    jackknife = jackknife_bounds(groups)
    low = np.fmin(found[:, :2], jackknife[:, :2])
    high = np.fmax(found[:, 2:], jackknife[:, 2:])
    return np.concatenate((low, high), axis=1), found, jackknife


def simulate(truth: KappaTruth, replicates: int = REPLICATES) -> list[tuple[Any, ...]]:
    """Return the row of one truth."""
    place = (truth.n, round(1000 * truth.kappa), round(1000 * truth.share), truth.size)
    rng = np.random.default_rng([SEED, 9, *place, round(1000 * truth.icc)])
    counted = np.zeros(9, dtype=int)
    for start in range(0, replicates, CHUNK):
        groups = tables(rng, truth, min(CHUNK, replicates - start))
        counted += _count(rng, truth, groups)
    undefined, withheld, approved, rejected, *intervals = (int(x) for x in counted)
    covered, low, dirichlet, jackknife, estimable = intervals
    defined = replicates - undefined
    return [
        (truth.n, truth.kappa, truth.share, truth.icc, truth.size, replicates, undefined,
         withheld, approved, rejected, round(covered / defined, 4), round(low / defined, 4),
         round(dirichlet / defined, 4), round(jackknife / max(estimable, 1), 4),
         *(round(clopper_pearson(x, replicates, 0.01).low, 5) for x in (approved, rejected)))
    ]  # fmt: skip


def _count(rng: np.random.Generator, truth: KappaTruth, groups: Any) -> Any:
    total = groups.sum(axis=1)
    with np.errstate(invalid="ignore"):
        defined = ~np.isnan(kappa_of_shares(total / total.sum(axis=(1, 2), keepdims=True)))
        found, dirichlet, jackknife = each_bounds(rng, groups)
    few = truth.size > 1 and groups.shape[1] < LEAST_GROUPS
    estimable = defined & ~np.isnan(jackknife).any(axis=1)
    counted = (
        ~defined,
        np.full(len(groups), few),
        defined & (found[:, 0] >= LIMIT) & (not few),
        defined & (found[:, 2] < LIMIT),
        defined & _inside(found, truth.kappa),
        defined & (found[:, 1] > truth.kappa),
        defined & _inside(dirichlet, truth.kappa),
        estimable & _inside(jackknife, truth.kappa),
        estimable,
    )
    return np.array([int(where.sum()) for where in counted])


def _inside(found: Any, kappa: float) -> Any:
    return (found[:, 1] <= kappa) & (kappa <= found[:, 3])
