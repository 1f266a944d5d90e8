"""Adding events to the two logs: each later than the one before it."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from sqlalchemy import Connection, Table, func, insert, select

from judgekit.model.canonical import canonical_json
from judgekit.store.label_store.database.engine import as_stored, utc_now
from judgekit.store.label_store.database.review_tables import code_event, golden_event
from judgekit.store.label_store.records.code_actions import CodeAction, action_body
from judgekit.store.label_store.records.coding import CodeEvent
from judgekit.store.label_store.records.events import ReviewEvent
from judgekit.store.label_store.records.golden_actions import GoldenAction, golden_body
from judgekit.store.label_store.scope import Scope

_MICROSECOND = timedelta(microseconds=1)


def next_moment(connection: Connection, scope: Scope, log: Table) -> str:
    """Return the time of the log's next event: now, as `later` has it."""
    return later(connection, scope, log, utc_now())


def later(connection: Connection, scope: Scope, log: Table, at: str) -> str:
    """Return `at`, or just after the log's newest event where a clock was set back.

    Files hold no sequence numbers: the times alone say in which order events came.
    """
    query = select(func.max(log.c.at)).where(log.c.project_id == scope.id)
    last = connection.execute(query).scalar_one()
    if last is None or at > last:
        return at
    return as_stored(datetime.fromisoformat(last) + _MICROSECOND)


def add_code_event(
    connection: Connection,
    scope: Scope,
    action: CodeAction,
    *,
    actor: str,
    op_id: str,
    at: str | None = None,
) -> CodeEvent:
    """Write one step of error analysis, now unless `at` says when, and return it."""
    body = action_body(action)
    row = {
        "seq": _next_seq(connection, code_event),
        "op_id": op_id,
        "kind": action.kind,
        "actor": actor,
        "at": at or next_moment(connection, scope, code_event),
    }
    stored = row | {"project_id": scope.id, "body": canonical_json(body)}
    connection.execute(insert(code_event).values(stored))
    return CodeEvent.model_validate(row | {"project": scope.name, "body": body})


def code_line(scope: Scope, event: CodeEvent) -> ReviewEvent:
    """Return a step of error analysis as an event for the files."""
    return ReviewEvent(log="codes", dataset=scope.dataset, **event.model_dump())


def add_golden_event(
    connection: Connection,
    scope: Scope,
    action: GoldenAction,
    *,
    actor: str,
    at: str,
    op_id: str | None = None,
    proposal_id: int | None = None,
) -> ReviewEvent:
    """Write one step of the golden editor and return it; a new operation unless one is given."""
    body = golden_body(action)
    row = {
        "seq": _next_seq(connection, golden_event),
        "op_id": op_id or uuid.uuid4().hex,
        "kind": action.kind,
        "actor": actor,
        "at": at,
    }
    stored = row | {"project_id": scope.id, "body": canonical_json(body)}
    connection.execute(insert(golden_event).values(stored | {"proposal_id": proposal_id}))
    return ReviewEvent.model_validate(
        row | {"log": "goldens", "project": scope.name, "dataset": scope.dataset, "body": body}
    )


def _next_seq(connection: Connection, log: Table) -> int:
    return int(connection.execute(select(func.coalesce(func.max(log.c.seq), 0))).scalar_one()) + 1
