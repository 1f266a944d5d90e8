"""Intervals of one proportion, for independent and for grouped items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Self

from pydantic import model_validator

from judgekit.model.base import Record
from judgekit.stats.registry import statistic

DEFAULT_ICC = 0.3
FEW_ERROR_GROUPS = 15
LEAST_GROUPS = 10


class Interval(Record):
    """A lower and an upper bound in [0, 1]."""

    low: float
    high: float


@statistic(
    "wilson",
    kind="interval",
    range=(0.0, 1.0),
    needs=("successes", "n", "tail"),
    laws=("interval_holds_value", "empty_is_undefined", "monotone"),
)
def wilson(x: float, n: float, tail: float) -> Interval | None:
    """Return Wilson's score interval of a proportion.

    Formula: (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2))/(1 + z^2/n), p = x/n, z at 1 - `tail`.
    Shapes: 0 <= x <= n, both may be fractional (effective counts); `tail` is the error in each
    tail. Range [0, 1]. Undefined: None where n is 0.
    Weakness: for display only; as a one-sided bound at 5 % it wrongly approves up to 7.2 %.
    Source: Wilson 1927, doi 10.1080/01621459.1927.10502953.

    Example:
        >>> round(wilson(8, 10, 0.025).low, 6)
        0.490162
    """
    _check_share(x, n, tail)
    from scipy.special import ndtri

    if n <= 1e-100:
        return None
    z = float(ndtri(1 - tail))
    share = x / n
    centre = share + z * z / (2 * n)
    half = z * math.sqrt(max(0.0, share * (1 - share) / n) + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if x <= 0 else max(0.0, (centre - half) / scale)
    high = 1.0 if x >= n else min(1.0, (centre + half) / scale)
    return Interval(low=low, high=high)


def _check_share(x: float, n: float, tail: float) -> None:
    """Refuse what no data can give; effective counts may miss their total by rounding."""
    if not (n < 1e15 and -1e-9 <= x <= n * (1 + 1e-9) and 0 <= tail < 1):
        raise ValueError(
            f"0 <= x <= n and a tail between 0 and 1 are needed, got x {x}, n {n}, tail {tail}"
        )


@statistic(
    "clopper_pearson",
    kind="interval",
    range=(0.0, 1.0),
    needs=("successes", "n", "tail"),
    laws=("interval_holds_value", "monotone"),
)
def clopper_pearson(x: float, n: float, tail: float) -> Interval:
    """Return the exact bounds of Clopper and Pearson.

    Formula: q(tail; x, n-x+1) and q(1-tail; x+1, n-x), q the beta quantile; 0 at x = 0, 1 at x = n.
    Shapes: 0 <= x <= n, both may be fractional (effective counts); each bound is a one-sided bound
    at level `tail`. Range [0, 1]. Undefined: nothing; [0, 1] where n is 0.
    Weakness: wider than needed on average; independent items only (see `rate_bounds` for groups).
    Source: Clopper & Pearson 1934, doi 10.1093/biomet/26.4.404.

    Example:
        >>> round(clopper_pearson(0, 59, 0.05).high, 6)
        0.049508
    """
    from scipy.special import betaincinv

    _check_share(x, n, tail)
    low = 0.0 if x <= 0 or n <= 0 else float(betaincinv(x, n - x + 1, tail))
    high = 1.0 if x >= n or n <= 0 else float(betaincinv(x + 1, n - x, 1 - tail))
    return Interval(low=low, high=high)


@statistic(
    "jeffreys",
    kind="interval",
    range=(0.0, 1.0),
    needs=("successes", "n", "tail"),
    laws=("interval_holds_value", "monotone"),
)
def jeffreys(x: float, n: float, tail: float) -> Interval:
    """Return the Jeffreys interval with the end points of Brown, Cai and DasGupta.

    Formula: q(tail; x+1/2, n-x+1/2) and q(1-tail; same), q the beta quantile; the lower bound is
    0 at x = 0 and the upper 1 at x = n (statsmodels 0.15 leaves that out).
    Shapes: 0 <= x <= n, `tail` in each tail. Range [0, 1]. Undefined: nothing; [0, 1] at n = 0.
    Weakness: for display only; as a one-sided bound at 5 % it wrongly approves up to 14.2 %.
    Source: Brown, Cai & DasGupta 2001, Statistical Science 16:101, doi 10.1214/ss/1009213286.

    Example:
        >>> jeffreys(0, 20, 0.025).low, round(jeffreys(8, 10, 0.025).high, 4)
        (0.0, 0.9559)
    """
    from scipy.special import betaincinv

    _check_share(x, n, tail)
    low = 0.0 if x <= 0 or n <= 0 else float(betaincinv(x + 0.5, n - x + 0.5, tail))
    high = 1.0 if x >= n or n <= 0 else float(betaincinv(x + 0.5, n - x + 0.5, 1 - tail))
    return Interval(low=low, high=high)


class GroupedCounts(Record):
    """Errors and sizes by group: `errors[g]` of `sizes[g]` items of group g."""

    errors: tuple[int, ...]
    sizes: tuple[int, ...]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if len(self.errors) != len(self.sizes):
            raise ValueError(
                f"errors and sizes must have the same length, got {len(self.errors)} and "
                f"{len(self.sizes)}"
            )
        for x, size in zip(self.errors, self.sizes, strict=True):
            if not 0 <= x <= size:
                raise ValueError(
                    f"0 <= errors <= sizes must hold in every group, got {x} of {size}"
                )
        return self

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


@statistic(
    "korn_graubard_n",
    kind="interval",
    needs=("grouped_counts", "tail"),
    laws=("group_order",),
)
def korn_graubard_n(counts: GroupedCounts, tail: float) -> float | None:
    """Return the df-adjusted effective n of Korn and Graubard, capped at the number of items.

    Formula: v = G/(G-1) sum_g (x_g - p m_g)^2/M^2; n* = p(1-p)/v (t_{M-1}/t_{G-1})^2, both t
    quantiles at `tail`, at most M. Clopper-Pearson with n* p and n* is the interval.
    Shapes: errors and sizes by group. Range (0, M], items. Undefined (None): v = 0 (no error, all
    errors, or equal shares in all groups) or fewer than two groups.
    Weakness: at 5 % it wrongly approves up to 7.9 % with few error groups, hence `decision_n`; R
    survey does not cap at M.
    Source: Korn & Graubard 1998, Survey Methodology 24:193 (no DOI).

    Example:
        >>> counts = GroupedCounts(errors=(0, 1, 0, 2, 0, 0, 3, 0), sizes=(5,) * 8)
        >>> round(korn_graubard_n(counts, 0.025), 4)
        13.7483
    """
    from scipy.stats import t

    effect = counts.design_effect
    if effect is None:
        return None
    m, groups = counts.n, counts.n_groups
    ratio = float(t.ppf(1 - tail, m - 1) / t.ppf(1 - tail, groups - 1))
    return min(float(m), m / effect * ratio**2)


@statistic("decision_n", kind="interval", needs=("grouped_counts", "tail"), laws=("group_order",))
def decision_n(counts: GroupedCounts, tail: float) -> EffectiveN:
    """Return the n* of the decision and of the displayed interval.

    Formula: M without groups. With groups Korn-Graubard; when fewer than 15 groups hold an error,
    or where Korn-Graubard has no value, not more than M/(1+(mbar-1)*0.3), a declared assumption.
    Shapes: errors and sizes by group, `tail` that of the bound. Range (0, M], items; the method's
    name says which rule gave it. Undefined (n is None): one group only.
    Weakness: the correlation 0.3 is an assumption, simulated for correlations up to 0.3 only.
    Source: Korn & Graubard 1998, Survey Methodology 24:193; STATISTICS section 3 of this project.

    Example:
        >>> decision_n(GroupedCounts(errors=(0, 0), sizes=(11, 11)), 0.05).n
        5.5
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


@statistic(
    "rate_bounds",
    kind="interval",
    range=(0.0, 1.0),
    needs=("grouped_counts", "tail"),
    laws=("group_order", "interval_holds_value"),
)
def rate_bounds(counts: GroupedCounts, tail: float) -> Interval:
    """Return the one-sided Clopper-Pearson bounds at level `tail`, groups respected.

    Formula: `clopper_pearson` with n* x/M and n*, n* from `decision_n`.
    Shapes: errors and sizes by group. Range [0, 1]. Undefined: nothing; [0, 1] without items or
    with one group. Weakness: that of `decision_n`.
    Source: Clopper & Pearson 1934, doi 10.1093/biomet/26.4.404; Korn & Graubard 1998.

    Example:
        >>> round(rate_bounds(GroupedCounts(errors=(0,) * 59, sizes=(1,) * 59), 0.05).high, 4)
        0.0495
    """
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
