"""Where the agent stopped: too early, not at all, or with words that are not true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judgekit.model.comparators.base import MISSING, shown
from judgekit.model.comparators.exact import json_equal
from judgekit.model.regex import linear_regex
from judgekit.model.scoring import Claim
from judgekit.model.trial_score import Fault
from judgekit.scorers.faults.base import Seen, against_expected, detector
from judgekit.scorers.state_scoring import state_value
from judgekit.scorers.trajectory.calls import Call

NOT_RECORDED = "the final state was not recorded"


@detector
@against_expected
def stopped_early(seen: Seen) -> Iterator[Fault]:
    """Find a trial that ended by itself with the end of its path missing, a change among it.

    A trial that handed the case over did not stop: see `needless_hand_over`.
    """
    if seen.path is None or not _ended_by_itself(seen) or _handed_over(seen) is not None:
        return
    tail = _missing_tail(seen)
    changes = [name for name in tail if _changes(seen, name)]
    if changes:
        yield Fault(
            kind="stopped_early",
            tool=changes[0],
            reason=f"the trial ended before {', '.join(tail)}",
        )


@detector
@against_expected
def needless_hand_over(seen: Seen) -> Iterator[Fault]:
    """Find a case that was handed to a person although no valid path hands it over."""
    made = _handed_over(seen)
    if made is None or seen.path is None:
        return
    valid = {call.tool for path in seen.case.scored_paths.values() for call in path.calls}
    if not valid & set(seen.rules.tools.hand_over):
        yield Fault(
            kind="needless_hand_over",
            tool=made.name,
            position=made.position,
            reason=f"{made.name} was called, and the case can be settled without",
        )


@detector
@against_expected
def went_on(seen: Seen) -> Iterator[Fault]:
    """Find calls that change the state after the last expected call had been made.

    A call that is made again because it failed does not go on.
    """
    if seen.path is None or not seen.wanted or len(seen.pairs) < len(seen.wanted):
        return
    last = max(seen.matched_calls[made].position for _, made in seen.pairs)
    for call in seen.calls[last + 1 :]:
        if _changes(seen, call.name) and not seen.is_retry(call.position):
            yield Fault(
                kind="went_on",
                tool=call.name,
                position=call.position,
                reason=f"{call.name} was called after all that was expected had been done",
            )


@detector
def false_claim(seen: Seen) -> Iterator[Fault]:
    """Find an answer that claims an action which was not carried out.

    Where the state that would tell was not recorded, it is a suspicion.
    """
    said = seen.answer if seen.answer is not None else _texts(seen.trial.final)
    for claim in seen.rules.tools.claims if said else ():
        if not linear_regex(claim.regex, ignore_case=True).found_in(said):
            continue
        lacking = _lacking(seen, claim)
        if lacking is not None:
            yield Fault(
                kind="false_claim",
                tool=claim.tools[0] if claim.tools else None,
                severity="suspicion" if lacking == NOT_RECORDED else "fault",
                reason=f"the answer says {claim.regex!r:.60}, but {lacking}",
            )


def _ended_by_itself(seen: Seen) -> bool:
    return seen.trial.ending in (None, "finished") and not seen.trial.error


def _handed_over(seen: Seen) -> Call | None:
    """Return the call that handed the case to a person; None where there is none."""
    tools = seen.rules.tools.hand_over
    made = [call for call in seen.calls if call.name in tools and seen.succeeded(call.position)]
    return made[-1] if made else None


def _missing_tail(seen: Seen) -> list[str]:
    """Return the expected calls that were not made: those at the end, or all without an order."""
    made = {place for place, _ in seen.pairs}
    lacking = [place for place in range(len(seen.wanted)) if place not in made]
    if seen.path is not None and seen.path.mode != "any_order":
        lacking = [place for place in lacking if place > max(made, default=-1)]
    return [seen.wanted[place].name for place in lacking]


def _changes(seen: Seen, tool: str) -> bool:
    spec = seen.rules.tools.spec_of.get(tool)
    return spec is not None and spec.changes_state


def _texts(final: dict[str, Any] | None) -> str:
    return "\n".join(value for value in (final or {}).values() if isinstance(value, str))


def _lacking(seen: Seen, claim: Claim) -> str | None:
    """Return what the claim lacks, or None where it is true."""
    done = {call.name for call in seen.calls if seen.succeeded(call.position)}
    if claim.tools and not done & set(claim.tools):
        return f"{' or '.join(claim.tools)} did not succeed"
    for path, value in claim.state.items():
        if seen.trial.state is None:
            return NOT_RECORDED
        found = state_value(seen.trial.state, path)
        if found is MISSING or not json_equal(found, value):
            return f"the state has {path} {shown(found, 40)}, not {shown(value, 40)}"
    return None
