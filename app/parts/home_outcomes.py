"""What adjudicators decided on one's own items, once it is released: never before."""

from __future__ import annotations

import streamlit as st

from parts.adjudicate_keys import field_word
from parts.adjudicate_steps import decision_words
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
        rows = [
            Row(
                f"{one.item_id}\n{one.field}",
                f"{one.item_id}, {field_word(one.field).lower()}: {decision_words(one)}",
            )
            for one in found[-SHOWN:]
        ]
        text_list(TextList("Released decisions", rows, height=260), key="outcome-list")
