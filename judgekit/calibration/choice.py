"""Choose one judge on a selection split."""

from __future__ import annotations

from judgekit.calibration.comparison import Choice, ChoiceRule, Stage
from judgekit.calibration.report import CalibrationReport
from judgekit.stats.estimate import Estimate

RULES: dict[ChoiceRule, str] = {
    "youden": "the highest Youden's J (1 minus both error rates)",
    "false_pass_rate": "the lowest false-pass rate",
    "false_fail_rate": "the lowest false-fail rate",
    "cost": "the lowest cost with a false-pass rate within the margin of the baseline's",
}


def choose(
    stage: Stage, rule: ChoiceRule, *, baseline: str | None = None, margin: float | None = None
) -> Choice:
    """Return the judge that is best by `rule` on the stage's items.

    The rule reads point values, items without an answer counted against the judge: it chooses, it
    does not decide. Among equals the cheaper one wins
    where both costs are known, else the one named first. A judge without both error rates cannot
    be chosen, one without a known cost cannot win by cost.
    """
    scores = {one.judge: _score(one.figures, rule) for one in stage.candidates}
    known = {name: score for name, score in scores.items() if score is not None}
    costs = {
        one.judge: one.usd_per_1000.value
        for one in stage.candidates
        if isinstance(one.usd_per_1000, Estimate)
    }
    if rule == "cost":
        known = _within(stage, known, costs, baseline, margin or 0.0)
    if not known:
        return Choice(rule=rule, winner=None, sentence="No judge could be chosen: " + _why(stage))
    order = list(scores)
    winner = min(
        known, key=lambda name: (known[name], costs.get(name, float("inf")), order.index(name))
    )
    return Choice(rule=rule, winner=winner, sentence=_sentence(stage, rule, winner, len(known)))


def _within(
    stage: Stage,
    known: dict[str, float],
    costs: dict[str, float],
    baseline: str | None,
    margin: float,
) -> dict[str, float]:
    """Return the costs of the judges whose false-pass rate is within the margin."""
    if baseline is None or baseline not in known:
        return {}
    rates = {name: _score(stage.candidate(name).figures, "false_pass_rate") for name in known}
    limit = (rates[baseline] or 0.0) + margin
    near = [name for name in known if (rates[name] or 0.0) <= limit]
    return {name: costs[name] for name in near if name in costs}


def _score(report: CalibrationReport, rule: ChoiceRule) -> float | None:
    """Return what the rule makes small; None where an error rate is undefined."""
    fpr, fnr = report.worst_case_false_pass_rate, report.worst_case_false_fail_rate
    if not isinstance(fpr, Estimate) or not isinstance(fnr, Estimate):
        return None
    if rule == "false_pass_rate":
        return fpr.value
    return fnr.value if rule == "false_fail_rate" else fpr.value + fnr.value


def _why(stage: Stage) -> str:
    return (
        f"on {stage.split or 'these items'} no judge has both error rates"
        " (and, where the rule is cost, a known cost within the margin)."
    )


def _sentence(stage: Stage, rule: ChoiceRule, winner: str, among: int) -> str:
    where = stage.split or "these items"
    return (
        f"{winner} was chosen among {among} judges on {where} by {RULES[rule]}; items without an"
        " answer count against a judge."
    )
