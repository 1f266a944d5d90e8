"""Approving a proposal: who may, what it does, and that it can be finished after a death."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from evidence_records import evidence

from judgekit.approval.decide import approve_proposal, check_decidable
from judgekit.approval.evidence import Evidence
from judgekit.approval.label_release import preview_release, release_labels
from judgekit.approval.lockfile import read_lock
from judgekit.errors import ApprovalError, InputError
from judgekit.store.label_files.imports import apply_import, plan_import
from judgekit.store.label_files.project_source import open_project
from judgekit.store.label_store import (
    LabelStore,
    Proposal,
    ProposalKind,
    Proposed,
    open_label_store,
)
from judgekit.store.workspace import Workspace, find_workspace

RUBRIC = """schema: 1
name: desk
task: Decide.
criteria: [{id: right, description: It is right.}]
failure_modes: [{id: wrong, description: It is wrong.}]
"""
LABELS = '{"item_id": "i0", "annotator": "ana", "label": "pass"}\n'


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    (tmp_path / "judgekit.yaml").write_text("schema: 1\ndataset: desk\n")
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "desk.yaml").write_text(RUBRIC)
    folder = tmp_path / "annotations" / "desk"
    folder.mkdir(parents=True)
    rows = [f'{{"id": "i{n}", "input": "q", "output": "a"}}\n' for n in range(3)]
    (folder / "items.jsonl").write_text("".join(rows))
    return find_workspace(tmp_path)


@pytest.fixture
def store(place: Workspace) -> Iterator[LabelStore]:
    with open_label_store(None, place.root) as opened:
        open_project(opened, place, dataset="desk", rubric="desk", actor="lea")
        yield opened


def propose(
    store: LabelStore, kind: ProposalKind, payload: dict[str, Any], project: str | None = "desk"
) -> Proposal:
    result = store.proposals.propose(kind, kind, payload, proposer="lea", project=project)
    assert isinstance(result, Proposed)
    return result.proposal


def no_evidence(payload: Mapping[str, Any], *, record_look: bool) -> Evidence:
    raise AssertionError("nothing here is a judge")


def approve(store: LabelStore, place: Workspace, proposal: Proposal, **given: Any) -> str:
    options = {"approver": "leo", "reason": "read it", "gather": no_evidence, **given}
    return approve_proposal(store, place, proposal, **options).sentence


def release(store: LabelStore, place: Workspace) -> Proposal:
    plan = plan_import(store, "desk", ("labels.jsonl", LABELS.encode()), kind="labels", actor="lea")
    apply_import(store, plan, actor="lea")
    found = preview_release(store, place, "desk")
    payload = {"version": found.version, "last_seq": found.last_seq, "sha256": found.sha256}
    return propose(store, "release", payload)


def test_a_proposer_never_approves_and_nothing_is_written(
    store: LabelStore, place: Workspace
) -> None:
    """P1."""
    proposal = release(store, place)
    with pytest.raises(ApprovalError, match="proposed this"):
        approve(store, place, proposal, approver="lea")
    assert not (place.annotations_dir / "desk" / "labels.jsonl").exists()


def test_a_decided_proposal_is_not_decided_again(store: LabelStore, place: Workspace) -> None:
    proposal = release(store, place)
    store.proposals.send_back(proposal.id, approver="leo", reason="no")
    with pytest.raises(ApprovalError, match="was decided"):
        check_decidable(store.proposals.get(proposal.id), "leo")


def test_a_decision_made_since_it_was_read_stops_before_anything_is_written(
    store: LabelStore, place: Workspace
) -> None:
    proposal = release(store, place)
    store.proposals.withdraw(proposal.id, proposer="lea")
    with pytest.raises(ApprovalError, match="was decided"):
        approve(store, place, proposal)
    assert not (place.annotations_dir / "desk" / "labels.jsonl").exists()


def test_another_payload_than_the_one_that_was_read_is_refused(
    store: LabelStore, place: Workspace
) -> None:
    proposal = propose(store, "guideline", {"version": "v2", "text": "x"})
    other = proposal.model_copy(update={"payload_hash": "sha256:other"})
    with pytest.raises(ApprovalError, match="not what was read"):
        approve(store, place, other)


def test_a_decision_made_while_the_act_ran_is_told(store: LabelStore, place: Workspace) -> None:
    proposal = propose(store, "approval", judge_payload(evidence()))

    def gather(payload: Mapping[str, Any], *, record_look: bool) -> Evidence:
        store.proposals.withdraw(proposal.id, proposer="lea")
        return evidence()

    with pytest.raises(ApprovalError):
        approve(store, place, proposal, gather=gather)


def test_a_release_is_written_as_it_was_read(store: LabelStore, place: Workspace) -> None:
    """P2."""
    proposal = release(store, place)
    assert str(proposal.payload["sha256"]) in approve(store, place, proposal)
    assert [one.actor for one in store.releases.list("desk")] == ["leo"]
    assert store.proposals.get(proposal.id).state == "approved"


def test_an_approval_that_died_after_its_file_was_written_is_finished_by_approving_again(
    store: LabelStore, place: Workspace
) -> None:
    proposal = release(store, place)
    payload = proposal.payload
    release_labels(
        store,
        place,
        "desk",
        by="leo",
        version=payload["version"],
        until=payload["last_seq"],
        sha256=payload["sha256"],
    )
    approve(store, place, proposal)
    assert len(store.releases.list("desk")) == 1
    assert store.proposals.get(proposal.id).state == "approved"


def test_what_is_about_a_project_must_name_it(store: LabelStore, place: Workspace) -> None:
    proposal = propose(store, "guideline", {"version": "v2", "text": "x"}, project=None)
    with pytest.raises(InputError, match="names no project"):
        approve(store, place, proposal)


def test_a_guideline_holds_from_its_approval_on(store: LabelStore, place: Workspace) -> None:
    proposal = propose(store, "guideline", {"version": "v2", "text": "Pass only facts."})
    approve(store, place, proposal)
    known = store.projects.get("desk").guideline
    assert known is not None
    assert (known.version, known.text, known.actor) == ("v2", "Pass only facts.", "leo")


def test_a_candidate_is_asked_of_experts(store: LabelStore, place: Workspace) -> None:
    approve(store, place, propose(store, "golden_candidate", {"item_id": "i1"}))
    assert [case.case_id for case in store.goldens.cases("desk", "eva")] == ["i1"]


def test_a_golden_goes_into_its_file_or_nowhere(store: LabelStore, place: Workspace) -> None:
    proposal = propose(store, "golden", {"golden": {"id": "i1"}})
    with pytest.raises(InputError, match="cannot be used"):
        approve(store, place, proposal)
    assert store.proposals.get(proposal.id).state == "pending"
    good = {
        "golden": {
            "id": "i2",
            "input": "q",
            "fields": {"answer": {"value": "a"}},
            "reviewers": ["ana", "ben"],
            "proposer": "lea",
            "source": {"item_id": "i2"},
        }
    }
    one = store.proposals.propose("golden", "i2", good, proposer="lea", project="desk")
    assert isinstance(one, Proposed)
    assert "goldens.jsonl" in approve(store, place, one.proposal)
    assert (place.annotations_dir / "desk" / "goldens.jsonl").exists()


def judge_payload(found: Evidence) -> dict[str, Any]:
    return {
        "judge": found.judge,
        "fingerprint": found.fingerprint.value,
        "labels_hash": found.labels_hash,
        "verdicts_hash": found.verdicts_hash,
        "limits": found.policy.model_dump(mode="json"),
    }


def test_a_judge_is_signed_with_the_evidence_that_was_proposed(
    store: LabelStore, place: Workspace
) -> None:
    looks: list[bool] = []

    def gather(payload: Mapping[str, Any], *, record_look: bool) -> Evidence:
        looks.append(record_look)
        return evidence()

    proposal = propose(store, "approval", judge_payload(evidence()))
    at = datetime(2026, 11, 30, tzinfo=UTC)
    done = approve_proposal(
        store, place, proposal, approver="leo", reason="read it", gather=gather, now=at
    )
    assert "+judge" in done.diff
    assert looks == [False, True]
    (approval,) = read_lock(place.lock_path).approvals
    assert (approval.approver, approval.reason) == ("leo", "read it")


def test_a_judge_that_changed_since_is_refused_before_a_look_is_spent(
    store: LabelStore, place: Workspace
) -> None:
    def gather(payload: Mapping[str, Any], *, record_look: bool) -> Evidence:
        assert not record_look
        return evidence()

    payload = {**judge_payload(evidence()), "labels_hash": "sha256:other"}
    proposal = propose(store, "approval", payload)
    with pytest.raises(ApprovalError, match="not what was proposed"):
        approve(store, place, proposal, gather=gather)
    assert not place.lock_path.exists()
