"""The rows of the golden editor: cases, entries and settlements, read and written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select

from judgekit.model.canonical import canonical_json
from judgekit.store.label_store.database.engine import as_stored
from judgekit.store.label_store.database.review_tables import (
    golden_case,
    golden_entry,
    golden_resolution,
)
from judgekit.store.label_store.records.goldens import (
    GoldenEntry,
    GoldenResolution,
)
from judgekit.store.label_store.scope import Scope, item_of, loaded

EXPERTS = 2
Entries = dict[str, GoldenEntry]


def both_done(entries: Entries) -> bool:
    """Return whether two experts have finished their entries."""
    done = [entry for entry in entries.values() if entry.state == "done"]
    return len(done) == EXPERTS


def add_case(connection: Connection, scope: Scope, case_id: str, *, actor: str, at: str) -> bool:
    """Put a case into the golden queue, unless it is there; return whether it is new.

    Raises:
        InputError: the project has no such item.
    """
    item_of(connection, scope, case_id)
    where = (golden_case.c.project_id == scope.id, golden_case.c.case_id == case_id)
    if connection.execute(select(golden_case.c.case_id).where(*where)).first() is not None:
        return False
    row = {"project_id": scope.id, "case_id": case_id, "actor": actor, "at": at}
    connection.execute(insert(golden_case).values(row))
    return True


def add_entry(connection: Connection, scope: Scope, entry: GoldenEntry) -> GoldenEntry:
    """Write a revision and return it; older drafts go, what was once done stays."""
    table = golden_entry
    own = (
        table.c.project_id == scope.id,
        table.c.case_id == entry.case_id,
        table.c.expert == entry.expert,
    )
    connection.execute(delete(table).where(*own, table.c.state == "draft"))
    values = entry.model_dump(exclude={"project", "at", "body"}) | {
        "project_id": scope.id,
        "body": canonical_json(entry.body),
        "at": as_stored(entry.at),
    }
    connection.execute(insert(table).values(values))
    written = connection.execute(select(table).where(*own, table.c.rev == entry.rev)).one()
    return _entry(scope, written)


def newest_entries(
    connection: Connection, scope: Scope, case_id: str | None = None
) -> dict[str, Entries]:
    """Return the newest entry by case and expert."""
    table = golden_entry
    newest = select(table.c.case_id, table.c.expert, func.max(table.c.rev).label("rev")).where(
        table.c.project_id == scope.id
    )
    if case_id is not None:
        newest = newest.where(table.c.case_id == case_id)
    last = newest.group_by(table.c.case_id, table.c.expert).subquery()
    joined = (
        (table.c.case_id == last.c.case_id)
        & (table.c.expert == last.c.expert)
        & (table.c.rev == last.c.rev)
    )
    query = select(table).join(last, joined).where(table.c.project_id == scope.id)
    found: dict[str, Entries] = defaultdict(dict)
    for row in connection.execute(query.order_by(table.c.expert)):
        found[row.case_id][row.expert] = _entry(scope, row)
    return found


def _entry(scope: Scope, row: Row[Any]) -> GoldenEntry:
    return GoldenEntry(
        project=scope.name,
        case_id=row.case_id,
        expert=row.expert,
        body=loaded(row.body) or {},
        state=row.state,
        rev=row.rev,
        at=row.at,
    )


def newest_resolutions(
    connection: Connection, scope: Scope, case_id: str | None = None
) -> dict[str, tuple[GoldenResolution, ...]]:
    """Return the newest resolution of each field, by case, in the order settled."""
    table = golden_resolution
    query = select(table).where(table.c.project_id == scope.id)
    if case_id is not None:
        query = query.where(table.c.case_id == case_id)
    last: dict[tuple[str, str], GoldenResolution] = {}
    for row in connection.execute(query.order_by(table.c.rev)):
        body = loaded(row.body) or {}
        last[row.case_id, row.field] = GoldenResolution(
            project=scope.name,
            case_id=row.case_id,
            field=row.field,
            decision=row.decision,
            value=body.get("value"),
            reason=body["reason"],
            actor=row.actor,
            rev=row.rev,
            at=row.at,
        )
    found: dict[str, list[GoldenResolution]] = defaultdict(list)
    for one in sorted(last.values(), key=lambda entry: (entry.at, entry.field)):
        found[one.case_id].append(one)
    return {case: tuple(entries) for case, entries in found.items()}


def last_of(settled: Sequence[GoldenResolution], field: str) -> GoldenResolution | None:
    """Return the newest settlement of a field, None where it is not settled."""
    return next((one for one in settled if one.field == field), None)


def add_resolution(connection: Connection, scope: Scope, one: GoldenResolution) -> None:
    """Write a settlement."""
    values = {
        "project_id": scope.id,
        "case_id": one.case_id,
        "field": one.field,
        "rev": one.rev,
        "decision": one.decision,
        "body": canonical_json({"value": one.value, "reason": one.reason}),
        "actor": one.actor,
        "at": as_stored(one.at),
    }
    connection.execute(insert(golden_resolution).values(values))
