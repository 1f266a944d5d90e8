"""How reliable tools were, and how long attempts took."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judgekit.model.trial import ToolCall, Trial
from judgekit.process.process_records import LatencyReport, ToolReliability
from judgekit.process.rates import share
from judgekit.stats.estimate import Statistic

Called = tuple[str, ToolCall]


def tool_reliability(trials: Sequence[Trial], groups: Sequence[str]) -> tuple[ToolReliability, ...]:
    """Return one row for each tool that was called; `groups` are the cluster keys of the trials."""
    by_name: dict[str, list[Called]] = {}
    for group, call in _called(trials, groups):
        by_name.setdefault(call.name, []).append((group, call))
    return tuple(_tool(name, by_name[name]) for name in sorted(by_name))


def tool_errors(trials: Sequence[Trial], groups: Sequence[str]) -> Statistic:
    """Return the share of all calls that came back with an error."""
    rows = [(group, call.error is not None) for group, call in _called(trials, groups)]
    return share(rows, "no tool was called")


def latency_report(trials: Sequence[Trial]) -> LatencyReport:
    """Return the median and 95th percentile (type 7) of the attempts' seconds."""
    seconds = [trial.latency_s for trial in trials if trial.latency_s is not None]
    return LatencyReport(
        n=len(seconds),
        median_s=_quantile(seconds, 0.5),
        p95_s=_quantile(seconds, 0.95),
    )


def _called(trials: Sequence[Trial], groups: Sequence[str]) -> list[Called]:
    return [
        (group, call) for trial, group in zip(trials, groups, strict=True) for call in trial.calls
    ]


def _tool(name: str, called: Sequence[Called]) -> ToolReliability:
    seconds = [call.latency_s for _, call in called if call.latency_s is not None]
    return ToolReliability(
        tool=name,
        n=len(called),
        errors=share([(group, call.error is not None) for group, call in called], "never called"),
        latency_median_s=_quantile(seconds, 0.5),
        latency_p95_s=_quantile(seconds, 0.95),
    )


def _quantile(values: Sequence[float], share_: float) -> float | None:
    return float(np.quantile(values, share_)) if values else None
