"""Sequences of calls against expected ones: exact, in order, in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, get_args

from judgekit.errors import UsageError
from judgekit.model.trial_score import Mode, SequenceMatch
from judgekit.scorers.trajectory.calls import call_key, read_calls

MODES: tuple[Mode, ...] = get_args(Mode)
What = Literal["calls", "names"]


def match_sequences(
    called: Sequence[Hashable], expected: Sequence[Hashable], mode: str
) -> SequenceMatch:
    """Compare two sequences of names or call keys under one mode.

    Raises:
        UsageError: there is no such mode.

    Example:
        >>> called = ["lookup_order", "check_refund_policy", "issue_refund"]
        >>> expected = ["lookup_order", "verify_identity", "issue_refund"]
        >>> round(match_sequences(called, expected, "in_order").recall, 3)
        0.667
    """
    return SequenceMatch(
        mode=_known(mode),
        n_expected=len(expected),
        n_called=len(called),
        matched=count_matched(called, expected, mode),
        passed=sequence_passes(called, expected, mode),
    )


def match_calls(
    called: Iterable[object], expected: Iterable[object], mode: str, *, what: What = "calls"
) -> SequenceMatch:
    """Compare calls (names, `{name, arguments}` objects or `ToolCall`s) under one mode.

    `what: names` leaves the arguments out; `calls` wants equal arguments (canonical JSON).

    Raises:
        UsageError: there is no such mode.
        ItemError: a call has no name.
    """
    return match_sequences(sequence_of(called, what), sequence_of(expected, what), mode)


def sequence_of(calls: Iterable[object], what: What = "calls") -> tuple[Hashable, ...]:
    """Return the names of calls, or the keys under which equal calls are equal."""
    read = read_calls(calls)
    return tuple(call.name if what == "names" else call_key(call) for call in read)


def count_matched(called: Sequence[Hashable], expected: Sequence[Hashable], mode: str) -> int:
    """Return how many calls the two sequences share under the mode.

    Raises:
        UsageError: there is no such mode.
    """
    if mode == "in_order":
        return longest_common(called, expected)
    if mode == "any_order":
        return (Counter(called) & Counter(expected)).total()
    _known(mode)
    same = 0
    for one, other in zip(called, expected, strict=False):
        if one != other:
            break
        same += 1
    return same


def sequence_passes(called: Sequence[Hashable], expected: Sequence[Hashable], mode: str) -> bool:
    """Tell whether the called sequence is what the mode asks for.

    Example:
        >>> sequence_passes(["issue_refund"], [], "exact"), sequence_passes([], [], "exact")
        (False, True)
    """
    if mode == "in_order":
        rest = iter(called)
        return all(any(one == wanted for one in rest) for wanted in expected)
    if mode == "any_order":
        return Counter(expected) <= Counter(called)
    _known(mode)
    return list(called) == list(expected)


def longest_common(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence.

    Hirschberg (1975) row by row, after the equal ends are taken off; O(n*m) steps for the rest.

    Example:
        >>> longest_common("axbyc", "abc")
        3
    """
    start, stop_one, stop_other = 0, len(one), len(other)
    while start < stop_one and start < stop_other and one[start] == other[start]:
        start += 1
    while stop_one > start and stop_other > start and one[stop_one - 1] == other[stop_other - 1]:
        stop_one -= 1
        stop_other -= 1
    shared = start + len(one) - stop_one
    if start in (stop_one, stop_other):
        return shared
    rest = other[start:stop_other]
    before = [0] * (len(rest) + 1)
    for wanted in one[start:stop_one]:
        row = [0]
        left = 0
        for place, got in enumerate(rest):
            left = before[place] + 1 if wanted == got else max(before[place + 1], left)
            row.append(left)
        before = row
    return shared + before[-1]


def path_distance(called: Sequence[Hashable], paths: Sequence[Sequence[Hashable]]) -> int:
    """Return the fewest calls to insert or delete to reach the nearest valid path (0 = on one).

    Example:
        >>> path_distance(["a", "x", "b"], [["a", "b"], ["a"]])
        1
    """
    if not paths:
        raise UsageError("there is no expected path", expected="at least one, which may be empty")
    return min(len(called) + len(path) - 2 * longest_common(called, path) for path in paths)


def _known(mode: str) -> Mode:
    for known in MODES:
        if mode == known:
            return known
    raise UsageError(f"there is no match mode {mode!r}", expected=", ".join(MODES))
