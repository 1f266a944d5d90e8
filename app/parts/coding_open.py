"""Open coding: read one trace after the other and note the first failure of each."""

from __future__ import annotations

import time
import uuid

import streamlit as st

from judgekit.errors import JudgekitError, NotMirrored
from judgekit.goldens.coding import Saturation, reading_order, saturation
from judgekit.store.label_store import CodeBook, CodeNote
from parts.coding_desk import Desk, coding_probe, desk_of, quiet_line, say, say_error, trace
from parts.counts import counted
from parts.note_box import note_box, typed_note
from parts.page import OpenPage

_AT = "_coding_at"
_SHOWN_AT = "_coding_shown_at"
_NOTE = "open-note"
DWELL_S = 0.25


@st.fragment
def open_coding(page: OpenPage) -> None:
    """Draw one trace and the box for its note."""
    desk = desk_of(page)
    book = desk.book
    order = _order(desk)
    at = _place(desk, book, order)
    coding_probe(desk, item=at or "")
    if at is None:
        _finished(book, order)
        return
    item, side = st.columns([3, 2], gap="medium")
    with item, st.container(key="item"):
        st.header("Trace", anchor=False)
        trace(desk, at, key="open-trace")
    with side, st.container(key="open-side"):
        st.header("First failure", anchor=False)
        _note(page, desk, book, at)
        _moves(page, order, at)
        quiet_line(keys=("b", "n"))
        st.text(_place_words(desk, book, order, at))
        st.text(saturation_words(saturation(book)))


def saturation_words(line: Saturation) -> str:
    """Return the saturation line."""
    if not line.n_notes:
        return "No notes yet."
    if not line.n_modes:
        notes = counted(line.n_notes, "note")
        return f"{notes}, none under a mode yet (Axial): saturation is not known."
    since, modes = counted(line.since_new, "coded note"), counted(line.n_modes, "mode")
    more = f" {line.n_uncoded} not coded yet." if line.n_uncoded else ""
    return f"Saturation: {since} since the last new mode ({modes} so far).{more}"


def own_note(book: CodeBook, coder: str, item_id: str) -> CodeNote | None:
    """Return the coder's note about an item, None where there is none."""
    own = (n for n in book.notes if n.author == coder and n.item_id == item_id)
    return next(own, None)


def keep_note(desk: Desk, item_id: str, text: str, *, op_id: str) -> str:
    """Store what stands in the box about an item and return what was done, in words.

    One note an item and coder: another text rewords it, and an empty box means that the item was
    read and nothing wrong was seen.
    """
    codes, project = desk.store.codes, desk.project.name
    before = own_note(desk.book, desk.coder, item_id)
    words = text.strip()
    if before is None and not words:
        codes.mark_read(project, item_id, author=desk.coder, op_id=op_id)
        return f"Item {item_id}: read, nothing wrong noted."
    if before is None:
        codes.add_note(project, item_id, words, author=desk.coder, op_id=op_id)
        return f"Item {item_id}: note kept."
    if not words:
        codes.discard_note(project, before.id, actor=desk.coder, op_id=op_id)
        codes.mark_read(project, item_id, author=desk.coder, op_id=f"{op_id}-read")
        return f"Item {item_id}: note taken back, nothing wrong noted."
    if words != before.text:
        codes.edit_note(project, before.id, words, actor=desk.coder, op_id=op_id)
        return f"Item {item_id}: note reworded."
    return f"Item {item_id}: note as before."


def _order(desk: Desk) -> tuple[str, ...]:
    project = desk.project
    known = (desk.store.url, project.name, project.n_items, project.settings.seed, desk.coder)
    kept = st.session_state.get("_coding_order")
    if kept is None or kept[0] != known:
        items = desk.store.projects.items(project.name)
        ids = (stored.item.id for stored in items)
        kept = (known, reading_order(ids, seed=project.settings.seed, coder=desk.coder))
        st.session_state["_coding_order"] = kept
    order: tuple[str, ...] = kept[1]
    return order


def _read(desk: Desk, book: CodeBook) -> set[str]:
    return {item_id for author, item_id in book.read if author == desk.coder}


def _place(desk: Desk, book: CodeBook, order: tuple[str, ...]) -> str | None:
    """Return the item shown: the one gone to, else the first unread of the own order."""
    at = st.session_state.get(_AT)
    if at not in order:
        read = _read(desk, book)
        at = next((item_id for item_id in order if item_id not in read), None)
        _go(at)
    return at


def _go(item_id: str | None) -> None:
    st.session_state[_AT] = item_id
    st.session_state[_SHOWN_AT] = time.monotonic()


def _place_words(desk: Desk, book: CodeBook, order: tuple[str, ...], at: str) -> str:
    read = _read(desk, book)
    noted = sum(note.author == desk.coder for note in book.notes)
    return (
        f"Trace {order.index(at) + 1} of {len(order)} in your order. "
        f"You read {len(read)} and noted {noted}."
    )


def _note(page: OpenPage, desk: Desk, book: CodeBook, at: str) -> None:
    before = own_note(book, desk.coder, at)
    note_box(
        key=_NOTE,
        token=at,
        text=_text(desk, at, before),
        label="What went wrong first? Only the first failure. Empty: nothing wrong.",
        rows=5,
        on_draft=lambda: _on_draft(page),
        on_done=lambda: _on_done(page),
        focus=True,
    )


def _text(desk: Desk, item_id: str, before: CodeNote | None) -> str:
    """Return what stands in the box: the draft, else the note, else nothing."""
    draft = desk.store.codes.load_draft(desk.project.name, item_id, desk.coder)
    if draft is not None:
        return draft
    return before.text if before else ""


def _moves(page: OpenPage, order: tuple[str, ...], at: str) -> None:
    with st.container(horizontal=True, key="open-moves"):
        st.button(
            "Keep, next `Ctrl+Enter`",
            key="keep",
            on_click=_on_keep,
            args=(page, at, uuid.uuid4().hex),
        )
        st.button(
            "Back",
            key="back",
            shortcut="b",
            disabled=order.index(at) == 0,
            on_click=_go,
            args=(order[max(order.index(at) - 1, 0)],),
        )
        st.button("Next unread", key="next", shortcut="n", on_click=_on_next, args=(page, at))


def _finished(book: CodeBook, order: tuple[str, ...]) -> None:
    st.text(f"You have read all {len(order)} traces." if order else "The project has no items.")
    st.text(saturation_words(saturation(book)))
    quiet_line()
    if order:
        st.button("Go through them again", key="again", on_click=_go, args=(order[0],))


def _on_draft(page: OpenPage) -> None:
    """Keep what is typed: it survives a reload, and is no note yet."""
    typed = typed_note(_NOTE)
    if typed is None:
        return
    desk = desk_of(page)
    try:
        desk.store.codes.save_draft(desk.project.name, typed.token, desk.coder, typed.text)
        say("Draft kept. Ctrl+Enter makes it a note.")
    except JudgekitError as error:
        say_error(error)


def _on_done(page: OpenPage) -> None:
    typed = typed_note(_NOTE)
    if typed is not None and typed.token == st.session_state.get(_AT):
        _keep(page, typed.token, typed.text, uuid.uuid4().hex)


def _on_keep(page: OpenPage, item_id: str, op_id: str) -> None:
    """Keep what stands in the box: sent with this click, drafted before, or the note as it was."""
    desk = desk_of(page)
    typed = typed_note(_NOTE)
    text = _text(desk, item_id, own_note(desk.book, desk.coder, item_id))
    if typed is not None and typed.token == item_id:
        text = typed.text
    _keep(page, item_id, text, op_id)


def _keep(page: OpenPage, item_id: str, text: str, op_id: str) -> None:
    """Keep the note and show the next unread trace."""
    desk = desk_of(page)
    if time.monotonic() - st.session_state.get(_SHOWN_AT, 0.0) < DWELL_S:
        say("Too fast, not saved.", warning=True)
        return
    try:
        say(keep_note(desk, item_id, text, op_id=op_id))
    except NotMirrored as error:
        say_error(error)
    except JudgekitError as error:
        say_error(error)
        return
    desk.store.codes.clear_draft(desk.project.name, item_id, desk.coder)
    _on_next(page, item_id)


def _on_next(page: OpenPage, item_id: str) -> None:
    """Go to the first unread trace after this one, else to the first unread of all."""
    desk = desk_of(page)
    order, read = _order(desk), _read(desk, desk.book)
    after = order[order.index(item_id) + 1 :] if item_id in order else order
    _go(next((i for i in (*after, *order) if i not in read and i != item_id), None))
