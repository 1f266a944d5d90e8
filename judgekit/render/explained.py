"""Why each trial was right or wrong, as plain text: value by value, fault by fault."""

from __future__ import annotations

from collections.abc import Iterator

from judgekit.model.trial_score import TrialScore
from judgekit.render.text import one_line

MOST_LINKS = 8
"""Links of the chain from where a trial went wrong first to the visible error."""


def explained(score: TrialScore) -> Iterator[str]:
    """Yield why a trial passes or fails: each value, call, fault and step, and what came first."""
    answer = {True: "passes", False: "fails", None: "cannot be decided"}[score.checks_passed]
    yield f"{one_line(score.case_id)} trial {score.number}: {answer}"
    if not score.checked:
        yield "  no checker: nothing is expected that code can check"
    for one in score.fields.outcomes if score.fields is not None else ():
        mark = " (critical)" if one.critical else ""
        part = "" if one.credit in (None, 0, 1) else f" (credit {one.credit:.3g})"
        yield f"  field {one_line(one.field)}{mark}: {one.decision}, {one_line(one.reason)}{part}"
    if score.path is not None:
        under = score.path.under
        yield (
            f"  path {one_line(score.path.path)} ({score.path.mode}): "
            f"{'passes' if score.path.passed else 'fails'}, {under.matched} of {under.n_expected} "
            f"expected calls matched, {under.n_called} made"
        )
    for finding in score.arguments.findings if score.arguments is not None else ():
        place = f"{finding.tool}.{finding.key}"
        yield f"  argument {one_line(place)}: {finding.status}, {one_line(finding.reason)}"
    yield from _went_wrong(score)


def _went_wrong(score: TrialScore) -> Iterator[str]:
    for difference in score.state.differences if score.state is not None else ():
        yield f"  state: {one_line(difference.reason)}"
    for fault in score.faults:
        yield f"  {fault.severity} {fault.kind}: {one_line(fault.reason)}"
    for step in score.steps:
        if step.passed is False or step.error:
            wrong = [one.reason for one in step.outcomes if one.decision == "mismatch"]
            yield f"  step {one_line(step.step)}: wrong, {one_line(step.error or '; '.join(wrong))}"
    for name in score.steps_not_run:
        yield f"  step {one_line(name)}: did not run"
    if score.attribution is not None:
        yield f"  first wrong: {one_line(score.attribution.cause)}"
        if score.attribution.step is not None:
            yield f"  in the step: {one_line(score.attribution.step)}"
        later = score.attribution.chain[1:]
        yield from (f"  then: {one_line(one)}" for one in later[:MOST_LINKS])
        if len(later) > MOST_LINKS:
            yield f"  ... and {len(later) - MOST_LINKS} more (--out has all)"
