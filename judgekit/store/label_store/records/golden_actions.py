"""The steps of the golden editor, each a strict record: what an event of its log may say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from judgekit.errors import InputError
from judgekit.model.base import Record

Id = Annotated[str, Field(min_length=1, max_length=1_000)]
Revision = Annotated[int, Field(ge=1, lt=2**31)]
GoldenProposalKind = Literal["golden", "golden_candidate"]


class AskCase(Record):
    """A case was put into the golden queue."""

    kind: Literal["ask"] = "ask"
    case_id: Id


class FinishEntry(Record):
    """An expert is done with an entry; what was typed before it is no event."""

    kind: Literal["done"] = "done"
    case_id: Id
    rev: Revision
    entry: dict[str, Any]


class ReopenEntry(Record):
    """An expert made their finished entry a draft again, as revision `rev`."""

    kind: Literal["reopen"] = "reopen"
    case_id: Id
    rev: Revision


class SettlePart(Record):
    """A part on which the experts differ was redefined, excluded, or opened again."""

    kind: Literal["settle"] = "settle"
    case_id: Id
    field: Id
    rev: Revision
    decision: Literal["redefine", "exclude", "reopen"]
    value: Any = None
    reason: Annotated[str, Field(min_length=1)]


class ProposeCase(Record):
    """An item was promoted to a candidate, or a finished case was proposed as a golden."""

    kind: Literal["propose"] = "propose"
    what: GoldenProposalKind
    subject: Id
    payload: dict[str, Any]
    note: str | None = None


class DecideCase(Record):
    """A proposal was approved, sent back or withdrawn; `proposal` is the operation that made it."""

    kind: Literal["decide"] = "decide"
    proposal: Id
    state: Literal["approved", "sent_back", "withdrawn"]
    reason: str | None = None


GoldenAction = Annotated[
    AskCase | FinishEntry | ReopenEntry | SettlePart | ProposeCase | DecideCase,
    Field(discriminator="kind"),
]
_ADAPTER: TypeAdapter[GoldenAction] = TypeAdapter(GoldenAction)


def parse_golden_action(kind: str, body: Mapping[str, Any]) -> GoldenAction:
    """Return the action that an event of the golden editor holds.

    Raises:
        InputError: the kind is unknown, or the body's fields do not fit it.
    """
    try:
        return _ADAPTER.validate_python({**body, "kind": kind}, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(
            f"an event of the golden editor of kind {kind!r} cannot be read",
            where=".".join(str(part) for part in first["loc"][1:]) or None,
            found=str(first["msg"]),
        ) from None


def golden_body(action: GoldenAction) -> dict[str, Any]:
    """Return what an event keeps of an action beside its kind."""
    return action.model_dump(mode="json", exclude={"kind"})
