"""The conditions of a policy: each with its bounds, its outcome and one plain sentence."""

from __future__ import annotations

from typing import Any

from judgekit.model.base import Record
from judgekit.model.policy import Policy
from judgekit.stats.agreement import cohen_kappa, kappa_interval
from judgekit.stats.confusion import Confusion
from judgekit.stats.decision import Outcome, ceiling_outcome, floor_outcome
from judgekit.stats.estimate import Estimate, Statistic
from judgekit.stats.intervals import LEAST_GROUPS, GroupedCounts, Interval, rate_bounds

WORDS: dict[Outcome, str] = {
    "safe": "met",
    "undecided": "not decided by these labels",
    "past_limit": "broken",
}


class Levels(Record):
    """The error levels of one look: `approve` for every bound, `reject` is it divided by m."""

    approve: float
    reject: float


class Condition(Record):
    """One limit and what the evidence says about it.

    `bound_low` and `bound_high` are one-sided at `level`, `reject_bound` at `reject_level`.
    """

    name: str
    limit: float
    value: float | None
    bound_low: float | None = None
    bound_high: float | None = None
    level: float | None = None
    reject_bound: float | None = None
    reject_level: float | None = None
    outcome: Outcome
    sentence: str


def split_conditions(policy: Policy) -> int:
    """Return m: how many of false pass, false fail, kappa and human agreement are set."""
    limits = (
        policy.max_false_pass_rate,
        policy.max_false_fail_rate,
        policy.min_kappa,
        policy.min_human_agreement,
    )
    return sum(limit is not None for limit in limits)


def rate_condition(
    name: str, limit: float, counts: GroupedCounts, levels: Levels, *, of: str
) -> Condition:
    """Return the condition on a false-pass or false-fail rate; `of` names its denominator."""
    bounds = rate_bounds(counts, levels.approve)
    reject = rate_bounds(counts, levels.reject).low
    outcome = ceiling_outcome(limit, high=bounds.high, reject_low=reject)
    few = counts.grouped and counts.n_groups < LEAST_GROUPS
    if few and outcome == "safe":
        outcome = "undecided"
    value = counts.x / counts.n if counts.n else None
    return Condition(
        name=name,
        limit=limit,
        value=value,
        bound_low=bounds.low,
        bound_high=bounds.high,
        level=levels.approve,
        reject_bound=reject,
        reject_level=levels.reject,
        outcome=outcome,
        sentence=_rate_sentence(name, limit, counts, bounds, reject, levels, outcome, of, few),
    )


def _rate_sentence(
    name: str,
    limit: float,
    counts: GroupedCounts,
    bounds: Interval,
    reject: float,
    levels: Levels,
    outcome: Outcome,
    of: str,
    few: bool,
) -> str:
    words = name.replace("_", " ")
    if not counts.n:
        return (
            f"{words}: there are no {of} labels, so nothing can be said about the limit {limit:g}."
        )
    seen = f"{words}: {counts.x} of {counts.n} {of} ({counts.x / counts.n:.3f})"
    if outcome == "past_limit":
        sure = f"at least {reject:.3f} at level {levels.reject:.3g}"
    else:
        sure = f"at most {bounds.high:.3f} at level {levels.approve:.3g}"
    why = f"; only {counts.n_groups} groups, at least {LEAST_GROUPS} are needed" if few else ""
    return f"{seen}, {sure}, limit {limit:g}: {WORDS[outcome]}{why}."


def kappa_condition(confusion: Confusion, tables: Any, policy: Policy, levels: Levels) -> Condition:
    """Return the condition on kappa; an undefined kappa follows `on_undefined_kappa`."""
    limit = policy.min_kappa if policy.min_kappa is not None else 0.0
    kappa = cohen_kappa(confusion)
    if kappa.value is None:
        reject = policy.on_undefined_kappa == "reject" and confusion.n > 0
        outcome: Outcome = "past_limit" if reject else "undecided"
        sentence = f"kappa: undefined ({kappa.undefined}), limit {limit:g}: {WORDS[outcome]}."
        return Condition(
            name="kappa", limit=limit, value=None, outcome=outcome, sentence=sentence,
            level=levels.approve, reject_level=levels.reject,
        )  # fmt: skip
    at = kappa_interval(tables, levels.approve)
    reject_high = kappa_interval(tables, levels.reject).high
    sizes = tables.sum(axis=(1, 2))
    few = bool((sizes > 1).any()) and len(sizes) < LEAST_GROUPS
    return floor_condition(
        "kappa", limit, kappa.value, Interval(low=at.low, high=at.high), reject_high, levels, few
    )


def floor_condition(
    name: str,
    limit: float,
    value: float,
    bounds: Interval,
    reject_high: float,
    levels: Levels,
    few_groups: bool = False,
) -> Condition:
    """Return the condition on something that must be high enough."""
    outcome = floor_outcome(limit, low=bounds.low, reject_high=reject_high)
    if few_groups and outcome == "safe":
        outcome = "undecided"
    if outcome == "past_limit":
        sure = f"at most {reject_high:.3f} at level {levels.reject:.3g}"
    else:
        sure = f"at least {bounds.low:.3f} at level {levels.approve:.3g}"
    why = f"; fewer than {LEAST_GROUPS} groups" if few_groups else ""
    words = name.replace("_", " ")
    return Condition(
        name=name,
        limit=limit,
        value=value,
        bound_low=bounds.low,
        bound_high=bounds.high,
        level=levels.approve,
        reject_bound=reject_high,
        reject_level=levels.reject,
        outcome=outcome,
        sentence=f"{words}: {value:.3f}, {sure}, least wanted {limit:g}: {WORDS[outcome]}{why}.",
    )


def human_condition(
    name: str, limit: float, seen: Statistic, at: Statistic, at_reject: Statistic, levels: Levels
) -> Condition:
    """Return the condition on human-human agreement from one-sided estimates at both levels."""
    if (
        not isinstance(seen, Estimate)
        or not isinstance(at, Estimate)
        or not isinstance(at_reject, Estimate)
        or at.low is None
        or at.high is None
        or at_reject.high is None
    ):
        reason = getattr(seen, "undefined", "no interval exists")
        words: Outcome = "undecided"
        sentence = f"human agreement: {reason}, least wanted {limit:g}: {WORDS[words]}."
        return Condition(name=name, limit=limit, value=None, outcome=words, sentence=sentence)
    bounds = Interval(low=at.low, high=at.high)
    return floor_condition(name, limit, seen.value, bounds, at_reject.high, levels)


def cap_condition(name: str, cap: float, counts: GroupedCounts, levels: Levels) -> Condition:
    """Return the condition on a share that is capped: the observed share blocks approval, only
    its lower bound rejects."""
    words = name.replace("_", " ")
    if not counts.n:
        sentence = f"{words}: nothing to measure it on, cap {cap:g}: {WORDS['undecided']}."
        return Condition(name=name, limit=cap, value=None, outcome="undecided", sentence=sentence)
    share, low = counts.x / counts.n, rate_bounds(counts, levels.approve).low
    outcome = ceiling_outcome(cap, high=share, reject_low=low)
    return Condition(
        name=name,
        limit=cap,
        value=share,
        bound_low=low,
        bound_high=rate_bounds(counts, levels.approve).high,
        level=levels.approve,
        reject_bound=low,
        reject_level=levels.approve,
        outcome=outcome,
        sentence=f"{words}: {counts.x} of {counts.n} ({share:.3f}), cap {cap:g}: {WORDS[outcome]}.",
    )


def count_condition(name: str, least: int, found: int, *, of: str) -> Condition:
    """Return the condition that at least so many labels exist; it can only withhold approval."""
    outcome: Outcome = "safe" if found >= least else "undecided"
    sentence = f"{of}: {found} labels, at least {least} wanted: {WORDS[outcome]}."
    return Condition(name=name, limit=least, value=found, outcome=outcome, sentence=sentence)
