"""What the calls were given: no JSON, not what the tool takes, wrong, or from nowhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from judgekit.model.canonical import canonical_json
from judgekit.model.comparators.json_schema import first_fault, validator_of
from judgekit.model.comparators.words import fold
from judgekit.model.trial_score import Fault
from judgekit.scorers.faults.base import Seen, detector
from judgekit.scorers.trajectory.arguments import score_arguments

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w])")


@detector
def malformed_arguments(seen: Seen) -> Iterator[Fault]:
    """Find calls whose arguments are no JSON object or do not satisfy the tool's JSON Schema."""
    specs = seen.rules.tools.spec_of
    for call in seen.calls:
        spec = specs.get(call.name)
        reason = call.fault
        if reason is None and spec is not None and spec.parameters is not None:
            reason = first_fault(_validator(canonical_json(spec.parameters)), dict(call.arguments))
        if reason is not None:
            yield Fault(
                kind="malformed_arguments", tool=call.name, position=call.position, reason=reason
            )


@detector
def wrong_argument(seen: Seen) -> Iterator[Fault]:
    """Find arguments of expected calls that are missing or do not match."""
    if seen.rules.tools.compare == "names":
        return
    score = score_arguments(seen.wanted, seen.matched_calls, seen.pairs)
    for finding in score.findings:
        if finding.status in ("wrong", "missing"):
            yield Fault(
                kind="wrong_argument",
                tool=finding.tool,
                position=finding.made,
                reason=f"{finding.tool}.{finding.key}: {finding.reason}",
            )
    if seen.rules.tools.extra_arguments == "fault":
        yield from _extra(seen)


@detector
def untraceable_argument(seen: Seen) -> Iterator[Fault]:
    """Find argument values that occur neither in the case's input nor in an earlier result.

    They may be invented, so that they are suspicions for review. Looked at are the arguments that
    the rules list as `traceable`.
    """
    for call in seen.calls:
        for key in seen.rules.tools.traceable.get(call.name, ()):
            value = call.arguments.get(key)
            if value is None or _occurs(value, _known_before(seen, call.position)):
                continue
            yield Fault(
                kind="untraceable_argument",
                tool=call.name,
                position=call.position,
                severity="suspicion",
                reason=f"{call.name}.{key} is {value!r:.60}, which was not said before",
            )


def _extra(seen: Seen) -> Iterator[Fault]:
    for place, made in seen.pairs:
        call = seen.matched_calls[made]
        for key in sorted(call.arguments.keys() - seen.wanted[place].arguments.keys()):
            yield Fault(
                kind="wrong_argument",
                tool=call.name,
                position=call.position,
                reason=f"{call.name}.{key} was not expected",
            )


def _known_before(seen: Seen, position: int) -> str:
    """Return all that the agent could know before a call, folded, as one text."""
    parts: list[Any] = [seen.case.input, seen.case.context]
    parts += [
        message.content
        for message in seen.trial.messages
        if message.role != "assistant" and message.role != "tool"
    ]
    parts += [call.result if call.error is None else call.error for call in seen.raw[:position]]
    results_of = {call.id for call in seen.raw[:position] if call.id is not None}
    parts += [
        message.content
        for message in seen.trial.messages
        if message.role == "tool" and message.tool_call_id in results_of
    ]
    return fold("\n".join(_text(part) for part in parts if part is not None))


def _text(part: Any) -> str:
    return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, default=str)


def _occurs(value: Any, known: str) -> bool:
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return any(float(found) == float(value) for found in _NUMBER.findall(known))
    if isinstance(value, str):
        text = fold(value)
        return not text or re.search(rf"(?<!\w){re.escape(text)}(?!\w)", known) is not None
    parts = value.values() if isinstance(value, dict) else value
    return all(_occurs(part, known) for part in parts)


@lru_cache(256)
def _validator(schema: str) -> Any:
    return validator_of(json.loads(schema))
