"""Intervals of one proportion, for independent and for grouped items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from judgekit.model.base import Record

DEFAULT_ICC = 0.3
FEW_ERROR_GROUPS = 15
LEAST_GROUPS = 10


class Interval(Record):
    """A lower and an upper bound in [0, 1]."""

    low: float
    high: float


def wilson(x: float, n: float, tail: float) -> Interval | None:
    """Return Wilson's score interval (1927, doi 10.1080/01621459.1927.10502953).

    `tail` is the error in each tail; x and n may be fractional. For display only: it is too short
    for a decision. None when n is 0.

    Example:
        >>> round(wilson(8, 10, 0.025).low, 6)
        0.490162
    """
    from scipy.special import ndtri

    if n <= 0:
        return None
    z = float(ndtri(1 - tail))
    share = x / n
    centre = share + z * z / (2 * n)
    half = z * math.sqrt(max(0.0, share * (1 - share) / n) + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if x <= 0 else max(0.0, (centre - half) / scale)
    high = 1.0 if x >= n else min(1.0, (centre + half) / scale)
    return Interval(low=low, high=high)


def clopper_pearson(x: float, n: float, tail: float) -> Interval:
    """Return the exact bounds of Clopper & Pearson (1934, doi 10.1093/biomet/26.4.404).

    `tail` is the error of each bound: each is a one-sided bound at level `tail`. x and n may be
    fractional (effective counts). [0, 1] when n is 0.

    Example:
        >>> round(clopper_pearson(0, 59, 0.05).high, 6)
        0.049508
    """
    from scipy.special import betaincinv

    low = 0.0 if x <= 0 or n <= 0 else float(betaincinv(x, n - x + 1, tail))
    high = 1.0 if x >= n or n <= 0 else float(betaincinv(x + 1, n - x, 1 - tail))
    return Interval(low=low, high=high)


class GroupedCounts(Record):
    """Errors and sizes by group: `errors[g]` of `sizes[g]` items of group g."""

    errors: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, rows: Iterable[tuple[str, bool]]) -> GroupedCounts:
        """Count (group, is_error) rows."""
        sizes: Counter[str] = Counter()
        errors: Counter[str] = Counter()
        for group, is_error in rows:
            sizes[group] += 1
            errors[group] += is_error
        names = sorted(sizes)
        return cls(errors=tuple(errors[g] for g in names), sizes=tuple(sizes[g] for g in names))

    @property
    def x(self) -> int:
        """Return the number of errors."""
        return sum(self.errors)

    @property
    def n(self) -> int:
        """Return the number of items."""
        return sum(self.sizes)

    @property
    def n_groups(self) -> int:
        """Return the number of groups."""
        return len(self.sizes)

    @property
    def grouped(self) -> bool:
        """Tell whether some group has more than one item."""
        return any(size > 1 for size in self.sizes)

    @property
    def error_groups(self) -> int:
        """Return the number of groups with an error."""
        return sum(x > 0 for x in self.errors)

    @property
    def assumed_design_effect(self) -> float:
        """Return 1 + (mbar - 1) * 0.3, the design effect under the declared correlation."""
        return 1 + (self.n / self.n_groups - 1) * DEFAULT_ICC if self.n_groups else 1.0

    @property
    def design_effect(self) -> float | None:
        """Return v/(p(1-p)/M) by linearisation; None where v is 0 or there is one group."""
        m, groups = self.n, self.n_groups
        if groups < 2:
            return None
        p = self.x / m
        pairs = zip(self.errors, self.sizes, strict=True)
        v = groups / (groups - 1) * sum((x - p * size) ** 2 for x, size in pairs) / m**2
        return v / (p * (1 - p) / m) if v > 1e-15 and 0 < p < 1 else None


class EffectiveN(Record):
    """The n that an interval may use, and the method's name. None: no interval at all."""

    n: float | None
    method: str


def korn_graubard_n(counts: GroupedCounts, tail: float) -> float | None:
    """Return the df-adjusted effective n of Korn & Graubard (1998), capped at M.

    p(1-p)/v (t_{M-1}/t_{G-1})^2 with both t quantiles at `tail`. None where the linearised
    variance is 0 or there are fewer than two groups.
    """
    from scipy.stats import t

    effect = counts.design_effect
    if effect is None:
        return None
    m, groups = counts.n, counts.n_groups
    ratio = float(t.ppf(1 - tail, m - 1) / t.ppf(1 - tail, groups - 1))
    return min(float(m), m / effect * ratio**2)


def decision_n(counts: GroupedCounts, tail: float) -> EffectiveN:
    """Return the n* of the decision and of the displayed interval (DESIGN section 5).

    M without groups. With groups Korn-Graubard; when fewer than 15 groups hold an error, or where
    Korn-Graubard has no value, not more than M/(1+(mbar-1)*0.3), a declared assumption.
    """
    if not counts.grouped:
        return EffectiveN(n=float(counts.n), method="independent items")
    if counts.n_groups < 2:
        return EffectiveN(n=None, method="one group only: no interval")
    plain = korn_graubard_n(counts, tail)
    assumed = counts.n / counts.assumed_design_effect
    if plain is None:
        return EffectiveN(n=assumed, method="grouped, correlation 0.3 assumed")
    if counts.error_groups < FEW_ERROR_GROUPS:
        return EffectiveN(
            n=min(plain, assumed), method="Korn-Graubard, at least correlation 0.3 assumed"
        )
    return EffectiveN(n=plain, method="Korn-Graubard")


def rate_bounds(counts: GroupedCounts, tail: float) -> Interval:
    """Return the one-sided Clopper-Pearson bounds at level `tail`, groups respected."""
    effective = decision_n(counts, tail).n
    if not counts.n or effective is None:
        return Interval(low=0.0, high=1.0)
    return clopper_pearson(effective * counts.x / counts.n, effective, tail)


def rate_display(counts: GroupedCounts, tail: float) -> tuple[Interval | None, str]:
    """Return the two-sided Wilson interval with `tail` in each tail and the name of its method."""
    effective = decision_n(counts, tail)
    if not counts.n or effective.n is None:
        return None, effective.method
    interval = wilson(effective.n * counts.x / counts.n, effective.n, tail)
    return interval, f"Wilson ({effective.method})"
