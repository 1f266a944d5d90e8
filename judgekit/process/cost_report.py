"""What trials cost: every call, retry and auxiliary call, by case and by model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from statistics import median
from typing import NamedTuple

import numpy as np

from judgekit.model.trial import ModelCall, Trial
from judgekit.model.verdict import Usage
from judgekit.process.known import known_cases, means_by_case, sum_known
from judgekit.process.process_records import CostReport, ModelRow
from judgekit.process.rates import SEED
from judgekit.stats.cost import Cost, cost_per_correct

Price = Callable[[Usage], float | None]
Prices = Callable[[str, str], Price | None]
"""`prices(model, provider)` returns the price of a usage, or None where none is listed."""


class _Paid(NamedTuple):
    """One trial: its cluster key, its cost and whether it is correct."""

    group: str
    cost_usd: float | None
    correct: bool


class _Growth(NamedTuple):
    """How a prompt grows from the first to the last turn, median over trials."""

    ratio: float | None
    per_turn: float | None


def priced(trial: Trial, prices: Prices) -> Trial:
    """Return the trial with the cost of each model call, and of the whole where all are known.

    What the recording says wins, unless the calls alone add up to more: then it left some out. A
    trial that is recorded as having made no model call cost nothing; an unknown price stays
    unknown and is never 0.
    """
    if trial.model_calls is None:
        return trial
    calls = tuple(_priced(call, prices) for call in trial.model_calls)
    total = sum_known([call.cost_usd for call in calls])
    if trial.cost_usd is not None and (total is None or total <= trial.cost_usd * (1 + 1e-9)):
        total = trial.cost_usd
    return trial.model_copy(update={"model_calls": calls, "cost_usd": total})


def cost_report(
    trials: Sequence[Trial],
    correct: Sequence[bool | None],
    groups: Sequence[str] | None = None,
    *,
    n_understated: int = 0,
) -> CostReport:
    """Return what the trials cost; `correct` tells which of them were (None counts as not).

    `groups` are their cluster keys, drawn again as wholes; without them each case is its own.
    """
    by_case = _by_case(trials, correct, groups)
    known = [rows for rows in by_case.values() if all(row.cost_usd is not None for row in rows)]
    of_cases = _of_cases(list(costs_by_case(trials).values()))
    ratio = _per_correct(known)
    spent = [trial.cost_usd for trial in trials if trial.cost_usd is not None]
    calls = [call for trial in trials for call in trial.model_calls or ()]
    turns = [len(turns_of(trial)) for trial in trials if trial.model_calls is not None]
    growth = _growth(trials)
    return CostReport(
        n_trials=len(trials),
        n_unknown=len(trials) - len(spent),
        cases_unknown=len(by_case) - len(known),
        n_understated=n_understated,
        total_usd=math.fsum(spent) if len(spent) == len(trials) else None,
        known_usd=math.fsum(spent),
        median_usd=of_cases.median,
        p95_usd=of_cases.p95,
        mean_usd=of_cases.mean,
        per_correct=ratio.per_correct,
        undefined_share=ratio.undefined_share,
        auxiliary_share=_auxiliary(calls),
        retries=sum(call.retry > 0 for call in calls),
        iterations_median=median(turns) if turns else None,
        iterations_max=max(turns) if turns else None,
        input_growth=growth.ratio,
        input_growth_per_turn=growth.per_turn,
        finish_reasons=_reasons(calls),
        models=_models(calls),
    )


def costs_by_case(trials: Sequence[Trial]) -> dict[str, float]:
    """Return the mean cost of a trial of each case; cases with an unknown one are left out."""
    return known_cases(means_by_case(trials, lambda trial: trial.cost_usd))


def turns_of(trial: Trial) -> list[ModelCall]:
    """Return the agent's calls, one a turn: a retry stands for the call that it repeats."""
    turns: list[ModelCall] = []
    for call in trial.model_calls or ():
        if call.role != "agent":
            continue
        if call.retry and turns:
            turns[-1] = call
        else:
            turns.append(call)
    return turns


def _priced(call: ModelCall, prices: Prices) -> ModelCall:
    if call.cost_usd is not None or call.model is None:
        return call
    price = prices(call.model, call.provider or "")
    cost = None if price is None else price(call.usage)
    return call if cost is None else call.model_copy(update={"cost_usd": cost})


def _by_case(
    trials: Sequence[Trial], correct: Sequence[bool | None], groups: Sequence[str] | None
) -> Mapping[str, list[_Paid]]:
    found: dict[str, list[_Paid]] = {}
    keys = [trial.case_id or "" for trial in trials] if groups is None else groups
    for trial, answer, group in zip(trials, correct, keys, strict=True):
        row = _Paid(group, trial.cost_usd, answer is True)
        found.setdefault(trial.case_id or "", []).append(row)
    return found


def _of_cases(costs: Sequence[float]) -> Cost:
    """Return median, p95 and mean of the cases' costs: the part of `Cost` without correctness."""
    return cost_per_correct(costs, [0.0] * len(costs))


def _per_correct(known: Sequence[Sequence[_Paid]]) -> Cost:
    """Return all money over all correct trials; sums by group make whole groups drawn again."""
    sums: dict[str, list[float]] = {}
    for row in chain.from_iterable(known):
        held = sums.setdefault(row.group, [0.0, 0.0])
        held[0] += row.cost_usd or 0.0
        held[1] += row.correct
    return cost_per_correct(
        [spent for spent, _ in sums.values()],
        [right for _, right in sums.values()],
        rng=np.random.default_rng(SEED),
    )


def _growth(trials: Sequence[Trial]) -> _Growth:
    ratios, added = [], []
    for trial in trials:
        tokens = [call.usage.input_tokens for call in turns_of(trial)]
        if len(tokens) < 2 or tokens[0] is None or tokens[-1] is None:
            continue
        added.append((tokens[-1] - tokens[0]) / (len(tokens) - 1))
        if tokens[0]:
            ratios.append(tokens[-1] / tokens[0])
    return _Growth(median(ratios) if ratios else None, median(added) if added else None)


def _reasons(calls: Sequence[ModelCall]) -> dict[str, int]:
    found = Counter(c.finish_reason or "not recorded" for c in calls if c.role == "agent")
    return dict(sorted(found.items()))


def _auxiliary(calls: Sequence[ModelCall]) -> float | None:
    total = sum_known([call.cost_usd for call in calls])
    if not total:
        return None
    return math.fsum(call.cost_usd or 0.0 for call in calls if call.role == "auxiliary") / total


def _models(calls: Sequence[ModelCall]) -> tuple[ModelRow, ...]:
    by_name: dict[str, list[ModelCall]] = {}
    for call in calls:
        by_name.setdefault(call.model or "unknown", []).append(call)
    return tuple(_model(name, by_name[name]) for name in sorted(by_name))


def _model(name: str, calls: Sequence[ModelCall]) -> ModelRow:
    return ModelRow(
        model=name,
        calls=len(calls),
        auxiliary=sum(call.role == "auxiliary" for call in calls),
        retries=sum(call.retry > 0 for call in calls),
        input_tokens=_total([call.usage.input_tokens for call in calls]),
        output_tokens=_total([call.usage.output_tokens for call in calls]),
        cost_usd=sum_known([call.cost_usd for call in calls]),
    )


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
