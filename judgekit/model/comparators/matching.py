"""Pair two lists so that most pairs match: each element is used once, whatever the order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def largest_matching(matches: Sequence[Sequence[int]], n_found: int) -> int:
    """Return the size of the largest matching between expected and found elements.

    `matches[i]` lists the found elements (indices below `n_found`) that expected element i may be
    paired with. Kuhn's augmenting paths, kept iterative so that long lists do not overflow.

    Example:
        >>> largest_matching([[0, 1], [0]], 2)
        2
    """
    owner = [-1] * n_found
    return sum(_augment(start, matches, owner) for start in range(len(matches)))


def _augment(start: int, matches: Sequence[Sequence[int]], owner: list[int]) -> bool:
    """Give `start` a partner, moving others along an alternating path where that is needed."""
    came_from: dict[int, int] = {}
    stack = [start]
    while stack:
        expected = stack.pop()
        for found in matches[expected]:
            if found in came_from:
                continue
            came_from[found] = expected
            if owner[found] < 0:
                _flip(found, start, came_from, owner)
                return True
            stack.append(owner[found])
    return False


def _flip(found: int, start: int, came_from: dict[int, int], owner: list[int]) -> None:
    if came_from[found] == start:
        owner[found] = start
        return
    partner_of = {expected: place for place, expected in enumerate(owner) if expected >= 0}
    while True:
        expected = came_from[found]
        previous = partner_of.get(expected, -1)
        owner[found] = expected
        if expected == start:
            return
        found = previous


def longest_common(matches: Sequence[Sequence[int]]) -> int:
    """Return the length of the longest common subsequence of two lists.

    `matches[i]` lists the found elements that expected element i is, in ascending order. Hunt and
    Szymanski (1977): the longest strictly ascending row of found elements.

    Example:
        >>> longest_common([[0, 2], [1], [0]])
        2
    """
    ends: list[int] = []
    for places in matches:
        for place in reversed(places):
            at = bisect_left(ends, place)
            if at == len(ends):
                ends.append(place)
            else:
                ends[at] = place
    return len(ends)
