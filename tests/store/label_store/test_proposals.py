from __future__ import annotations

import threading

import pytest

from judgekit.errors import InputError
from judgekit.store.label_store import (
    AlreadyProposed,
    Decided,
    LabelSchema,
    LabelStore,
    NotDecided,
    Project,
    Proposal,
    Proposed,
)


@pytest.fixture
def store(store: LabelStore) -> LabelStore:
    for name in ("desk", "other"):
        project = Project(name=name, dataset=name, label_schema=LabelSchema())
        store.projects.create(project, actor="lea")
    return store


def propose(store: LabelStore, kind: str = "golden", subject: str = "case-1") -> Proposal:
    made = store.proposals.propose(
        kind, subject, {"b": [1, None], "a": "x"}, proposer="eve", project="desk", note="please"
    )
    assert isinstance(made, Proposed)
    return made.proposal


def test_a_proposal_waits_and_is_approved_by_someone_else(store: LabelStore) -> None:
    """P1: the proposer cannot approve; what is approved is what was read."""
    made = propose(store)
    proposals = store.proposals
    assert proposals.list() == (made,)
    own = proposals.approve(made.id, approver="eve", payload_hash=made.payload_hash)
    other = proposals.approve(made.id, approver="lea", payload_hash="sha256:other")
    assert isinstance(own, NotDecided)
    assert isinstance(other, NotDecided)
    assert proposals.get(made.id) == made
    done = proposals.approve(made.id, approver="lea", payload_hash=made.payload_hash)
    assert isinstance(done, Decided)
    assert (done.proposal.state, done.proposal.decided_by) == ("approved", "lea")
    assert done.proposal.payload == {"b": [1, None], "a": "x"}
    assert proposals.list() == ()
    assert proposals.list(state="approved", kind="golden", project="desk") == (done.proposal,)
    assert proposals.list(state=None, project="other") == ()


def test_sending_back_needs_a_reason_and_frees_the_subject(store: LabelStore) -> None:
    """P4: the reason is kept for the proposer, who may propose again."""
    made = propose(store)
    assert isinstance(store.proposals.send_back(made.id, approver="lea", reason="  "), NotDecided)
    sent = store.proposals.send_back(made.id, approver="lea", reason=" look again ")
    assert isinstance(sent, Decided)
    assert sent.proposal.reason == "look again"
    assert propose(store).id != made.id


@pytest.mark.parametrize(
    ("kind", "again"), [("golden", False), ("golden_candidate", False), ("release", True)]
)
def test_a_subject_is_proposed_once(store: LabelStore, kind: str, again: bool) -> None:
    """E5: the second is refused with the first; some kinds come again after approval."""
    made = propose(store, kind)
    twice = store.proposals.propose(kind, "case-1", {}, proposer="bob", project="desk")
    assert twice == AlreadyProposed(existing=made)
    assert propose(store, kind, "case-2").id != made.id
    store.proposals.approve(made.id, approver="lea", payload_hash=made.payload_hash)
    third = store.proposals.propose(kind, "case-1", {}, proposer="bob", project="desk")
    assert isinstance(third, Proposed) is again


def test_only_the_proposer_withdraws_and_a_decision_stands(store: LabelStore) -> None:
    made = propose(store)
    assert isinstance(store.proposals.withdraw(made.id, proposer="bob"), NotDecided)
    gone = store.proposals.withdraw(made.id, proposer="eve")
    assert isinstance(gone, Decided)
    assert store.proposals.withdraw(made.id, proposer="eve") == gone
    late = store.proposals.approve(made.id, approver="lea", payload_hash=made.payload_hash)
    assert isinstance(late, NotDecided)
    assert late.reason == "It was withdrawn by eve already."


def test_two_leads_at_once_decide_once(store: LabelStore) -> None:
    made = propose(store)
    results: list[object] = []

    def decide(name: str) -> None:
        results.append(
            store.proposals.approve(made.id, approver=name, payload_hash=made.payload_hash)
        )

    threads = [threading.Thread(target=decide, args=(name,)) for name in ("lea", "max", "mia")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kinds = sorted(type(result).__name__ for result in results)
    assert kinds == ["Decided", "NotDecided", "NotDecided"]


def test_what_is_not_there_is_named(store: LabelStore) -> None:
    with pytest.raises(InputError, match="no proposal 99"):
        store.proposals.get(99)
    with pytest.raises(InputError, match="no project called 'dsk'"):
        store.proposals.propose("golden", "x", {}, proposer="eve", project="dsk")
    with pytest.raises(InputError, match="no subject"):
        store.proposals.propose("golden", " ", {}, proposer="eve")
    assert isinstance(store.proposals.propose("other", "x", {}, proposer="eve"), Proposed)
