"""The same again: equal calls too often, and blocks of calls that go round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from judgekit.model.trial_score import Fault
from judgekit.scorers.faults.base import Seen, detector

MAX_BLOCK = 8
"""Longest block of calls that is looked for; longer cycles are rarely loops."""
ROUNDS = 3
"""How often in a row a block must come to be a loop."""


class Round(NamedTuple):
    """A block of `length` calls that comes `times` in a row from `start` on."""

    start: int
    length: int
    times: int


@detector
def loop(seen: Seen) -> Iterator[Fault]:
    """Find a block of one to eight equal calls that comes three or more times in a row.

    A single call may come as often as `max_identical` allows; calls of ignored tools are left out.
    """
    for found in _loops(seen):
        first = seen.matched_calls[found.start]
        block = seen.matched_calls[found.start : found.start + found.length]
        error = seen.raw[first.position].error
        after = f", after the error {error!r:.60}" if error else ""
        yield Fault(
            kind="loop",
            tool=first.name,
            position=first.position,
            reason=f"{', '.join(call.name for call in block)} came {found.times} times in a row"
            f"{after}",
        )


@detector
def repeated_call(seen: Seen) -> Iterator[Fault]:
    """Find equal calls made more often than `max_identical`, apart from those of a loop."""
    calls = seen.matched_calls
    keys = seen.matched_keys
    looped = {
        keys[place]
        for found in _loops(seen)
        for place in range(found.start, found.start + found.length)
    }
    limit = seen.rules.tools.max_identical
    for key, times in Counter(keys).items():
        if times > limit and key not in looped:
            place = [at for at, other in enumerate(keys) if other == key][limit]
            yield Fault(
                kind="repeated_call",
                tool=key[0],
                position=calls[place].position,
                reason=f"{key[0]} was called {times} times with equal arguments",
            )


def _loops(seen: Seen) -> list[Round]:
    limit = seen.rules.tools.max_identical
    found = find_loops(seen.matched_keys)
    return [one for one in found if one.length > 1 or one.times > limit]


def find_loops(keys: Sequence[Hashable]) -> tuple[Round, ...]:
    """Return the blocks that come at least three times in a row, the shortest block first found.

    Example:
        >>> find_loops("xababab")
        (Round(start=1, length=2, times=3),)
    """
    found: list[Round] = []
    start = 0
    while start < len(keys):
        best = next(
            (one for one in (_round(keys, start, n) for n in range(1, MAX_BLOCK + 1)) if one), None
        )
        if best is None:
            start += 1
            continue
        found.append(best)
        start += best.length * best.times
    return tuple(found)


def _round(keys: Sequence[Hashable], start: int, length: int) -> Round | None:
    block = keys[start : start + length]
    times = 1
    while keys[start + times * length : start + (times + 1) * length] == block:
        times += 1
    return Round(start, length, times) if times >= ROUNDS and len(block) == length else None
