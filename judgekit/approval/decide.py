"""Approve what was proposed: do what it asks for, then record the decision. One way for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from judgekit.approval.approve import approve
from judgekit.approval.evidence import Evidence
from judgekit.errors import ApprovalError, InputError
from judgekit.model.base import Record
from judgekit.model.release import LABELS_FILE

if TYPE_CHECKING:
    from judgekit.store.label_store import LabelStore, Proposal
    from judgekit.store.workspace import Workspace


class Gather(Protocol):
    """Payload of a judge's approval -> the evidence it rests on."""

    def __call__(self, payload: Mapping[str, Any], *, record_look: bool) -> Evidence:
        """Return the evidence; `record_look` False leaves the ledger of looks as it is."""
        ...  # pragma: no cover - a protocol


class Approved(Record):
    """What approving did: the proposal as it stands now, and a sentence about what was written."""

    proposal_id: int
    sentence: str
    diff: str = ""


def approve_proposal(
    store: LabelStore,
    workspace: Workspace,
    proposal: Proposal,
    *,
    approver: str,
    reason: str,
    gather: Gather,
    now: datetime | None = None,
) -> Approved:
    """Do what a proposal asks for and record the approval.

    Every step can be repeated: an approval that died after its file was written is finished by
    approving again.

    Args:
        proposal: the proposal as it was read; another payload is refused.
        approver: who approves, never the proposer.
        reason: why; a judge's approval carries it into the lock file.
        gather: computes the evidence of a judge's approval.
        now: the time to record.

    Raises:
        ApprovalError: the approver is the proposer or labelled, the proposal is not pending, or
            it changed since it was read.
        NotApprovable: the judge's calibration does not approve it.
        InputError: what was proposed cannot be written any more.
    """
    _check_unchanged(store, proposal, approver)
    acts: dict[str, Callable[[], Approved]] = {
        "release": lambda: _release(store, workspace, proposal, approver),
        "golden": lambda: _golden(store, workspace, proposal, approver, now),
        "golden_candidate": lambda: _candidate(store, proposal, approver),
        "guideline": lambda: _guideline(store, proposal, approver),
        "approval": lambda: _judge(workspace, proposal, approver, reason, gather, now),
    }
    done = acts.get(proposal.kind, lambda: Approved(proposal_id=proposal.id, sentence="Approved."))
    result = done()
    _record(store, proposal, approver, reason)
    return result


def check_decidable(proposal: Proposal, approver: str) -> None:
    """Refuse a proposer and a proposal that is decided.

    Raises:
        ApprovalError: as said.
    """
    if proposal.state != "pending":
        raise ApprovalError(
            "this proposal was decided", found=f"{proposal.state} by {proposal.decided_by}"
        )
    if proposal.proposer == approver:
        raise ApprovalError(
            f"{approver!r} proposed this and cannot approve it",
            mend="let another lead decide",
        )


def _check_unchanged(store: LabelStore, proposal: Proposal, approver: str) -> None:
    """Refuse before anything is written: someone else may have decided since it was read."""
    current = store.proposals.get(proposal.id)
    check_decidable(current, approver)
    if current.payload_hash != proposal.payload_hash:
        raise ApprovalError("this is not what was read", mend="read the proposal again")


def _record(store: LabelStore, proposal: Proposal, approver: str, reason: str) -> None:
    from judgekit.store.label_store import NotDecided

    decided = store.proposals.approve(
        proposal.id, approver=approver, payload_hash=proposal.payload_hash, reason=reason or None
    )
    if isinstance(decided, NotDecided):
        raise ApprovalError(decided.reason)


def _project(proposal: Proposal) -> str:
    if proposal.project is None:
        raise InputError(f"the proposal of a {proposal.kind} names no project")
    return proposal.project


def _release(
    store: LabelStore, workspace: Workspace, proposal: Proposal, approver: str
) -> Approved:
    from judgekit.approval.label_release import dataset_folder, finish_releases, release_labels
    from judgekit.store.dataset import read_manifest

    project, payload = _project(proposal), proposal.payload
    version, wanted = str(payload["version"]), str(payload["sha256"])
    finish_releases(store, workspace, project)
    releases = read_manifest(dataset_folder(store, workspace, project)).releases
    written = {release.version: release.labels_hash for release in releases}
    if written.get(version) != wanted:
        release_labels(
            store,
            workspace,
            project,
            by=approver,
            version=version,
            until=int(payload["last_seq"]),
            sha256=wanted,
        )
    sentence = f"Release {version} is written: {LABELS_FILE} has {wanted}."
    return Approved(proposal_id=proposal.id, sentence=sentence)


def _golden(
    store: LabelStore,
    workspace: Workspace,
    proposal: Proposal,
    approver: str,
    now: datetime | None,
) -> Approved:
    from judgekit.approval.label_release import dataset_folder
    from judgekit.goldens.approve_golden import accept_golden

    folder = dataset_folder(store, workspace, _project(proposal))
    golden = accept_golden(folder, proposal.payload, approver=approver, at=now or datetime.now(UTC))
    return Approved(proposal_id=proposal.id, sentence=f"Golden {golden.id} is in goldens.jsonl.")


def _candidate(store: LabelStore, proposal: Proposal, approver: str) -> Approved:
    item_id = str(proposal.payload["item_id"])
    store.goldens.ask(_project(proposal), [item_id], actor=approver)
    sentence = f"Case {item_id} waits in Goldens for two experts."
    return Approved(proposal_id=proposal.id, sentence=sentence)


def _guideline(store: LabelStore, proposal: Proposal, approver: str) -> Approved:
    from judgekit.store.label_store import GuidelineVersion

    version = str(proposal.payload["version"])
    guideline = GuidelineVersion(version=version, text=str(proposal.payload["text"]))
    store.projects.change_guideline(_project(proposal), guideline, actor=approver)
    sentence = f"Guideline {version} holds for the labels given from now on."
    return Approved(proposal_id=proposal.id, sentence=sentence)


def _judge(
    workspace: Workspace,
    proposal: Proposal,
    approver: str,
    reason: str,
    gather: Gather,
    now: datetime | None,
) -> Approved:
    check_same(proposal, gather(proposal.payload, record_look=False))
    evidence = gather(proposal.payload, record_look=True)
    result = approve(
        evidence,
        approver=approver,
        reason=reason,
        root=workspace.root,
        self_approval=False,
        now=now,
    )
    sentence = (
        f"{evidence.judge} is approved in judges.lock; commit it with {result.verdicts_path}."
    )
    return Approved(proposal_id=proposal.id, sentence=sentence, diff=result.diff)


def check_same(proposal: Proposal, evidence: Evidence) -> None:
    """Refuse evidence that is not the proposed one.

    Raises:
        ApprovalError: the judge, the labels, the verdicts or the limits changed since.
    """
    now = {
        "fingerprint": evidence.fingerprint.value,
        "labels_hash": evidence.labels_hash,
        "verdicts_hash": evidence.verdicts_hash,
        "limits": evidence.policy.model_dump(mode="json"),
    }
    changed = [name for name, value in now.items() if proposal.payload.get(name) != value]
    if changed:
        raise ApprovalError(
            f"{evidence.judge!r} is not what was proposed any more",
            found=", ".join(name.replace("_", " ") for name in changed) + " changed",
            mend="send it back, and propose what Calibrate shows now",
        )
