"""Trials of an unusual shape: calls, depth, tokens, time and cost against the case's own past."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from judgekit.model.trial import Trial
from judgekit.process.score_records import Anomaly, AnomalyReport
from judgekit.scorers.faults.caps import trial_sizes

LEAST_HISTORY = 8
"""Fewer earlier trials of a case say nothing about what is usual."""
LIMIT = 3.5
"""Modified z score beyond which a value is unusual (Iglewicz & Hoaglin 1993, How to Detect and
Handle Outliers)."""
_SCALE = 0.6745


def anomalies(trials: Sequence[Trial], history: Sequence[Trial]) -> AnomalyReport:
    """Return the sizes that are unusual for a case, by modified z score.

    Formula: 0.6745 (x - median) / MAD over the case's earlier trials; a size without any spread in
    the past is unusual when it leaves the past values by more than a tenth.
    """
    past: dict[str, list[dict[str, float | None]]] = {}
    trials = [trial for trial in trials if trial.ending != "infrastructure"]
    for trial in history:
        if trial.ending == "infrastructure":
            continue  # its shape is not the agent's
        past.setdefault(trial.case_id or "", []).append(trial_sizes(trial))
    found = [one for trial in trials for one in _of(trial, past.get(trial.case_id or "", []))]
    short = {
        trial.case_id or ""
        for trial in trials
        if len(past.get(trial.case_id or "", [])) < LEAST_HISTORY
    }
    return AnomalyReport(anomalies=tuple(found), without_history=tuple(sorted(short)))


def _of(trial: Trial, past: Sequence[dict[str, float | None]]) -> list[Anomaly]:
    if len(past) < LEAST_HISTORY:
        return []
    found = []
    for size, value in trial_sizes(trial).items():
        known = [one for sizes in past if (one := sizes[size]) is not None]
        if value is None or len(known) < LEAST_HISTORY:
            continue
        score = modified_z(value, known)
        if abs(score) > LIMIT:
            found.append(
                Anomaly(
                    case=trial.case_id or "",
                    number=trial.number or 0,
                    size=size,
                    value=value,
                    usual=median(known),
                    score=round(score, 2),
                )
            )
    return found


def modified_z(value: float, past: Sequence[float]) -> float:
    """Return the modified z score of a value against past ones.

    Example:
        >>> round(modified_z(10, [1, 2, 3, 4, 5]), 3)
        4.721
    """
    middle = median(past)
    spread = median([abs(one - middle) for one in past])
    if spread == 0:
        room = abs(middle) / 10
        return 0.0 if abs(value - middle) <= room else (99.0 if value > middle else -99.0)
    return _SCALE * (value - middle) / spread
