"""What is open, decided and incomplete, as plain lists; agreeing items are only counted."""

from __future__ import annotations

import streamlit as st

from judgekit.store.label_store import AdjudicationCounts, AdjudicationTask, TaskState
from parts import adjudicate_actions as act
from parts.adjudicate_bench import Seat
from parts.counts import counted
from parts.page import OpenPage
from parts.text_list import Act, Action, Row, TextList, text_list

SHOWN = 200
_TABS: dict[str, TaskState] = {"Open": "open", "Decided": "decided", "Incomplete": "incomplete"}
_EMPTY = {
    "open": "Nothing is open.",
    "decided": "Nothing is decided yet.",
    "incomplete": "No item waits for another label.",
}
_WORDS = {
    "disagreement": "disagreement",
    "unsure": "unsure",
    "label_wrong": "label questioned",
    "ambiguous": "ambiguous",
    "gate_review": "from the gate",
    "targeted": "asked for",
    "reopened": "reopened",
}


def task_lists(page: OpenPage, seat: Seat, counts: AdjudicationCounts) -> None:
    """Draw the lists as tabs; only the one that is open is sent to the browser."""
    with st.container(key="queue"):
        st.header("Queue", anchor=False)
        tabs = st.tabs(list(_TABS), key="queue-tab", on_change="rerun")
        for tab, state in zip(tabs, _TABS.values(), strict=True):
            if tab.open:
                with tab:
                    _list(page, seat, state, counts)


def _list(page: OpenPage, seat: Seat, state: TaskState, counts: AdjudicationCounts) -> None:
    adjudicator = seat.alias if state == "open" else None
    tasks = seat.store.adjudication.tasks(
        seat.project.name, state=state, adjudicator=adjudicator, limit=SHOWN
    )
    actions = {
        "open": (Action("enter", "open", "Open", leaves=True),),
        "decided": (
            Action("o", "reopen", "Reopen", leaves=True),
            Action("enter", "open", "Look", leaves=True),
        ),
        "incomplete": (Action("enter", "open", "Look", leaves=True),),
    }
    text_list(
        TextList(
            f"{state.capitalize()} items",
            [task_row(task) for task in tasks],
            actions[state],
            empty=_EMPTY[state],
            height=320,
        ),
        key=f"tasks-{state}",
        on_act=lambda a: _on_act(page, a),
    )
    total = {"open": counts.open, "decided": counts.decided, "incomplete": counts.incomplete}
    if total[state] > len(tasks):
        st.text(f"{len(tasks)} of {total[state]} are listed.")


def task_row(task: AdjudicationTask) -> Row:
    """Return an item of the queue; one label is incomplete and no disagreement."""
    n = task.n_labels
    meta = [", ".join(_WORDS.get(reason, reason) for reason in task.reasons), counted(n, "label")]
    if task.agreement is not None and (n > 2 or task.agreement > 0):  # two who differ: 0 %
        meta.append(f"agreement {100 * task.agreement:.0f} %")
    if task.state == "incomplete":
        meta.append("incomplete: waits for another label")
    flag = "another adjudicator has it open" if task.claimed_by_other else ""
    return Row(task.item_id, task.item_id, meta=tuple(word for word in meta if word), flag=flag)


def _on_act(page: OpenPage, done: Act) -> None:
    if done.name == "reopen":
        act.reopen(page, done.row)
    elif done.row:
        act.open_case(page, done.row)
