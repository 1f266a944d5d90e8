"""What a temperature did: level apart from variance, for the models asked and no other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from judgekit.model.trial import ModelCall
from judgekit.process.differences import paired_difference
from judgekit.process.process_records import (
    Applied,
    TemperaturePair,
    TemperatureReport,
    TemperatureRow,
)
from judgekit.process.rates import TAIL
from judgekit.process.reliability import tool_errors
from judgekit.process.scored_set import ScoredSet
from judgekit.stats.estimate import Estimate, Statistic, bounds_of
from judgekit.stats.within_task import within_task_variance, within_task_variance_difference

DEFAULT = "default"
"""The setting under which no temperature is asked for."""


def temperature_report(sets: Sequence[ScoredSet]) -> TemperatureReport | None:
    """Return the axes by temperature, for configurations named `<agent>@<temperature>`.

    None where there are not two settings of one agent. What is found holds for these models and
    providers only, and lapses with either.
    """
    named = [one for one in sets if _setting(one.name) is not None]
    agents = {one.name.rpartition("@")[0] for one in named}
    if len(named) < 2 or len(agents) != 1:
        return None
    rows = [_row(one) for one in named]
    tail = TAIL / math.comb(len(named), 2)
    pairs = tuple(_pair(one, other, tail) for one, other in combinations(named, 2))
    models = sorted({call.model for one in named for call in _calls(one) if call.model})
    providers = sorted({call.provider for one in named for call in _calls(one) if call.provider})
    why_not = _why_not(named, rows)
    of = f"{', '.join(models) or 'an unrecorded model'} at " + (
        ", ".join(providers) or "an unrecorded provider"
    )
    words = f"{why_not}, so nothing is concluded" if why_not else "; ".join(_findings(pairs))
    return TemperatureReport(
        models=tuple(models),
        providers=tuple(providers),
        rows=tuple(rows),
        pairs=pairs,
        concluded=why_not is None,
        finding=f"for {of}: {words}. This lapses when the model or the provider changes",
    )


def _setting(name: str) -> str | None:
    agent, at, value = name.rpartition("@")
    if not at or not agent:
        return None
    return value if value == DEFAULT or _number(value) is not None else None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _calls(one: ScoredSet) -> list[ModelCall]:
    return [
        call for trial in one.trials for call in trial.model_calls or () if call.role == "agent"
    ]


def _row(one: ScoredSet) -> TemperatureRow:
    setting = one.name.rpartition("@")[2]
    found = one.configuration
    return TemperatureRow(
        setting=setting,
        n_trials=len(one.trials),
        pass_at_1=found.repeat.pass_at_1,
        consistency=found.repeat.consistency,
        between_trials=within_task_variance(
            [row.n for row in found.repeat.cases], [row.correct for row in found.repeat.cases]
        ),
        cost_median_usd=found.cost.median_usd,
        tool_errors=tool_errors(one.trials, [score.group for score in one.scores]),
        applied=_applied(setting, one),
    )


def _pair(one: ScoredSet, other: ScoredSet, tail: float) -> TemperaturePair:
    return TemperaturePair(
        first=one.name.rpartition("@")[2],
        second=other.name.rpartition("@")[2],
        level=paired_difference(one.answered(), other.answered(), tail),
        variance=_variance_difference(one, other, tail),
    )


def _variance_difference(one: ScoredSet, other: ScoredSet, tail: float) -> Statistic:
    its = {row.case: row for row in other.configuration.repeat.cases}
    both = [(r, its[r.case]) for r in one.configuration.repeat.cases if r.case in its]
    return within_task_variance_difference(
        [mine.n for mine, _ in both],
        [mine.correct for mine, _ in both],
        [other.n for _, other in both],
        [other.correct for _, other in both],
        tail,
    )


def _applied(setting: str, one: ScoredSet) -> Applied:
    calls = _calls(one)
    told = [call for call in calls if call.settings is not None]
    if any("temperature" in call.ignored for call in told):
        return "ignored"
    if not told or len(told) < len(calls) or any(t.model_calls is None for t in one.trials):
        return "not_recorded"
    wanted = None if setting == DEFAULT else float(setting)
    asked = [(call.settings or {}).get("temperature") for call in told]
    return "applied" if all(value == wanted for value in asked) else "ignored"


def _why_not(named: Sequence[ScoredSet], rows: Sequence[TemperatureRow]) -> str | None:
    """Return why nothing can be concluded, or None."""
    stray = [row for row in rows if row.applied != "applied"]
    if stray:
        told = ", ".join(f"{row.setting}: {row.applied.replace('_', ' ')}" for row in stray)
        return f"not every setting is known to have been applied ({told})"
    kinds = [{(call.model, call.provider) for call in _calls(one)} for one in named]
    if any(None in pair for kind in kinds for pair in kind):
        return "the model or the provider is not recorded of every call"
    if any(kind != kinds[0] for kind in kinds):
        return "the settings were tried on different models or providers"
    return None


def _findings(pairs: Sequence[TemperaturePair]) -> Iterator[str]:
    for title, of in (("level (pass@1)", "level"), ("variance within a case", "variance")):
        told = [words for pair in pairs if (words := _told_apart(pair, getattr(pair, of)))]
        if told:
            yield f"the {title} differs: {', '.join(told)}"
        else:
            yield f"no difference of the {title} can be told between the settings"


def _told_apart(pair: TemperaturePair, found: Statistic) -> str | None:
    bounds = bounds_of(found)
    if not isinstance(found, Estimate) or bounds is None or found.status == "few_groups":
        return None
    if bounds.low <= 0 <= bounds.high:
        return None
    return f"{pair.first} {'above' if found.value > 0 else 'below'} {pair.second}"
