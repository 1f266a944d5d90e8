"""Shares over trials with their intervals: the cluster is the case, or the case's group."""

from __future__ import annotations

from collections.abc import Iterable

from judgekit.calibration.measures import rate
from judgekit.stats.estimate import Statistic
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
