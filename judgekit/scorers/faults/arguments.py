"""What the calls were given: no JSON, not what the tool takes, or wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache

from judgekit.model.canonical import canonical_json
from judgekit.model.comparators.json_schema import first_fault
from judgekit.model.schema_check import SafeValidator, validator_of
from judgekit.model.tool_spec import ToolSpec
from judgekit.model.trial_score import Fault, Severity
from judgekit.scorers.faults.base import Seen, against_expected, detector
from judgekit.scorers.trajectory.arguments import score_arguments
from judgekit.scorers.trajectory.calls import Call


@detector
def malformed_arguments(seen: Seen) -> Iterator[Fault]:
    """Find calls whose arguments are no JSON object or do not satisfy the tool's JSON Schema.

    A schema that cannot be applied to the arguments leaves a suspicion.
    """
    for call in seen.calls:
        reason, severity = _malformed(call, seen.rules.tools.spec_of.get(call.name))
        if reason is not None:
            yield Fault(
                kind="malformed_arguments",
                tool=call.name,
                position=call.position,
                severity=severity,
                reason=f"{call.name}: {reason}",
            )


@detector
@against_expected
def wrong_argument(seen: Seen) -> Iterator[Fault]:
    """Find arguments of expected calls that are missing or do not match.

    Arguments that are no JSON object are malformed, and not each of them wrong as well.
    """
    if seen.rules.tools.compare == "names":
        return
    usable = {call.position for call in seen.calls if call.fault is None}
    score = score_arguments(seen.wanted, seen.matched_calls, seen.pairs)
    for finding in score.findings:
        if finding.status in ("wrong", "missing") and finding.made in usable:
            yield Fault(
                kind="wrong_argument",
                tool=finding.tool,
                position=finding.made,
                reason=f"{finding.tool}.{finding.key}: {finding.reason}",
            )
    yield from _extra(seen)


def _malformed(call: Call, spec: ToolSpec | None) -> tuple[str | None, Severity]:
    if call.fault is not None or spec is None or spec.parameters is None:
        return call.fault, "fault"
    try:
        validator = _validator(canonical_json(spec.parameters))
        return first_fault(validator, dict(call.arguments)), "fault"
    except Exception as error:  # noqa: BLE001 - a user's schema may fail in any way
        return f"the schema cannot be applied: {type(error).__name__}: {error}"[:200], "suspicion"


def _extra(seen: Seen) -> Iterator[Fault]:
    """Find arguments that nobody expected, where the rules or the call allow no other."""
    path = seen.expected_path
    if path is None or seen.path is None:
        return
    places = [at for at, one in enumerate(path.calls) if one.tool not in seen.rules.tools.ignore]
    strict = seen.rules.tools.extra_arguments == "fault"
    for place, made in seen.pairs:
        wanted, call = seen.wanted[place], seen.matched_calls[made]
        if not strict and not wanted.only_these:
            continue
        for key in sorted(call.arguments.keys() - wanted.arguments.keys()):
            if (seen.path.path, places[place], key) not in seen.case.disputed_arguments:
                yield Fault(
                    kind="wrong_argument",
                    tool=call.name,
                    position=call.position,
                    reason=f"{call.name}.{key} was not expected",
                )


@lru_cache(256)
def _validator(schema: str) -> SafeValidator:
    return validator_of(json.loads(schema))
