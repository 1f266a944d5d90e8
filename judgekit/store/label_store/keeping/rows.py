"""Label events as rows: writing new ones in order, reading them back as records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from judgekit.model.canonical import canonical_json
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.records.events import LabelEvent
from judgekit.store.label_store.scope import Scope, loaded

_INNER = ("project_id", "delta", "label")


def last_seq(connection: Connection) -> int:
    """Return the highest sequence number of the log, 0 where it is empty."""
    query = select(func.coalesce(func.max(t.label_event.c.seq), 0))
    return int(connection.execute(query).scalar_one())


def add_events(
    connection: Connection, scope: Scope, rows: Sequence[dict[str, Any]]
) -> tuple[LabelEvent, ...]:
    """Write rows (without seq; `value` as an object) and return them as events.

    The caller is the only writer of this moment, so that the next numbers are free.
    """
    first = last_seq(connection) + 1
    made = []
    for seq, row in enumerate(rows, start=first):
        value = row["value"]
        stored = row | {"seq": seq, "project_id": scope.id}
        stored["value"] = None if value is None else canonical_json(value)
        stored["label"] = None if value is None else value.get("label")
        made.append(stored)
    connection.execute(insert(t.label_event), made)
    return tuple(_event(scope, row) for row in made)


def events_from(rows: Iterable[Row[Any]], scopes: dict[int, Scope]) -> Iterable[LabelEvent]:
    """Yield rows of `label_event` as events."""
    for row in rows:
        values = row._asdict()
        yield _event(scopes[values["project_id"]], values)


def _event(scope: Scope, row: dict[str, Any]) -> LabelEvent:
    values = {key: value for key, value in row.items() if key not in _INNER}
    values |= {"project": scope.name, "dataset": scope.dataset, "value": loaded(row["value"])}
    values["after_reveal"] = bool(row["after_reveal"])
    return LabelEvent.model_validate(values)
