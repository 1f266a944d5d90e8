"""The steps inside a trial: what each span gave out, and where a failure began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judgekit.model.case import Case
from judgekit.model.comparators.base import MISSING, Unreadable
from judgekit.model.comparators.list import ListComparator
from judgekit.model.scoring import FieldRule, ScoringRules
from judgekit.model.trial import Span, Trial
from judgekit.model.trial_score import Attribution, Fault, FieldOutcome, ListShares, StepOutcome
from judgekit.scorers.field_scoring import comparator_of, field_outcome, found_value

STEP_PREFIX = "steps."
"""A golden's field `steps.<step>.<path>` is expected of the output of that step's span."""


class _Event(NamedTuple):
    """What went wrong at a span: its output, or the call that it is."""

    place: int
    of_call: bool
    reason: str


def score_steps(case: Case, trial: Trial, rules: ScoringRules) -> tuple[StepOutcome, ...]:
    """Compare the output of each span with what is expected of its step, in the spans' order."""
    return tuple(_step(span, case, rules) for span in trial.spans or ())


def steps_not_run(case: Case, trial: Trial) -> tuple[str, ...]:
    """Return the steps of which something is expected and that no span is of; none unrecorded."""
    if trial.spans is None or trial.ending == "infrastructure":
        return ()
    run = {span.step or span.name for span in trial.spans}
    fields = [name for name in case.fields if name.startswith(STEP_PREFIX)]
    wanted = [name.removeprefix(STEP_PREFIX) for name in fields]
    return tuple(dict.fromkeys(name.partition(".")[0] for name in wanted if not _is_run(name, run)))


def attribute(
    steps: Sequence[StepOutcome],
    faults: Sequence[Fault],
    visible: Sequence[str],
    called: Sequence[str] = (),
) -> Attribution | None:
    """Return where a trial went wrong first; None where nothing went wrong.

    A span is wrong when it came back with an error or its output is wrong, unless a later span of
    its step is right (it was tried again), or when it is a call at fault. `called` are the tools in
    order: calls are placed among the spans where the tool spans are of just these calls. `visible`
    are the visible errors of the trial, such as wrong final fields, most important first.
    """
    counted = [fault for fault in faults if fault.severity == "fault"]
    places = _places(steps, called)
    events = [_Event(at, False, _words(step)) for at, step in enumerate(steps) if _wrong(at, steps)]
    events += [
        _Event(places[fault.position], True, fault.reason)
        for fault in counted
        if places and fault.position is not None
    ]
    events.sort(key=lambda event: (event.place, event.of_call))
    rest = [one.reason for one in counted if not places or one.position is None]
    chain = [*(event.reason for event in events), *rest, *visible]
    if not chain:
        return None
    first = steps[events[0].place] if events else None
    return Attribution(
        step=None if first is None else first.step,
        span=None if first is None else first.span,
        cause=chain[0],
        chain=tuple(chain),
    )


def _is_run(name: str, run: set[str]) -> bool:
    return any(name.startswith(f"{step}.") for step in run)


def _wrong(at: int, steps: Sequence[StepOutcome]) -> bool:
    mine = steps[at]
    if mine.passed is not False and not mine.error:
        return False
    later = [step for step in steps[at + 1 :] if step.step == mine.step]
    return not any(step.passed or (step.passed is None and not step.error) for step in later)


def _places(steps: Sequence[StepOutcome], called: Sequence[str]) -> list[int]:
    """Return the place among the spans of each call; empty where spans and calls do not agree."""
    tools = [at for at, step in enumerate(steps) if step.kind == "tool"]
    return tools if called and [steps[at].name for at in tools] == list(called) else []


def _step(span: Span, case: Case, rules: ScoringRules) -> StepOutcome:
    step = span.step or span.name
    prefix = f"{STEP_PREFIX}{step}."
    expected = {name: one for name, one in case.fields.items() if name.startswith(prefix)}
    output: Mapping[str, Any] = (
        span.output if isinstance(span.output, Mapping) else {"output": span.output}
    )
    outcomes, shares = [], []
    for name, one in expected.items():
        rule = rules.fields.get(name, FieldRule())
        found = _found(output, span.output, name.removeprefix(prefix))
        outcomes.append(field_outcome(name, one, found, rule))
        comparator = comparator_of(one, rule.compare)
        if isinstance(comparator, ListComparator):
            shares.append(_shares(name, comparator, one.wanted, found))
    return StepOutcome(
        span=span.id,
        name=span.name,
        kind=span.kind,
        step=step,
        passed=_passed(outcomes, span.error),
        outcomes=tuple(outcomes),
        shares=tuple(one for one in shares if one is not None),
        error=span.error,
        latency_s=span.latency_s,
    )


def _found(output: Mapping[str, Any], whole: Any, path: str) -> Any:
    """Return the value at a path of a span's output; `output` is the whole of it."""
    found = found_value(output, path)
    return whole if found is MISSING and path == "output" else found


def _shares(name: str, comparator: ListComparator, wanted: Any, found: Any) -> ListShares | None:
    if wanted is MISSING or wanted is None:
        return None
    try:
        counts = comparator.counts(wanted, found if isinstance(found, list) else [])
    except Unreadable:
        return None
    if counts is None:
        return None
    return ListShares(field=name, matched=counts[0], n_expected=counts[1], n_found=counts[2])


def _passed(outcomes: Sequence[FieldOutcome], error: str | None) -> bool | None:
    """Return whether what is expected holds; None where nothing is, error or not.

    Were an error alone counted, a step of which nothing is expected could only ever fail.
    """
    decisions = {one.decision for one in outcomes}
    if not decisions:
        return None
    if error is not None or "mismatch" in decisions:
        return False
    return None if "undecided" in decisions else True


def _words(step: StepOutcome) -> str:
    wrong = next((one for one in step.outcomes if one.decision == "mismatch"), None)
    why = step.error if step.error is not None else wrong.reason if wrong is not None else "wrong"
    return f"{step.step}: {why}"
