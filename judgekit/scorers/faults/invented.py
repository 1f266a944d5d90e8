"""Arguments and tools from nowhere: values that nobody said, tools that there are not."""

from __future__ import annotations

from collections.abc import Iterator

from judgekit.model.comparators.base import shown
from judgekit.model.trial import Message
from judgekit.model.trial_score import Fault
from judgekit.scorers.faults.base import Seen, detector
from judgekit.scorers.said import Said


@detector
def untraceable_argument(seen: Seen) -> Iterator[Fault]:
    """Find argument values that occur neither in the case's input nor in an earlier result.

    They may be invented, so that they are suspicions for review. Looked at are the arguments that
    the rules list as `traceable`.
    """
    for call in seen.calls:
        keys = [
            key
            for key in seen.rules.tools.traceable.get(call.name, ())
            if call.arguments.get(key) is not None
        ]
        said = said_before(seen, call.position) if keys else None
        for key in keys:
            value = call.arguments[key]
            if said is not None and not said.holds(value):
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


def said_before(seen: Seen, position: int) -> Said:
    """Return all that the agent could know before a call: never its own words."""
    parts = [seen.case.input, seen.case.context]
    parts += [call.result if call.error is None else call.error for call in seen.raw[:position]]
    parts += [message.content for message in _messages_before(seen, position)]
    return Said(parts)


def _messages_before(seen: Seen, position: int) -> Iterator[Message]:
    """Yield what others said before a call; of a message that cannot be placed, all of it."""
    within = [
        (place, call)
        for place, message in enumerate(seen.trial.messages)
        for call in message.tool_calls
    ]
    placed = [call.name for _, call in within] == [call.name for call in seen.calls]
    end = within[position][0] if placed else len(seen.trial.messages)
    later = {call.id for call in seen.raw[position:] if call.id is not None}
    for message in seen.trial.messages[:end]:
        unplaced = message.role == "tool" and not placed and message.tool_call_id in later
        if message.role != "assistant" and not unplaced:
            yield message
