"""The library's decision on one error rate, over arrays of counts.

A twin of `judgekit.stats.intervals.rate_bounds` with `judgekit.stats.decision.ceiling_outcome`:
tests/simulation proves that it gives the same outcome on every table it is shown. Comparing the
beta distribution with the level is the same as comparing its quantile, the bound, with the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv
from scipy.stats import t

from judgekit.stats.decision import ROUNDING
from judgekit.stats.intervals import DEFAULT_ICC, FEW_ERROR_GROUPS, LEAST_GROUPS

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
LARGEST_DF = 3_000


@dataclass(frozen=True)
class Sums:
    """What the decision needs of a table of groups: each an array of one shape.

    Errors x, items m, groups with an item, groups with an error, whether some group has more than
    one item, and the sums over groups of x^2, x m and m^2.
    """

    x: Any
    m: Any
    groups: Any
    error_groups: Any
    grouped: Any
    xx: Any
    xm: Any
    mm: Any

    def take(self, where: Any) -> Sums:
        """Return the chosen entries."""
        return Sums(*(getattr(self, name)[where] for name in self.__dataclass_fields__))

    @classmethod
    def independent(cls, x: Any, m: Any) -> Sums:
        """Return the sums of groups of one item each."""
        return cls(x, m, m, x, np.zeros(np.shape(x), dtype=bool), x, x, m)

    @classmethod
    def of_prefixes(cls, errors: Any, sizes: Any, cuts: tuple[int, ...]) -> Sums:
        """Return the sums over the first `cut` groups, (R, len(cuts)) from (R, G) counts."""
        starts = [0, *cuts[:-1]]

        def upto(values: Any) -> Any:
            return np.cumsum(np.add.reduceat(values, starts, axis=1, dtype=np.int64), axis=1)

        errors, sizes = errors.astype(np.int32), sizes.astype(np.int32)
        return cls(
            x=upto(errors), m=upto(sizes), groups=upto(sizes > 0), error_groups=upto(errors > 0),
            grouped=upto(sizes > 1) > 0, xx=upto(errors * errors), xm=upto(errors * sizes),
            mm=upto(sizes * sizes),
        )  # fmt: skip


@lru_cache(maxsize=64)
def t_quantiles(tail: float) -> Floats:
    """Return the t quantiles at 1 - tail by degrees of freedom; none at 0."""
    quantiles = t.ppf(1 - tail, np.arange(1, LARGEST_DF))
    return np.concatenate(([np.inf], quantiles))


def effective_n(sums: Sums, tail: float) -> Floats:
    """Return n* of `decision_n`; 0 where there is no interval at all (one group, no items)."""
    m = np.maximum(sums.m, 1).astype(float)
    groups = np.maximum(sums.groups, 1)
    p = sums.x / m
    spread = sums.xx - 2 * p * sums.xm + p * p * sums.mm
    several = np.maximum(groups - 1, 1)
    v = groups / several * spread / m**2
    known = (v > 1e-15) & (sums.x > 0) & (sums.x < sums.m) & (groups > 1)
    table = t_quantiles(tail)
    ratio = table[np.maximum(sums.m - 1, 1)] / table[several]
    plain = np.minimum(m, p * (1 - p) / np.where(known, v, 1.0) * ratio**2)
    assumed = m / (1 + (m / groups - 1) * DEFAULT_ICC)
    few = sums.error_groups < FEW_ERROR_GROUPS
    stricter = np.where(few, np.minimum(plain, assumed), plain)
    found = np.where(known, stricter, assumed)
    found = np.where(sums.grouped, np.where(sums.groups < 2, 0.0, found), m)
    return np.asarray(np.where(sums.m > 0, found, 0.0))


def lower_bound(sums: Sums, tail: float) -> Floats:
    """Return the lower one-sided bound of `rate_bounds`; 0 where there is none."""
    n = effective_n(sums, tail)
    x = n * sums.x / np.maximum(sums.m, 1)
    with np.errstate(invalid="ignore"):
        return np.where((sums.x <= 0) | (n <= 0), 0.0, betaincinv(x, n - x + 1, tail))


def upper_bound(sums: Sums, tail: float) -> Floats:
    """Return the upper one-sided bound of `rate_bounds`; 1 where there is none."""
    n = effective_n(sums, tail)
    x = n * sums.x / np.maximum(sums.m, 1)
    with np.errstate(invalid="ignore"):
        found = betaincinv(x + 1, n - x, 1 - tail)
    return np.where((sums.x >= sums.m) | (n <= 0), 1.0, found)


def bounds(sums: Sums, tail: float) -> tuple[Floats, Floats]:
    """Return the one-sided bounds of `rate_bounds`, low and high."""
    return lower_bound(sums, tail), upper_bound(sums, tail)


def withheld(sums: Sums) -> Bools:
    """Tell where approval is withheld because there are too few groups."""
    return np.asarray(sums.grouped & (sums.groups < LEAST_GROUPS))


def approved(sums: Sums, limit: float, tail: float) -> Bools:
    """Tell where the upper bound is at most the limit and the groups are enough."""
    found = np.zeros(np.shape(sums.x), dtype=bool)
    able = (1 - limit - ROUNDING) ** sums.m <= tail
    where = np.nonzero(able & (sums.x < sums.m) & (sums.x <= limit * sums.m) & ~withheld(sums))
    part = sums.take(where)
    n = effective_n(part, tail)
    x = n * part.x / np.maximum(part.m, 1)
    found[where] = (n > 0) & (
        betainc(x + 1, np.maximum(n - x, 1e-300), limit + ROUNDING) >= 1 - tail
    )
    return found


def rejected(sums: Sums, limit: float, tail: float) -> Bools:
    """Tell where the lower bound is above the limit."""
    found = np.zeros(np.shape(sums.x), dtype=bool)
    where = np.nonzero(sums.x > limit * sums.m)
    part = sums.take(where)
    n = effective_n(part, tail)
    x = n * part.x / np.maximum(part.m, 1)
    found[where] = (x > 0) & (betainc(np.maximum(x, 1e-300), n - x + 1, limit + ROUNDING) < tail)
    return found
