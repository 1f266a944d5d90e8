"""A finished case is proposed as a golden; someone else approves it in Approvals."""

from __future__ import annotations

import streamlit as st

from judgekit.errors import InputError, JudgekitError
from judgekit.goldens.approve_golden import golden_proposal
from judgekit.goldens.candidates import parse_candidate
from judgekit.model.golden import GoldenSource
from judgekit.model.item import Split
from judgekit.store.label_store import AlreadyProposed, Decided, Proposal
from parts.golden_desk import GoldenDesk, desk_of, say, say_error
from parts.golden_settle import finished_case
from parts.page import OpenPage
from parts.settings import workspace


def proposing(page: OpenPage, case_id: str, proposal: Proposal | None) -> None:
    """Draw what became of the last proposal, and the button for the next."""
    desk = desk_of(page)
    with st.container(key="golden-propose"):
        if proposal is not None and proposal.state == "sent_back":
            st.text(f"Sent back by {proposal.decided_by}. Reason: {proposal.reason}")
        st.text(
            "A golden counts once someone approves it who neither proposed it nor was one of its "
            "two experts."
        )
        st.button("Propose as golden", key="golden-propose-now", on_click=_propose,
                  args=(page, case_id))  # fmt: skip
        source = _source(desk, case_id)
        if source.note is not None:
            st.text(f"From Error analysis, mode {source.failure_mode}. Note: {source.note}")


def pending(page: OpenPage, proposal: Proposal) -> None:
    """Draw a proposal that waits, with the way back for its proposer."""
    desk = desk_of(page)
    with st.container(key="golden-pending"):
        st.text(f"Proposed by {proposal.proposer}. It waits in Approvals.")
        if proposal.proposer == desk.alias:
            st.button("Withdraw it", key="golden-withdraw", on_click=_withdraw,
                      args=(page, proposal.id))  # fmt: skip


def approved(proposal: Proposal) -> None:
    """Say who approved a golden."""
    st.text(f"Golden. Proposed by {proposal.proposer}, approved by {proposal.decided_by}.")


def _propose(page: OpenPage, case_id: str) -> None:
    desk = desk_of(page)
    try:
        two = finished_case(desk, case_id)
        payload = golden_proposal(
            desk.item(case_id),
            two.merged,
            folder=desk.folder,
            split=_split(desk, case_id),
            reviewers=two.experts,
            proposer=desk.alias,
            source=_source(desk, case_id),
        )
        result = desk.store.proposals.propose(
            "golden", case_id, payload, proposer=desk.alias, project=desk.project.name
        )
    except JudgekitError as error:
        say_error(error)
        return
    if isinstance(result, AlreadyProposed):
        existing = result.existing
        say(f"Not proposed: proposal {existing.id} of this case is {existing.state}.", warning=True)
    else:
        say("Proposed. It waits in Approvals.")


def _withdraw(page: OpenPage, proposal_id: int) -> None:
    desk = desk_of(page)
    try:
        result = desk.store.proposals.withdraw(proposal_id, proposer=desk.alias)
    except JudgekitError as error:
        say_error(error)
        return
    if isinstance(result, Decided):
        say("Withdrawn.")
    else:
        say(result.reason, warning=True)


def _split(desk: GoldenDesk, case_id: str) -> Split | None:
    """Return the split of the dataset's item; its own where the dataset is not in the workspace."""
    try:
        return workspace().dataset(desk.project.dataset).split_of.get(case_id)
    except InputError:
        return desk.item(case_id).split


def _source(desk: GoldenDesk, case_id: str) -> GoldenSource:
    """Return where the case comes from: the approved candidate of that item, if there is one."""
    found = desk.store.proposals.list(
        state="approved", kind="golden_candidate", project=desk.project.name
    )
    for proposal in found:
        if proposal.subject == case_id:
            candidate = parse_candidate(proposal.payload)
            return GoldenSource(
                item_id=case_id, failure_mode=candidate.mode_name, note=candidate.note
            )
    return GoldenSource(item_id=case_id)
