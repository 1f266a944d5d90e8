"""What adjudicators decided on one's own items, once it is released: never before."""

from __future__ import annotations

import streamlit as st

from judgekit.model.label import OVERALL
from judgekit.store.label_store import PAIRWISE_LABELS, Answer, Decision, OwnLabel
from parts.adjudicate_keys import field_word, label_word
from parts.adjudicate_steps import decision_words
from parts.home_openings import openings
from parts.page import OpenPage
from parts.text_list import Row, TextList, text_list

SHOWN = 200


def draw_outcomes(page: OpenPage) -> None:
    """Draw the released decisions on the person's own items; nothing where there are none."""
    found = page.store.adjudication.outcomes(page.the_project.name, page.user.alias)
    if not found:
        return
    with st.container(key="outcomes"):
        st.header("Decided about your items", anchor=False)
        shown = found[-SHOWN:]
        ids = [one.item_id for one in shown]
        begins = openings(page, ids)
        own = page.store.queue.labels_of(page.the_project.name, page.user.alias, ids)
        rows = [_row(one, begins.get(one.item_id, ""), own.get(one.item_id)) for one in shown]
        text_list(TextList("Released decisions", rows, height=260), key="outcome-list")


def _row(one: Decision, begins: str, own: OwnLabel | None) -> Row:
    """Return a decision with the item's first words and the person's own answer under it."""
    answer = None if own is None else _own_answer(own.answer, one)
    meta = (begins, f"your answer: {answer}" if answer else "")
    return Row(
        f"{one.item_id}\n{one.field}",
        f"{one.item_id}, {field_word(one.field).lower()}: {decision_words(one)}",
        meta=tuple(words for words in meta if words),
    )


def _own_answer(answer: Answer, one: Decision) -> str | None:
    """Return the answer to the decided field; none of pairs, whose sides may be exchanged."""
    if one.field != OVERALL:
        given = answer.criteria.get(one.field)
        return None if given is None or given in PAIRWISE_LABELS else label_word(given)
    if answer.label in PAIRWISE_LABELS:
        return None
    mode = answer.failure_mode
    words = label_word(answer.label)
    return f"{words}, {mode.replace('_', ' ')}" if mode else words
