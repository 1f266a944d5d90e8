"""Records of error analysis: open notes, failure modes (codes) and who put what where."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AwareDatetime

from judgekit.model.base import Record

CodeEventKind = Literal[
    "note", "edit", "discard", "read", "name", "rename", "merge", "split", "assign", "undo"
]


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
    """One named failure mode that stands (it was not merged into another)."""

    id: str
    name: str
    n_notes: int


class CodeStep(Record):
    """One step about modes that stands and can be taken back; `words` are for the screen."""

    op_id: str
    actor: str
    words: str


class CodeEvent(Record):
    """One row of the append-only log of error analysis. `body` holds the fields of one of the
    actions in `records.code_actions`; the operation's id is the id of the note or mode it made."""

    seq: int
    op_id: str
    project: str
    kind: CodeEventKind
    body: dict[str, Any]
    actor: str
    at: AwareDatetime


class CodeBook(Record):
    """The fold of the log: notes in writing order (without discarded ones) and living codes.

    The notes of all codes plus the unassigned are all notes. `read` holds (author, item id) of
    every item read, noted or not. `steps` are the steps about modes that stand, oldest first.
    """

    project: str
    notes: tuple[CodeNote, ...] = ()
    codes: tuple[Code, ...] = ()
    read: frozenset[tuple[str, str]] = frozenset()
    steps: tuple[CodeStep, ...] = ()

    @property
    def unassigned(self) -> tuple[CodeNote, ...]:
        """Return the notes under no code."""
        return tuple(note for note in self.notes if note.code is None)

    def last_step(self, actor: str) -> CodeStep | None:
        """Return the step that `undo` of this actor would take back, or None."""
        return next((step for step in reversed(self.steps) if step.actor == actor), None)
