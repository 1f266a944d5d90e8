"""What all trials say about faults, the state and the steps inside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from judgekit.model.trial_score import StepOutcome, TrialScore
from judgekit.process.rates import Row, share
from judgekit.process.score_records import FaultRow, StateRow, StepRow

NO_STEP = "no span of this step"
NOT_EXPECTED = "nothing is expected of this step"


def fault_rows(scores: Sequence[TrialScore]) -> tuple[FaultRow, ...]:
    """Return the kinds of fault that occurred, the most frequent first."""
    usable = [score for score in scores if score.ending != "infrastructure"]
    found = Counter((f.kind, f.severity) for score in usable for f in score.faults)
    rows = []
    for (kind, severity), n in sorted(found.items(), key=lambda one: (-one[1], one[0])):
        having = [
            (
                score.group,
                any(f.kind == kind and f.severity == severity for f in score.faults),
            )
            for score in usable
        ]
        rows.append(
            FaultRow(kind=kind, severity=severity, n=n, trials=share(having, "no usable trial"))
        )
    return tuple(rows)


def state_rows(scores: Sequence[TrialScore]) -> tuple[StateRow, ...]:
    """Return how often each column of the state differed, the most frequent first."""
    found = Counter(
        (one.table, one.field, one.kind)
        for score in scores
        if score.state is not None
        for one in score.state.differences
    )
    order = sorted(found.items(), key=lambda one: (-one[1], one[0][0], one[0][1] or ""))
    return tuple(
        StateRow(table=table, field=field, kind=kind, n=n) for (table, field, kind), n in order
    )


def step_rows(scores: Sequence[TrialScore]) -> tuple[StepRow, ...]:
    """Return one row for each step, in the order in which steps first occur."""
    usable = [score for score in scores if score.ending != "infrastructure"]
    run = [step.step for score in usable for step in score.steps]
    names = dict.fromkeys([*run, *(name for score in usable for name in score.steps_not_run)])
    return tuple(_step_row(name, usable) for name in names)


def _step_row(name: str, scores: Sequence[TrialScore]) -> StepRow:
    found = [(score.group, step) for score in scores for step in score.steps if step.step == name]
    seconds = [step.latency_s for _, step in found if step.latency_s is not None]
    causes = sum(
        score.attribution is not None and score.attribution.step == name for score in scores
    )
    return StepRow(
        step=name,
        n=len(found),
        passed=share(
            [(group, step.passed) for group, step in found if step.passed is not None],
            NOT_EXPECTED,
        ),
        errors=share([(group, step.error is not None) for group, step in found], NO_STEP),
        recall=share(_units(found, "n_expected"), NOT_EXPECTED),
        precision=share(_units(found, "n_found"), NOT_EXPECTED),
        latency_s=median(seconds) if seconds else None,
        not_run=sum(name in score.steps_not_run for score in scores),
        causes=causes,
    )


def _units(found: Sequence[tuple[str, StepOutcome]], of: str) -> Iterator[Row]:
    for group, step in found:
        for shares in step.shares:
            for place in range(getattr(shares, of)):
                yield group, place < shares.matched
