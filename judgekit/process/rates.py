"""Shares over trials with their intervals: the cluster is the case, or the case's group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from judgekit.calibration.measures import rate
from judgekit.stats.estimate import Statistic
from judgekit.stats.intervals import GroupedCounts
from judgekit.stats.ratio import clustered_mean

TAIL = 0.025
"""In each tail of the two-sided intervals shown (95 %)."""
SEED = 20261130
"""Of every bootstrap and every drawn test: the same trials give the same report."""
NOTHING_DECIDED = "no trial could be decided"

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


def counted_share(
    rows: Iterable[tuple[str, int, int]], none: str, *, tail: float = TAIL
) -> Statistic:
    """Return `share` of rows (group, how many are True, of how many).

    Example:
        >>> counted_share([("a", 1, 1), ("b", 0, 1)], "no trial").value
        0.5
    """
    true: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for group, yes, n in rows:
        true[group] += yes
        sizes[group] += n
    names = sorted(sizes)
    counts = GroupedCounts(
        errors=tuple(true[name] for name in names), sizes=tuple(sizes[name] for name in names)
    )
    return rate(counts, tail, none)


def mean_credit(rows: Iterable[tuple[str, float]], none: str, *, tail: float = TAIL) -> Statistic:
    """Return the mean of (group, credit) rows, credit in [0, 1], with the interval of groups.

    Credit that is all 0 or 1 is a share (`share`); else the mean is `clustered_mean`. Undefined
    with the reason `none` where there is no row.

    Example:
        >>> mean_credit([("a", 0.5), ("b", 1.0)], "no value").value
        0.75
    """
    listed = list(rows)
    if all(credit in (0, 1) for _, credit in listed):
        return share(((group, credit == 1) for group, credit in listed), none, tail=tail)
    return clustered_mean([credit for _, credit in listed], [group for group, _ in listed], tail)
