"""The Disagreements page: the list of cases on the left, the open one on the right."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from judgekit.calibration.cases import Case
from judgekit.calibration.subject import HOLDOUT
from judgekit.errors import NoRate, NoVerdicts
from parts.calibrate_load import Read, offer, read_cases
from parts.case_list import CaseRow, case_list
from parts.disagreement_case import show_case
from parts.disagreement_filters import Chosen, choose_cases, choose_judge, words_of
from parts.disagreement_marks import show_marks
from parts.messages import errors_shown, show_notice
from parts.page import OpenPage
from parts.pages import page_entry
from parts.plain_words import apply_styles
from parts.probe import probe

WINDOW = 60
JUDGES_ONLY = (
    "This page compares a judge's verdicts with people's labels. "
    "What people answered differently among themselves is on the page Adjudicate."
)
_CASE = "case"


def show_cases(page: OpenPage, *, narrow: bool) -> None:
    """Draw the page; the cases are exactly those that the matrix on Calibrate counts.

    In a narrow window the filters are folded, and a line says which are set.
    """
    apply_styles()
    with errors_shown():
        found = offer(page.project.dataset if page.project else None)
        if found.lacks is not None:
            _nothing_to_compare(page, found.lacks)
            return
        with st.container(key="filters"):
            fold = st.expander("Filters") if narrow else st.container()
            with fold:
                chosen = choose_judge(found)
            read = _read(page, chosen)
            if read is None or not _may_be_read(page, read):
                return
            with fold:
                filters = choose_cases(read.cases)
            if narrow:
                st.text(words_of(chosen, filters))
        cases = [case for case in read.cases if filters.keeps(case)]
        _cases(page, chosen, read, cases)


def _read(page: OpenPage, chosen: Chosen) -> Read | None:
    """Return the cases, None where the judge has no verdict yet: then the page says so."""
    try:
        return read_cases(chosen.options, judge=chosen.judge, slice_value=chosen.slice_value)
    except NoVerdicts as error:
        _nothing_to_compare(page, str(error))
        return None


def _nothing_to_compare(page: OpenPage, why: str) -> None:
    """Say what is missing before a judge can be compared, and where people's differences are."""
    probe(page=page.name, user=page.user.alias)
    show_notice(f"{why}\n\n{JUDGES_ONLY}", key="nothing-to-compare")
    entry = page_entry("adjudicate")
    if page.user.roles & entry.roles:
        with st.container(key="to-adjudicate"):
            st.page_link(entry.file, label="Open Adjudicate")


def _may_be_read(page: OpenPage, read: Read) -> bool:
    """Show no case of a holdout that nobody has looked at, and say where there is no rate."""
    if read.no_rate is not None:
        return _without_rate(page, read, read.no_rate)
    if not read.foresight.new_looks:
        return True
    probe(page=page.name, user=page.user.alias)
    show_notice(
        "These items are the holdout, and nobody has looked at this judge on them. "
        "A look is spent on the page Calibrate; then the cases can be read.",
        key="look",
    )
    with st.container(key="to-calibrate"):
        st.page_link(
            page_entry("calibrate").file, label="Open Calibrate", query_params=_same_question(read)
        )
    return False


def _without_rate(page: OpenPage, read: Read, why: NoRate) -> bool:
    """Say why there is no rate; the cases are read all the same, but for those of a holdout."""
    held = read.request.split == HOLDOUT
    cases = (
        "These items are the holdout, and no look at them can be spent, so no case is shown."
        if held
        else "The cases can be read all the same."
    )
    show_notice(f"No rate is shown: {why}\n\n{cases}", key="no-rate")
    if held:
        probe(page=page.name, user=page.user.alias)
    return not held


def _same_question(read: Read) -> dict[str, str]:
    return {"judges": read.request.judge, "split": read.asked.options.split or "all"}


def _cases(page: OpenPage, chosen: Chosen, read: Read, cases: Sequence[Case]) -> None:
    if not cases:
        probe(page=page.name, user=page.user.alias, saved="0")
        show_notice("No case is in this selection.", key="no-cases")
        return
    place = _place(cases)
    case = cases[place]
    probe(page=page.name, user=page.user.alias, item=case.id, rev=place + 1, saved=str(len(cases)))
    left, right = st.columns([1, 3], gap="medium")
    with left:
        _walk(cases, place)
        _listed(cases, place)
        show_marks(page, chosen, case)
    with right, st.container(key="case"):
        show_case(chosen, read, case)


def _place(cases: Sequence[Case]) -> int:
    wanted = st.query_params.get(_CASE)
    return next((n for n, case in enumerate(cases) if case.id == wanted), 0)


def _walk(cases: Sequence[Case], place: int) -> None:
    with st.container(key="walk"):
        st.text(f"Case {place + 1} of {len(cases)}")
        before, after = st.columns(2)
        _step(before, "Previous", "k", cases, place - 1)
        _step(after, "Next", "j", cases, place + 1)


def _step(column: DeltaGenerator, label: str, key: str, cases: Sequence[Case], to: int) -> None:
    there = 0 <= to < len(cases)
    column.button(
        label,
        key=f"step-{key}",
        shortcut=key,
        help=f"Key {key}",
        disabled=not there,
        on_click=_open,
        args=(cases[to].id if there else "",),
        width="stretch",
    )


def _open(case_id: str) -> None:
    st.query_params[_CASE] = case_id


def _listed(cases: Sequence[Case], place: int) -> None:
    start = max(0, min(place - WINDOW // 2, len(cases) - WINDOW))
    shown = cases[start : start + WINDOW]

    rows = [CaseRow(case.id, case.id, _meta(case)) for case in shown]
    with st.container(key="list-box"):
        case_list("Cases", rows, current=cases[place].id, key="list", on_open=_open)
    if len(shown) < len(cases):
        st.text(f"Rows {start + 1} to {start + len(shown)} of {len(cases)}")


def _meta(case: Case) -> str:
    human = case.human or "open"
    mode = f" ({case.failure_mode})" if case.failure_mode else ""
    return f"people {human}{mode}, judge {case.judge or 'no answer'}"
