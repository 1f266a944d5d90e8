"""How far two sets of trials are apart on the same cases: what the statistics are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from judgekit.model.trial import TrialKey
from judgekit.process.rates import TAIL
from judgekit.stats.estimate import Statistic, Undefined
from judgekit.stats.paired import grouped_difference
from judgekit.stats.ratio import ratio_of_sums


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

    @property
    def gains(self) -> tuple[int, ...]:
        """Return by how many pairs one side is ahead of the other in each group."""
        return tuple(a - b for a, b in zip(self.first, self.second, strict=True))


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


def grouped_ratio(
    one: Mapping[str, float],
    other: Mapping[str, float],
    groups: Mapping[str, str],
    tail: float = TAIL,
) -> Statistic:
    """Return sum(one)/sum(other) over cases, those of a group (cluster key) taken together.

    `other` has every case that `one` has. Undefined where `other` sums to 0.
    """
    sums: dict[str, list[float]] = {}
    for case, value in one.items():
        held = sums.setdefault(groups.get(case, case), [0.0, 0.0])
        held[0] += value
        held[1] += other[case]
    found = ratio_of_sums([a for a, _ in sums.values()], [b for _, b in sums.values()], tail)
    if isinstance(found, Undefined):
        return Undefined(undefined="nothing known to be spent on the other side", n=found.n)
    return found
