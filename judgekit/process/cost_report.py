"""What trials cost: every call, retry and auxiliary call, by case and by model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

import numpy as np

from judgekit.model.trial import ModelCall, Trial
from judgekit.model.verdict import Usage
from judgekit.process.process_records import CostReport, ModelRow
from judgekit.stats.cost import cost_per_correct

Price = Callable[[Usage], float | None]
Prices = Callable[[str, str], Price | None]
"""`prices(model, provider)` returns the price of a usage, or None where none is listed."""
_SEED = 20261130


def priced(trial: Trial, prices: Prices) -> Trial:
    """Return the trial with the cost of each model call, and of the whole where all are known.

    What the recording says wins; an unknown price stays unknown and is never 0.
    """
    if trial.model_calls is None:
        return trial
    calls = tuple(_priced(call, prices) for call in trial.model_calls)
    total = trial.cost_usd
    if total is None and calls and all(call.cost_usd is not None for call in calls):
        total = sum(call.cost_usd or 0.0 for call in calls)
    return trial.model_copy(update={"model_calls": calls, "cost_usd": total})


def cost_report(trials: Sequence[Trial], correct: Sequence[bool | None]) -> CostReport:
    """Return what the trials cost; `correct` tells which of them were (None counts as not)."""
    by_case = _by_case(trials, correct)
    known = {case: rows for case, rows in by_case.items() if all(c is not None for c, _ in rows)}
    costs = [_mean([c or 0.0 for c, _ in rows]) for rows in known.values()]
    shares = [_mean([float(ok) for _, ok in rows]) for rows in known.values()]
    figures = cost_per_correct(costs, shares, rng=np.random.default_rng(_SEED))
    spent = [trial.cost_usd for trial in trials if trial.cost_usd is not None]
    calls = [call for trial in trials for call in trial.model_calls or ()]
    turns = [len(_agent_calls(trial)) for trial in trials if trial.model_calls is not None]
    return CostReport(
        n_trials=len(trials),
        n_unknown=len(trials) - len(spent),
        cases_unknown=len(by_case) - len(known),
        total_usd=sum(spent) if spent else None,
        median_usd=figures.median,
        p95_usd=figures.p95,
        mean_usd=figures.mean,
        per_correct=figures.per_correct,
        auxiliary_share=_auxiliary(calls),
        iterations_median=median(turns) if turns else None,
        iterations_max=max(turns) if turns else None,
        input_growth=_growth(trials),
        finish_reasons=dict(sorted(Counter(c.finish_reason or "unknown" for c in calls).items())),
        models=_models(calls),
    )


def _priced(call: ModelCall, prices: Prices) -> ModelCall:
    if call.cost_usd is not None or call.model is None:
        return call
    price = prices(call.model, call.provider or "")
    cost = None if price is None else price(call.usage)
    return call if cost is None else call.model_copy(update={"cost_usd": cost})


def _by_case(
    trials: Sequence[Trial], correct: Sequence[bool | None]
) -> Mapping[str, list[tuple[float | None, bool]]]:
    found: dict[str, list[tuple[float | None, bool]]] = {}
    for trial, answer in zip(trials, correct, strict=True):
        found.setdefault(trial.case_id or "", []).append((trial.cost_usd, answer is True))
    return found


def _agent_calls(trial: Trial) -> list[ModelCall]:
    return [call for call in trial.model_calls or () if call.role == "agent" and not call.retry]


def _growth(trials: Iterable[Trial]) -> float | None:
    ratios = []
    for trial in trials:
        tokens = [call.usage.input_tokens for call in _agent_calls(trial)]
        if len(tokens) > 1 and tokens[0] and tokens[-1] is not None:
            ratios.append(tokens[-1] / tokens[0])
    return median(ratios) if ratios else None


def _auxiliary(calls: Sequence[ModelCall]) -> float | None:
    known = [call for call in calls if call.cost_usd is not None]
    total = sum(call.cost_usd or 0.0 for call in known)
    if not total or len(known) < len(calls):
        return None
    return sum(call.cost_usd or 0.0 for call in known if call.role == "auxiliary") / total


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
        cost_usd=_spent([call.cost_usd for call in calls]),
    )


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _spent(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
