"""The Approvals page: what waits, what was decided, and what to propose."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgekit.store.label_store import Proposal
from parts.approval_decision import SAID, show_decision
from parts.approval_diffs import show_diff
from parts.approval_propose import show_proposing
from parts.case_list import CaseRow, case_list
from parts.messages import errors_shown
from parts.page import OpenPage
from parts.plain_words import PlainTable, apply_styles, heading, show_table
from parts.probe import probe

KINDS = {
    "release": "Release of labels",
    "golden": "Golden case",
    "golden_candidate": "Candidate for a golden case",
    "guideline": "Guideline",
    "threshold": "Thresholds",
    "approval": "Judge",
    "other": "Other",
}
STATES = {"approved": "approved", "sent_back": "sent back", "withdrawn": "withdrawn"}
MOST_DECIDED = 20
_QUERY = "proposal"


def show_approvals(page: OpenPage) -> None:
    """Draw the page."""
    apply_styles()
    with errors_shown():
        everything = page.store.proposals.list(state=None)
        mine = [one for one in everything if one.project in (None, _name(page))]
        pending = [one for one in mine if one.state == "pending"]
        shown = _chosen(pending)
        probe(page=page.name, user=page.user.alias, item=str(shown.id) if shown else "")
        _said()
        with st.container(key="pending"):
            heading(f"Waiting: {len(pending)}")
            _waiting(page, pending, shown)
        show_proposing(page)
        _decided(page, [one for one in mine if one.state != "pending"])


def _name(page: OpenPage) -> str | None:
    return page.project.name if page.project else None


def _said() -> None:
    said = st.session_state.pop(SAID, None)
    if said is not None:
        with st.container(border=True, key="said"):
            st.text(said)


def _chosen(pending: Sequence[Proposal]) -> Proposal | None:
    wanted = st.query_params.get(_QUERY)
    found = next((one for one in pending if str(one.id) == wanted), None)
    return found or (pending[0] if pending else None)


def _waiting(page: OpenPage, pending: Sequence[Proposal], shown: Proposal | None) -> None:
    if shown is None:
        st.text("Nothing waits for a decision.")
        return
    left, right = st.columns([1, 3], gap="medium")
    with left:
        _listed(pending, shown)
    with right:
        heading(f"{KINDS[shown.kind]}: {shown.subject}")
        note = f"\n{shown.note}" if shown.note else ""
        st.text(f"Proposed by {shown.proposer}, {shown.at:%Y-%m-%d %H:%M} UTC.{note}")
        with st.container(key="diff"):
            show_diff(page, shown)
        with st.container(key="decision"):
            show_decision(page, shown)


def _listed(pending: Sequence[Proposal], shown: Proposal) -> None:
    rows = [
        CaseRow(
            str(one.id), f"{KINDS[one.kind]}: {one.subject}", f"{one.proposer}, {one.at:%Y-%m-%d}"
        )
        for one in pending
    ]
    case_list("Waiting", rows, current=str(shown.id), key="proposals", on_open=_open)


def _open(proposal_id: str) -> None:
    st.query_params[_QUERY] = proposal_id


def _decided(page: OpenPage, decided: Sequence[Proposal]) -> None:
    if not decided:
        return
    with st.container(key="decided"):
        heading("Decided")
        back = [one for one in decided if one.state == "sent_back"]
        for one in back:
            if one.proposer == page.user.alias:
                st.text(f"Sent back to you: {one.subject}. {one.decided_by}: {one.reason}")
        rows = tuple(_decided_row(one) for one in reversed(decided[-MOST_DECIDED:]))
        head = ("what", "decision", "proposed by", "decided by", "when (UTC)", "reason")
        show_table(PlainTable("The newest first", head, rows), key="decided-table")


def _decided_row(one: Proposal) -> tuple[str, ...]:
    return (
        f"{KINDS[one.kind]}: {one.subject}",
        STATES[one.state],
        one.proposer,
        one.decided_by or "-",
        f"{one.decided_at:%Y-%m-%d %H:%M}" if one.decided_at else "-",
        one.reason or "-",
    )
