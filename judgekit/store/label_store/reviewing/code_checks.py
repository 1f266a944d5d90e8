"""What a step of error analysis may name: checks against the book as it stands."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.errors import InputError
from judgekit.store.label_store.records.code_actions import LONGEST_NAME, LONGEST_NOTE
from judgekit.store.label_store.records.coding import Code, CodeBook, CodeNote


def clean_note(text: str) -> str:
    """Return a note without outer space; refused when empty or too long."""
    words = text.strip()
    if not words or len(words) > LONGEST_NOTE:
        raise InputError(
            "a note needs words",
            found=f"{len(words)} characters",
            expected=f"1 to {LONGEST_NOTE} characters",
        )
    return words


def free_name(book: CodeBook, name: str, *, renaming: str | None = None) -> str:
    """Return a mode's name with single spaces; refused when empty, too long or taken."""
    clean = " ".join(name.split())
    if not clean or len(clean) > LONGEST_NAME:
        raise InputError(
            "a failure mode needs a short name",
            found=f"{len(clean)} characters",
            expected=f"1 to {LONGEST_NAME} characters",
        )
    for code in book.codes:
        if code.name.casefold() == clean.casefold() and code.id != renaming:
            raise InputError(
                "another failure mode has this name",
                found=repr(clean),
                mend="assign to that mode, or merge the two",
            )
    return clean


def known_notes(book: CodeBook, note_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the ids, each once; refused when one is not in the book."""
    known = {note.id for note in book.notes}
    strange = [note_id for note_id in note_ids if note_id not in known]
    if strange or not note_ids:
        raise InputError(
            "there is no such note",
            found=repr(strange[0]) if strange else "no note",
            mend="reload the page: someone may have taken it out",
        )
    return tuple(dict.fromkeys(note_ids))


def known_note(book: CodeBook, note_id: str) -> CodeNote:
    """Return a note of the book, or refuse."""
    for note in book.notes:
        if note.id == note_id:
            return note
    raise InputError("there is no such note", found=repr(note_id))


def own_note(book: CodeBook, note_id: str, actor: str) -> CodeNote:
    """Return the actor's own note, or refuse."""
    note = known_note(book, note_id)
    if note.author != actor:
        raise InputError("only its author changes a note", found=repr(note_id))
    return note


def known_code(book: CodeBook, code_id: str) -> Code:
    """Return a living code of the book, or refuse."""
    for code in book.codes:
        if code.id == code_id:
            return code
    raise InputError(
        "there is no such failure mode",
        found=repr(code_id),
        mend="reload the page: someone may have merged it or taken it back",
    )
