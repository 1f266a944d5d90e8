"""How reliable tools were, how long attempts took, and what a temperature did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from judgekit.model.trial import ToolCall, Trial
from judgekit.process.process_records import (
    Configuration,
    LatencyReport,
    TemperatureReport,
    TemperatureRow,
    ToolReliability,
)
from judgekit.process.rates import share
from judgekit.stats.estimate import Estimate, Statistic

Called = tuple[str, ToolCall]
Applied = Literal["applied", "ignored", "not_recorded"]


def tool_reliability(trials: Sequence[Trial], groups: Sequence[str]) -> tuple[ToolReliability, ...]:
    """Return one row for each tool that was called; `groups` are the cluster keys of the trials."""
    called = _called(trials, groups)
    names = sorted({call.name for _, call in called})
    return tuple(_tool(name, [one for one in called if one[1].name == name]) for name in names)


def tool_errors(trials: Sequence[Trial], groups: Sequence[str]) -> Statistic:
    """Return the share of all calls that came back with an error."""
    rows = [(group, call.error is not None) for group, call in _called(trials, groups)]
    return share(rows, "no tool was called")


def latency_report(trials: Sequence[Trial]) -> LatencyReport:
    """Return the median and 95th percentile of the attempts' seconds."""
    seconds = [trial.latency_s for trial in trials if trial.latency_s is not None]
    return LatencyReport(
        n=len(seconds),
        median_s=_quantile(seconds, 0.5),
        p95_s=_quantile(seconds, 0.95),
    )


def temperature_report(
    configurations: Sequence[Configuration],
    trials: Sequence[Sequence[Trial]],
    groups: Sequence[Sequence[str]],
) -> TemperatureReport | None:
    """Return the axes by temperature, for configurations named `<agent>@<temperature>`.

    None where there are not two settings of one agent. What is found holds for these models and
    providers only, and lapses with either.
    """
    named = [one for one in configurations if "@" in one.name]
    if len(named) < 2 or len({one.name.rpartition("@")[0] for one in named}) != 1:
        return None
    rows = [
        _temperature(one, those, groups_of)
        for one, those, groups_of in zip(configurations, trials, groups, strict=True)
        if "@" in one.name
    ]
    calls = [call for those in trials for trial in those for call in trial.model_calls or ()]
    models = sorted({call.model for call in calls if call.model})
    providers = sorted({call.provider for call in calls if call.provider})
    return TemperatureReport(
        models=tuple(models),
        providers=tuple(providers),
        rows=tuple(rows),
        finding=_finding(rows, models, providers),
    )


def _called(trials: Sequence[Trial], groups: Sequence[str]) -> list[Called]:
    return [
        (group, call)
        for trial, group in zip(trials, groups, strict=True)
        for call in trial.tool_calls or [c for m in trial.messages for c in m.tool_calls]
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


def _temperature(
    one: Configuration, trials: Sequence[Trial], groups: Sequence[str]
) -> TemperatureRow:
    setting = one.name.rpartition("@")[2]
    return TemperatureRow(
        setting=setting,
        n_trials=len(trials),
        pass_at_1=one.repeat.pass_at_1,
        consistency=one.repeat.consistency,
        between_trials=_between(one),
        cost_median_usd=one.cost.median_usd,
        tool_errors=tool_errors(trials, groups),
        applied=_applied(setting, trials),
    )


def _between(one: Configuration) -> float | None:
    """Return the mean over cases of p(1-p)n/(n-1), the unbiased variance of one trial's answer."""
    rows = [row for row in one.repeat.cases if row.n > 1]
    parts = [row.correct / row.n * (1 - row.correct / row.n) * row.n / (row.n - 1) for row in rows]
    return sum(parts) / len(parts) if parts else None


def _applied(setting: str, trials: Sequence[Trial]) -> Applied:
    calls = [call for trial in trials for call in trial.model_calls or () if call.role == "agent"]
    told = [call for call in calls if call.settings is not None]
    if not told or len(told) < len(calls):
        return "not_recorded"
    if any("temperature" in call.ignored for call in told):
        return "ignored"
    wanted = None if setting == "default" else float(setting)
    asked = {(call.settings or {}).get("temperature") for call in told}
    return "applied" if asked == {wanted} else "ignored"


def _finding(
    rows: Sequence[TemperatureRow], models: Sequence[str], providers: Sequence[str]
) -> str:
    model = ", ".join(models) or "an unrecorded model"
    model = ", ".join(models) or "an unrecorded model"
    of = f"{model} at {', '.join(providers) or 'an unrecorded provider'}"
    usable = [row for row in rows if isinstance(row.pass_at_1, Estimate)]
    if any(row.applied != "applied" for row in rows):
        return f"for {of}: not every setting is known to have been applied, so nothing is concluded"
    bounds = [(one.low, one.high) for row in usable if isinstance(one := row.pass_at_1, Estimate)]
    lows = [low for low, _ in bounds if low is not None]
    highs = [high for _, high in bounds if high is not None]
    if len(usable) == len(rows) and lows and highs and max(lows) > min(highs):
        return f"for {of}: the level (pass@1) differs between the settings"
    return f"for {of}: no difference of the level (pass@1) can be told between the settings"


def _quantile(values: Sequence[float], share_: float) -> float | None:
    return float(np.quantile(values, share_)) if values else None
