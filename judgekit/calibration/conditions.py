"""The conditions of a policy: each with its bounds, its outcome and one plain sentence."""

from __future__ import annotations

from typing import Any

from judgekit.calibration.shares import Share
from judgekit.calibration.tables import Tables
from judgekit.calibration.weighted import weighted_statistic
from judgekit.model.base import Record
from judgekit.model.policy import Policy
from judgekit.stats.agreement import cohen_kappa, kappa_interval, kappa_of_shares
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
    """The error levels of one look: `approve` for every bound, `reject` for rejecting.

    `note` says in a sentence why the level is what it is (Holm's rule), empty where nothing is to
    be said.
    """

    approve: float
    reject: float
    note: str = ""


class Condition(Record):
    """One limit and what the evidence says about it.

    `bound_low` and `bound_high` are one-sided at `level`, `reject_bound` at `reject_level`.
    `pessimistic_bound` is the upper bound at `level` with ties and unsure counted as errors; None
    where there are none. It decides nothing.
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
    pessimistic_bound: float | None = None


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
    name: str,
    limit: float,
    share: Share,
    levels: Levels,
    *,
    of: str,
    pessimistic: Share | None = None,
) -> Condition:
    """Return the condition on a false-pass or false-fail rate; `of` names its denominator.

    `pessimistic` is the same rate with ties and unsure counted as errors.
    """
    bounds = share.bounds(levels.approve)
    reject = share.bounds(levels.reject).low
    outcome = ceiling_outcome(limit, high=bounds.high, reject_low=reject)
    if share.few_groups is not None and outcome == "safe":
        outcome = "undecided"
    careful = pessimistic.bounds(levels.approve).high if pessimistic is not None else None
    found = Condition(
        name=name,
        limit=limit,
        value=share.value,
        bound_low=bounds.low,
        bound_high=bounds.high,
        level=levels.approve,
        reject_bound=reject,
        reject_level=levels.reject,
        outcome=outcome,
        sentence="",
        pessimistic_bound=careful,
    )
    return found.model_copy(update={"sentence": _rate_sentence(found, share, levels, of)})


def _rate_sentence(found: Condition, share: Share, levels: Levels, of: str) -> str:
    words = found.name.replace("_", " ")
    if share.value is None:
        return (
            f"{words}: there are no {of} labels, so nothing can be said about the limit "
            f"{found.limit:g}."
        )
    if found.outcome == "past_limit":
        sure = f"at least {found.reject_bound:.3f} at level {levels.reject:.3g}"
    else:
        sure = f"at most {found.bound_high:.3f} at level {levels.approve:.3g}{levels.note}"
    few = share.few_groups
    why = "" if few is None else f"; only {few} groups, at least {LEAST_GROUPS} are needed"
    if found.pessimistic_bound is not None:
        why += f"; with ties and unsure counted as errors at most {found.pessimistic_bound:.3f}"
    seen, limit = f"{words}: {share.seen}", f"limit {found.limit:g}"
    return f"{seen}, {sure}, {limit}: {WORDS[found.outcome]}{why}."


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


def weighted_kappa_condition(tables: Tables, policy: Policy, levels: Levels, w: float) -> Condition:
    """Return the condition on kappa from labels drawn by verdict, `w` the share of judge passes."""
    limit = policy.min_kappa if policy.min_kappa is not None else 0.0
    at, reject = (
        weighted_statistic(tables, tail, w, kappa_of_shares)
        for tail in (levels.approve, levels.reject)
    )
    sizes = tables.by_group.sum(axis=(1, 2))
    few = bool((sizes > 1).any()) and len(sizes) < LEAST_GROUPS
    return human_condition("kappa", limit, at, at, reject, levels, few_groups=few)


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
        sure = f"at least {bounds.low:.3f} at level {levels.approve:.3g}{levels.note}"
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
    name: str,
    limit: float,
    seen: Statistic,
    at: Statistic,
    at_reject: Statistic,
    levels: Levels,
    *,
    few_groups: bool = False,
) -> Condition:
    """Return the condition on an agreement from one-sided estimates at both levels."""
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
        subject = "human agreement" if name.startswith("human_") else name
        sentence = f"{subject}: {reason}, least wanted {limit:g}: {WORDS[words]}."
        return Condition(name=name, limit=limit, value=None, outcome=words, sentence=sentence)
    bounds = Interval(low=at.low, high=at.high)
    return floor_condition(name, limit, seen.value, bounds, at_reject.high, levels, few_groups)


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
