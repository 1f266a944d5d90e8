"""Writing audit rows inside someone else's transaction."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, insert

from judgekit.model.canonical import canonical_json
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import utc_now


def add_row(
    connection: Connection,
    action: str,
    *,
    actor: str,
    project: str | None = None,
    subject: str | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> int:
    """Add a row and return its id."""
    row = {
        "at": utc_now(),
        "actor": actor,
        "action": action,
        "project": project,
        "subject": subject,
        "before": None if before is None else canonical_json(before),
        "after": None if after is None else canonical_json(after),
    }
    key = connection.execute(insert(t.audit).values(row)).inserted_primary_key
    assert key is not None
    return int(key[0])


def add_changes(
    connection: Connection,
    prefix: str,
    before: dict[str, Any],
    after: dict[str, Any],
    *,
    actor: str,
    project: str,
) -> None:
    """Add one row `<prefix>.<key>` for each key that differs."""
    for key in sorted(after):
        if before.get(key) != after[key]:
            add_row(
                connection,
                f"{prefix}.{key}",
                actor=actor,
                project=project,
                before={key: before.get(key)},
                after={key: after[key]},
            )
