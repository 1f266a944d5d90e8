"""An approval: one signed block of `judges.lock`."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import AwareDatetime, Field

from judgekit.model.base import Record
from judgekit.model.policy import Policy

LOCK_SCHEMA = 1


class Revocation(Record):
    """Who withdrew an approval, when and why."""

    by: str = Field(min_length=1)
    reason: str = Field(min_length=1)
    at: AwareDatetime


class Approval(Record):
    """What was approved, on which evidence, by whom, and until when.

    `unit` is the rubric's name or one criterion. `confusion` holds the counts, `figures` every
    statistic and `conditions` every bound as the calibration report states them. `models` are the
    names the provider reported back. `allow_synthetic` is true where labels of origin model or
    synthetic were relied on. `expires_at` None means that it does not expire.
    """

    judge: str = Field(min_length=1)
    unit: str = Field(min_length=1)
    kind: Literal["judge"] = "judge"
    fingerprint: str = Field(pattern=r"^sha256:[0-9a-f]{64}$")
    components: dict[str, str] = Field(min_length=1)
    rubric: str | None = None
    dataset: str
    split: str
    reference: str
    labels_hash: str
    verdicts_hash: str
    items_hash: str
    n_pairs: int = Field(ge=1)
    n_groups: int = Field(ge=1)
    confusion: dict[str, Any]
    figures: dict[str, dict[str, Any]]
    conditions: tuple[dict[str, Any], ...]
    policy: Policy
    looks: int = Field(ge=0)
    models: tuple[str, ...] = ()
    origins: dict[str, int] = Field(default_factory=dict)
    approver: str = Field(min_length=1)
    reason: str = Field(min_length=1)
    self_approved: bool = False
    allow_synthetic: bool = False
    approved_at: AwareDatetime
    expires_at: AwareDatetime | None = None
    app_version: str | None = None
    revoked: Revocation | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Return what identifies a block: judge and unit."""
        return (self.judge, self.unit)

    def expired(self, now: datetime) -> bool:
        """Tell whether the approval has run out at `now`."""
        return self.expires_at is not None and now >= self.expires_at


class Lock(Record):
    """All approvals, sorted by judge and unit."""

    approvals: tuple[Approval, ...] = ()

    def find(self, judge: str, unit: str | None = None) -> tuple[Approval, ...]:
        """Return the approvals of a judge, of one unit where it is given."""
        return tuple(a for a in self.approvals if a.judge == judge and unit in (None, a.unit))

    def with_approval(self, approval: Approval) -> Lock:
        """Return the lock with this approval in place of an older one of the same key."""
        kept = [a for a in self.approvals if a.key != approval.key]
        return Lock(approvals=tuple(sorted([*kept, approval], key=lambda a: a.key)))
