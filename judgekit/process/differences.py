"""How far two sets of trials are apart: paired on the same cases, or from two intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from judgekit.model.trial import TrialKey
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import LEAST_GROUPS
from judgekit.stats.paired import grouped_difference

TAIL = 0.025
"""In each tail of a two-sided 95 % interval."""
SEED = 20261130
_DRAWS = 20_000
_CHUNK = 1_000
_EXACT_GROUPS = 14
"""Up to so many groups that differ, every sign pattern is counted."""


class Answered(NamedTuple):
    """The answers of one side by case and number, and the group (cluster key) of each case."""

    answers: Mapping[TrialKey, bool]
    groups: Mapping[str, str]


class GroupPairs(NamedTuple):
    """Paired answers counted by group: right only on one side, right only on the other, pairs."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def n(self) -> int:
        """Return the number of pairs."""
        return sum(self.sizes)


def pairs_by_group(one: Answered, other: Answered) -> GroupPairs:
    """Count the trials that have one case and one number on both sides, by group of the case.

    Example:
        >>> a = Answered({("c", 0): True, ("c", 2): True}, {"c": "c"})
        >>> b = Answered({("c", 0): False, ("c", 1): True}, {"c": "c"})
        >>> pairs_by_group(a, b)
        GroupPairs(first=(1,), second=(0,), sizes=(1,))
    """
    counts: dict[str, list[int]] = {}
    for key in sorted(one.answers.keys() & other.answers.keys()):
        mine, its = one.answers[key], other.answers[key]
        held = counts.setdefault(one.groups.get(key[0], key[0]), [0, 0, 0])
        held[0] += mine and not its
        held[1] += its and not mine
        held[2] += 1
    rows = [counts[group] for group in sorted(counts)]
    return GroupPairs(*(tuple(row[i] for row in rows) for i in range(3)))


def paired_difference(one: Answered, other: Answered, tail: float = TAIL) -> Statistic:
    """Return the difference of two shares of right trials, one minus other, with groups."""
    return grouped_difference(*pairs_by_group(one, other), tail)


def independent_difference(one: Statistic, other: Statistic) -> Statistic:
    """Return one minus other of two shares from different cases, out of their intervals.

    Formula: d - sqrt((p1-l1)^2 + (u2-p2)^2), d + sqrt((u1-p1)^2 + (p2-l2)^2) (Newcombe's hybrid
    score interval). Undefined where either share or its interval is.
    Source: Newcombe 1998, Statistics in Medicine 17:873, method 10.

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
        if not isinstance(side, Estimate):
            return side
    a, b = _bounds(one), _bounds(other)
    if a is None or b is None:
        return Undefined(undefined="a share without an interval")
    value = a[0] - b[0]
    return Estimate(
        value=value,
        low=value - math.hypot(a[0] - a[1], b[2] - b[0]),
        high=value + math.hypot(a[2] - a[0], b[0] - b[1]),
        n=_n(one) + _n(other),
        method="difference of two shares, hybrid score",
    )


def sign_flip_p(gains: Sequence[int]) -> float:
    """Return the two-sided p value of a sign-flip test over groups; 1 where none differs.

    `gains` is right trials of one side minus the other in each group. Up to 14 groups that differ
    every pattern of signs is counted; above, 20,000 are drawn from a fixed seed and the observed
    one is counted among them, so that p is never 0.
    """
    held = np.array([gain for gain in gains if gain], dtype=np.int64)
    if not len(held):
        return 1.0
    observed = abs(int(held.sum()))
    if len(held) <= _EXACT_GROUPS:
        signs = 1 - 2 * ((np.arange(1 << len(held))[:, None] >> np.arange(len(held))) & 1)
        return float((np.abs(signs @ held) >= observed).mean())
    rng = np.random.default_rng(SEED)
    extreme = 0
    for _ in range(_DRAWS // _CHUNK):
        signs = rng.integers(0, 2, size=(_CHUNK, len(held)), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ held) >= observed).sum())
    return (extreme + 1) / (_DRAWS + 1)


def ratio_of_sums(one: Sequence[float], other: Sequence[float], tail: float = TAIL) -> Statistic:
    """Return sum(one)/sum(other) over paired groups, with an interval.

    Formula: r = sum a/sum b with se = sqrt(sum (a - r b)^2 n/(n-1))/sum b (linearised) and r +-
    t(n-1) se, at least 0. Undefined without a group and where the sum of `other` is 0; no interval
    with one group; `status` is `few_groups` below 10. Weakness: symmetric, so too short above for
    skewed values and few groups.
    Source: Cochran 1977, Sampling Techniques, 3rd edition, section 6.

    Example:
        >>> found = ratio_of_sums([2.0, 4.0, 9.0], [1.0, 2.0, 3.0])
        >>> found.value
        2.5
    """
    from scipy.stats import t

    n = len(one)
    below = math.fsum(other)
    if not n or below <= 0:
        return Undefined(undefined="nothing known to be spent on the other side", n=n)
    value = math.fsum(one) / below
    method = "ratio of sums, linearised t"
    status = "few_groups" if n < LEAST_GROUPS else None
    if n < 2:
        return Estimate(value=value, n=n, method=method, status=status)
    residual = math.fsum((a - value * b) ** 2 for a, b in zip(one, other, strict=True))
    half = float(t.ppf(1 - tail, n - 1)) * math.sqrt(residual * n / (n - 1)) / below
    low, high = max(0.0, value - half), value + half
    return Estimate(value=value, low=low, high=high, n=n, method=method, status=status)


def grouped_ratio(
    one: Mapping[str, float],
    other: Mapping[str, float],
    groups: Mapping[str, str],
    tail: float = TAIL,
) -> Statistic:
    """Return sum(one)/sum(other) over cases, those of a group (cluster key) taken together.

    `one` and `other` hold the same cases.
    """
    sums: dict[str, list[float]] = {}
    for case, value in one.items():
        held = sums.setdefault(groups.get(case, case), [0.0, 0.0])
        held[0] += value
        held[1] += other[case]
    return ratio_of_sums([a for a, _ in sums.values()], [b for _, b in sums.values()], tail)


def _bounds(found: Statistic) -> tuple[float, float, float] | None:
    if not isinstance(found, Estimate) or found.low is None or found.high is None:
        return None
    return found.value, found.low, found.high


def _n(found: Statistic) -> int:
    return found.n
