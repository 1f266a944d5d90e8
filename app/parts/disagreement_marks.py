"""Marks on a case: judge wrong, label wrong, ambiguous. None of them changes a label."""

from __future__ import annotations

import streamlit as st

from judgekit.calibration.cases import Case
from judgekit.errors import JudgekitError
from judgekit.model.label import OVERALL
from judgekit.store.label_store import Flag, FlagReason
from parts.acting import acting_user
from parts.disagreement_filters import Chosen
from parts.page import OpenPage
from parts.plain_words import heading
from parts.store import label_store

MARKS: dict[FlagReason, str] = {
    "judge_wrong": "Judge wrong",
    "label_wrong": "Label wrong",
    "ambiguous": "Ambiguous",
}
KEYS = {"judge_wrong": "w", "label_wrong": "l", "ambiguous": "a"}
MEANING = "Label wrong and Ambiguous send the item to adjudication; no label is changed here."
_SAID = "_marked"


def show_marks(page: OpenPage, chosen: Chosen, case: Case) -> None:
    """Draw the marks that were set and the buttons that set one."""
    heading("Mark this case")
    with st.container(key="marks"):
        if page.project is None:
            st.text("Marks need a project of this dataset: a lead opens one in Admin.")
            return
        st.text(MEANING)
        field = chosen.options.criteria[0] if chosen.options.criteria else OVERALL
        st.text_input("Note (optional)", key=f"mark-note-{case.id}")
        for reason, label in MARKS.items():
            st.button(
                label,
                key=f"mark-{reason}",
                shortcut=KEYS[reason],
                on_click=_mark,
                args=(page.project.name, case, field, reason),
                width="stretch",
            )
        said = st.session_state.pop(_SAID, None)
        if said is not None:
            st.text(said)
        for flag in page.store.adjudication.flags(page.project.name, item_id=case.item_id):
            st.text(_flag_words(flag))


def _flag_words(flag: Flag) -> str:
    note = f": {flag.note}" if flag.note else ""
    what = MARKS.get(flag.reason, flag.reason)
    return f"- {what}, {flag.actor}, {flag.at:%Y-%m-%d %H:%M} UTC{note}"


def _mark(project: str, case: Case, field: str, reason: FlagReason) -> None:
    user = acting_user("disagreements")
    # What stands in the box now: a callback's arguments are those of the run before.
    note = str(st.session_state.get(f"mark-note-{case.id}", "")).strip()
    try:
        kept = label_store().adjudication.flag(
            project,
            case.item_id,
            reason=reason,
            actor=user.alias,
            field=field,
            note=note or None,
        )
    except JudgekitError as error:
        st.session_state[_SAID] = f"Error: {error}"
        return
    if note and kept.note != note:
        st.session_state[_SAID] = f"Marked before: {MARKS[reason]}. This note was not added."
        return
    sent = " It is in the adjudication queue." if reason != "judge_wrong" else ""
    st.session_state[_SAID] = f"Marked: {MARKS[reason]}.{sent}"
