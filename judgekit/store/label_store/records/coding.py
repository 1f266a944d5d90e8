"""Records of error analysis: open notes, failure modes (codes) and who put what where."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AwareDatetime

from judgekit.model.base import Record

CodeEventKind = Literal["note", "name", "assign", "merge", "rename", "split", "undo", "discard"]


class CodeNote(Record):
    """One open note about one item; `code` is the id of the mode it is assigned to, or None."""

    id: str
    project: str
    item_id: str
    text: str
    author: str
    at: AwareDatetime
    code: str | None = None


class Code(Record):
    """One named failure mode. `first_note` is the position (from 1) of the first note under it,
    counting notes in the order they were written: the saturation line needs it."""

    id: str
    name: str
    n_notes: int
    merged_into: str | None = None
    first_note: int | None = None


class CodeEvent(Record):
    """One row of the append-only log of error analysis. `body` by kind:

    note `{note, item_id, text}`; name `{code, name}`; assign `{notes, code or None}`; rename
    `{code, name}`; merge `{source, target, moved}`; split `{source, code, name, notes}`; discard
    `{note}`; undo `{op_id}` of the event taken back.
    """

    seq: int
    op_id: str
    project: str
    kind: CodeEventKind
    body: dict[str, Any]
    actor: str
    at: AwareDatetime


class CodeBook(Record):
    """The fold of the log: notes in writing order (without discarded ones) and living codes.

    The notes of all codes plus the unassigned are all notes. `undoable` is the op that `undo`
    would take back, in words for the screen, or None.
    """

    project: str
    notes: tuple[CodeNote, ...]
    codes: tuple[Code, ...]
    undoable: str | None = None

    @property
    def unassigned(self) -> tuple[CodeNote, ...]:
        """Return the notes under no code."""
        return tuple(note for note in self.notes if note.code is None)
