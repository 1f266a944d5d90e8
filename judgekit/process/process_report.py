"""The four axes over recorded trials: quality, cost, tools, temperature; and what compares them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from judgekit.errors import UsageError
from judgekit.model.agent import TrialSet
from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Trial
from judgekit.model.trial_score import TrialScore
from judgekit.model.verdict import Usage
from judgekit.process.cost_report import Prices, cost_report, priced
from judgekit.process.process_records import (
    Advisory,
    Configuration,
    PricePair,
    ProcessReport,
    SplitRow,
)
from judgekit.process.rates import share
from judgekit.process.reliability import latency_report, temperature_report, tool_reliability
from judgekit.process.repeat_report import repeat_report
from judgekit.process.routing import DEFAULT_MARGIN, Tier, routing
from judgekit.process.score_report import score_report
from judgekit.scorers.trial_scoring import correctness, score_trial
from judgekit.stats.estimate import Estimate, Statistic

CERTIFIES_FROM = 100
"""Below this many cases a report ranks configurations and certifies none."""
_PROBE = Usage(input_tokens=1_000_000, output_tokens=250_000)
"""The mix of tokens at which list prices are compared."""


class Measured(NamedTuple):
    """One configuration as it is read: its name, file, cases, trials and what it was made with."""

    name: str
    file_hash: str
    cases: tuple[Case, ...]
    trials: tuple[Trial, ...]
    made_of: TrialSet | None = None


class Worked(NamedTuple):
    """A configuration with the scores of its trials."""

    measured: Measured
    trials: tuple[Trial, ...]
    scores: tuple[TrialScore, ...]
    answers: tuple[bool | None, ...]
    configuration: Configuration


def process_report(
    measured: Sequence[Measured],
    rules: ScoringRules,
    prices: Prices,
    *,
    margin: float = DEFAULT_MARGIN,
    advisory: Sequence[Advisory] = (),
) -> ProcessReport:
    """Return the report over one or more configurations.

    Raises:
        UsageError: there is none, or two have one name.
        InputError: a configuration has no trial.
    """
    names = [one.name for one in measured]
    if not measured or len(set(names)) != len(names):
        raise UsageError(
            "each configuration needs a name of its own", found=", ".join(names) or "none"
        )
    worked = [work(one, rules, prices) for one in measured]
    configurations = [one.configuration for one in worked]
    groups = [[score.group for score in one.scores] for one in worked]
    n_cases = min(one.repeat.n_cases for one in configurations)
    return ProcessReport(
        configurations=tuple(configurations),
        price_pairs=_price_pairs(worked, prices),
        temperature=temperature_report(configurations, [one.trials for one in worked], groups),
        routing=routing(configurations, _step_tiers(worked), margin=margin),
        splits=tuple(row for one in worked if (row := _split(one)) is not None),
        advisory=tuple(advisory),
        ranks_only=n_cases < CERTIFIES_FROM,
        notes=_notes(n_cases, worked),
    )


def work(one: Measured, rules: ScoringRules, prices: Prices) -> Worked:
    """Return a configuration with its trials priced and scored."""
    known = {case.id: case for case in one.cases}
    trials = tuple(priced(trial, prices) for trial in one.trials)
    scores = tuple(score_trial(known[trial.case_id or ""], trial, rules) for trial in trials)
    answers = correctness(scores, rules).answers
    groups = [score.group for score in scores]
    configuration = Configuration(
        name=one.name,
        file_hash=one.file_hash,
        score=score_report(one.cases, scores, rules),
        repeat=repeat_report(one.name, one.cases, trials, scores, rules, made_of=one.made_of),
        cost=cost_report(trials, answers),
        tools=tool_reliability(trials, groups),
        latency=latency_report(trials),
    )
    return Worked(one, trials, scores, answers, configuration)


def _price_pairs(worked: Sequence[Worked], prices: Prices) -> tuple[PricePair, ...]:
    found = []
    for one, other in combinations(worked, 2):
        listed = _ratio(_list_price(one, prices), _list_price(other, prices))
        measured = _ratio(one.configuration.cost.mean_usd, other.configuration.cost.mean_usd)
        if listed is None and measured is None:
            continue
        inverted = listed is not None and measured is not None and (listed - 1) * (measured - 1) < 0
        found.append(
            PricePair(
                first=one.measured.name,
                second=other.measured.name,
                listed_ratio=listed,
                measured_ratio=measured,
                inverted=inverted,
            )
        )
    return tuple(found)


def _list_price(one: Worked, prices: Prices) -> float | None:
    """Return the list price of a fixed mix of tokens for the one model of the agent's calls."""
    calls = [call for trial in one.trials for call in trial.model_calls or ()]
    models = {(c.model, c.provider or "") for c in calls if c.role == "agent" and c.model}
    if len(models) != 1:
        return None
    model, provider = models.pop()
    price = prices(model or "", provider)
    return None if price is None else price(_PROBE)


def _ratio(one: float | None, other: float | None) -> float | None:
    return None if one is None or not other else one / other


def _step_tiers(worked: Sequence[Worked]) -> dict[str, list[Tier]]:
    """Return, for each step, the cost of its model calls and its pass rate by configuration."""
    found: dict[str, list[Tier]] = {}
    for one in worked:
        for row in one.configuration.score.steps:
            cost = _step_cost(one.trials, row.step)
            if isinstance(row.passed, Estimate):
                tier = Tier(one.measured.name, cost, row.passed, row.n)
                found.setdefault(row.step, []).append(tier)
    return {step: tiers for step, tiers in found.items() if len(tiers) > 1}


def _step_cost(trials: Sequence[Trial], step: str) -> float | None:
    calls = [call for trial in trials for call in trial.model_calls or () if call.step == step]
    if not calls or any(call.cost_usd is None for call in calls):
        return None
    return sum(call.cost_usd or 0.0 for call in calls) / len(trials)


def _split(one: Worked) -> SplitRow | None:
    sides: dict[str, Statistic] = {}
    for name in ("development", "holdout"):
        rows = [
            (score.group, answer is True)
            for score, answer in zip(one.scores, one.answers, strict=True)
            if score.split == name
        ]
        if not rows:
            return None
        sides[name] = share(rows, "no trial")
    return SplitRow(
        configuration=one.measured.name,
        development=sides["development"],
        holdout=sides["holdout"],
        divergence=_divergence(sides["development"], sides["holdout"]),
    )


def _divergence(development: Statistic, holdout: Statistic) -> str | None:
    if not isinstance(development, Estimate) or not isinstance(holdout, Estimate):
        return None
    if None in (development.low, holdout.high) or (development.low or 0) <= (holdout.high or 1):
        return None
    return (
        f"development {development.value:.3f} is above holdout {holdout.value:.3f}, and their "
        "intervals do not meet: the agent was fitted to the development cases"
    )


def _notes(n_cases: int, worked: Sequence[Worked]) -> tuple[str, ...]:
    notes = []
    if n_cases < CERTIFIES_FROM:
        notes.append(
            f"{n_cases} cases: this ranks configurations and certifies none "
            f"(from {CERTIFIES_FROM} on)"
        )
    for one in worked:
        unknown = one.configuration.cost.n_unknown
        if unknown:
            notes.append(
                f"{one.measured.name}: the cost of {unknown} of {len(one.trials)} trials is not "
                "known; they are not counted as free"
            )
    return tuple(notes)
