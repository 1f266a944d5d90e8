"""Which tools were called: left out, called in place of another, or never allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from judgekit.model.comparators.base import MISSING
from judgekit.model.golden import ForbiddenCall
from judgekit.model.trial_score import Fault
from judgekit.scorers.faults.base import Seen, against_expected, detector
from judgekit.scorers.field_scoring import comparator_of
from judgekit.scorers.trajectory.alignment import align_names
from judgekit.scorers.trajectory.calls import Call


@detector
@against_expected
def omitted_call(seen: Seen) -> Iterator[Fault]:
    """Find the expected tools that were called too rarely and that no other call stands for."""
    if seen.path is None:
        return
    missing = _missing(seen)
    for expected, _ in _swapped(seen):
        missing[expected] -= 1
    for tool, times in missing.items():
        for _ in range(max(times, 0)):
            yield Fault(
                kind="omitted_call", tool=tool, reason=f"{tool} was expected and not called"
            )


@detector
@against_expected
def wrong_tool(seen: Seen) -> Iterator[Fault]:
    """Find calls of a tool on no valid path, at the place of an expected one that is missing."""
    for expected, place in _swapped(seen):
        made = seen.matched_calls[place]
        yield Fault(
            kind="wrong_tool",
            tool=made.name,
            position=made.position,
            expected_tool=expected,
            reason=f"{made.name} was called where {expected} was expected",
        )


@detector
@against_expected
def unexpected_call(seen: Seen) -> Iterator[Fault]:
    """Find calls beyond the expected ones, where the path allows no other (match: exact)."""
    path = seen.expected_path
    if path is None or path.match != "exact":
        return
    swapped = {place for _, place in _swapped(seen)}
    paired = {made for _, made in seen.pairs}
    for place, call in enumerate(seen.matched_calls):
        if place not in paired and place not in swapped:
            yield Fault(
                kind="unexpected_call",
                tool=call.name,
                position=call.position,
                reason=f"{call.name} was called and not expected",
            )


@detector
@against_expected
def forbidden_call(seen: Seen) -> Iterator[Fault]:
    """Find calls that the rules or the case forbid."""
    for call in seen.calls:
        if call.name in seen.rules.tools.forbidden:
            yield _forbidden(call, f"{call.name} must never be called")
            continue
        broken = next((one for one in seen.case.forbidden if _is(one, call, seen)), None)
        if broken is not None:
            why = f": {broken.reason}" if broken.reason else ""
            yield _forbidden(call, f"{call.name} must not be called here{why}")


def _forbidden(call: Call, reason: str) -> Fault:
    return Fault(kind="forbidden_call", tool=call.name, position=call.position, reason=reason)


def _is(forbidden: ForbiddenCall, call: Call, seen: Seen) -> bool:
    own = seen.rules.tools.arguments.get(call.name, {})
    return forbidden.tool == call.name and all(
        comparator_of(expected, own.get(key, seen.rules.tools.default)).decide(
            expected.wanted, call.arguments.get(key, MISSING)
        )
        for key, expected in forbidden.arguments.items()
    )


def _missing(seen: Seen) -> Counter[str]:
    wanted = Counter(call.name for call in seen.wanted)
    return wanted - Counter(call.name for call in seen.matched_calls)


def _swapped(seen: Seen) -> list[tuple[str, int]]:
    """Return (expected tool, place of the call that stands in for it).

    A call stands in for another where it is plain which: in a gap of the path with more kinds of
    strange calls than calls that are missing, the expected ones count as left out.
    """
    if seen.path is None:
        return []
    valid = {call.tool for path in seen.case.scored_paths.values() for call in path.calls}
    missing = _missing(seen)
    found = []
    gaps = align_names(
        [call.name for call in seen.wanted], [call.name for call in seen.matched_calls]
    )
    for expected_gap, made_gap in gaps:
        strangers = _first_of_each([j for j in made_gap if _name(seen, j) not in valid], seen)
        lacking = [i for i in expected_gap if missing[seen.wanted[i].name] > 0]
        for i, j in zip(lacking, strangers if len(strangers) <= len(lacking) else (), strict=False):
            if missing[seen.wanted[i].name] > 0:
                found.append((seen.wanted[i].name, j))
                missing[seen.wanted[i].name] -= 1
    return found


def _first_of_each(places: list[int], seen: Seen) -> list[int]:
    """Return the first call of each run of one tool: a wrong call tried again is one."""
    return [
        place
        for at, place in enumerate(places)
        if at == 0 or _name(seen, places[at - 1]) != _name(seen, place)
    ]


def _name(seen: Seen, place: int) -> str:
    return seen.matched_calls[place].name
