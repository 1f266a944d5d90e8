"""In which order: a change before its check, an answer before the facts."""

from __future__ import annotations

from collections.abc import Iterator

from judgekit.model.comparators.exact import json_equal
from judgekit.model.trial_score import Fault
from judgekit.scorers.faults.base import Seen, detector
from judgekit.scorers.trajectory.calls import Call


@detector
def unchecked_change(seen: Seen) -> Iterator[Fault]:
    """Find calls made before the calls that must have succeeded first (rules: `before`).

    A check counts when it is about the same thing: the arguments that both calls have and that
    identify the thing (`identifier` of the later tool) are equal.
    """
    for call in seen.calls:
        for check in seen.rules.tools.before.get(call.name, ()):
            if not _checked(seen, call, check):
                yield Fault(
                    kind="unchecked_change",
                    tool=call.name,
                    position=call.position,
                    expected_tool=check,
                    reason=f"{call.name} was called before {check} had succeeded",
                )


@detector
def premature_answer(seen: Seen) -> Iterator[Fault]:
    """Find an answer that was given although a call it rests on never succeeded."""
    if seen.answer is None and not seen.trial.final:
        return
    for tool in seen.rules.tools.answer_after:
        made = [call for call in seen.calls if call.name == tool]
        if not any(seen.succeeded(call.position) for call in made):
            how = "had not succeeded" if made else "was never called"
            yield Fault(
                kind="premature_answer", tool=tool, reason=f"an answer was given, and {tool} {how}"
            )


def _checked(seen: Seen, call: Call, check: str) -> bool:
    keys = seen.identifiers.get(call.name, ())
    return any(
        earlier.name == check and seen.succeeded(earlier.position) and _same(earlier, call, keys)
        for earlier in seen.calls[: call.position]
    )


def _same(one: Call, other: Call, keys: tuple[str, ...]) -> bool:
    shared = [key for key in keys if key in one.arguments and key in other.arguments]
    return all(json_equal(one.arguments[key], other.arguments[key]) for key in shared)
