"""The gate's rule (DESIGN section 6): one-sided bounds on the raw pass rate, groups respected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from judgekit.errors import UsageError
from judgekit.gate.report import GateCondition, ItemOutcome, ItemResult, Outcome
from judgekit.model.base import Record
from judgekit.model.policy import GatePolicy, Policy
from judgekit.stats.intervals import LEAST_GROUPS, GroupedCounts, Interval, rate_bounds

ROUNDING = 1e-12
"""Bounds this near a limit lie on it."""


class GateDecision(Record):
    """The outcome with its conditions and reasons; `warning` = inconclusive, let through."""

    outcome: Outcome
    conditions: tuple[GateCondition, ...]
    reasons: tuple[str, ...]
    warning: bool = False


def check_limits(gate: GatePolicy, baseline: float | None, known: frozenset[str]) -> None:
    """Refuse a policy that says nothing, or names what the suite does not have.

    Raises:
        UsageError: no limit is set, max_drop without a baseline, or an unknown must_pass name.
    """
    if gate.min_pass_rate is None and gate.max_drop is None and not gate.must_pass:
        raise UsageError(
            "the policy has no gate limits, so there is nothing to decide",
            where="judgekit.yaml: policies",
            expected="gate: min_pass_rate, max_drop or must_pass",
        )
    if gate.max_drop is not None and baseline is None:
        raise UsageError(
            "the policy limits the drop against a baseline and none was given",
            mend="give --baseline FILE, the --json output of an earlier gate",
        )
    unknown = sorted(set(gate.must_pass) - known)
    if unknown:
        raise UsageError(
            f"must_pass names {unknown[0]!r}, which is neither a grader nor an item here",
            found=", ".join(unknown),
        )


def decide(items: Sequence[ItemResult], policy: Policy, baseline: float | None) -> GateDecision:
    """Return the gate's decision over item results.

    Items without an answer because the outside failed end it as an outage exactly when their
    answers could have changed it: with all of them passed, or all of them failed.
    """
    result = _decide(items, policy, baseline)
    lost = sum(i.outcome == "outage" for i in items)
    if not lost:
        return result
    answers: tuple[ItemOutcome, ...] = ("passed", "failed")
    supposed = {_decide(_suppose(items, a), policy, baseline).outcome for a in answers}
    if supposed == {result.outcome}:
        return result
    return result.model_copy(
        update={
            "outcome": "outage",
            "warning": False,
            "reasons": (f"{lost} items got no answer from the provider", *result.reasons),
        }
    )


def _suppose(items: Sequence[ItemResult], outcome: ItemOutcome) -> list[ItemResult]:
    return [
        i.model_copy(update={"outcome": outcome}) if i.outcome == "outage" else i for i in items
    ]


def _decide(items: Sequence[ItemResult], policy: Policy, baseline: float | None) -> GateDecision:
    conditions = tuple(_conditions(items, policy, baseline))
    reasons = [c.sentence for c in conditions if c.outcome != "passed"]
    outcomes = {c.outcome for c in conditions}
    held = sum(i.consequential and i.outcome == "review" for i in items)
    scored = sum(i.outcome in ("passed", "failed") for i in items)
    if "failed" in outcomes:
        return GateDecision(outcome="failed", conditions=conditions, reasons=tuple(reasons))
    if held:
        reasons.append(f"{held} consequential items wait for a person: a judge alone cannot pass")
    if not scored:
        reasons.append("no item got an answer")
    if not reasons:
        return GateDecision(outcome="passed", conditions=conditions, reasons=())
    waived = policy.gate.on_inconclusive == "pass_with_warning" and scored and not held
    return GateDecision(
        outcome="passed" if waived else "inconclusive",
        conditions=conditions,
        reasons=tuple(reasons),
        warning=bool(waived),
    )


def _conditions(
    items: Sequence[ItemResult], policy: Policy, baseline: float | None
) -> list[GateCondition]:
    gate, level = policy.gate, round(1 - policy.confidence, 12)
    found: list[GateCondition] = []
    if gate.min_pass_rate is not None:
        found.append(_rate_condition("min_pass_rate", gate.min_pass_rate, items, level))
    if gate.max_drop is not None and baseline is not None:
        floor = max(0.0, baseline - gate.max_drop)
        found.append(_rate_condition("max_drop", floor, items, level))
    found += [_must_pass(name, items) for name in gate.must_pass]
    if gate.max_unscored_rate is not None:
        found.append(_unscored(gate.max_unscored_rate, items))
    return found


def _rate_condition(
    name: str, limit: float, items: Sequence[ItemResult], level: float
) -> GateCondition:
    """Bound the share of passed items; under ten groups a pass is withheld, a fail is not."""
    rows = [(i.group, i.outcome == "passed") for i in items if i.outcome in ("passed", "failed")]
    counts = GroupedCounts.of(rows)
    bounds = pass_bounds(counts, level)
    few = counts.grouped and counts.n_groups < LEAST_GROUPS
    outcome: Literal["passed", "failed", "inconclusive"] = "inconclusive"
    if bounds.high < limit - ROUNDING:
        outcome = "failed"
    elif counts.n and bounds.low >= limit - ROUNDING and not few:
        outcome = "passed"
    value = counts.x / counts.n if counts.n else None
    shown = "no item was scored" if value is None else f"{counts.x} of {counts.n} passed"
    withheld = f"; only {counts.n_groups} groups" if few else ""
    return GateCondition(
        name=name,
        outcome=outcome,
        limit=limit,
        value=value,
        bound_low=bounds.low,
        bound_high=bounds.high,
        level=level,
        sentence=f"{name}: {shown}, bounds {bounds.low:.3f} to {bounds.high:.3f}, "
        f"limit {limit:.3f}{withheld}",
    )


def pass_bounds(counts: GroupedCounts, level: float) -> Interval:
    """Return one-sided bounds of the pass rate; errors are the failed items, as in calibration."""
    failures = GroupedCounts(
        errors=tuple(size - x for x, size in zip(counts.errors, counts.sizes, strict=True)),
        sizes=counts.sizes,
    )
    bounds = rate_bounds(failures, level)
    return Interval(low=1 - bounds.high, high=1 - bounds.low)


def _must_pass(name: str, items: Sequence[ItemResult]) -> GateCondition:
    """A grader that fails no item, or an item that passes. An answer still open is no pass."""
    own = [i for i in items if i.item_id == name]
    if own:
        known: dict[str, Literal["passed", "failed"]] = {"passed": "passed", "failed": "failed"}
        outcome = known.get(own[0].outcome, "inconclusive")
        return GateCondition(
            name=f"must_pass {name}", outcome=outcome, sentence=f"item {name!r}: {own[0].outcome}"
        )
    failed = [i.item_id for i in items if name in i.failed_by]
    open_items = [i.item_id for i in items if any(r.startswith(f"{name}: ") for r in i.reasons)]
    sentence = f"{name!r} failed {len(failed)} items and left {len(open_items)} open"
    return GateCondition(
        name=f"must_pass {name}",
        outcome="failed" if failed else "inconclusive" if open_items else "passed",
        limit=0.0,
        value=float(len(failed)),
        sentence=sentence,
    )


def _unscored(limit: float, items: Sequence[ItemResult]) -> GateCondition:
    share = sum(i.outcome not in ("passed", "failed") for i in items) / len(items)
    over = share > limit + ROUNDING
    return GateCondition(
        name="max_unscored_rate",
        outcome="failed" if over else "passed",
        limit=limit,
        value=share,
        sentence=f"{share:.1%} of the items got no answer, at most {limit:.1%} may",
    )
