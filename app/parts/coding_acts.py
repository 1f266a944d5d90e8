"""What the lists of Error analysis do: each act is events of the store, and a sentence."""

from __future__ import annotations

from judgekit.errors import InputError
from judgekit.goldens.near_duplicates import near_duplicates
from judgekit.store.label_store import CodeBook
from parts.coding_desk import Desk
from parts.text_list import Act

ALIKE = 0.6
"""Share of the words from which notes are suggested together; goldens are compared by more."""


def count_of(n: int) -> str:
    """Return `1 note` or `n notes`."""
    return f"{n} {'note' if n == 1 else 'notes'}"


def note_act(desk: Desk, act: Act) -> str:
    """Do what was asked of notes and return what was done, in words."""
    match act.name:
        case "assign":
            return _assign(desk, act)
        case "take_out":
            desk.store.codes.assign(
                desk.project.name, act.ids, None, actor=desk.coder, op_id=act.op_id
            )
            return f"{count_of(len(act.ids))} taken out."
        case "split":
            return _split(desk, act)
    raise InputError("there is no such act", found=repr(act.name))


def mode_act(desk: Desk, act: Act) -> str:
    """Do what was asked of a failure mode and return what was done, in words."""
    codes, project, who = desk.store.codes, desk.project.name, desk.coder
    match act.name:
        case "merge":
            moved = sum(note.code == act.row for note in desk.book.notes)
            into = codes.merge(project, act.row, act.option, actor=who, op_id=act.op_id)
            return f"Merged: {count_of(moved)} moved under {into.name!r}. Undo brings both back."
        case "rename":
            code = codes.rename(project, act.row, act.text, actor=who, op_id=act.op_id)
            return f"Renamed to {code.name!r}."
        case "new":
            code = codes.new_code(project, act.text, actor=who, op_id=act.op_id)
            return f"New mode {code.name!r}."
    raise InputError("there is no such act", found=repr(act.name))


def undo_act(desk: Desk, op_id: str) -> str:
    """Take back the coder's last step and say so."""
    step = desk.book.last_step(desk.coder)
    event = desk.store.codes.undo(desk.project.name, actor=desk.coder, op_id=op_id)
    if event is None:
        return "There is nothing of yours to undo."
    return f"Undone: {step.words if step else event.kind}."


def alike_to(book: CodeBook, note_id: str) -> tuple[str, ...]:
    """Return the note and the notes of the same mode that read alike: a suggestion."""
    note = next((n for n in book.notes if n.id == note_id), None)
    if note is None:
        return ()
    others = {n.id: n.text for n in book.notes if n.code == note.code and n.id != note.id}
    found = near_duplicates(note.text, others, min_ratio=ALIKE, limit=50)
    return (note.id, *(other.id for other in found))


def _assign(desk: Desk, act: Act) -> str:
    codes, project = desk.store.codes, desk.project.name
    code = act.option
    if not code:
        code = codes.new_code(project, act.text, actor=desk.coder, op_id=f"{act.op_id}-name").id
    codes.assign(project, act.ids, code, actor=desk.coder, op_id=act.op_id)
    name = next((c.name for c in desk.book.codes if c.id == code), code)
    return f"{count_of(len(act.ids))} under {name!r}."


def _split(desk: Desk, act: Act) -> str:
    codes = {note.code for note in desk.book.notes if note.id in act.ids}
    source = codes.pop() if len(codes) == 1 else None
    if source is None:
        raise InputError(
            "notes of one mode can be split off",
            found=f"notes of {len(codes) or 'no'} modes",
            mend="select notes under one mode",
        )
    code = desk.store.codes.split(
        desk.project.name, source, act.ids, act.text, actor=desk.coder, op_id=act.op_id
    )
    return f"{count_of(len(act.ids))} split off under {code.name!r}."
