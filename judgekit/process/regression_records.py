"""What the gate of a configuration against its baseline says."""

from __future__ import annotations

from typing import Literal

from judgekit.model.base import Record
from judgekit.stats.estimate import Statistic

Outcome = Literal["better", "same", "worse", "unclear", "not_recorded", "not_gated"]


class MetricGate(Record):
    """One metric: candidate against baseline, and whether it may have got worse by the margin.

    `change` is candidate minus baseline for shares, and the ratio of sums for cost and time.
    `worse`: its whole interval lies beyond the margin on the bad side; `unclear`: part of it does,
    or the candidate no longer records what the baseline did. `not_recorded`: the baseline never
    recorded it, so there is nothing to keep; it is named and does not gate. `not_gated`: left out
    on request (`--without`). `left_out` trials or cases are not known on some side.
    """

    metric: str
    change: Statistic
    margin: float
    outcome: Outcome
    left_out: int = 0
    reason: str | None = None


class Regression(Record):
    """The gate over all metrics: exit 1 where one is worse, 3 where one is unclear.

    `missing` trials of the baseline have no trial of their case and number in the candidate: a
    candidate that was not tried on everything is at best unclear. `extra` are the other way round.
    `mean_for_variance` is said where pass@1 rose and pass^k fell; it does not gate.
    """

    candidate: str
    baseline: str
    changed: tuple[str, ...]
    declared: tuple[str, ...]
    missing: int
    extra: int
    mean_for_variance: str | None = None
    metrics: tuple[MetricGate, ...]

    @property
    def exit_code(self) -> int:
        """Return 1 where a metric is worse; 3 where one is unclear, trials are missing, or nothing
        gated; else 0."""
        outcomes = {one.outcome for one in self.metrics} - {"not_recorded", "not_gated"}
        if "worse" in outcomes:
            return 1
        return 3 if "unclear" in outcomes or self.missing or not outcomes else 0
