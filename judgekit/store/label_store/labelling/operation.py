"""One key press as rows of the log, inside one transaction."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.label import OVERALL
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import utc_now
from judgekit.store.label_store.keeping.rows import add_events
from judgekit.store.label_store.labelling.state import State, Target
from judgekit.store.label_store.labelling.view import Standing
from judgekit.store.label_store.records.events import LabelEvent
from judgekit.store.label_store.records.labelling import UNSURE
from judgekit.store.label_store.scope import ItemRow, Scope

MAX_OP_ID = 64


class Operation(Record):
    """What all rows of one key press share."""

    op_id: str
    presentation_id: str | None
    target: Target
    rev: int
    prev_rev: int | None
    schema_version: int
    guideline: str | None
    dwell_ms: int | None = None
    active_ms: int | None = None
    after_reveal: bool = False


def write_operation(
    connection: Connection,
    scope: Scope,
    operation: Operation,
    *,
    before: State,
    after: Standing,
    item: ItemRow,
    kind: str | None = None,
) -> tuple[LabelEvent, ...]:
    """Write one row for each field of `after`. Without `kind` it is label or unsure by value."""
    shared = operation.model_dump(exclude={"target"}) | {
        "item_id": operation.target.item_id,
        "annotator": operation.target.annotator,
        "repeat": operation.target.repeat,
        "item_hash": item.item_hash,
        "design": item.design or scope.settings.design,
        "actor": operation.target.annotator,
        "at": utc_now(),
    }
    answered = int(after.get(OVERALL) is not None) - int(before.answered)
    rows = [
        shared
        | {
            "field": field,
            "kind": kind or _kind(value),
            "value": value,
            "delta": answered if field == OVERALL else 0,
        }
        for field, value in sorted(after.items())
    ]
    return add_events(connection, scope, rows)


def earlier(connection: Connection, op_id: str, annotator: str) -> Row[Any] | None:
    """Return the `_overall` row of an operation that was stored before, or None.

    Raises:
        InputError: the id is empty, too long, or another person's.
    """
    if not op_id or len(op_id) > MAX_OP_ID:
        raise InputError(
            "an operation id cannot be used",
            found=f"{len(op_id)} characters",
            expected=f"1 to {MAX_OP_ID}, made once per key press",
        )
    e = t.label_event.c
    row = connection.execute(select(t.label_event).where(e.op_id == op_id).limit(1)).one_or_none()
    if row is not None and row.actor != annotator:
        raise InputError(
            "an operation id is used twice",
            found=repr(op_id),
            expected="an id made anew for each key press",
        )
    return row


def waited_ms(shown_at: str, said_ms: int | None) -> int:
    """Return how long the item was shown: what the page said, at most what passed here."""
    shown = datetime.fromisoformat(shown_at)
    passed = max(0, int((datetime.now(UTC) - shown).total_seconds() * 1000))
    return passed if said_ms is None else max(0, min(said_ms, passed))


def count_too_fast(
    connection: Connection, presentation: Row[Any], op_id: str, dwell_ms: int
) -> None:
    """Count a refused key press."""
    row = {
        "op_id": op_id,
        "project_id": presentation.project_id,
        "annotator": presentation.annotator,
        "presentation_id": presentation.id,
        "dwell_ms": dwell_ms,
        "at": utc_now(),
    }
    connection.execute(insert(t.too_fast).values(row))


def refused_dwell(connection: Connection, op_id: str) -> int | None:
    """Return the dwell of an operation that was refused as too fast, or None."""
    f = t.too_fast.c
    found = connection.execute(select(f.dwell_ms).where(f.op_id == op_id)).scalar_one_or_none()
    return None if found is None else int(found)


def _kind(value: dict[str, Any] | None) -> str:
    return "unsure" if value is not None and value.get("label") == UNSURE else "label"
