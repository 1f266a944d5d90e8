"""Where the agent stopped: too early, not at all, or with words that are not true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from judgekit.model.comparators.base import MISSING
from judgekit.model.comparators.exact import json_equal
from judgekit.model.scoring import Claim
from judgekit.model.trial_score import Fault
from judgekit.scorers.faults.base import Seen, detector
from judgekit.scorers.field_scoring import found_value


@detector
def stopped_early(seen: Seen) -> Iterator[Fault]:
    """Find a trial that ended by itself with the end of its path missing, a change among it."""
    if seen.path is None or seen.trial.ending not in (None, "finished") or seen.trial.error:
        return
    made = {place for place, _ in seen.pairs}
    tail = []
    for place in range(len(seen.wanted) - 1, -1, -1):
        if place in made:
            break
        tail.append(seen.wanted[place].name)
    changes = [name for name in tail if _changes(seen, name)]
    if changes:
        yield Fault(
            kind="stopped_early",
            tool=changes[-1],
            reason=f"the trial ended before {', '.join(reversed(tail))}",
        )


@detector
def went_on(seen: Seen) -> Iterator[Fault]:
    """Find calls that change the state after the last expected call had been made."""
    if seen.path is None or not seen.wanted or len(seen.pairs) < len(seen.wanted):
        return
    last = max(seen.matched_calls[made].position for _, made in seen.pairs)
    for call in seen.calls[last + 1 :]:
        if _changes(seen, call.name):
            yield Fault(
                kind="went_on",
                tool=call.name,
                position=call.position,
                reason=f"{call.name} changed the state after all that was expected had been done",
            )


@detector
def false_claim(seen: Seen) -> Iterator[Fault]:
    """Find an answer that claims an action which was not carried out."""
    if seen.answer is None:
        return
    for claim in seen.rules.tools.claims:
        said = re.search(claim.regex, seen.answer, re.IGNORECASE)
        lacking = _lacking(seen, claim) if said else None
        if said and lacking:
            yield Fault(
                kind="false_claim",
                tool=claim.tools[0] if claim.tools else None,
                reason=f"the answer says {said.group(0)!r:.60}, but {lacking}",
            )


def _changes(seen: Seen, tool: str) -> bool:
    spec = seen.rules.tools.spec_of.get(tool)
    return spec is not None and spec.changes_state


def _lacking(seen: Seen, claim: Claim) -> str | None:
    """Return what the claim lacks, or None where it is true."""
    done = {call.name for call in seen.calls if seen.succeeded(call.position)}
    if claim.tools and not done & set(claim.tools):
        return f"{' or '.join(claim.tools)} did not succeed"
    for path, value in claim.state.items():
        found: Any = found_value(seen.trial.state, path)
        if found is MISSING or not json_equal(found, value):
            return f"the state has {path} {found!r:.40}, not {value!r:.40}"
    return None
