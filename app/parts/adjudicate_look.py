"""A closed case that is only looked at: no key here decides anything."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from judgekit.store.label_store import AdjudicationCase, FieldTask
from parts import adjudicate_actions as act
from parts import adjudicate_reopen as closed
from parts.adjudicate_answers import draw_answers
from parts.adjudicate_bench import said
from parts.adjudicate_keys import AGAIN, CAUSES, GUIDELINES, LEAVE, field_word
from parts.adjudicate_steps import decision_words
from parts.bindings import DIGITS
from parts.counts import counted
from parts.guidelines import PANEL
from parts.page import OpenPage
from parts.status_line import Besides, status_line

LOOK_KEYS = [(AGAIN.key, AGAIN.word), ("Esc", "Leave"), (GUIDELINES.key, GUIDELINES.word)]

_IDLE = dict.fromkeys(
    (*DIGITS, "0", "x", "b", "z", *(cause.key for cause in CAUSES)),
    "Only looked at: o decides again, Esc leaves.",
)
_MAIN = '[data-testid="stMain"]'


def besides(idle: Mapping[str, str]) -> Besides:
    """Return what the status line does with keys that no button has: scroll, or be answered."""
    opened = PANEL if st.session_state.get(act.GUIDELINES_OPEN) else ""
    return Besides(scrolls=(PANEL, _MAIN), opened=opened, idle=idle)


def draw_look(page: OpenPage, case: AdjudicationCase) -> None:
    """Draw what was answered and decided, and the two ways out."""
    item_id = case.task.item_id
    decided = any(task.decision is not None for task in case.fields)
    for task in case.fields:
        if task.options or task.decision is not None:
            _field(task)
    with st.container(key="decisions", gap="xsmall"):
        with st.container(horizontal=True, gap="small"):
            st.button(
                AGAIN.word if decided else "Decide now",
                key="look-again", shortcut=AGAIN.key, on_click=closed.decide_again,
                args=(page, item_id),
            )  # fmt: skip
            # Escape closes one thing at a time: the guidelines first.
            key = None if st.session_state.get(act.GUIDELINES_OPEN) else LEAVE.key
            st.button(
                LEAVE.word, key="look-leave", shortcut=key, on_click=closed.leave, args=(page,)
            )
        with st.container(key="save-state"):
            status_line(
                said(), keys=[AGAIN.key], token=f"look\n{item_id}", besides=besides(_IDLE),
                once=(GUIDELINES.key, LEAVE.key),
            )  # fmt: skip


def _field(task: FieldTask) -> None:
    words = field_word(task.field)
    st.header(words[:1].upper() + words[1:], anchor=False)
    if task.decision is not None:
        st.text("Decided: " + decision_words(task.decision))
    else:
        st.text(f"Not decided; {counted(len(task.options), 'label')} so far.")
    draw_answers(task, f"-{task.field}")
