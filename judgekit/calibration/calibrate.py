"""Calibrate one judge against human labels: pair, measure, decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from judgekit.calibration.answers import Reading
from judgekit.calibration.conditions import (
    Condition,
    Levels,
    cap_condition,
    count_condition,
    human_condition,
    kappa_condition,
    rate_condition,
    split_conditions,
)
from judgekit.calibration.human import (
    Answers,
    HumanAgreement,
    human_agreement,
    human_answers,
)
from judgekit.calibration.looks import LookLedger, LookState, look_key
from judgekit.calibration.measures import (
    Tables,
    measure,
    mode_rates,
    rate,
    unsupported_counts,
)
from judgekit.calibration.needed import Infeasible, Needed, needed_labels
from judgekit.calibration.pairing import Pairing, pair
from judgekit.calibration.reasons import decide, warnings, why
from judgekit.calibration.reference import ReferenceSet, reference_labels
from judgekit.calibration.report import CalibrationReport, Disagreement, ModeRate
from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.canonical import content_hash
from judgekit.model.grader import GraderKind
from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.model.policy import Policy
from judgekit.model.rubric import Rubric
from judgekit.model.verdict import Verdict
from judgekit.stats.agreement import disagreement_effect
from judgekit.stats.decision import Decision
from judgekit.stats.estimate import Estimate, Statistic
from judgekit.stats.intervals import GroupedCounts

HOLDOUT = "holdout"


class CalibrationRequest(Record):
    """What to calibrate: one judge's verdicts, the labels, the rule and the limits.

    `items` None = only ids are known. `within` are the ids of the split that is looked at, None =
    all. `policy` None = no limits: numbers only. `verdict_criterion` is the name under which the
    verdicts carry the unit, where a mapping joins two names. `categories` is the judge's category
    by item where more than pass and fail are compared. `dropped_before` counts rows that the
    reader left out, by reason. `design` is what the dataset declares for labels that say nothing.
    """

    judge: str
    fingerprint: str
    labels: tuple[Label, ...]
    verdicts: tuple[Verdict, ...]
    items: tuple[Item, ...] | None = None
    kind: GraderKind = "judge"
    rule: str = "auto"
    criterion: str | None = None
    rubric: Rubric | None = None
    reading: Reading = Reading()
    policy: Policy | None = None
    split: str | None = None
    within: frozenset[str] | None = None
    order: str | None = None
    verdict_criterion: str | None = None
    categories: dict[str, str] | None = None
    synthetic: bool = False
    design: str | None = None
    dropped_before: dict[str, int] = Field(default_factory=dict)


def calibrate(
    request: CalibrationRequest, *, ledger: LookLedger | None = None, now: datetime | None = None
) -> CalibrationReport:
    """Return the report of one judge against one reference (DESIGN sections 5 and 6).

    Args:
        request: the judge, labels, verdicts and limits.
        ledger: the dataset's ledger of looks; used only on the holdout and with limits.
        now: the time that the ledger records.

    Raises:
        CriterionMismatch: labels and verdicts are about different criteria.
        InputError: nothing can be paired, a label cannot be read, or labels are targeted.
    """
    return _Calibration(request).report(ledger, now or datetime.now(UTC))


class _Calibration:
    """The steps of one calibration; each reads what the ones before it found."""

    def __init__(self, request: CalibrationRequest) -> None:
        self.request = request
        self.policy = request.policy if request.policy and _has_limits(request.policy) else None
        self.alpha = round(1 - (request.policy or Policy()).confidence, 12)
        self.items = None if request.items is None else {item.id: item for item in request.items}
        self.references = self._references()
        self.pairing = self._pairing()
        self.tables = Tables(self.pairing.scored, self.pairing.unscored)
        self.groups = _groups(self.pairing)
        self.answers = self._answers()

    def _references(self) -> ReferenceSet:
        request = self.request
        _refuse_targeted(request.labels, request.design)
        least = request.policy.min_annotators if request.policy else None
        return reference_labels(
            request.labels,
            rule=request.rule,
            rubric=request.rubric,
            criterion=request.criterion,
            reading=request.reading,
            min_annotators=least,
        )

    def _pairing(self) -> Pairing:
        request = self.request
        pairing = pair(
            self.references,
            request.verdicts,
            items=self.items,
            within=request.within,
            order=request.order,
            labels_criterion=request.verdict_criterion,
            categories=request.categories,
        )
        if not pairing.verdicts_used:
            raise InputError(
                f"judge {request.judge!r} has no verdict on any labelled item",
                found=", ".join(f"{k}: {n}" for k, n in pairing.dropped.items()) or "no labels",
                mend="run the judge on these items, or check that the item ids agree",
            )
        return pairing

    def _answers(self) -> Answers:
        request = self.request
        return human_answers(
            request.labels,
            unit=self.references.unit,
            rubric=request.rubric,
            reading=request.reading,
        )

    def _humans(self, tail: float) -> HumanAgreement:
        shown = {p.item_id for p in self.pairing.scored}
        words = {answer for i in shown for answer in self.answers.get(i, {}).values()}
        labels = self.tables.labels
        if not words <= set(labels):
            labels = tuple(sorted(words | set(labels)))
        return human_agreement(
            self.answers, groups=self.groups, items=shown, labels=labels, tail=tail
        )

    def _marked(self, agreement: Statistic) -> Statistic:
        """Mark an agreement among annotators who are not people."""
        if isinstance(agreement, Estimate) and "synthetic" in self.references.origins:
            return agreement.model_copy(update={"status": "synthetic"})
        return agreement

    @property
    def labels_hash(self) -> str:
        """Return the hash of the reference labels that were compared, by item."""
        pairs = (*self.pairing.scored, *self.pairing.unscored)
        return content_hash(sorted([p.item_id, p.human, p.failure_mode or ""] for p in pairs))

    @property
    def verdicts_hash(self) -> str:
        """Return the hash of the verdicts that were compared, by item."""
        kept = {"item_id", "status", "passed", "passed_criteria", "failed_criteria", "unsupported"}
        used = self.pairing.verdicts_used
        return content_hash([v.model_dump(mode="json", include=kept) for v in used])

    def _look(self, ledger: LookLedger | None, now: datetime) -> LookState | None:
        policy, request = self.request.policy or Policy(), self.request
        if ledger is None or request.split != HOLDOUT:
            return None
        return ledger.spend(
            key=look_key(
                fingerprint=request.fingerprint,
                unit=self.references.unit,
                limits=_limits(policy),
                labels=self.labels_hash,
                verdicts=self.verdicts_hash,
            ),
            judge=request.judge,
            fingerprint=request.fingerprint,
            unit=self.references.unit,
            items={p.item_id for p in (*self.pairing.scored, *self.pairing.unscored)},
            max_looks=policy.max_looks,
            now=now,
        )

    def _levels(self, look: LookState | None) -> Levels:
        approve = self.alpha / (look.max_looks if look else 1)
        m = split_conditions(self.policy) if self.policy else 1
        return Levels(approve=approve, reject=approve / max(1, m))

    def _unsupported(self) -> GroupedCounts:
        return unsupported_counts(self.pairing.verdicts_used, self.groups)

    def _conditions(self, levels: Levels, modes: tuple[ModeRate, ...]) -> tuple[Condition, ...]:
        policy = self.policy
        if policy is None:
            return ()
        fails, passes = self.tables.errors_among("fail"), self.tables.errors_among("pass")
        found: list[Condition] = []
        if policy.max_false_pass_rate is not None:
            limit = policy.max_false_pass_rate
            found.append(rate_condition("false_pass_rate", limit, fails, levels, of="human-fail"))
        if policy.max_false_fail_rate is not None:
            limit = policy.max_false_fail_rate
            found.append(rate_condition("false_fail_rate", limit, passes, levels, of="human-pass"))
        if policy.min_kappa is not None:
            by_group = self.tables.by_group
            found.append(kappa_condition(self.tables.confusion, by_group, policy, levels))
        if policy.min_human_agreement is not None:
            found.append(self._human_condition(policy, levels))
        return (*found, *self._caps(policy, levels), *_counts(policy, fails.n, passes.n, modes))

    def _human_condition(self, policy: Policy, levels: Levels) -> Condition:
        wanted = policy.min_human_agreement
        assert wanted is not None  # the caller asked
        name = f"human_{wanted.statistic}"
        seen, at, reject = (
            getattr(self._humans(tail), wanted.statistic)
            for tail in (self.alpha / 2, levels.approve, levels.reject)
        )
        return human_condition(name, wanted.limit, seen, at, reject, levels)

    def _caps(self, policy: Policy, levels: Levels) -> list[Condition]:
        found = []
        if policy.max_unscored_rate is not None:
            rows = [(p.group, False) for p in self.pairing.scored]
            rows += [(p.group, True) for p in self.pairing.unscored]
            counts = GroupedCounts.of(rows)
            found.append(cap_condition("unscored_rate", policy.max_unscored_rate, counts, levels))
        if policy.max_unsupported_evidence_rate is not None:
            cap, counts = policy.max_unsupported_evidence_rate, self._unsupported()
            found.append(cap_condition("unsupported_evidence_rate", cap, counts, levels))
        return found

    def _needed(
        self, conditions: tuple[Condition, ...], levels: Levels
    ) -> Needed | Infeasible | None:
        if not conditions:
            return None
        return needed_labels(
            conditions,
            fails=self.tables.errors_among("fail"),
            passes=self.tables.errors_among("pass"),
            confusion=self.tables.confusion,
            kappa_effect=_effect(self.tables.by_group),
            levels=levels,
        )

    def report(self, ledger: LookLedger | None, now: datetime) -> CalibrationReport:
        """Assemble the record."""
        request, tail = self.request, self.alpha / 2
        look = self._look(ledger, now)
        levels = self._levels(look)
        known = request.rubric.failure_mode_ids if request.rubric else ()
        modes = mode_rates(self.pairing.scored, known, tail)
        conditions = self._conditions(levels, modes)
        decision = decide(conditions, look)
        humans = self._humans(tail)
        barriers = self._barriers(decision, look)
        return CalibrationReport(
            judge=request.judge,
            fingerprint=request.fingerprint,
            unit=self.references.unit,
            reference=request.rule,
            split=request.split,
            n_pairs=len(self.pairing.scored),
            n_groups=len({p.group for p in self.pairing.scored}),
            dropped=dict(Counter(self.pairing.dropped) + Counter(request.dropped_before)),
            single=self.references.single,
            origins=self.references.origins,
            labels_hash=self.labels_hash,
            verdicts_hash=self.verdicts_hash,
            confusion=self.tables.confusion,
            **dict(measure(self.tables, tail)),
            human_agreement=self._marked(humans.kappa),
            human_pairs=humans.pairs,
            unsupported_evidence_rate=rate(self._unsupported(), tail, "evidence was not checked"),
            per_failure_mode=modes,
            unscored=self.pairing.unscored_counts,
            policy=self.policy,
            looks=look,
            decision=decision,
            approvable=not barriers,
            reasons=(*why(decision, conditions, look), *warnings(humans, self.policy), *barriers),
            conditions=conditions,
            needed=self._needed(conditions, levels),
            disagreements=_disagreements(self.pairing),
        )

    def _barriers(self, decision: Decision | None, look: LookState | None) -> tuple[str, ...]:
        request, found = self.request, []
        if decision != "approved":
            found.append("Not approvable: the decision is not `approved`.")
        if request.split != HOLDOUT or look is None:
            found.append("Not approvable: no holdout was looked at, so nothing can be approved.")
        if request.kind != "judge":
            found.append(f"Not approvable: a {request.kind} grader cannot be approved.")
        unreal = {"model", "synthetic"} & set(self.references.origins)
        allowed = request.policy.allow_synthetic if request.policy else False
        if (unreal or request.synthetic) and not allowed:
            what = " and ".join(sorted(unreal)) or "synthetic"
            found.append(f"Not approvable: {what} labels need `allow_synthetic: true`.")
        return tuple(found)


def _has_limits(policy: Policy) -> bool:
    names = (
        "max_false_pass_rate", "max_false_fail_rate", "min_kappa", "min_human_agreement",
        "min_human_fail", "min_human_pass", "max_unscored_rate", "max_unsupported_evidence_rate",
        "min_per_failure_mode",
    )  # fmt: skip
    return any(getattr(policy, name) is not None for name in names)


def _limits(policy: Policy) -> Any:
    """Return what of a policy belongs to the key of a look."""
    return policy.model_dump(
        mode="json", exclude={"gate", "expires_after_days", "allow_self_approval"}
    )


def _refuse_targeted(labels: Sequence[Label], declared: str | None) -> None:
    targeted = sum((label.design or declared) == "targeted" for label in labels)
    if targeted:
        raise InputError(
            "targeted labels cannot estimate a rate: they were chosen by what the judge said",
            found=f"{targeted} of {len(labels)} labels with design: targeted",
            mend="leave them out, or label a random sample",
        )


def _groups(pairing: Pairing) -> dict[str, str]:
    return {p.item_id: p.group for p in (*pairing.scored, *pairing.unscored)}


def _effect(by_group: Any) -> float:
    grouped = len(by_group) and bool((by_group.sum(axis=(1, 2)) > 1).any())
    return disagreement_effect(by_group) if grouped else 1.0


def _counts(
    policy: Policy, fails: int, passes: int, modes: tuple[ModeRate, ...]
) -> list[Condition]:
    found = []
    if policy.min_human_fail is not None:
        least = policy.min_human_fail
        found.append(count_condition("min_human_fail", least, fails, of="human fail"))
    if policy.min_human_pass is not None:
        least = policy.min_human_pass
        found.append(count_condition("min_human_pass", least, passes, of="human pass"))
    if policy.min_per_failure_mode is not None:
        least = policy.min_per_failure_mode
        for mode in modes:
            name = f"failure_mode:{mode.mode}"
            found.append(count_condition(name, least, mode.n, of=f"failure mode {mode.mode}"))
    return found


def _disagreements(pairing: Pairing) -> tuple[Disagreement, ...]:
    return tuple(
        Disagreement(
            item_id=p.item_id,
            human=p.human,
            judge=p.judge,
            failure_mode=p.failure_mode,
            verdict=p.verdict,
        )
        for p in pairing.scored
        if p.judge is not None and p.judge != p.human
    )
