"""Records of approvals, releases and the raw material of agreement."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AwareDatetime, Field

from judgekit.model.base import Record

ProposalKind = Literal[
    "release", "golden", "golden_candidate", "guideline", "threshold", "approval", "other"
]
ProposalState = Literal["pending", "approved", "sent_back", "withdrawn"]


class Proposal(Record):
    """Something that waits for a second pair of eyes. A proposer never decides it.

    `subject` names what it is about (item id, release version, judge); with `kind` and `project`
    it is unique among pending and approved ones. `payload_hash` is `sha256:` of its canonical JSON.
    """

    id: int
    project: str | None
    kind: ProposalKind
    subject: str
    payload: dict[str, Any]
    payload_hash: str
    proposer: str
    note: str | None = None
    at: AwareDatetime
    state: ProposalState = "pending"
    decided_by: str | None = None
    decided_at: AwareDatetime | None = None
    reason: str | None = None


class Proposed(Record):
    """The proposal waits in Approvals."""

    kind: Literal["proposed"] = "proposed"
    proposal: Proposal


class AlreadyProposed(Record):
    """Refused: the same subject is pending or approved already; `existing` is that one."""

    kind: Literal["already_proposed"] = "already_proposed"
    existing: Proposal


ProposeResult = Proposed | AlreadyProposed


class Decided(Record):
    """The decision is on the disk."""

    kind: Literal["decided"] = "decided"
    proposal: Proposal


class NotDecided(Record):
    """Refused: proposer and approver are one person, a reason is missing, the payload changed
    since it was read, or someone else decided first. `reason` is a sentence for the screen."""

    kind: Literal["not_decided"] = "not_decided"
    reason: str
    proposal: Proposal


DecideResult = Decided | NotDecided


class Release(Record):
    """A frozen fold of the log at `last_seq`.

    `hashes` maps each exported file to its SHA-256; `counts`, `agreement` and `exclusions` are
    what the release said of itself (written by judgekit.store.label_files).
    """

    project: str
    dataset: str
    version: str
    last_seq: int
    hashes: dict[str, str]
    counts: dict[str, int] = Field(default_factory=dict)
    agreement: dict[str, Any] = Field(default_factory=dict)
    exclusions: tuple[dict[str, Any], ...] = ()
    actor: str
    at: AwareDatetime


class LabelPair(Record):
    """Two current labels of one field by two annotators (never adjudicators, never repeats)."""

    item_id: str
    field: str
    annotator_1: str
    label_1: str
    annotator_2: str
    label_2: str


class RepeatPair(Record):
    """One annotator's first label and the hidden repeat's, of one field."""

    item_id: str
    field: str
    annotator: str
    first: str
    repeat: str


class Pace(Record):
    """How fast someone labels, shown to the lead as a prompt to look, never to drop.

    `n_too_fast` were refused by the dwell guard; `n_very_fast` were saved within
    `very_fast_ms`; `median_dwell_ms` is None without labels.
    """

    annotator: str
    n_labels: int
    n_too_fast: int
    n_very_fast: int
    very_fast_ms: int
    median_dwell_ms: int | None
