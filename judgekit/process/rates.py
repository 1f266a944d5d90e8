"""Shares over trials with their intervals: the cluster is the case, or the case's group."""

from __future__ import annotations

import math
from collections.abc import Iterable

from judgekit.calibration.measures import rate
from judgekit.stats.estimate import Estimate, Statistic
from judgekit.stats.intervals import GroupedCounts

TAIL = 0.025
"""In each tail of the two-sided intervals shown (95 %)."""

Row = tuple[str, bool]


def share(rows: Iterable[Row], none: str, *, tail: float = TAIL) -> Statistic:
    """Return the share of True among (group, answer) rows, with the interval that groups need.

    Several trials of a case, and several cases of a group, are not independent: the interval is
    Wilson's with the effective n. Undefined with the reason `none` where there is no row.

    Example:
        >>> share([("a", True), ("b", False)], "no trial").value
        0.5
    """
    return rate(GroupedCounts.of(rows), tail, none)


def mean_credit(rows: Iterable[tuple[str, float]], none: str, *, tail: float = TAIL) -> Statistic:
    """Return the mean of (group, credit) rows, credit in [0, 1], with the interval of groups.

    Formula: the ratio of sums with the linearised variance between groups, G / (G - 1) * sum of
    (s_g - m n_g)^2 / n^2, and t with G - 1 degrees of freedom (Cochran 1977, Sampling Techniques,
    section 6.6), within [0, 1]. There is no interval for one group or without any spread. Credit
    that is all 0 or 1 is a share (`share`).

    Example:
        >>> mean_credit([("a", 0.5), ("b", 1.0)], "no value").value
        0.75
    """
    listed = list(rows)
    if all(credit in (0, 1) for _, credit in listed):
        return share(((group, credit == 1) for group, credit in listed), none, tail=tail)
    groups: dict[str, list[float]] = {}
    for group, credit in listed:
        groups.setdefault(group, []).append(credit)
    n = len(listed)
    value = math.fsum(credit for _, credit in listed) / n
    rest = [math.fsum(own) - value * len(own) for own in groups.values()]
    many = len(groups)
    method = "mean over groups, t"
    if many < 2 or all(abs(one) < _NO_SPREAD for one in rest):
        status = "few_groups" if many < 2 else "no_variance"
        return Estimate(value=value, n=n, method=method, status=status)
    from scipy.stats import t

    half = (
        float(t.ppf(1 - tail, many - 1))
        * math.sqrt(many / (many - 1) * math.fsum(one * one for one in rest))
        / n
    )
    return Estimate(
        value=value, low=max(0.0, value - half), high=min(1.0, value + half), n=n, method=method
    )


_NO_SPREAD = 1e-12
