"""Where two sequences of names part: the gaps between what they share."""

from __future__ import annotations

from collections.abc import Sequence

Gap = tuple[tuple[int, ...], tuple[int, ...]]


def align_names(expected: Sequence[str], called: Sequence[str]) -> tuple[Gap, ...]:
    """Return the gaps of the longest common subsequence: (expected places, called places).

    Example:
        >>> align_names(["a", "b", "c"], ["a", "x", "c", "d"])
        (((1,), (1,)), ((), (3,)))
    """
    gaps: list[Gap] = []
    last_expected = last_called = -1
    for i, j in (*_shared(expected, called), (len(expected), len(called))):
        gap = tuple(range(last_expected + 1, i)), tuple(range(last_called + 1, j))
        if gap[0] or gap[1]:
            gaps.append(gap)
        last_expected, last_called = i, j
    return tuple(gaps)


def _shared(expected: Sequence[str], called: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of one longest common subsequence, the earliest one."""
    n, m = len(expected), len(called)
    length = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            if expected[i] == called[j]:
                length[i][j] = length[i + 1][j + 1] + 1
            else:
                length[i][j] = max(length[i + 1][j], length[i][j + 1])
    shared, i, j = [], 0, 0
    while i < n and j < m:
        if expected[i] == called[j]:
            shared.append((i, j))
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    return shared
