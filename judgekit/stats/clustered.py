"""A proportion of grouped items with its design-based error, for display beside the decision."""

from __future__ import annotations

import math

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import (
    GroupedCounts,
    Interval,
    clopper_pearson,
    korn_graubard_n,
)
from judgekit.stats.registry import statistic


class ClusteredProportion(Record):
    """A ratio estimate with its error and what the groups do to it; None where not estimable.

    `estimate` carries the Korn-Graubard interval, `logit` the interval on the logit scale, `icc`
    the analysis-of-variance correlation within groups, `n_effective` n/deff.
    """

    estimate: Statistic
    se: float | None = None
    design_effect: float | None = None
    icc: float | None = None
    n_effective: float | None = None
    n_adjusted: float | None = None
    logit: Interval | None = None


@statistic(
    "clustered_proportion",
    kind="interval",
    range=(0.0, 1.0),
    needs=("grouped_counts",),
    laws=("group_order", "interval_holds_value", "empty_is_undefined"),
)
def clustered_proportion(counts: GroupedCounts, *, tail: float = 0.025) -> ClusteredProportion:
    """Return the share of errors among grouped items with a design-based interval.

    Formula: p = sum x_g/M; v = G/(G-1) sum_g (x_g - p m_g)^2/M^2; deff = v/(p(1-p)/M);
    ICC = (MSB-MSW)/(MSB+(m0-1)MSW), m0 = (M - sum m_g^2/M)/(G-1); Korn-Graubard: Clopper-Pearson
    with n* (see `korn_graubard_n`); logit p -+ t_{G-1} se/(p(1-p)).
    Shapes: errors and sizes by group, `tail` in each tail. Range [0, 1]; ICC may be negative.
    Undefined: no items. With fewer than two groups there is no error; with zero variance (no
    error, all errors) the error is 0 and nothing else is estimable: status zero_variance.
    Weakness: below 10 groups no claim; plain Korn-Graubard errs up to 7.9 % for 5 %, so the
    decision uses `rate_bounds`.
    Source: Korn & Graubard 1998, Survey Methodology 24:193; Cochran 1977, isbn 9780471162407.

    Example:
        >>> counts = GroupedCounts(errors=(0, 1, 0, 2, 0, 0, 3, 0), sizes=(5,) * 8)
        >>> round(clustered_proportion(counts).design_effect, 3)
        2.129
    """
    if counts.n == 0:
        return ClusteredProportion(estimate=Undefined(undefined="no items"))
    p, effect = counts.x / counts.n, counts.design_effect
    if counts.n_groups < 2 or effect is None:
        status = "needs_two_groups" if counts.n_groups < 2 else "zero_variance"
        bare = Estimate(value=p, n=counts.n, method="ratio estimate", status=status)
        return ClusteredProportion(estimate=bare, se=None if counts.n_groups < 2 else 0.0)
    se = math.sqrt(effect * p * (1 - p) / counts.n)
    adjusted = korn_graubard_n(counts, tail) or float(counts.n)
    bounds = clopper_pearson(adjusted * p, adjusted, tail)
    return ClusteredProportion(
        estimate=Estimate(
            value=p, low=bounds.low, high=bounds.high, n=counts.n, method="Korn-Graubard"
        ),
        se=se,
        design_effect=effect,
        icc=_correlation(counts),
        n_effective=counts.n / effect,
        n_adjusted=adjusted,
        logit=_logit_interval(p, se, counts.n_groups, tail),
    )


def _correlation(counts: GroupedCounts) -> float | None:
    """Return the analysis-of-variance correlation within groups, None where it has no scale."""
    m, groups, p = counts.n, counts.n_groups, counts.x / counts.n
    if m == groups:
        return None
    pairs = tuple(zip(counts.errors, counts.sizes, strict=True))
    between = sum(size * (x / size - p) ** 2 for x, size in pairs if size) / (groups - 1)
    within = sum(x * (size - x) / size for x, size in pairs if size) / (m - groups)
    average = (m - sum(size**2 for size in counts.sizes) / m) / (groups - 1)
    scale = between + (average - 1) * within
    return (between - within) / scale if scale > 0 else None


def _logit_interval(p: float, se: float, groups: int, tail: float) -> Interval:
    from scipy.special import expit, logit
    from scipy.stats import t

    half = float(t.ppf(1 - tail, groups - 1)) * se / (p * (1 - p))
    return Interval(low=float(expit(logit(p) - half)), high=float(expit(logit(p) + half)))
