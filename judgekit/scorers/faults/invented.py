"""Arguments and tools from nowhere: values that nobody said, tools that there are not."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from typing import Any

from judgekit.model.comparators.base import shown
from judgekit.model.trial_score import Fault
from judgekit.scorers.faults.base import Seen, detector
from judgekit.scorers.said import Said


@detector
def untraceable_argument(seen: Seen) -> Iterator[Fault]:
    """Find argument values that occur neither in the case's input nor in an earlier result.

    They may be invented, so that they are suspicions for review. Looked at are the arguments that
    the rules list as `traceable`.
    """
    said = SaidBefore(seen)
    for call in seen.calls:
        keys = [
            key
            for key in seen.rules.tools.traceable.get(call.name, ())
            if call.arguments.get(key) is not None
        ]
        known = said.at(call.position) if keys else None
        for key in keys:
            value = call.arguments[key]
            if known is not None and not known.holds(value):
                yield Fault(
                    kind="untraceable_argument",
                    tool=call.name,
                    position=call.position,
                    severity="suspicion",
                    reason=f"{call.name}.{key} is {shown(value, 60)}, which was not said before",
                )


@detector
def unknown_tool(seen: Seen) -> Iterator[Fault]:
    """Find calls of tools that neither the rules nor the case know.

    The specifications may not be complete, so that these are suspicions. Nothing is said where that
    shows: a specification without parameters, or an expected tool without specification.
    """
    rules = seen.rules.tools
    expected = {call.tool for path in seen.case.paths.values() for call in path.calls}
    known = {*rules.spec_of, *rules.ignore, *rules.forbidden, *rules.hand_over}
    known |= {one.tool for one in seen.case.forbidden}
    partial = expected - known or any(spec.parameters is None for spec in rules.specs)
    if not rules.specs or partial:
        return
    for call in seen.calls:
        if call.name not in known:
            yield Fault(
                kind="unknown_tool",
                tool=call.name,
                position=call.position,
                severity="suspicion",
                reason=f"there is no specification of a tool {call.name!r:.60}",
            )


class SaidBefore:
    """All that the agent could know before each call, never its own words.

    Asked call by call in order, it reads each text of the trial once.
    """

    def __init__(self, seen: Seen) -> None:
        self._said = Said([seen.case.input, seen.case.context])
        self._later = deque(sorted(_told(seen), key=lambda told: told[0]))

    def at(self, position: int) -> Said:
        """Return what was said before a call; positions are asked for in their order."""
        while self._later and self._later[0][0] <= position:
            self._said.add(self._later.popleft()[1])
        return self._said


def _told(seen: Seen) -> Iterator[tuple[int, Any]]:
    """Yield the first call that each result and each message of others came before, and its text.

    A message that cannot be placed counts from the start, unless it answers a call.
    """
    for position, call in enumerate(seen.raw):
        yield position + 1, call.result if call.error is None else call.error
    messages = seen.trial.messages
    places = [place for place, message in enumerate(messages) for _ in message.tool_calls]
    within = [call.name for message in messages for call in message.tool_calls]
    placed = within == [call.name for call in seen.calls]
    answered = {call.id: position + 1 for position, call in enumerate(seen.raw)}
    for place, message in enumerate(messages):
        if message.role == "assistant":
            continue
        if placed:
            yield bisect_right(places, place), message.content
        elif message.role == "tool" and message.tool_call_id is not None:
            yield answered.get(message.tool_call_id, 0), message.content
        else:
            yield 0, message.content
