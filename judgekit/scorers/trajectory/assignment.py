"""Pair expected calls with made ones so that the whole fits best; no call is used twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import Any

from judgekit.model.comparators.exact import json_equal

Pairs = tuple[tuple[int, int], ...]
Similar = Callable[[Mapping[str, Any], Mapping[str, Any]], float]
Named = Sequence[Any]
"""Calls as named tuples: the name first, the arguments second (`Call` or `WantedCall`)."""

TRY_ALL = 3
"""Up to this many calls of one tool every pairing is tried; beyond, scipy solves it."""

_ORDER = 1e-5
"""What all distances together may cost: order decides between pairings that fit equally well."""


def assign_calls(expected: Named, called: Named, similar: Similar) -> Pairs:
    """Return (expected place, called place) pairs: calls of one tool, each used at most once.

    The pairing has the largest sum of `similar` (of the arguments, at least 0); among equal sums
    the one that keeps the order. A second call therefore never takes the place of the first. Pairs
    come in the order of the expected calls.
    """
    return tuple(sorted(_pairs(expected, called, similar)))


def _pairs(expected: Named, called: Named, similar: Similar) -> list[tuple[int, int]]:
    wanted, made = _by_name(expected), _by_name(called)
    found: list[tuple[int, int]] = []
    for name, places in wanted.items():
        others = made.get(name)
        if others is None:
            continue
        if len(places) == 1 and len(others) == 1:
            found.append((places[0], others[0]))
        else:
            found.extend(_within(places, others, expected, called, similar))
    return found


def _by_name(calls: Named) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for place, call in enumerate(calls):
        groups.setdefault(call[0], []).append(place)
    return groups


def _within(
    places: list[int],
    others: list[int],
    expected: Named,
    called: Named,
    similar: Similar,
) -> list[tuple[int, int]]:
    if len(places) == len(others) and all(
        json_equal(expected[i][1], called[j][1]) for i, j in zip(places, others, strict=True)
    ):
        return list(zip(places, others, strict=True))
    # Squared, so that of two pairings of the same calls the one that keeps the order costs less.
    size = max(len(places), len(others))
    cost = _ORDER / size**3
    gain = [
        [
            similar(expected[i][1], called[j][1]) - cost * (row - column) ** 2
            for column, j in enumerate(others)
        ]
        for row, i in enumerate(places)
    ]
    chosen = _best(gain)
    return [(places[row], others[column]) for row, column in chosen]


def _best(gain: list[list[float]]) -> list[tuple[int, int]]:
    """Return the (row, column) pairs with the largest total, each row and column used once."""
    n_rows, n_columns = len(gain), len(gain[0])
    if max(n_rows, n_columns) > TRY_ALL:
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(gain, maximize=True)
        return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]
    if n_rows <= n_columns:
        tried = permutations(range(n_columns), n_rows)
        best = max(
            tried, key=lambda order: sum(gain[row][column] for row, column in enumerate(order))
        )
        return list(enumerate(best))
    tried = permutations(range(n_rows), n_columns)
    best = max(tried, key=lambda order: sum(gain[row][column] for column, row in enumerate(order)))
    return [(row, column) for column, row in enumerate(best)]
