"""Synthetic trials: made here from given answers, costs and calls. No agent and no model ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgekit.model.agent import Limits, Scope, TrialSet
from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import ModelCall, Trial
from judgekit.model.trial_score import TrialScore
from judgekit.model.verdict import Usage
from judgekit.process.scored_set import RecordedSet, ScoredSet, score_set
from judgekit.scorers.trial_scoring import score_trial

RULES = ScoringRules.model_validate({"schema": 1, "name": "synthetic"})
CHECKS = ScoringRules.model_validate(
    {"schema": 1, "name": "synthetic", "correct_by": "checks", "fields": {"answer": {}}}
)


def case(name: str, expected: Any = "right", **more: Any) -> Case:
    """A case that expects the field `answer`; nothing where `expected` is None."""
    fields = {} if expected is None else {"answer": {"value": expected}}
    return Case.model_validate({"id": name, "fields": fields, **more})


def trial(name: str, number: int, right: bool | None = True, **more: Any) -> Trial:
    """A finished trial that answers right or wrong; None = the infrastructure failed."""
    if right is None:
        return Trial(case_id=name, number=number, ending="infrastructure", **more)
    body = {"ending": "finished", "final": {"answer": "right" if right else "wrong"}}
    return Trial(case_id=name, number=number, **{**body, **more})


def trials_of(answers: Mapping[str, Sequence[bool | None]], **more: Any) -> tuple[Trial, ...]:
    """The trials of each case with these answers, numbered from 0."""
    return tuple(
        trial(name, number, right, **more)
        for name, those in answers.items()
        for number, right in enumerate(those)
    )


def cases_of(names: Sequence[str] | Mapping[str, Any], **more: Any) -> tuple[Case, ...]:
    return tuple(case(name, **more) for name in names)


def scored(cases: Sequence[Case], trials: Sequence[Trial]) -> tuple[TrialScore, ...]:
    known = {one.id: one for one in cases}
    return tuple(score_trial(known[one.case_id or ""], one, CHECKS) for one in trials)


def call(
    tokens: int | None = None, *, model: str = "tiny-1", cost: float | None = None, **more: Any
) -> ModelCall:
    """A synthetic request to a model."""
    body = {"provider": "made-up", "usage": Usage(input_tokens=tokens, output_tokens=10)}
    return ModelCall(model=model, cost_usd=cost, **{**body, **more})


def no_prices(model: str, provider: str) -> None:
    """No model has a price."""


def recorded(
    name: str,
    answers: Mapping[str, Sequence[bool | None]],
    *,
    cost: float | None = None,
    made_of: TrialSet | None = None,
    **more: Any,
) -> RecordedSet:
    """One configuration, each trial at one cost."""
    trials = trials_of(answers, cost_usd=cost, **more)
    return RecordedSet(name, "sha256:0", cases_of(answers), trials, made_of)


def scored_set(one: RecordedSet) -> ScoredSet:
    return score_set(one, CHECKS, no_prices)


def set_of(**components: str | None) -> TrialSet:
    """What a synthetic set was made of."""
    return TrialSet(
        agent="synthetic",
        configuration=TrialSet.hash_of(components),
        components=components,
        k=4,
        seed="1",
        limits=Limits(),
        scope=Scope(),
        machine="none",
    )
