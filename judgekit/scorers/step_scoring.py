"""The steps inside a trial: what each span gave out, and where a failure began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgekit.model.case import Case
from judgekit.model.comparators.base import MISSING, Unreadable, shown
from judgekit.model.comparators.list import ListComparator
from judgekit.model.scoring import FieldRule, ScoringRules
from judgekit.model.trial import Span, Trial
from judgekit.model.trial_score import Attribution, Fault, FieldOutcome, ListShares, StepOutcome
from judgekit.scorers.field_scoring import comparator_of, compare_expected, found_value

STEP_PREFIX = "steps."
"""A golden's field `steps.<step>.<path>` is expected of the output of that step's span."""


def score_steps(case: Case, trial: Trial, rules: ScoringRules) -> tuple[StepOutcome, ...]:
    """Compare the output of each span with what is expected of its step, in the spans' order."""
    return tuple(_step(span, case, rules) for span in trial.spans or ())


def attribute(
    steps: Sequence[StepOutcome], faults: Sequence[Fault], visible: Sequence[str]
) -> Attribution | None:
    """Return the earliest step whose output was already wrong; None where nothing went wrong.

    `visible` are the visible errors of the trial, such as wrong final fields, most important first.
    """
    wrong = [step for step in steps if step.passed is False]
    counted = [fault for fault in faults if fault.severity == "fault"]
    if not wrong and not counted and not visible:
        return None
    chain = [_words(step) for step in wrong] + [fault.reason for fault in counted] + list(visible)
    first = wrong[0] if wrong else None
    return Attribution(
        step=None if first is None else first.step,
        span=None if first is None else first.span,
        cause=chain[0],
        chain=tuple(chain),
    )


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
        found = found_value(output, name.removeprefix(prefix))
        outcomes.append(_outcome(name, one, found, rule))
        comparator = comparator_of(one, rule.compare)
        if isinstance(comparator, ListComparator):
            shares.append(_shares(name, comparator, one.wanted, found))
    return StepOutcome(
        span=span.id,
        name=span.name,
        step=step,
        passed=_passed(outcomes, span.error),
        outcomes=tuple(outcomes),
        shares=tuple(one for one in shares if one is not None),
        error=span.error,
        latency_s=span.latency_s,
    )


def _outcome(name: str, expected: Any, found: Any, rule: FieldRule) -> FieldOutcome:
    answer, wanted = compare_expected(expected, found, rule=rule)
    return FieldOutcome(
        field=name,
        decision=answer.decision,
        credit=answer.credit,
        weight=rule.weight,
        critical=rule.critical,
        expected=shown(wanted),
        found=shown(found),
        reason=answer.reason,
    )


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
    decisions = {one.decision for one in outcomes}
    if error is not None or "mismatch" in decisions:
        return False
    return None if not decisions or "undecided" in decisions else True


def _words(step: StepOutcome) -> str:
    wrong = next((one for one in step.outcomes if one.decision == "mismatch"), None)
    why = step.error if step.error is not None else wrong.reason if wrong is not None else "wrong"
    return f"{step.step}: {why}"
