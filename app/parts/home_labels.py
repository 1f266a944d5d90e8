"""One's own labels on Home: undo the last one, or open any again until it is released."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

import streamlit as st

from judgekit.store.label_store import OwnLabel, Undone
from parts.acting import acting_user
from parts.counts import counted
from parts.home_openings import openings, plain_label
from parts.label_actions import reopen
from parts.label_work import clock, set_work, work_on
from parts.messages import errors_shown, show_notice
from parts.page import OpenPage

GO = "_go_to_label"
"""In the session: an item was taken in hand here, and Label is to be opened."""
FIRST, MORE, MOST = 10, 40, 100
_SHOWN, _OLDER = "_labels_shown", "only-older"


def draw_own_labels(page: OpenPage, older: Sequence[OwnLabel]) -> None:
    """Draw the last labels, newest first, or those of `older`; further ones when asked for."""
    with st.container(key="recent", gap="xsmall"):
        st.header("Your last labels", anchor=False)
        if older:
            only = st.checkbox("Only those under an older guideline", key=_OLDER)
            labels = older if only else _last(page)
        else:
            labels = _last(page)
        if not labels:
            st.text("None yet.")
            return
        if not labels[0].released:  # what is released cannot be taken back
            st.button(
                "Undo the last one", key="undo-last", on_click=_undo, args=(page, str(uuid4())),
            )  # fmt: skip
        count = int(st.session_state.get(_SHOWN, FIRST))
        begins = openings(page, [label.item_id for label in labels[:count]])
        for number, label in enumerate(labels[:count]):
            _row(page, number, label, begins.get(label.item_id, ""))
        if len(labels) > count:
            st.button("Show older ones", key="more-labels", on_click=_show_more, args=(count,))


def labels_under_older_guideline(page: OpenPage) -> tuple[OwnLabel, ...]:
    """Return own labels that can be given anew under the guideline of now, and tell of them."""
    older = page.store.queue.older_labels(page.the_project.name, page.user.alias, limit=MOST)
    guideline = page.the_project.guideline
    if older and guideline:
        number = f"{MOST} or more labels" if len(older) == MOST else counted(len(older), "label")
        show_notice(
            f"The guideline is now version {guideline.version}. "
            f"{number} of yours can be given anew under it; "
            "reopen them below where the change matters.",
            key="guideline-changed",
        )
    return older


def _last(page: OpenPage) -> Sequence[OwnLabel]:
    """Return one label more than is shown, so that it is known whether there are more."""
    count = int(st.session_state.get(_SHOWN, FIRST)) + 1
    return page.store.queue.last_labels(page.the_project.name, page.user.alias, limit=count)


def _show_more(count: int) -> None:
    st.session_state[_SHOWN] = count + MORE


def _row(page: OpenPage, number: int, label: OwnLabel, begins: str) -> None:
    with st.container(key=f"recent-{number}"):
        answer, text, action = st.columns([2, 3, 2], gap=None, vertical_alignment="center")
        mode = label.answer.failure_mode
        words = f"{label.answer.label} ({mode.replace('_', ' ')})" if mode else label.answer.label
        answer.text(f"{clock(label.at)}  {words}")
        text.text(begins)
        if label.released:
            action.text(f"{label.item_id}  released")
            return
        action.button(
            f"Reopen {plain_label(label.item_id)}", key=f"reopen-{number}", on_click=_reopen,
            args=(page, label.item_id), type="tertiary",
        )  # fmt: skip


def _undo(page: OpenPage, op_id: str) -> None:
    acting_user("label")
    with errors_shown():
        result = page.store.labels.undo(
            page.the_project.name, annotator=page.user.alias, op_id=op_id
        )
    if isinstance(result, Undone):
        set_work(work_on(result.presentation, was=result.was))
        st.session_state[GO] = True


def _reopen(page: OpenPage, item_id: str) -> None:
    acting_user("label")
    reopen(page, item_id)
    st.session_state[GO] = True
