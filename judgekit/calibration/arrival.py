"""The anytime test: human labels in the order they arrived, and whether it may be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import Field

from judgekit.calibration.conditions import WORDS, Condition, Levels
from judgekit.calibration.design import RANDOM, Sampling
from judgekit.calibration.pairing import Pair
from judgekit.model.base import Record
from judgekit.model.label import Label
from judgekit.model.policy import Policy
from judgekit.stats.decision import Outcome

HUMAN = {"false_pass_rate": "fail", "false_fail_rate": "pass"}


class Arrivals(Record):
    """Whether the judge erred, by human answer, in the order the labels arrived.

    `refused` says why the anytime test cannot be used; None where it can.
    """

    errors: dict[str, tuple[int, ...]] = Field(default_factory=dict)
    refused: str | None = None


def arrivals(
    pairs: Sequence[Pair], labels: Sequence[Label], sampling: Sampling, policy: Policy | None
) -> Arrivals:
    """Return the pairs in order of arrival, or why they are no sequence for an anytime test.

    An item arrives when its last label was given.
    """
    reason = _refused(pairs, labels, sampling, policy)
    if reason is not None:
        return Arrivals(refused=reason)
    last: dict[str, datetime] = {}
    for label in labels:
        assert label.labelled_at is not None  # _refused looked
        last[label.item_id] = max(last.get(label.item_id, label.labelled_at), label.labelled_at)
    ordered = sorted(pairs, key=lambda p: (last[p.item_id], p.item_id))
    return Arrivals(
        errors={
            human: tuple(int(p.judge != human) for p in ordered if p.human == human)
            for human in HUMAN.values()
        }
    )


def _refused(
    pairs: Sequence[Pair], labels: Sequence[Label], sampling: Sampling, policy: Policy | None
) -> str | None:
    if policy is None:
        return "no limit was set"
    if policy.min_kappa is not None or policy.min_human_agreement is not None:
        return "kappa and human agreement have no anytime bound"
    if sampling.kind != RANDOM or not sampling.declared:
        return "the labels are not declared `design: random`"
    items = Counter(p.item_id for p in pairs)
    if any(n > 1 for n in items.values()):
        return "an item counts more than once"
    if any(n > 1 for n in Counter(p.group for p in pairs).values()):
        return "items come in groups"
    lacking = sum(label.labelled_at is None for label in labels if label.item_id in items)
    if lacking:
        return f"{lacking} labels do not say when they were given (`labelled_at`)"
    return None


def anytime_condition(
    name: str, limit: float, errors: Sequence[int], levels: Levels, *, of: str
) -> Condition:
    """Return the condition on an error rate from the running e-values (Ville's inequality)."""
    from math import exp, log

    x, n = sum(errors), len(errors)
    approve, reject = running_evidence(errors, limit)
    outcome: Outcome = "safe" if approve >= log(1 / levels.approve) else "undecided"
    if reject >= log(1 / levels.reject):
        outcome = "past_limit"
    level = levels.reject if outcome == "past_limit" else levels.approve
    best = exp(min(50.0, reject if outcome == "past_limit" else approve))
    seen = f"{x} of {n} {of} ({x / n:.3f})" if n else f"no {of} labels"
    note = "" if outcome == "past_limit" else levels.note
    sentence = (
        f"{name.replace('_', ' ')}: {seen}, largest e-value {best:.3g} where {1 / level:.3g} "
        f"decides (any time, level {level:.3g}{note}), limit {limit:g}: {WORDS[outcome]}."
    )
    return Condition(
        name=name,
        limit=limit,
        value=x / n if n else None,
        level=levels.approve,
        reject_level=levels.reject,
        outcome=outcome,
        sentence=sentence,
    )


def running_evidence(errors: Sequence[int], limit: float) -> tuple[float, float]:
    """Return the largest log e-values so far against rate >= limit and against rate <= limit."""
    import numpy as np

    from judgekit.stats.sequential import log_e_values

    n = np.arange(len(errors) + 1)
    x: Any = np.concatenate([[0], np.cumsum(np.asarray(errors, dtype=int))])
    approve, reject = log_e_values(x, n, limit)
    return float(approve.max()), float(reject.max())
