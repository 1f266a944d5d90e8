"""What is open, decided and incomplete, as plain lists; agreeing items are only counted."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgekit.model.item import Item
from judgekit.model.item_text import item_texts
from judgekit.model.label import OVERALL
from judgekit.store.label_store import AdjudicationCounts, AdjudicationTask, Decision, TaskState
from parts import adjudicate_actions as act
from parts import adjudicate_reopen as closed
from parts.adjudicate_bench import Seat
from parts.adjudicate_keys import field_word
from parts.adjudicate_steps import decision_words
from parts.counts import counted
from parts.page import OpenPage
from parts.text_list import Act, Action, Row, TextList, text_list

SHOWN, OPENING = 200, 100
_OPENINGS = "_bench_openings"
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
        seat.project.name, state=state, adjudicator=adjudicator, viewer=seat.alias, limit=SHOWN
    )
    ids = [task.item_id for task in tasks]
    openings = _openings(seat, ids)
    decided = seat.store.adjudication.standing(seat.project.name, ids) if tasks else {}
    actions = {
        "open": (Action("enter", "open", "Open", leaves=True),),
        "decided": (
            Action("o", "reopen", "Decide again", leaves=True),
            Action("enter", "look", "Look", leaves=True),
        ),
        "incomplete": (Action("enter", "look", "Look", leaves=True),),
    }
    text_list(
        TextList(
            f"{state.capitalize()} items",
            [task_row(t, openings.get(t.item_id, ""), decided.get(t.item_id, ())) for t in tasks],
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


def _openings(seat: Seat, ids: Sequence[str]) -> dict[str, str]:
    """Return how each item begins; read once a session, since an item never changes."""
    key = "\n".join((_OPENINGS, seat.project.name, *seat.project.label_schema.shows))
    known: dict[str, str] = st.session_state.setdefault(key, {})
    new = [item_id for item_id in ids if item_id not in known]
    if new:
        items = seat.store.adjudication.items(seat.project.name, new)
        known |= {item_id: opening(item) for item_id, item in items.items()}
    return known


def opening(item: Item) -> str:
    """Return the first words of an item's first text that has any."""
    found = (" ".join(text.text[: 4 * OPENING].split()) for text in item_texts(item))
    words = next((words for words in found if words), "")
    return words if len(words) <= OPENING else words[:OPENING].rstrip() + "…"


def task_row(task: AdjudicationTask, begins: str = "", decided: Sequence[Decision] = ()) -> Row:
    """Return an item of the queue; one label is incomplete and no disagreement."""
    n = task.n_labels
    meta = [_decided_words(one) for one in decided]
    meta += [", ".join(_WORDS.get(reason, reason) for reason in task.reasons), counted(n, "label")]
    if task.agreement is not None and (n > 2 or task.agreement > 0):  # two who differ: 0 %
        meta.append(f"agreement {100 * task.agreement:.0f} %")
    if task.state == "incomplete":
        meta.append("incomplete: waits for another label")
    flag = "another adjudicator has it open" if task.claimed_by_other else ""
    text = f"{task.item_id}: {begins}" if begins else task.item_id
    return Row(task.item_id, text, meta=tuple(word for word in meta if word), flag=flag)


def _decided_words(decision: Decision) -> str:
    """Return answer and cause of a decision, and of which field where that is not the whole."""
    words = decision_words(decision.model_copy(update={"note": None, "confidence": None}))
    return words if decision.field == OVERALL else f"{field_word(decision.field)}: {words}"


def _on_act(page: OpenPage, done: Act) -> None:
    if done.name == "reopen":
        closed.reopen(page, done.row)
    elif done.name == "look":
        closed.look(page, done.row)
    elif done.row:
        act.open_case(page, done.row)
