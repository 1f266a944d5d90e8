"""What the gate of a configuration against its baseline says."""

from __future__ import annotations

from typing import Literal

from judgekit.model.base import Record
from judgekit.stats.estimate import Statistic

Outcome = Literal["better", "same", "worse", "unclear"]


class MetricGate(Record):
    """One metric: candidate against baseline, and whether it may have got worse by the margin.

    `change` is candidate minus baseline for shares, and the ratio of means for cost and time.
    `worse`: its whole interval lies beyond the margin on the bad side; `unclear`: part of it does.
    """

    metric: str
    change: Statistic
    margin: float
    outcome: Outcome


class Regression(Record):
    """The gate over all metrics: exit 1 where one is worse, 3 where one is unclear."""

    candidate: str
    baseline: str
    changed: tuple[str, ...]
    declared: tuple[str, ...]
    metrics: tuple[MetricGate, ...]

    @property
    def exit_code(self) -> int:
        """Return 1 where a metric is worse, 3 where one is unclear, else 0."""
        outcomes = {one.outcome for one in self.metrics}
        return 1 if "worse" in outcomes else 3 if "unclear" in outcomes or not outcomes else 0
