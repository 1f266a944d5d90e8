"""The Adjudicate page below its title: one fragment, so that a key redraws this and no more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from judgekit.store.label_store import (
    UNSURE,
    AdjudicationCounts,
    Option,
)
from parts import adjudicate_actions as act
from parts.adjudicate_bench import (
    PAGE,
    Bench,
    Seat,
    current_bench,
    said,
    seat_of,
)
from parts.adjudicate_keys import (
    CONFIDENCES,
    GUIDELINE,
    LATER,
    NEXT_FIELD,
    NOTE_KEY,
    UNDO,
    field_word,
    label_word,
    legend_rows,
)
from parts.adjudicate_lists import task_lists
from parts.adjudicate_steps import FAST, STAGES, Desk, decision_words, key_button
from parts.bindings import DIGITS, LOOK, Binding, guarded_keys
from parts.counts import counted
from parts.guidelines import guidelines_panel
from parts.item_view import Mark, ShownSpan, item_blocks, item_view
from parts.key_legend import draw_key_legend
from parts.long_item import offer_whole, shown_part
from parts.messages import errors_shown
from parts.note_box import note_box
from parts.page import OpenPage
from parts.probe import probe
from parts.status_line import status_line

ANSWERS_A_ROW, IN_SIGHT, ANSWERS_PX = 2, 4, 300
_REASONS = {
    "disagreement": "they disagree",
    "unsure": "someone is unsure",
    "label_wrong": "a label was questioned",
    "ambiguous": "marked as ambiguous",
    "gate_review": "sent by the gate",
    "targeted": "asked for",
    "reopened": "reopened",
}


@st.fragment
def adjudicate_panel(page: OpenPage) -> None:
    """Draw the case in hand with both answers, the decisions and the lists."""
    with errors_shown():
        seat = seat_of(page)
        bench = current_bench(seat)
        counts = seat.store.adjudication.counts(seat.project.name)
    if bench is None:
        draw_key_legend([(UNDO.key, UNDO.word)])
    else:
        letters = [option.letter for option in bench.task.options]
        draw_key_legend(legend_rows(letters, bench.first))
    left, right = st.columns([7, 6], gap="medium")
    if bench is None:
        with left, st.container(key="item"):
            st.header("All decided", anchor=False)
            st.text("No case is open for you. Every decision is saved.")
    else:
        with left:
            _item(bench)
    with right, st.container(gap="xsmall"):
        _counts(counts)
        if bench is not None:
            _answers(bench)
            _decisions(page, seat, bench)
        else:
            with st.container(key="decisions", horizontal=True):
                st.button(UNDO.word, key="undo", shortcut=UNDO.key, on_click=act.undo, args=(page,))
            _status([UNDO])
    task_lists(page, seat, counts)
    with st.expander("Guidelines"):
        guidelines_panel(seat.project)
    _probe(seat, bench, counts)


def _probe(seat: Seat, bench: Bench | None, counts: AdjudicationCounts) -> None:
    probe(
        page=PAGE,
        user=seat.alias,
        item=bench.case.task.item_id if bench else "",
        presentation=bench.op_id if bench else "",
        rev=bench.task.rev if bench else "",
        saved=str(counts.decided),
    )


def _counts(counts: AdjudicationCounts) -> None:
    agreeing = counted(counts.agreeing, "agrees and is", "agree and are")
    with st.container(key="progress", gap="xsmall"):
        st.text(f"{counts.open} open · {counts.decided} decided · {counts.excluded} excluded")
        st.text(f"{agreeing} accepted without being shown · {counts.incomplete} incomplete")


def _item(bench: Bench) -> None:
    part = shown_part(item_blocks(bench.case.item), bench.case.item.id)
    ends = {block.field: len(block.text) for block in part.blocks}
    marks = [mark for mark in _marks(bench) if mark.end <= ends.get(mark.field, -1)]
    with st.container(key="item"):
        item_view(part.blocks, key="item-view", token=bench.token, spans=marks)
        offer_whole(part)


def _marks(bench: Bench) -> list[ShownSpan]:
    """Return everybody's spans: A solid, the others dashed, each with its letter."""
    found: dict[tuple[str, str, int, int], ShownSpan] = {}
    for task in bench.case.fields:
        for option in task.options:
            mark: Mark = "a" if option.letter == "A" else "b"
            for span in option.spans:
                found[option.letter, span.field, span.start, span.end] = ShownSpan(
                    span.field, span.start, span.end, mark=mark, tag=option.letter
                )
    return list(found.values())


def _answers(bench: Bench) -> None:
    task = bench.task
    why = ", ".join(_REASONS.get(reason, reason) for reason in bench.case.task.reasons)
    st.header(field_word(task.field), anchor=False)
    st.text(f"Listed because {why}." if why else "Nothing is open here.")
    if len(task.options) < 2:
        n = len(task.options)
        st.text(f"Incomplete: {counted(n, 'label')} so far, no comparison yet.")
    if task.decision is not None:
        st.text("Decided before: " + decision_words(task.decision))
    # Many answers scroll in a frame of their own, so that the decisions stay in sight.
    height: int | Literal["content"] = ANSWERS_PX if len(task.options) > IN_SIGHT else "content"
    with st.container(key="options", height=height, border=False):
        for at in range(0, len(task.options), ANSWERS_A_ROW):
            row = task.options[at : at + ANSWERS_A_ROW]
            for column, option in zip(st.columns(ANSWERS_A_ROW, gap="small"), row, strict=False):
                with (
                    column,
                    st.container(border=True, key=f"answer-{option.letter.lower()}", gap="xsmall"),
                ):
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


def _decisions(page: OpenPage, seat: Seat, bench: Bench) -> None:
    stage = bench.stage(seat.project)
    with st.container(key="decisions", gap="xsmall"):
        drawn = STAGES[stage](Desk(page, seat, bench))
        if stage == "conflict":
            _status(drawn, bench.token)
            return
        drawn += _beside(page, bench)
        _status(drawn, bench.token)
    with st.container(key="note"):
        note_box(
            key=act.NOTE_BOX,
            token=bench.token,
            text=bench.note,
            on_draft=lambda: act.take_input(page),
            rows=2,
            focus_key=NOTE_KEY,
        )
    with st.container(key="more", horizontal=True, gap="small"):
        token = bench.token
        st.button(UNDO.word, key="undo", shortcut=UNDO.key, on_click=act.undo, args=(page,))
        key_button(LATER, act.later, (page, token))
        if len(bench.case.fields) > 1:
            key_button(NEXT_FIELD, act.next_field, (page, token))


def _beside(page: OpenPage, bench: Bench) -> list[Binding]:
    """Draw confidence and the guideline tick; both are optional and start empty."""
    token = bench.token
    with st.container(horizontal=True, gap="xsmall", key="beside", vertical_alignment="center"):
        st.text("Confidence")
        for confidence, binding in CONFIDENCES:
            mark = "● " if bench.confidence == confidence else "○ "
            key_button(
                binding,
                act.choose_confidence,
                (page, token, confidence),
                label=mark + binding.word,
                type="tertiary",
            )
        key_button(
            GUIDELINE,
            act.tick_guideline,
            (page, token),
            label=("☑ " if bench.guideline else "☐ ") + GUIDELINE.word,
            type="tertiary",
        )
    return [GUIDELINE, *(binding for _, binding in CONFIDENCES)]


def _status(bindings: Sequence[Binding], token: str = "") -> None:
    with st.container(key="save-state"):
        status_line(
            said(),
            keys=guarded_keys(bindings),
            token=token,
            after=FAST,
            ahead=(*DIGITS, "0", "p", "f", "t"),
        )
