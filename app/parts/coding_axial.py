"""Axial coding: put notes under named failure modes, merge, rename and split them."""

from __future__ import annotations

import uuid

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.goldens.coding import ModeShare, shares
from judgekit.store.label_store import CodeBook, CodeStep
from parts.coding_acts import alike_to, count_of, mode_act, note_act, undo_act
from parts.coding_chart import share_chart
from parts.coding_desk import (
    coding_probe,
    desk_of,
    percent,
    quiet_line,
    say,
    say_error,
    trace_of_note,
)
from parts.page import OpenPage
from parts.text_list import Act, Action, Choice, Prompt, Row, Selection, TextList, text_list

_SHOWN = "_coding_shown"
_ALIKE = "_coding_alike"


@st.fragment
def axial_coding(page: OpenPage) -> None:
    """Draw the notes beside the modes."""
    desk = desk_of(page)
    book = desk.book
    rows = shares(book)
    shown = st.session_state.get(_SHOWN, "")
    coding_probe(desk, item=shown)
    notes, modes = st.columns([3, 2], gap="medium")
    with notes:
        st.header("Notes", anchor=False)
        _notes(page, book, rows)
    with modes:
        st.header("Failure modes", anchor=False)
        _modes(page, rows)
        _undo(page, book.last_step(desk.coder))
        quiet_line(keys=("u",))
        if any(row.count for row in rows):
            share_chart(rows, n_unassigned=len(book.unassigned))
    trace_of_note(desk, book, shown, key="axial-trace")


def _notes(page: OpenPage, book: CodeBook, rows: tuple[ModeShare, ...]) -> None:
    choices = tuple(Choice(row.code, row.name) for row in rows)
    prompt = Prompt("Assign to", choices, free=True, many=True)
    split = Prompt("Split off under a new name", free=True, many=True)
    text_list(
        TextList(
            "Notes",
            note_rows(book, rows),
            (
                Action("a", "assign", "Assign", prompt=prompt),
                Action("s", "alike", "Select alike", clears=False),
                Action("x", "take_out", "Take out"),
                Action("p", "split", "Split off", prompt=split),
                Action("enter", "trace", "Show trace", clears=False),
            ),
            multi=True,
            empty="No notes yet. Write some under Open.",
            height=430,
            select=st.session_state.get(_ALIKE),
        ),
        key="notes",
        on_act=lambda act: _on_note(page, act),
    )


def note_rows(book: CodeBook, modes: tuple[ModeShare, ...]) -> list[Row]:
    """Return the notes by mode, the unassigned first."""
    rows = []
    for code, name in ((None, "Unassigned"), *((mode.code, mode.name) for mode in modes)):
        notes = [note for note in book.notes if note.code == code]
        group = f"{name} ({len(notes)})"
        rows += [
            Row(note.id, note.text, meta=(f"item {note.item_id}", note.author), group=group)
            for note in notes
        ]
    return rows


def _modes(page: OpenPage, rows: tuple[ModeShare, ...]) -> None:
    others = tuple(Choice(row.code, row.name) for row in rows)
    text_list(
        TextList(
            "Failure modes",
            [
                Row(row.code, row.name, meta=(count_of(row.count), percent(row.share)))
                for row in rows
            ],
            (
                Action("m", "merge", "Merge", prompt=Prompt("Merge into", others)),
                Action(
                    "r",
                    "rename",
                    "Rename",
                    prompt=Prompt("New name", free=True, starts_with_row=True),
                ),
                Action(
                    "n", "new", "New", needs="none", prompt=Prompt("Name of the mode", free=True)
                ),
            ),
            empty="No modes yet. Select notes and press a.",
            height=300,
        ),
        key="modes",
        on_act=lambda act: _on_mode(page, act),
    )


def _undo(page: OpenPage, step: CodeStep | None) -> None:
    with st.container(horizontal=True, key="undo", vertical_alignment="center"):
        st.button(
            "Undo",
            shortcut="u",
            key="undo-button",
            disabled=step is None,
            on_click=_on_undo,
            args=(page, uuid.uuid4().hex),
        )
        st.text(f"Last step: {step.words}" if step else "No step of yours to undo.")


def _on_note(page: OpenPage, act: Act) -> None:
    desk = desk_of(page)
    if act.name == "trace":
        note = next((n for n in desk.book.notes if n.id == act.row), None)
        if note is not None:
            st.session_state[_SHOWN] = note.item_id
            say(f"Item {note.item_id} is shown below.")
        return
    if act.name == "alike":
        ids = alike_to(desk.book, act.row)
        st.session_state[_ALIKE] = Selection(act.op_id, ids)
        say(f"{count_of(len(ids))} selected that read alike; nothing is assigned yet.")
        return
    try:
        say(note_act(desk, act))
    except JudgekitError as error:
        say_error(error)


def _on_mode(page: OpenPage, act: Act) -> None:
    try:
        say(mode_act(desk_of(page), act))
    except JudgekitError as error:
        say_error(error)


def _on_undo(page: OpenPage, op_id: str) -> None:
    try:
        say(undo_act(desk_of(page), op_id))
    except JudgekitError as error:
        say_error(error)
