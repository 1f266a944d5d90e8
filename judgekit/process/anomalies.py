"""Trials of an unusual shape: calls, depth, tokens, time and cost against the case's own past."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from judgekit.model.trial import Trial
from judgekit.process.score_records import Anomaly, AnomalyReport
from judgekit.scorers.faults.caps import trial_sizes
from judgekit.stats.estimate import Estimate
from judgekit.stats.outliers import modified_z

LEAST_HISTORY = 8
"""Fewer earlier trials of a case say nothing about what is usual."""
LIMIT = 3.5
"""Modified z score beyond which a value is unusual, as the authors of the score advise."""
_WITHOUT_SPREAD = 99.0
"""Stands for the score of a value that leaves a past in which nothing varied."""


def anomalies(trials: Iterable[Trial], history: Iterable[Trial]) -> AnomalyReport:
    """Return the sizes that are unusual for a case, by modified z score over its earlier trials.

    A size without any spread in the past is unusual when it leaves it by more than a tenth.
    """
    past: dict[str, list[dict[str, float | None]]] = {}
    for trial in _own(history):
        past.setdefault(trial.key[0], []).append(trial_sizes(trial))
    found: list[Anomaly] = []
    cases: set[str] = set()
    for trial in _own(trials):
        cases.add(trial.key[0])
        found += _unusual(trial, past.get(trial.key[0], []))
    short = [case for case in cases if len(past.get(case, [])) < LEAST_HISTORY]
    return AnomalyReport(anomalies=tuple(found), without_history=tuple(sorted(short)))


def _own(trials: Iterable[Trial]) -> Iterator[Trial]:
    """Yield the trials whose shape is the agent's own."""
    return (trial for trial in trials if trial.ending != "infrastructure")


def _unusual(trial: Trial, past: Sequence[dict[str, float | None]]) -> list[Anomaly]:
    if len(past) < LEAST_HISTORY:
        return []
    found = []
    for size, value in trial_sizes(trial).items():
        known = [one for sizes in past if (one := sizes[size]) is not None]
        if value is None or len(known) < LEAST_HISTORY:
            continue
        score = _score(value, known)
        if abs(score) > LIMIT:
            found.append(
                Anomaly(
                    case=trial.key[0],
                    number=trial.key[1],
                    size=size,
                    value=value,
                    usual=median(known),
                    score=round(score, 2),
                )
            )
    return found


def _score(value: float, past: Sequence[float]) -> float:
    found = modified_z(value, past)
    if isinstance(found, Estimate):
        return found.value
    usual = median(past)
    if abs(value - usual) <= abs(usual) / 10:
        return 0.0
    return _WITHOUT_SPREAD if value > usual else -_WITHOUT_SPREAD
