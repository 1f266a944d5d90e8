"""Rules, cases and trials that reports of scores are tried on."""

from __future__ import annotations

from typing import Any

from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Trial
from judgekit.process.score_records import ScoreReport
from judgekit.process.score_report import score_report
from judgekit.scorers.trial_scoring import score_trial
from judgekit.stats.estimate import Estimate


def rules(**given: Any) -> ScoringRules:
    return ScoringRules.model_validate({"schema": 1, "name": "desk", **given})


def case(name: str, **given: Any) -> Case:
    paths = (
        {"p": {"calls": [{"tool": tool} for tool in given.pop("calls")]}}
        if "calls" in given
        else {}
    )
    fields = {key: {"value": value} for key, value in given.pop("fields", {}).items()}
    return Case.model_validate({"id": name, "fields": fields, "paths": paths, **given})


def trial(name: str, *calls: str, number: int = 0, **given: Any) -> Trial:
    body = {"case_id": name, "number": number, "ending": "finished", **given}
    return Trial.model_validate({**body, "tool_calls": [{"name": one} for one in calls]})


def report_of(
    cases: list[Case], trials: list[Trial], chosen: ScoringRules | None = None
) -> ScoreReport:
    under = chosen or rules()
    known = {one.id: one for one in cases}
    scores = [score_trial(known[one.case_id or ""], one, under) for one in trials]
    return score_report(cases, scores, under)


def figure(statistic: object) -> tuple[float, int]:
    assert isinstance(statistic, Estimate)
    return statistic.value, statistic.n
