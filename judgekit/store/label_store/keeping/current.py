"""What stands now, over a whole project: the newest row of every line of revisions."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, and_, exists, select

from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.records.events import ADJUDICATION
from judgekit.store.label_store.scope import Scope

_e, _newer = t.label_event.c, t.label_event.alias("newer").c
SUPERSEDED = exists().where(
    and_(
        _newer.project_id == _e.project_id,
        _newer.item_id == _e.item_id,
        _newer.annotator == _e.annotator,
        _newer.field == _e.field,
        _newer.repeat == _e.repeat,
        _newer.rev > _e.rev,
    )
)
"""Whether a row of `label_event` has a newer one in its line of revisions."""


def current_rows(connection: Connection, scope: Scope, *conditions: Any) -> list[Row[Any]]:
    """Return the newest row of each (item, annotator, field, repeat), in that order."""
    e = t.label_event.c
    query = select(t.label_event).where(e.project_id == scope.id, ~SUPERSEDED, *conditions)
    order = (e.item_id, e.annotator, e.field, e.repeat)
    return list(connection.execute(query.order_by(*order)))


def current_labels(
    connection: Connection,
    scope: Scope,
    *,
    field: str | None = None,
    annotator: str | None = None,
    item_id: str | None = None,
) -> list[Row[Any]]:
    """Return the rows of annotators' labels that stand (adjudications are none)."""
    e = t.label_event.c
    conditions = [e.annotator != ADJUDICATION, e.label.is_not(None)]
    for column, value in ((e.field, field), (e.annotator, annotator), (e.item_id, item_id)):
        if value is not None:
            conditions.append(column == value)
    return current_rows(connection, scope, *conditions)


def adjudication_rows(
    connection: Connection, scope: Scope, *, item_id: str | None = None
) -> list[Row[Any]]:
    """Return the newest adjudication row of every field; reopened ones have no value."""
    e = t.label_event.c
    conditions = [e.annotator == ADJUDICATION]
    if item_id is not None:
        conditions.append(e.item_id == item_id)
    return current_rows(connection, scope, *conditions)
