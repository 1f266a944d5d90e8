"""One golden case: its input on the left, what is to be done about it on the right."""

from __future__ import annotations

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.store.label_store import GoldenCase, GoldenSaved, Proposal
from parts.golden_cases import (
    FILL_IN,
    GOLDEN,
    PROPOSED,
    SETTLE,
    TAKEN,
    WAITING,
    golden_proposals,
    group_of,
)
from parts.golden_desk import (
    desk_of,
    forget_said,
    golden_probe,
    quiet_line,
    say,
    say_error,
    show_case,
    show_input,
)
from parts.golden_entry import entry_editor, own_entry, writing_help
from parts.golden_propose import approved, pending, proposing
from parts.golden_settle import settle
from parts.golden_work import forget_work
from parts.messages import show_error
from parts.page import OpenPage


def one_case(page: OpenPage, case_id: str) -> None:
    """Draw the case that is in view."""
    desk = desk_of(page)
    st.button("Back to the cases", key="golden-back", on_click=_back)
    left, right = st.columns(2, gap="medium")
    try:
        case, proposal = desk.case(case_id), golden_proposals(desk).get(case_id)
        group = group_of(case, proposal)
        with left, st.container(key="golden-input"):
            st.header("The case", anchor=False)
            st.text(case_id)
            show_input(desk, case_id)
            if group == FILL_IN:
                writing_help(case)
        with right, st.container(key="golden-work"):
            st.header(group, anchor=False)
            _work(page, case, proposal, group)
    except JudgekitError as error:
        show_error(error, key="golden-fault")


def _work(page: OpenPage, case: GoldenCase, proposal: Proposal | None, group: str) -> None:
    """Draw what this person may do about the case now."""
    desk, case_id = desk_of(page), case.case_id
    if group == SETTLE:
        settle(page, case_id)
        proposing(page, case_id, proposal)
    elif group in (WAITING, TAKEN, PROPOSED, GOLDEN):
        golden_probe(desk, item=case_id, saved=case.mine.state if case.mine else "")
        quiet_line(idle="Nothing to be saved here")
        if proposal is not None and group == PROPOSED:
            pending(page, proposal)
        elif proposal is not None and group == GOLDEN:
            approved(proposal)
        elif group == WAITING:
            own_entry(case)
            st.button("Change my entry", key="golden-reopen", on_click=_reopen,
                      args=(page, case_id))  # fmt: skip
        else:
            st.text("Two other experts have this case. You see it when both are done.")
    else:
        st.text("What you type is seen by nobody else until both experts are done.")
        entry_editor(page, case_id)


def _back() -> None:
    forget_said()
    forget_work()
    show_case("")


def _reopen(page: OpenPage, case_id: str) -> None:
    desk = desk_of(page)
    try:
        result = desk.store.goldens.reopen(desk.project.name, case_id, expert=desk.alias)
    except JudgekitError as error:
        say_error(error)
        return
    finally:
        forget_work()
    if isinstance(result, GoldenSaved):
        say("Your entry is open again.")
    else:
        say(str(getattr(result, "reason", "Not possible")), warning=True)
