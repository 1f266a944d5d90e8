"""Reading the two logs back, each in its order."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, Table, select

from judgekit.store.label_store.database.review_tables import code_event, golden_event
from judgekit.store.label_store.records.events import ReviewEvent, ReviewLog
from judgekit.store.label_store.scope import Scope, loaded

LOGS: dict[ReviewLog, Table] = {"codes": code_event, "goldens": golden_event}


def review_events(connection: Connection, scope: Scope) -> Iterator[ReviewEvent]:
    """Yield the events of a project: of error analysis, then of the golden editor."""
    for log, table in LOGS.items():
        query = select(table).where(table.c.project_id == scope.id).order_by(table.c.seq)
        for row in connection.execute(query):
            yield ReviewEvent(
                seq=row.seq,
                log=log,
                op_id=row.op_id,
                project=scope.name,
                dataset=scope.dataset,
                kind=row.kind,
                body=loaded(row.body) or {},
                actor=row.actor,
                at=row.at,
            )


def project_of_operation(connection: Connection, log: ReviewLog, op_id: str) -> int | None:
    """Return the project that has an operation, None where it is new everywhere."""
    table = LOGS[log]
    query = select(table.c.project_id).where(table.c.op_id == op_id)
    return connection.execute(query).scalar_one_or_none()
