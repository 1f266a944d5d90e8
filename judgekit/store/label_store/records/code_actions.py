"""The steps of error analysis, each a strict record: what an event of the log may say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from judgekit.errors import InputError
from judgekit.model.base import Record

LONGEST_NAME = 80
LONGEST_NOTE = 20_000
Id = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Words = Annotated[str, Field(min_length=1, max_length=LONGEST_NOTE)]
NoteIds = Annotated[tuple[Id, ...], Field(min_length=1)]


class WriteNote(Record):
    """A coder wrote what first went wrong in an item; the note's id is the operation's."""

    kind: Literal["note"] = "note"
    item_id: Id
    text: Words


class EditNote(Record):
    """A note was reworded; its mode stays."""

    kind: Literal["edit"] = "edit"
    note: Id
    text: Words


class DiscardNote(Record):
    """A note was taken out of the book; the log keeps it."""

    kind: Literal["discard"] = "discard"
    note: Id


class MarkRead(Record):
    """An item was read and nothing wrong was seen."""

    kind: Literal["read"] = "read"
    item_id: Id


class NameMode(Record):
    """A failure mode was named; its id is the operation's."""

    kind: Literal["name"] = "name"
    name: Name


class RenameMode(Record):
    """A failure mode got another name."""

    kind: Literal["rename"] = "rename"
    code: Id
    name: Name


class MergeModes(Record):
    """All notes of one mode went under another."""

    kind: Literal["merge"] = "merge"
    source: Id
    target: Id


class SplitMode(Record):
    """Some notes of a mode went under a new one, whose id is the operation's."""

    kind: Literal["split"] = "split"
    source: Id
    name: Name
    notes: NoteIds


class Assign(Record):
    """Notes were put under a mode, or under none, out of whichever they were under before."""

    kind: Literal["assign"] = "assign"
    notes: NoteIds
    code: Id | None = None


class Undo(Record):
    """An earlier operation was taken back."""

    kind: Literal["undo"] = "undo"
    op_id: Id


CodeAction = Annotated[
    WriteNote
    | EditNote
    | DiscardNote
    | MarkRead
    | NameMode
    | RenameMode
    | MergeModes
    | SplitMode
    | Assign
    | Undo,
    Field(discriminator="kind"),
]
_ADAPTER: TypeAdapter[CodeAction] = TypeAdapter(CodeAction)


def parse_action(kind: str, body: Mapping[str, Any]) -> CodeAction:
    """Return the action that a stored event holds.

    Raises:
        InputError: the kind is unknown, or the body's fields do not fit it.
    """
    try:
        return _ADAPTER.validate_python({**body, "kind": kind})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(
            f"an event of error analysis of kind {kind!r} cannot be read",
            where=".".join(str(part) for part in first["loc"][1:]) or None,
            found=str(first["msg"]),
        ) from None


def action_body(action: CodeAction) -> dict[str, Any]:
    """Return what a stored event keeps of an action beside its kind."""
    return action.model_dump(mode="json", exclude={"kind"})
