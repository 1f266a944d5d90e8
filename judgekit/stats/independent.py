"""Two estimates from different items: their difference, out of the interval of each."""

from __future__ import annotations

import math

from judgekit.stats.estimate import Estimate, Statistic, Undefined, bounds_of
from judgekit.stats.registry import statistic


@statistic(
    "independent_difference",
    kind="difference",
    symmetric=False,
    needs=("estimate", "other_estimate"),
    laws=("swap_negates", "interval_holds_value", "empty_is_undefined"),
)
def independent_difference(one: Statistic, other: Statistic) -> Statistic:
    """Return one minus other of two estimates from different items, out of their intervals.

    Formula: d - sqrt((p1-l1)^2 + (u2-p2)^2), d + sqrt((u1-p1)^2 + (p2-l2)^2), with l, u the bounds
    of each side; for two shares with Wilson's bounds it is Newcombe's method 10
    (`newcombe_difference`), and bounds that respect groups are kept as they are.
    Shapes: two estimates whose bounds have the same error in each tail, which is then that of the
    interval. Range: that of a difference, [-1, 1] for shares. Undefined where a side is, or where
    one has no bounds. Weakness: approximate; the two sides must not share items or groups.
    Source: Zou & Donner 2008, Statistics in Medicine 27:1693, doi 10.1002/sim.3095; for shares
    Newcombe 1998, Statistics in Medicine 17:873, method 10.

    Example:
        >>> from judgekit.stats.intervals import wilson
        >>> def share(x, n):
        ...     ends = wilson(x, n, 0.025)
        ...     return Estimate(value=x / n, low=ends.low, high=ends.high, n=n, method="Wilson")
        >>> found = independent_difference(share(56, 70), share(48, 80))
        >>> round(found.value, 4), round(found.low, 4), round(found.high, 4)
        (0.2, 0.0524, 0.3339)
    """
    for side in (one, other):
        if isinstance(side, Undefined):
            return side
    a, b = bounds_of(one), bounds_of(other)
    if a is None or b is None or not (isinstance(one, Estimate) and isinstance(other, Estimate)):
        return Undefined(undefined="a share without an interval")
    value = one.value - other.value
    return Estimate(
        value=value,
        low=value - math.hypot(one.value - a.low, b.high - other.value),
        high=value + math.hypot(a.high - one.value, other.value - b.low),
        n=one.n + other.n,
        method="difference of two shares, hybrid score",
    )


@statistic(
    "interval_at_tail",
    kind="difference",
    needs=("estimate", "tail"),
    laws=("interval_holds_value", "empty_is_undefined"),
)
def interval_at_tail(found: Statistic, tail: float, known_tail: float = 0.025) -> Statistic:
    """Return an estimate whose interval has `tail` in each tail, out of one with `known_tail`.

    Formula: each arm times z(1 - tail)/z(1 - known_tail), z the normal quantile: what a normal
    interval would be at the other level, so that several comparisons can share one error
    (Bonferroni) where only an interval is left of the data.
    Shapes: one estimate; both tails in (0, 1/2). Range: any number, the bounds are not cut.
    Undefined stays undefined, and an estimate without an interval stays without one.
    Weakness: exact for a normal estimate with a known error alone; rough far from `known_tail`.
    Source: no single paper; the quantiles of the normal interval, as in Dunn 1961, JASA 56:52,
    doi 10.1080/01621459.1961.10482090.

    Example:
        >>> known = Estimate(value=0.0, low=-1.96, high=1.96, n=100, method="normal")
        >>> round(interval_at_tail(known, 0.005).high, 3)
        2.576
    """
    from scipy.stats import norm

    bounds = bounds_of(found)
    if bounds is None or not isinstance(found, Estimate):
        return found
    factor = float(norm.isf(tail) / norm.isf(known_tail))
    low = found.value - factor * (found.value - bounds.low)
    high = found.value + factor * (bounds.high - found.value)
    return found.model_copy(update={"low": low, "high": high})
