"""How many labels would decide: in all, of each class, at 80 % power."""

from __future__ import annotations

import math

from judgekit.calibration.conditions import Condition, Levels
from judgekit.model.base import Record
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Undefined
from judgekit.stats.intervals import LEAST_GROUPS, GroupedCounts, decision_n
from judgekit.stats.planning import least_n_without_errors, plan_kappa, plan_labels


class Needed(Record):
    """Human-fail and human-pass labels in all (present ones included) that would let this judge
    be approved with 80 % power if it goes on as it did."""

    human_fail: int
    human_pass: int


class Infeasible(Record):
    """Why no number of labels would do."""

    infeasible: str


def needed_labels(
    conditions: tuple[Condition, ...],
    *,
    fails: GroupedCounts,
    passes: GroupedCounts,
    confusion: Confusion,
    kappa_effect: float,
    levels: Levels,
) -> Needed | Infeasible:
    """Return the labels that every condition needs, or the first reason why none would do."""
    wanted = {"human_fail": fails.n, "human_pass": passes.n}
    for condition in conditions:
        if condition.outcome == "past_limit":
            return Infeasible(infeasible=f"rejected: {condition.sentence}")
        if condition.outcome == "safe":
            continue
        more = _needed(condition, fails, passes, confusion, kappa_effect, levels)
        if isinstance(more, Undefined):
            return Infeasible(infeasible=f"{condition.name}: {more.undefined}")
        for side, n in more.items():
            wanted[side] = max(wanted[side], n)
    return Needed(**wanted)


def _needed(
    condition: Condition,
    fails: GroupedCounts,
    passes: GroupedCounts,
    confusion: Confusion,
    kappa_effect: float,
    levels: Levels,
) -> dict[str, int] | Undefined:
    if condition.name == "false_pass_rate":
        return _side("human_fail", _rate_labels(fails, condition.limit, levels.approve))
    if condition.name == "false_fail_rate":
        return _side("human_pass", _rate_labels(passes, condition.limit, levels.approve))
    if condition.name in ("min_human_fail", "min_human_pass"):
        return {condition.name.removeprefix("min_"): int(condition.limit)}
    if condition.name == "kappa":
        return _kappa_labels(condition, fails, passes, confusion, kappa_effect, levels)
    if condition.name.startswith("failure_mode:"):
        lacking = int(condition.limit - (condition.value or 0))
        return {"human_fail": fails.n + max(0, lacking)}
    return Undefined(undefined="labels of this judge's items do not change it")


def _side(name: str, found: int | Undefined) -> dict[str, int] | Undefined:
    return found if isinstance(found, Undefined) else {name: found}


def _rate_labels(counts: GroupedCounts, limit: float, alpha: float) -> int | Undefined:
    if not counts.n:
        return least_n_without_errors(limit, alpha)
    plan = plan_labels((counts.x + 0.5) / (counts.n + 1), limit, alpha=alpha)
    if isinstance(plan, Undefined):
        return plan
    effective = decision_n(counts, alpha).n
    effect = counts.n / effective if effective else counts.assumed_design_effect
    least = math.ceil(LEAST_GROUPS * counts.n / counts.n_groups) if counts.grouped else 0
    return max(math.ceil(plan.n_stable * max(1.0, effect)), least, counts.n + 1)


def _kappa_labels(
    condition: Condition,
    fails: GroupedCounts,
    passes: GroupedCounts,
    confusion: Confusion,
    effect: float,
    levels: Levels,
) -> dict[str, int] | Undefined:
    if not fails.n or not passes.n:
        lacking = "human-fail" if not fails.n else "human-pass"
        return Undefined(undefined=f"kappa cannot be planned without a {lacking} label")
    found = plan_kappa(confusion, condition.limit, alpha=levels.approve)
    if isinstance(found, Undefined):
        return found
    total = max(math.ceil(found * max(1.0, effect)), confusion.n + 1)
    share = fails.n / (fails.n + passes.n)
    return {
        "human_fail": math.ceil(total * share),
        "human_pass": math.ceil(total * (1 - share)),
    }
