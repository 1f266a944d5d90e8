"""Sign a calibrated judge off, or withdraw it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from judgekit.approval.evidence import Evidence, figures_of, items_hash
from judgekit.approval.lockfile import LOCK_NAME, LockChange, read_lock, update_lock
from judgekit.approval.record import Approval, Lock, Revocation
from judgekit.errors import ApprovalError, JudgekitError, NotApproved, UsageError
from judgekit.model.base import Record
from judgekit.model.grader import GraderKind

NOT_KEPT = {"raw", "sent", "attempts"}


class NotApprovable(JudgekitError):
    """The calibration does not carry an approval. Exit 1 when rejected, 3 when labels lack."""

    exit_code = 3


class Rejected(NotApprovable):
    """The calibration rejected the judge."""

    exit_code = 1


class ApprovalResult(Record):
    """The approval, the diff of `judges.lock` and the file that keeps the verdicts."""

    approval: Approval
    diff: str
    verdicts_path: str


def approve(
    evidence: Evidence,
    *,
    approver: str,
    reason: str,
    root: Path,
    self_approval: bool = True,
    now: datetime | None = None,
) -> ApprovalResult:
    """Write the approval and the verdicts it relied on, and return the diff of the lock.

    `self_approval` False refuses an approver who labelled, whatever the policy allows.

    Raises:
        UsageError: no approver or no reason, or this kind of grader cannot be approved.
        NotApprovable: the decision is not `approved`, or not approvable on this split.
        ApprovalError: the policy forbids it (synthetic labels, self-approval).
    """
    approver, reason = check_signature(approver, reason)
    check_kind(evidence.judge, evidence.kind)
    _check_decision(evidence)
    _check_labels(evidence)
    approval = _approval(evidence, approver, reason, now or datetime.now(UTC))
    allowed = self_approval and evidence.policy.allow_self_approval
    if approval.self_approved and not allowed:
        raise ApprovalError(
            f"{approver!r} labelled items of this data set, and self-approval is not allowed here",
            expected="allow_self_approval: true in the policy, and the command line",
            mend="let somebody who gave none of its labels approve",
        )
    read_lock(root / LOCK_NAME)  # a lock that cannot be read stops us before anything is written
    kept = _keep_verdicts(evidence, root)
    change = update_lock(root / LOCK_NAME, lambda lock: lock.with_approval(approval))
    return ApprovalResult(approval=approval, diff=change.diff, verdicts_path=kept)


def revoke(
    root: Path,
    judge: str,
    *,
    by: str,
    reason: str,
    unit: str | None = None,
    now: datetime | None = None,
) -> LockChange:
    """Mark the approvals of a judge as revoked; the blocks stay in the file as history.

    Raises:
        NotApproved: there is none that still stands.
    """
    by, reason = check_signature(by, reason)
    mark = Revocation(by=by, reason=reason, at=_second(now or datetime.now(UTC)))

    def change(lock: Lock) -> Lock:
        standing = [a for a in lock.find(judge, unit) if a.revoked is None]
        if not standing:
            raise NotApproved(
                f"there is no standing approval of {judge!r}" + (f" for {unit!r}" if unit else ""),
                where=LOCK_NAME,
                found=", ".join(sorted({a.judge for a in lock.approvals})) or "no approvals",
            )
        for approval in standing:
            lock = lock.with_approval(approval.model_copy(update={"revoked": mark}))
        return lock

    return update_lock(root / LOCK_NAME, change)


def check_signature(name: str, reason: str) -> tuple[str, str]:
    """Return name and reason without outer space.

    Raises:
        UsageError: one of them is empty or no text.
    """
    name, reason = _text(name).strip(), _text(reason).strip()
    if not name or not reason:
        raise UsageError(
            "an approval is signed: it needs a person and a reason",
            mend="give --approver NAME and --reason TEXT",
        )
    return name, reason


def _text(given: str) -> str:
    """Return a command line's word as text: bytes that the locale could not read as UTF-8."""
    try:
        return given.encode("utf-8", "surrogateescape").decode("utf-8")
    except ValueError as error:
        raise UsageError(
            "the signature is not text", found=ascii(given), expected="UTF-8"
        ) from error


def check_kind(judge: str, kind: GraderKind) -> None:
    """Refuse what can never be approved, before a look at the holdout is spent.

    Raises:
        UsageError: a scorer or a recorded grader.
    """
    if kind == "judge":
        return
    why = (
        "a scorer needs no approval: it gates as it is"
        if kind == "scorer"
        else "recorded verdicts can be calibrated but never approved"
    )
    raise UsageError(f"{judge!r} cannot be approved: {why}")


def _check_decision(evidence: Evidence) -> None:
    report = evidence.report
    decision = report.get("decision")
    reasons = "; ".join(map(str, report.get("reasons", []))) or None
    if decision == "rejected":
        raise Rejected(f"{evidence.judge!r} was rejected by its calibration", found=reasons)
    if decision != "approved":
        raise NotApprovable(
            f"{evidence.judge!r} is not approved by its calibration: decision {decision!r}",
            found=reasons,
            mend="run `judgekit calibrate` to see which labels are missing",
        )
    if report.get("approvable") is not True or evidence.split != "holdout":
        raise NotApprovable(
            f"{evidence.judge!r} meets its limits, but this evidence cannot approve it",
            found=reasons or f"split {evidence.split!r}",
            expected="a calibration on the holdout",
        )


def _check_labels(evidence: Evidence) -> None:
    if evidence.synthetic and not evidence.policy.allow_synthetic:
        raise ApprovalError(
            "labels of origin model or synthetic cannot approve a judge",
            found=", ".join(f"{n} {origin}" for origin, n in sorted(evidence.origins.items()))
            or "a data set declared synthetic",
            mend="label with people, or set allow_synthetic: true in the policy",
        )
    if "targeted" in evidence.designs:
        raise ApprovalError(
            "items picked on purpose (design: targeted) say nothing about a rate",
            mend="calibrate on a random or stratified sample",
        )


def _approval(evidence: Evidence, approver: str, reason: str, now: datetime) -> Approval:
    report, policy, now = evidence.report, evidence.policy, _second(now)
    days = policy.expires_after_days
    return Approval(
        judge=evidence.judge,
        unit=str(report["unit"]),
        fingerprint=evidence.fingerprint.value,
        components=evidence.fingerprint.components,
        rubric=evidence.rubric,
        dataset=evidence.dataset,
        split=evidence.split,
        reference=str(report["reference"]),
        labels_hash=evidence.labels_hash,
        verdicts_hash=evidence.verdicts_hash,
        items_hash=items_hash(evidence.items),
        n_pairs=report["n_pairs"],
        n_groups=report["n_groups"],
        confusion=report["confusion"],
        figures=figures_of(report),
        conditions=tuple(report["conditions"]),
        policy=policy,
        looks=evidence.looks,
        models=evidence.models,
        origins=evidence.origins,
        approver=approver,
        reason=reason,
        self_approved=approver.casefold() in {a.casefold() for a in evidence.annotators},
        allow_synthetic=evidence.synthetic,
        approved_at=now,
        expires_at=now + timedelta(days=days) if days else None,
        app_version=evidence.app_version,
    )


def _second(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)


def _keep_verdicts(evidence: Evidence, root: Path) -> str:
    """Write the verdicts relied on beside the labels, sorted, so that git keeps the proof.

    Raw replies, settings and attempts stay in the journal: no number is computed from them.
    """
    from judgekit.store.files import atomic_write

    path = root / "annotations" / evidence.dataset / "verdicts" / f"{evidence.judge}.jsonl"
    ordered = sorted(evidence.verdicts, key=lambda v: (v.item_id, v.regrade, v.criterion or ""))
    lines = [v.model_dump_json(exclude_defaults=True, exclude=NOT_KEPT) + "\n" for v in ordered]
    atomic_write(path, "".join(lines).encode("utf-8"))
    return path.relative_to(root).as_posix()
