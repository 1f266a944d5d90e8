"""Steps of the process under each configuration: quality, cost, and the tier that each is worth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from judgekit.model.trial import ModelCall, Trial
from judgekit.process.cost_report import costs_by_case
from judgekit.process.differences import Answered, grouped_ratio
from judgekit.process.escalation import escalation
from judgekit.process.known import known_cases, means_by_case, sum_known
from judgekit.process.process_records import Curve, ProcessCost, Routing, StepCost, Why
from judgekit.process.routing import DEFAULT_MARGIN, Tier, curve
from judgekit.process.scored_set import ScoredSet
from judgekit.stats.estimate import Statistic

NO_STEP = "(no step named)"
"""Model calls that name no step: they are paid as well."""


class _Use(NamedTuple):
    """A step under the tier chosen for it: cost and number of its calls, by case."""

    step: str
    tier: ScoredSet
    why: Why
    costs: Mapping[str, float]
    calls: Mapping[str, float]


def routing(sets: Sequence[ScoredSet], *, margin: float = DEFAULT_MARGIN) -> Routing | None:
    """Return the curves over configurations and steps, signals and the cost of the process.

    None where there is nothing of it: one configuration, no step and no signal.
    """
    tiers = [
        Tier(
            one.name,
            one.configuration.cost.mean_usd,
            one.configuration.repeat.pass_at_1,
            len(one.trials),
            one.answered(),
            costs_by_case(one.trials),
        )
        for one in sets
    ]
    overall = curve("all cases", tiers, margin=margin)
    steps = step_names(sets)
    found = {step: curve(step, _tiers(sets, step), margin=margin) for step in steps}
    curves = {step: one for step, one in found.items() if one is not None}
    signals = tuple(row for one in sets for row in escalation(one))
    cost = process_cost(sets, steps, curves, overall)
    if overall is None and not curves and not signals and cost is None:
        return None
    return Routing(
        overall=overall, steps=tuple(curves.values()), escalation=signals, process_cost=cost
    )


def step_names(sets: Sequence[ScoredSet]) -> tuple[str, ...]:
    """Return the steps of model calls, in the order in which they first occur."""
    return tuple(
        dict.fromkeys(
            call.step or NO_STEP
            for one in sets
            for trial in one.trials
            for call in trial.model_calls or ()
        )
    )


def process_cost(
    sets: Sequence[ScoredSet],
    steps: Sequence[str],
    curves: Mapping[str, Curve],
    overall: Curve | None,
) -> ProcessCost | None:
    """Return the cost of a trial whose steps each use the tier chosen for them.

    Formula: sum over steps of calls of a trial times cost of a call, both means over the cases that
    all chosen tiers tried; the interval is t over cases (or their groups) of the sum, so that what
    steps share within a case is in it. It says nothing of steps that change each other. None where
    calls name no step, where a cost is not known, or where no tier can be chosen for some step.
    """
    if not steps or tuple(steps) == (NO_STEP,):
        return None
    uses = [_use(sets, step, curves.get(step), overall) for step in steps]
    known = [use for use in uses if use is not None]
    if len(known) < len(steps):
        return None
    cases = sorted(set.intersection(*(set(use.costs) for use in known)))
    if not cases:
        return None
    return ProcessCost(
        steps=tuple(_step_cost(use, cases) for use in known), total=_total(known, cases)
    )


def _tiers(sets: Sequence[ScoredSet], step: str) -> list[Tier]:
    found = []
    for one in sets:
        answered = _answered(one, step)
        quality = next((s.passed for s in one.configuration.repeat.steps if s.step == step), None)
        if quality is None:
            continue
        costs = _costs(one.trials, step)
        mean = None if costs is None else _mean(list(costs.values()))
        found.append(Tier(one.name, mean, quality, len(one.trials), answered, costs))
    return found


def _answered(one: ScoredSet, step: str) -> Answered:
    answers = {
        score.key: span.passed
        for score in one.scores
        for span in score.steps
        if span.step == step and span.passed is not None
    }
    return Answered(answers, one.groups)


def _calls(trial: Trial, step: str) -> list[ModelCall]:
    return [call for call in trial.model_calls or () if (call.step or NO_STEP) == step]


def _cost(trial: Trial, step: str) -> float | None:
    """Return what a step cost in a trial; None where a call or its cost is not known."""
    if trial.model_calls is None:
        return None
    return sum_known([call.cost_usd for call in _calls(trial, step)])


def _costs(trials: Sequence[Trial], step: str) -> dict[str, float] | None:
    """Return the mean cost of a step in the trials of each case; None where one is not known."""
    means = means_by_case(trials, lambda trial: _cost(trial, step))
    known = known_cases(means)
    return known if len(known) == len(means) else None


def _use(
    sets: Sequence[ScoredSet], step: str, of: Curve | None, overall: Curve | None
) -> _Use | None:
    """Return what a step costs under the tier chosen for it; None where that is not known."""
    having = [one for one in sets if any(_calls(trial, step) for trial in one.trials)]
    name = overall.cheapest if overall is not None else None
    why: Why = "overall"
    if of is not None:
        name, why = of.cheapest, "curve"
    elif len(having) == 1:
        name, why = having[0].name, "only"
    one = next((one for one in sets if one.name == name), None)
    costs = None if one is None else _costs(one.trials, step)
    if one is None or costs is None:
        return None
    calls = known_cases(means_by_case(one.trials, lambda trial: len(_calls(trial, step))))
    return _Use(step, one, why, costs, calls)


def _step_cost(use: _Use, cases: Sequence[str]) -> StepCost:
    calls = _mean([use.calls[case] for case in cases])
    cost = _mean([use.costs[case] for case in cases])
    return StepCost(
        step=use.step,
        tier=use.tier.name,
        why=use.why,
        calls_per_trial=calls,
        usd_per_call=cost / calls if calls else None,
        usd_per_trial=cost,
    )


def _total(uses: Sequence[_Use], cases: Sequence[str]) -> Statistic:
    costs = {case: math.fsum(use.costs[case] for use in uses) for case in cases}
    return grouped_ratio(costs, dict.fromkeys(cases, 1.0), uses[0].tier.groups)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
