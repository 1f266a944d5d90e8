"""The item of a case with everybody's marks, and the answers to one of its fields."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from judgekit.store.label_store import UNSURE, AdjudicationCase, FieldTask, Option
from parts.adjudicate_keys import label_word
from parts.bindings import LOOK
from parts.item_view import Mark, ShownSpan, item_blocks, item_view
from parts.long_item import offer_whole, shown_part

ANSWERS_A_ROW, IN_SIGHT, ANSWERS_PX = 2, 4, 300


def draw_item(case: AdjudicationCase, token: str) -> None:
    """Draw the item, or its first part where it is very long, with everybody's marks."""
    part = shown_part(item_blocks(case.item), case.item.id)
    ends = {block.field: len(block.text) for block in part.blocks}
    marks = [mark for mark in _marks(case) if mark.end <= ends.get(mark.field, -1)]
    with st.container(key="item"):
        item_view(part.blocks, key="item-view", token=token, spans=marks)
        offer_whole(part)


def _marks(case: AdjudicationCase) -> list[ShownSpan]:
    """Return everybody's spans: A solid, the others dashed, each with its letter."""
    found: dict[tuple[str, str, int, int], ShownSpan] = {}
    for task in case.fields:
        for option in task.options:
            mark: Mark = "a" if option.letter == "A" else "b"
            for span in option.spans:
                found[option.letter, span.field, span.start, span.end] = ShownSpan(
                    span.field, span.start, span.end, mark=mark, tag=option.letter
                )
    return list(found.values())


def draw_answers(task: FieldTask, name: str = "") -> None:
    """Draw the answers to a field; `name` keeps several fields on a page apart."""
    # Many answers scroll in a frame of their own, so that the decisions stay in sight.
    height: int | Literal["content"] = ANSWERS_PX if len(task.options) > IN_SIGHT else "content"
    with st.container(key=f"options{name}", height=height, border=False):
        for at in range(0, len(task.options), ANSWERS_A_ROW):
            row = task.options[at : at + ANSWERS_A_ROW]
            for column, option in zip(st.columns(ANSWERS_A_ROW, gap="small"), row, strict=False):
                key = f"answer-{option.letter.lower()}{name}"
                with column, st.container(border=True, key=key, gap="xsmall"):
                    _answer(option)


def _answer(option: Option) -> None:
    style = "solid underline" if option.letter == "A" else "dashed underline"
    look = f" :small[:gray[{style}]]" if option.spans else ""
    st.subheader(f"{option.letter}{look}", anchor=False)
    st.markdown(_look(option.label))
    if option.failure_mode:
        st.text(option.failure_mode.replace("_", " "))
    for span in option.spans:
        st.text(f"“{span.quote}”")
    if option.note:
        st.text(f"Note: {option.note}")


def _look(label: str) -> str:
    """Return an answer as markdown of ours; other words than ours are kept out of it."""
    if label == UNSURE:
        return ":gray[**? Unsure**]"
    plain = "".join(char for char in label_word(label) if char.isalnum() or char == " ")
    return LOOK.get(label, f"**{plain}**")
