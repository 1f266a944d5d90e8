"""Approve, send back or withdraw: who may, and what it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgekit.approval.decide import approve_proposal
from judgekit.approval.evidence import Evidence
from judgekit.errors import JudgekitError, NotMirrored
from judgekit.store.label_store import NotDecided, Proposal
from judgekit.wiring import evidence_of
from parts.acting import acting_user
from parts.page import OpenPage
from parts.settings import workspace_now
from parts.store import label_store
from parts.user import User

SAID = "_approval_said"
ONLY_LEADS = "Only a lead approves or sends back."
OWN = "You proposed this: another lead decides it. You may withdraw it."


def gather_evidence(payload: Mapping[str, Any], *, record_look: bool) -> Evidence:
    """Return what a proposed approval of a judge rests on, as `judgekit approve` gathers it."""
    return evidence_of(
        workspace_now(),
        str(payload["judge"]),
        str(payload["dataset"]),
        str(payload["policy"]),
        reference=str(payload["reference"]),
        criterion=payload.get("criterion"),
        record_look=record_look,
    )


def show_decision(page: OpenPage, proposal: Proposal) -> None:
    """Draw what this person may do with the proposal."""
    if proposal.proposer == page.user.alias:
        st.text(OWN)
        st.button("Withdraw", key="withdraw", on_click=_withdraw, args=(proposal,))
        return
    if "lead" not in page.user.roles:
        st.text(ONLY_LEADS)
        return
    st.text_input("Reason (needed to send back, and for a judge)", key=_reason_key(proposal))
    approve, back, _ = st.columns([1, 1, 2])
    approve.button("Approve", key="approve", on_click=_approve, args=(proposal,), width="stretch")
    back.button(
        "Send back", key="send-back", on_click=_send_back, args=(proposal,), width="stretch"
    )


def _reason_key(proposal: Proposal) -> str:
    return f"reason-{proposal.id}"


def _reason(proposal: Proposal) -> str:
    """Return what stands in the box now: a callback's arguments are those of the run before."""
    return str(st.session_state.get(_reason_key(proposal), "")).strip()


def _lead() -> User | None:
    """Return who acts, None where they are no lead any more."""
    user = acting_user("approvals")
    if "lead" in user.roles:
        return user
    st.session_state[SAID] = ONLY_LEADS
    return None


def _approve(proposal: Proposal) -> None:
    user = _lead()
    if user is None:
        return
    try:
        done = approve_proposal(
            label_store(),
            workspace_now(),
            proposal,
            approver=user.alias,
            reason=_reason(proposal),
            gather=gather_evidence,
        )
    except NotMirrored as error:
        st.session_state[SAID] = _not_copied(proposal, error)
        return
    except JudgekitError as error:
        st.session_state[SAID] = f"Not approved. {error}"
        return
    st.session_state[SAID] = f"Approved. {done.sentence}"


def _send_back(proposal: Proposal) -> None:
    user, reason = _lead(), _reason(proposal)
    if user is None:
        return
    try:
        result = label_store().proposals.send_back(proposal.id, approver=user.alias, reason=reason)
    except NotMirrored as error:
        st.session_state[SAID] = _not_copied(proposal, error)
        return
    refused = result.reason if isinstance(result, NotDecided) else None
    st.session_state[SAID] = refused or "Sent back: its proposer sees the reason."


def _withdraw(proposal: Proposal) -> None:
    user = acting_user("approvals")
    try:
        result = label_store().proposals.withdraw(proposal.id, proposer=user.alias)
    except NotMirrored as error:
        st.session_state[SAID] = _not_copied(proposal, error)
        return
    refused = result.reason if isinstance(result, NotDecided) else None
    st.session_state[SAID] = refused or "Withdrawn."


def _not_copied(proposal: Proposal, error: NotMirrored) -> str:
    """Say what the database holds of a decision that was not copied to the files of the log."""
    state = label_store().proposals.get(proposal.id).state.replace("_", " ")
    return f"The proposal is {state}. Warning: {error.message}"
