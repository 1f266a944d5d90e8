"""Judge subjects, one or a family, and write their reports."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from judgekit.calibration.conditions import Condition, Levels
from judgekit.calibration.design import Sampling
from judgekit.calibration.holm import holm_divisors
from judgekit.calibration.human import HumanAgreement
from judgekit.calibration.judging import conditions_of, labels_needed, levels_of
from judgekit.calibration.looks import LookLedger, LookState, look_key
from judgekit.calibration.measures import Measures, measure, mode_rates, rate, weighted_measure
from judgekit.calibration.reasons import decide, warnings, why
from judgekit.calibration.report import CalibrationReport
from judgekit.calibration.subject import HOLDOUT, Subject
from judgekit.model.canonical import content_hash
from judgekit.model.policy import Policy
from judgekit.stats.decision import Decision
from judgekit.stats.estimate import Estimate, Statistic, Undefined


def judge_all(
    subjects: Sequence[Subject], ledger: LookLedger | None, now: datetime
) -> tuple[CalibrationReport, ...]:
    """Return one report for each subject of one judge.

    Several subjects are a family: each may be approved on its own, so approval goes by Holm's
    rule, and all of them together are one look.
    """
    looking = ledger is not None and all(_looks(s) for s in subjects)
    looking = looking and any(s.comparable for s in subjects)
    if len(subjects) == 1:
        look = _spend(subjects[0], ledger, now) if ledger is not None and looking else None
        divisor, family = (look.divisor, look.family) if look else (1, 1)
        return (report_of(subjects[0], look, divisor=divisor, family=family),)
    expected = _expected_look(subjects[0]) if looking else None
    divisors = holm_divisors(subjects, expected)
    state = None
    if ledger is not None and looking:
        state = _spend_family(subjects, divisors, ledger, now)
    return tuple(
        report_of(subject, state, divisor=divisor, family=len(subjects))
        for subject, divisor in zip(subjects, divisors, strict=True)
    )


def _looks(subject: Subject) -> bool:
    return subject.heading.split == HOLDOUT and not subject.heading.filling


def _expected_look(subject: Subject) -> LookState:
    """Return the look that a family is judged at before it is spent: a planned one."""
    most = subject.heading.max_looks
    return LookState(used=1, max_looks=most, repeated=False, exhausted=False)


def look_key_of(subject: Subject) -> str:
    """Return the key under which repeating this look is free."""
    return look_key(
        fingerprint=subject.heading.fingerprint,
        unit=subject.heading.whole_unit,
        limits=_limits(subject.heading.policy or Policy()),
        labels=subject.labels_hash,
        verdicts=subject.verdicts_hash,
    )


def _limits(policy: Policy) -> object:
    """Return what of a policy belongs to the key of a look."""
    return policy.model_dump(
        mode="json", exclude={"gate", "expires_after_days", "allow_self_approval"}
    )


def _spend(subject: Subject, ledger: LookLedger, now: datetime) -> LookState:
    heading = subject.heading
    stream = None
    if subject.anytime:
        limits = _limits(heading.policy or Policy())
        stream = content_hash([heading.fingerprint, heading.whole_unit, limits])
    return ledger.spend(
        key=look_key_of(subject),
        judge=heading.judge,
        fingerprint=heading.fingerprint,
        unit=heading.whole_unit,
        items=subject.items(),
        max_looks=heading.max_looks,
        now=now,
        stream=stream,
    )


def _spend_family(
    subjects: Sequence[Subject], divisors: Sequence[int], ledger: LookLedger, now: datetime
) -> LookState:
    members = dict(zip(map(look_key_of, subjects), divisors, strict=True))
    heading = subjects[0].heading
    return ledger.spend(
        key=content_hash(sorted(members)),
        judge=heading.judge,
        fingerprint=heading.fingerprint,
        unit=", ".join(subject.heading.whole_unit for subject in subjects),
        items=set().union(*(subject.items() for subject in subjects)),
        max_looks=heading.max_looks,
        now=now,
        members=members,
    )


def report_of(
    subject: Subject, look: LookState | None, *, divisor: int = 1, family: int = 1
) -> CalibrationReport:
    """Return the report of one subject at one look."""
    levels = levels_of(subject, look, divisor=divisor, family=family)
    conditions = conditions_of(subject, levels)
    decision = _decision(subject, conditions, look)
    tail = subject.heading.alpha / 2
    humans = subject.humans(tail)
    barriers = _barriers(subject, decision, look)
    return CalibrationReport(
        **_identity(subject),
        **_numbers(subject, tail),
        human_agreement=_marked(humans.kappa, subject),
        human_pairs=humans.pairs,
        looks=look,
        decision=decision,
        approvable=not barriers,
        reasons=(*_reasons(subject, decision, conditions, look, levels, humans), *barriers),
        conditions=conditions,
        needed=labels_needed(subject, conditions, levels),
        disagreements=subject.disagreements(),
    )


def _decision(
    subject: Subject, conditions: tuple[Condition, ...], look: LookState | None
) -> Decision | None:
    found = decide(conditions, look)
    withheld = subject.heading.filling or not subject.comparable
    return "need_labels" if withheld and found is not None else found


def _identity(subject: Subject) -> dict[str, object]:
    heading = subject.heading
    return {
        "judge": heading.judge,
        "fingerprint": heading.fingerprint,
        "unit": heading.unit,
        "slice": heading.slice,
        "reference": heading.rule,
        "split": heading.split,
        "sampling": subject.sampling,
        "n_pairs": subject.tables.confusion.n,
        "n_groups": len(subject.tables.by_group),
        "dropped": subject.dropped,
        "single": subject.single,
        "origins": subject.origins,
        "labels_hash": subject.labels_hash,
        "verdicts_hash": subject.verdicts_hash,
        "unscored": subject.unscored,
        "policy": heading.policy,
    }


def _numbers(subject: Subject, tail: float) -> dict[str, object]:
    tables, weight = subject.tables, subject.sampling.judge_pass_share
    by_verdict = weight is not None
    found = _measures(subject, tail)
    evidence: Statistic = rate(subject.unsupported, tail, "evidence was not checked")
    if subject.caps_unknown and isinstance(evidence, Estimate):
        why = "labels drawn by verdict cannot say it without the verdicts on all items"
        evidence = Undefined(undefined=why, n=evidence.n)
    return {
        **dict(found),
        "confusion": tables.confusion,
        "unresolved": tables.n_unresolved,
        "unsupported_evidence_rate": evidence,
        "per_failure_mode": mode_rates(subject.modes, tail, by_verdict=by_verdict),
    }


def _measures(subject: Subject, tail: float) -> Measures:
    weight = subject.sampling.judge_pass_share
    if weight is None:
        return measure(subject.tables, tail)
    return weighted_measure(subject.tables, tail, weight)


def _marked(agreement: Statistic, subject: Subject) -> Statistic:
    """Mark an agreement among annotators who are not people."""
    if isinstance(agreement, Estimate) and "synthetic" in subject.origins:
        return agreement.model_copy(update={"status": "synthetic"})
    return agreement


def _reasons(
    subject: Subject,
    decision: Decision | None,
    conditions: tuple[Condition, ...],
    look: LookState | None,
    levels: Levels,
    humans: HumanAgreement,
) -> tuple[str, ...]:
    found = []
    if subject.heading.filling and decision is not None:
        found.append(
            "Verdicts of this judge are still being written: no look was spent and nothing was "
            "decided. Run this again when the run has ended."
        )
    elif not subject.comparable and decision is not None:
        found.append(
            "No labelled item has an answer of this judge (its verdicts are invalid or missing): "
            "there is nothing to decide on, and no look was spent on it. Mend the judge and run it "
            "again."
        )
    else:
        found += why(decision, conditions, look)
    if levels.note and decision is not None:
        found.append(f"Each may be approved on its own{levels.note}.")
    return (*found, *_about_sampling(subject.sampling), *warnings(humans), *_sequential(subject))


def _about_sampling(sampling: Sampling) -> tuple[str, ...]:
    return (sampling.sentence,) if sampling.sentence else ()


def _sequential(subject: Subject) -> tuple[str, ...]:
    policy = subject.heading.policy
    if policy is None or policy.sequential != "anytime" or subject.anytime:
        return ()
    return (
        f"`sequential: anytime` does not apply here ({subject.arrived.refused}); planned looks "
        "were used.",
    )


def _barriers(
    subject: Subject, decision: Decision | None, look: LookState | None
) -> tuple[str, ...]:
    heading, found = subject.heading, []
    if decision != "approved":
        found.append("Not approvable: the decision is not `approved`.")
    if heading.split != HOLDOUT or (look is None and subject.comparable):
        found.append("Not approvable: no holdout was looked at, so nothing can be approved.")
    if heading.slice is not None:
        found.append("Not approvable: an approval covers the whole split, and this is a slice.")
    if heading.kind != "judge":
        found.append(f"Not approvable: a {heading.kind} grader cannot be approved.")
    unreal = {"model", "synthetic"} & set(subject.origins)
    if (unreal or heading.synthetic) and not heading.allow_synthetic:
        what = " and ".join(sorted(unreal)) or "synthetic"
        found.append(f"Not approvable: {what} labels need `allow_synthetic: true`.")
    return tuple(found)
