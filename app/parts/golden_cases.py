"""The list of golden cases: what waits for whom."""

from __future__ import annotations

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.store.label_store import GoldenCase, Proposal
from parts.golden_desk import (
    GoldenDesk,
    desk_of,
    forget_said,
    golden_probe,
    quiet_line,
    say,
    say_error,
    show_case,
)
from parts.page import OpenPage
from parts.text_list import Act, Action, Row, TextList, text_list

FILL_IN = "To fill in"
SETTLE = "Both experts are done: settle and propose"
WAITING = "You are done; the other expert is not"
TAKEN = "With two other experts"
PROPOSED = "Proposed: waits in Approvals"
GOLDEN = "Golden"
CANDIDATE = "Candidates: wait in Approvals, nobody can begin yet"
GROUPS = (FILL_IN, SETTLE, WAITING, TAKEN, PROPOSED, GOLDEN, CANDIDATE)


def case_list(page: OpenPage) -> None:
    """Draw the cases by what is to be done, and the box that asks for another one."""
    desk = desk_of(page)
    golden_probe(desk)
    text_list(
        TextList(
            "Golden cases",
            case_rows(desk),
            (Action("enter", "open", "Open"),),
            opens=True,
            empty=(
                "No case is asked for yet. Promote one in Error analysis, or ask for an item below."
            ),
            height=520,
        ),
        key="golden-cases",
        on_act=lambda act: _open(page, act),
    )
    quiet_line(idle="Choose a case")
    with st.container(key="golden-ask"), st.form("golden-ask-form", border=False):
        st.text_input("Ask two experts about another item, by its id", key="golden-ask-id")
        st.form_submit_button("Ask for this case", on_click=_ask, args=(page,))


def case_rows(desk: GoldenDesk) -> list[Row]:
    """Return one row a case, and one for each candidate that waits in Approvals."""
    proposals = golden_proposals(desk)
    cases = desk.store.goldens.cases(desk.project.name, desk.alias)
    placed = [(group_of(case, proposals.get(case.case_id)), case) for case in cases]
    rows = [
        _row(group, case, proposals.get(case.case_id))
        for wanted in GROUPS
        for group, case in placed
        if group == wanted
    ]
    return rows + _candidates(desk, {case.case_id for case in cases})


def golden_proposals(desk: GoldenDesk) -> dict[str, Proposal]:
    """Return the newest proposal of each case."""
    found = desk.store.proposals.list(state=None, kind="golden", project=desk.project.name)
    return {proposal.subject: proposal for proposal in found}


def group_of(case: GoldenCase, proposal: Proposal | None) -> str:
    """Return what is to be done about a case, as its viewer may know it."""
    if proposal is not None and proposal.state in ("pending", "approved"):
        return PROPOSED if proposal.state == "pending" else GOLDEN
    if case.both_done:
        return SETTLE
    if case.mine is not None and case.mine.state == "done":
        return WAITING
    return TAKEN if case.mine is None and case.n_experts >= 2 else FILL_IN


def _row(group: str, case: GoldenCase, proposal: Proposal | None) -> Row:
    begun = "you have begun" if case.mine and case.mine.state == "draft" else ""
    meta = [word for word in (f"{case.n_done} of 2 experts done", begun) if word]
    flag = ""
    if proposal is not None and proposal.state == "sent_back":
        flag = f"Sent back by {proposal.decided_by}: {proposal.reason}"
    return Row(id=case.case_id, text=case.case_id, meta=(", ".join(meta),), flag=flag, group=group)


def _candidates(desk: GoldenDesk, known: set[str]) -> list[Row]:
    waiting = desk.store.proposals.list(kind="golden_candidate", project=desk.project.name)
    return [
        Row(
            id=f"candidate {proposal.id}",
            text=proposal.subject,
            meta=(f"proposed by {proposal.proposer}",),
            group=CANDIDATE,
        )
        for proposal in waiting
        if proposal.subject not in known
    ]


def _open(page: OpenPage, act: Act) -> None:
    desk = desk_of(page)
    chosen = act.ids[0] if act.ids else act.row
    known = {case.case_id for case in desk.store.goldens.cases(desk.project.name, desk.alias)}
    forget_said()
    if chosen in known:
        show_case(chosen)
    elif chosen:
        say("This candidate waits in Approvals. It can be filled in once it is approved.")


def _ask(page: OpenPage) -> None:
    desk = desk_of(page)
    typed = str(st.session_state.get("golden-ask-id", ""))
    if not typed.strip():
        say("Type the id of an item first.", warning=True)
        return
    try:
        wanted = desk.store.projects.meant_id(desk.project.name, typed)
        new = desk.store.goldens.ask(desk.project.name, [wanted], actor=desk.alias)
    except JudgekitError as error:
        say_error(error)
        return
    say("The case is in the list." if new else "The case was in the list already.")
