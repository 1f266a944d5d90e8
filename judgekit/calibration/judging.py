"""From counts to conditions: every limit of a policy at the level that a look allows."""

from __future__ import annotations

from judgekit.calibration.arrival import HUMAN, anytime_condition
from judgekit.calibration.conditions import (
    WORDS,
    Condition,
    Levels,
    cap_condition,
    count_condition,
    human_condition,
    kappa_condition,
    rate_condition,
    split_conditions,
    weighted_kappa_condition,
)
from judgekit.calibration.looks import LookState
from judgekit.calibration.needed import Infeasible, Needed, needed_labels
from judgekit.calibration.shares import share_of
from judgekit.calibration.subject import Subject
from judgekit.model.policy import Policy
from judgekit.stats.agreement import disagreement_effect
from judgekit.stats.confusion import PASS_FAIL
from judgekit.stats.intervals import GroupedCounts


def levels_of(
    subject: Subject, look: LookState | None, *, divisor: int = 1, family: int = 1
) -> Levels:
    """Return the levels of one look.

    Approval: alpha, by `max_looks` for a planned look (times its share for an anytime test), by
    `divisor` for Holm's rule over a family. Rejection: divided once more by the number of split
    conditions, and by the whole family.
    """
    heading = subject.heading
    spent = heading.alpha
    if look is not None and look.share is not None:
        spent = heading.alpha * look.share
    elif look is not None or heading.filling:
        spent = heading.alpha / heading.max_looks
    m = split_conditions(heading.policy) if heading.policy else 1
    note = f", Holm over {family} units: 1/{divisor} of {spent:.3g}" if family > 1 else ""
    return Levels(
        approve=spent / divisor, reject=spent / max(1, m) / max(family, divisor), note=note
    )


def conditions_of(subject: Subject, levels: Levels) -> tuple[Condition, ...]:
    """Return every condition of the policy, none without a policy."""
    policy = subject.heading.policy
    if policy is None:
        return ()
    found = list(_rates(subject, policy, levels))
    if policy.min_kappa is not None:
        found.append(_kappa(subject, policy, levels))
    if policy.min_human_agreement is not None:
        found.append(_human(subject, policy, levels))
    return (*found, *_caps(subject, policy, levels), *_counts(subject, policy))


def _rates(subject: Subject, policy: Policy, levels: Levels) -> list[Condition]:
    found = []
    for name, human in HUMAN.items():
        limit: float | None = getattr(policy, f"max_{name}")
        if limit is not None:
            found.append(_rate(subject, name, limit, human, levels))
    return found


def _rate(subject: Subject, name: str, limit: float, human: str, levels: Levels) -> Condition:
    of = f"human-{human}"
    if subject.anytime:
        return anytime_condition(name, limit, subject.arrived.errors[human], levels, of=of)
    tables, weight = subject.tables, subject.sampling.judge_pass_share
    careful = None
    if tables.n_unresolved and tables.labels == PASS_FAIL:
        careful = share_of(tables.pessimistic(human), human, weight)
    share = share_of(tables, human, weight)
    return rate_condition(name, limit, share, levels, of=of, pessimistic=careful)


def _kappa(subject: Subject, policy: Policy, levels: Levels) -> Condition:
    tables, weight = subject.tables, subject.sampling.judge_pass_share
    if weight is not None:
        return weighted_kappa_condition(tables, policy, levels, weight)
    return kappa_condition(tables.confusion, tables.by_group, policy, levels)


def _human(subject: Subject, policy: Policy, levels: Levels) -> Condition:
    wanted = policy.min_human_agreement
    assert wanted is not None  # the caller asked
    seen, at, reject = (
        getattr(subject.humans(tail), wanted.statistic)
        for tail in (subject.heading.alpha / 2, levels.approve, levels.reject)
    )
    return human_condition(f"human_{wanted.statistic}", wanted.limit, seen, at, reject, levels)


def _caps(subject: Subject, policy: Policy, levels: Levels) -> list[Condition]:
    found = []
    if policy.max_unscored_rate is not None:
        counts = subject.without_answer()
        found.append(_cap(subject, "unscored_rate", policy.max_unscored_rate, counts, levels))
    if policy.max_unsupported_evidence_rate is not None:
        name, cap = "unsupported_evidence_rate", policy.max_unsupported_evidence_rate
        found.append(_cap(subject, name, cap, subject.unsupported, levels))
    return found


def _cap(
    subject: Subject, name: str, cap: float, counts: GroupedCounts, levels: Levels
) -> Condition:
    if subject.caps_unknown and counts.n:
        sentence = (
            f"{name.replace('_', ' ')}: labels drawn by verdict cannot say it without the verdicts "
            f"on all items, cap {cap:g}: {WORDS['undecided']}."
        )
        return Condition(name=name, limit=cap, value=None, outcome="undecided", sentence=sentence)
    found = cap_condition(name, cap, counts, levels)
    if subject.anytime and found.outcome == "past_limit":
        # A bound for one look must not reject at any time; the observed share still blocks.
        return found.model_copy(
            update={"outcome": "undecided", "sentence": found.sentence.replace("broken", "open")}
        )
    return found


def _counts(subject: Subject, policy: Policy) -> list[Condition]:
    found = []
    for human in ("fail", "pass"):
        least: int | None = getattr(policy, f"min_human_{human}")
        if least is not None:
            n = subject.tables.errors_among(human).n
            found.append(count_condition(f"min_human_{human}", least, n, of=f"human {human}"))
    if policy.min_per_failure_mode is not None:
        least = policy.min_per_failure_mode
        for mode, counts in subject.modes:
            name = f"failure_mode:{mode}"
            found.append(count_condition(name, least, counts.n, of=f"failure mode {mode}"))
    return found


def labels_needed(
    subject: Subject, conditions: tuple[Condition, ...], levels: Levels
) -> Needed | Infeasible | None:
    """Return the labels that would decide, None without conditions."""
    if not conditions:
        return None
    if subject.sampling.judge_pass_share is not None:
        return Infeasible(
            infeasible="labels drawn by verdict are planned with `judgekit plan`, not from here"
        )
    by_group = subject.tables.by_group
    grouped = len(by_group) and bool((by_group.sum(axis=(1, 2)) > 1).any())
    return needed_labels(
        conditions,
        fails=subject.tables.errors_among("fail"),
        passes=subject.tables.errors_among("pass"),
        confusion=subject.tables.confusion,
        kappa_effect=disagreement_effect(by_group) if grouped else 1.0,
        levels=levels,
    )
