"""Signals after which a trial is worth a second look, or a better model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from judgekit.model.trial import Trial
from judgekit.model.trial_score import TrialScore
from judgekit.process.cost_report import turns_of
from judgekit.process.process_records import Escalation
from judgekit.process.rates import TAIL, Row, share
from judgekit.process.scored_set import ScoredSet
from judgekit.scorers.faults.base import kinds_against_expected
from judgekit.stats.estimate import Estimate, bounds_of
from judgekit.stats.independent import independent_difference


def escalation(one: ScoredSet) -> tuple[Escalation, ...]:
    """Return each signal of a configuration's trials, those first that part right from wrong.

    A signal is what a trial shows by itself: a fault that needs no expected result, an error of a
    tool, a call of the model that was tried again, how its last call ended. One that every trial
    shows tells nothing and is left out.
    """
    decided = [
        (score, answer, signals(trial, score))
        for trial, score, answer in zip(one.trials, one.scores, one.answers, strict=True)
        if answer is not None and score.ending != "infrastructure"
    ]
    counts = Counter(name for _, _, found in decided for name in found)
    names = sorted(name for name, n in counts.items() if n < len(decided))
    rows = [
        _row(
            one.name,
            name,
            [(score.group, not answer, name in found) for score, answer, found in decided],
            len(names),
        )
        for name in names
    ]
    return tuple(sorted(rows, key=lambda row: (not row.worth, -_value(row), row.signal)))


def signals(trial: Trial, score: TrialScore) -> frozenset[str]:
    """Return the signals that a trial shows without its expected results."""
    found = {fault.kind for fault in score.faults} - kinds_against_expected()
    if any(call.error is not None for call in trial.calls):
        found.add("tool error")
    if any(call.retry for call in trial.model_calls or ()):
        found.add("model call tried again")
    if trial.ending in ("crashed", "timeout"):
        found.add(str(trial.ending))
    turns = turns_of(trial)
    if turns and turns[-1].finish_reason:
        found.add(f"ended by {turns[-1].finish_reason}")
    return frozenset(found)


def _row(
    configuration: str, signal: str, rows: Sequence[tuple[str, bool, bool]], n_signals: int
) -> Escalation:
    having: list[Row] = [(group, wrong) for group, wrong, shown in rows if shown]
    lacking: list[Row] = [(group, wrong) for group, wrong, shown in rows if not shown]
    caught: list[Row] = [(group, shown) for group, wrong, shown in rows if wrong]
    return Escalation(
        configuration=configuration,
        signal=signal,
        n=len(rows),
        n_with=len(having),
        wrong_with=share(having, "no trial shows it"),
        wrong_without=share(lacking, "every trial shows it"),
        caught=share(caught, "no trial is wrong"),
        worth=_worth(having, lacking, TAIL / n_signals),
    )


def _worth(having: Sequence[Row], lacking: Sequence[Row], tail: float) -> bool:
    found = independent_difference(
        share(having, "none", tail=tail), share(lacking, "none", tail=tail)
    )
    bounds = bounds_of(found)
    return bounds is not None and bounds.low > 0


def _value(row: Escalation) -> float:
    return row.caught.value if isinstance(row.caught, Estimate) else -1.0
