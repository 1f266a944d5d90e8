"""Does an approval stand today, for exactly this judge?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from judgekit.approval.record import Approval, Lock
from judgekit.errors import FingerprintChanged, NotApproved
from judgekit.model.base import Record
from judgekit.model.fingerprint import Fingerprint
from judgekit.model.label import OVERALL
from judgekit.model.policy import Policy

Standing = Literal["approved", "missing", "revoked", "expired", "policy", "fingerprint"]


class Check(Record):
    """Whether an approval stands; when not, what is wrong and the command that mends it."""

    judge: str
    standing: Standing
    approval: Approval | None = None
    components: tuple[str, ...] = ()
    sentence: str = ""
    mend: str | None = None

    def demand(self) -> Approval:
        """Return the approval.

        Raises:
            FingerprintChanged: what was approved is not what would run.
            NotApproved: missing, revoked, expired or under another policy.
        """
        if self.standing == "fingerprint":
            raise FingerprintChanged(self.sentence, components=self.components, mend=self.mend)
        if self.standing != "approved" or self.approval is None:
            raise NotApproved(self.sentence, mend=self.mend)
        return self.approval


def check_approval(
    lock: Lock,
    judge: str,
    fingerprint: Fingerprint,
    *,
    policy: Policy | None,
    now: datetime,
    unit: str | None = None,
) -> Check:
    """Compare the approval of `judge` with what would run now.

    With several units approved, all of them must stand; the first that does not is returned.
    `policy` None leaves the policy unchecked.
    """
    found = lock.find(judge, unit)
    if not found:
        return _missing(judge, [a.unit for a in lock.find(judge)])
    checks = [_check_one(a, fingerprint, policy, now) for a in found]
    return next((c for c in checks if c.standing != "approved"), checks[0])


def changed_limits(approved: Policy, current: Policy) -> tuple[str, ...]:
    """Return the names of the policy's keys that differ."""
    old, new = approved.model_dump(), current.model_dump()
    return tuple(sorted(key for key in new if old[key] != new[key]))


def _missing(judge: str, other_units: Sequence[str]) -> Check:
    only = f" for the whole rubric, only for {', '.join(other_units)}" if other_units else ""
    return Check(
        judge=judge,
        standing="missing",
        sentence=f"judge {judge!r} has no approval in judges.lock{only}",
        mend=how_to_approve(judge),
    )


def how_to_approve(judge: str) -> str:
    """Return the commands that give a judge an approval."""
    return (
        f"judgekit calibrate --judge {judge}, then "
        f"judgekit approve --judge {judge} --approver YOU --reason WHY"
    )


def _check_one(
    approval: Approval, fingerprint: Fingerprint, policy: Policy | None, now: datetime
) -> Check:
    again = f"judgekit calibrate --judge {approval.judge}, then judgekit approve"
    unit = "the whole rubric" if approval.unit == OVERALL else repr(approval.unit)
    name = f"the approval of {approval.judge!r} for {unit}"

    def refused(standing: Standing, sentence: str, components: tuple[str, ...] = ()) -> Check:
        return Check(
            judge=approval.judge,
            standing=standing,
            approval=approval,
            components=components,
            sentence=sentence,
            mend=again if standing != "fingerprint" else _mend_fingerprint(approval.judge),
        )

    if approval.revoked is not None:
        return refused("revoked", f"{name} was revoked: {approval.revoked.reason}")
    changed = fingerprint.changed(approval.components)
    if changed or fingerprint.value != approval.fingerprint:
        what = ", ".join(changed) or "fingerprint"
        return refused("fingerprint", f"{name} no longer fits: {what} changed", changed)
    if approval.expired(now):
        return refused("expired", f"{name} expired at {approval.expires_at:%Y-%m-%d %H:%M} UTC")
    limits = changed_limits(approval.policy, policy) if policy is not None else ()
    if limits:
        return refused("policy", f"{name} was given under another policy: {', '.join(limits)}")
    return Check(judge=approval.judge, standing="approved", approval=approval)


def _mend_fingerprint(judge: str) -> str:
    return (
        f"undo the change, or judgekit run --grader {judge}, judgekit calibrate --judge {judge} "
        "and judgekit approve again"
    )
