"""Run the gate: approvals first, then scorers, then approved judges, then the decision."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime

from pydantic import Field

from judgekit.approval.record import Approval, Lock
from judgekit.approval.standing import Check, check_approval
from judgekit.errors import InputError, UsageError
from judgekit.gate.decision import GateDecision, check_limits, decide
from judgekit.gate.outcomes import item_result
from judgekit.gate.report import EXIT_CODES, GateReport, GraderResult, ItemResult
from judgekit.model.base import Record
from judgekit.model.grader import Grader, GraderKind
from judgekit.model.item import Item
from judgekit.model.label import OVERALL
from judgekit.model.policy import Policy
from judgekit.model.verdict import Verdict

GradeAll = Callable[[Sequence[Grader], Sequence[Item]], Awaitable[Sequence[Verdict]]]


class GateSettings(Record):
    """The policy by name, and the baseline pass rate where there is one.

    `judge_policies` gives the policy that each judge's approval must have been given under; where
    a judge is absent, `policy` is meant.
    """

    policy_name: str
    policy: Policy
    judge_policies: dict[str, Policy] = Field(default_factory=dict)
    baseline: float | None = None


async def run_gate(
    graders: Sequence[Grader],
    items: Sequence[Item],
    lock: Lock,
    settings: GateSettings,
    *,
    grade_all: GradeAll | None = None,
    now: datetime | None = None,
) -> GateReport:
    """Grade `items` and return the gate's report.

    Every approval is checked against freshly computed fingerprints before the first call. Judges
    without a standing approval are not called; their items go to review and the outcome is
    `not_approved`. `grade_all` runs graders over items and returns their verdicts (a journalled
    runner); without it they are graded here, a few at a time.

    Raises:
        InputError: there are no items, or two share an id.
        UsageError: no graders, a recorded grader in the suite, or limits that cannot be applied.
    """
    _check_input(graders, items, settings)
    grade = grade_all or grade_simply
    moment = now or datetime.now(UTC)
    scorers = [g for g in graders if g.kind == "scorer"]
    judges = [g for g in graders if g.kind == "judge"]
    checks = {g.name: _check(g, lock, settings, moment) for g in judges}
    blocked = [name for name, check in checks.items() if check.standing != "approved"]
    verdicts = list(await grade(scorers, items)) if scorers else []
    if judges and not blocked:
        verdicts += await grade(judges, items)
    by_item = _by_item(graders, items, verdicts, called=not blocked)
    results = tuple(item_result(i, by_item[i.id], unapproved=blocked) for i in items)
    summaries = tuple(_grader_result(g, checks.get(g.name), verdicts) for g in graders)
    return _report(results, summaries, settings)


async def grade_simply(graders: Sequence[Grader], items: Sequence[Item]) -> Sequence[Verdict]:
    """Grade without a journal, at most 16 items at a time."""
    room = asyncio.Semaphore(16)

    async def one(grader: Grader, item: Item) -> Verdict:
        async with room:
            return await grader.grade(item)

    return await asyncio.gather(*(one(g, i) for g in graders for i in items))


def _check_input(graders: Sequence[Grader], items: Sequence[Item], settings: GateSettings) -> None:
    if not items:
        raise InputError("there are no items, so nothing would be evaluated")
    twice = [name for name, n in Counter(i.id for i in items).items() if n > 1]
    if twice:
        raise InputError(f"item {twice[0]!r} occurs twice")
    if not graders:
        raise UsageError(
            "the gate has no graders", where="judgekit.yaml: gate", expected="scorers or judges"
        )
    recorded = [g.name for g in graders if g.kind == "recorded"]
    if recorded:
        raise UsageError(f"{recorded[0]!r} replays recorded verdicts and cannot gate")
    known = frozenset({g.name for g in graders} | {i.id for i in items})
    check_limits(settings.policy.gate, settings.baseline, known)


def _check(grader: Grader, lock: Lock, settings: GateSettings, now: datetime) -> Check:
    policy = settings.judge_policies.get(grader.name, settings.policy)
    return check_approval(
        lock, grader.name, grader.fingerprint, policy=policy, now=now, unit=OVERALL
    )


def _by_item(
    graders: Sequence[Grader], items: Sequence[Item], verdicts: Sequence[Verdict], *, called: bool
) -> Mapping[str, dict[str, tuple[GraderKind, Verdict]]]:
    """Index verdicts by item and grader; one that was asked for and is absent is a failure."""
    given = {(v.item_id, v.grader): v for v in verdicts if v.regrade == 0}
    asked = [g for g in graders if called or g.kind == "scorer"]
    return {
        item.id: {g.name: (g.kind, given.get((item.id, g.name)) or _absent(g, item)) for g in asked}
        for item in items
    }


def _absent(grader: Grader, item: Item) -> Verdict:
    return Verdict(
        item_id=item.id,
        grader=grader.name,
        fingerprint=grader.fingerprint.value,
        item_hash=item.content_hash,
        status="failed",
        kind="budget",
        reason="not graded",
    )


def _grader_result(
    grader: Grader, check: Check | None, verdicts: Sequence[Verdict]
) -> GraderResult:
    own = [v for v in verdicts if v.grader == grader.name]
    models = tuple(sorted({v.model for v in own if v.model}))
    standing: str = check.standing if check else "needs none"
    sentence, mend = (check.sentence, check.mend) if check else ("", None)
    strangers = _other_models(check.approval if check else None, models)
    if check is not None and standing == "approved" and strangers:
        standing = "model"
        approved = ", ".join(check.demand().models) or "none reported"
        sentence = f"{grader.name!r} was answered by {', '.join(strangers)}, approved: {approved}"
        mend = f"pin the model, or judgekit calibrate --judge {grader.name} and approve again"
    costs = [v.cost_usd for v in own]
    known = [c for c in costs if c is not None]
    return GraderResult(
        name=grader.name,
        kind=grader.kind,
        standing=standing,
        fingerprint=grader.fingerprint.value,
        counts=dict(sorted(Counter(_word(v) for v in own).items())),
        cost_usd=sum(known) if known and len(known) == len(costs) else None,
        reported_models=models,
        sentence=sentence,
        mend=mend,
    )


def _other_models(approval: Approval | None, models: Sequence[str]) -> list[str]:
    return [m for m in models if m not in approval.models] if approval else []


def _word(verdict: Verdict) -> str:
    if verdict.passed is None:
        return verdict.status
    return "passed" if verdict.passed else "not_passed"


def _report(
    results: tuple[ItemResult, ...], graders: tuple[GraderResult, ...], settings: GateSettings
) -> GateReport:
    decision = decide(results, settings.policy, settings.baseline)
    refused = [g for g in graders if g.standing not in ("approved", "needs none")]
    if refused:
        decision = _refuse(refused)
    scored = [r for r in results if r.outcome in ("passed", "failed")]
    passed = sum(r.outcome == "passed" for r in scored)
    return GateReport(
        outcome=decision.outcome,
        exit_code=EXIT_CODES[decision.outcome],
        warning=decision.warning,
        policy=settings.policy_name,
        n_items=len(results),
        n_scored=len(scored),
        n_groups=len({r.group for r in results}),
        pass_rate=passed / len(scored) if scored and not refused else None,
        conditions=decision.conditions,
        graders=graders,
        items=results,
        reasons=decision.reasons,
    )


def _refuse(refused: Sequence[GraderResult]) -> GateDecision:
    """An approval that does not stand comes before every number, so none is shown."""
    why = tuple(f"{g.sentence}; mend: {g.mend}" if g.mend else g.sentence for g in refused)
    return GateDecision(outcome="not_approved", conditions=(), reasons=why)
