"""The steps of coding, each a strict record: what an event of the log may say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from judgekit.errors import InputError
from judgekit.model.base import Record

Id = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
NoteIds = Annotated[tuple[Id, ...], Field(min_length=1)]


class WriteNote(Record):
    """A coder wrote what first went wrong in an item."""

    kind: Literal["note"] = "note"
    note_id: Id
    item_id: Id
    text: str = Field(min_length=1)


class EditNote(Record):
    """A note was reworded; its mode stays."""

    kind: Literal["edit_note"] = "edit_note"
    note_id: Id
    text: str = Field(min_length=1)


class MarkRead(Record):
    """An item was read and nothing wrong was seen."""

    kind: Literal["read"] = "read"
    item_id: Id


class CreateMode(Record):
    """A failure mode was named, with the notes it was named for."""

    kind: Literal["create_mode"] = "create_mode"
    mode_id: Id
    name: Name
    note_ids: tuple[Id, ...] = ()


class RenameMode(Record):
    """A failure mode got another name."""

    kind: Literal["rename_mode"] = "rename_mode"
    mode_id: Id
    name: Name


class MergeModes(Record):
    """All notes of one mode went under another."""

    kind: Literal["merge_modes"] = "merge_modes"
    mode_id: Id
    into: Id


class SplitMode(Record):
    """Some notes of a mode went under a new one."""

    kind: Literal["split_mode"] = "split_mode"
    mode_id: Id
    new_mode_id: Id
    name: Name
    note_ids: NoteIds


class Assign(Record):
    """Notes were put under a mode, out of whichever they were under before."""

    kind: Literal["assign"] = "assign"
    note_ids: NoteIds
    mode_id: Id


class Unassign(Record):
    """Notes were taken out of their modes."""

    kind: Literal["unassign"] = "unassign"
    note_ids: NoteIds


class Undo(Record):
    """An earlier event was taken back."""

    kind: Literal["undo"] = "undo"
    seq: int = Field(ge=0)


CodeAction = Annotated[
    WriteNote
    | EditNote
    | MarkRead
    | CreateMode
    | RenameMode
    | MergeModes
    | SplitMode
    | Assign
    | Unassign
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
            f"a coding event of kind {kind!r} cannot be read",
            where=".".join(str(part) for part in first["loc"][1:]) or None,
            found=first["msg"],
        ) from None


def action_body(action: CodeAction) -> dict[str, Any]:
    """Return what a stored event keeps of an action beside its kind."""
    return action.model_dump(mode="json", exclude={"kind"})
