"""What the golden editor did before it kept a log, read from its tables for the migration."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, text

_LOGGED = "('golden', 'golden_candidate')"
_MICROSECOND = timedelta(microseconds=1)


class _Step(NamedTuple):
    """One event to be; `order` keeps apart what happened at one moment."""

    project_id: int
    at: str
    order: int
    kind: str
    actor: str
    body: dict[str, Any]
    op_id: str
    proposal_id: int | None = None


def logged_so_far(connection: Connection) -> list[dict[str, Any]]:
    """Return the rows of `golden_event` for what is in the tables, in the order it happened.

    Times grow within a project, so a row may be some microseconds later than what it tells.
    """
    steps = [*_asked(connection), *_entries(connection), *_settled(connection)]
    steps += _proposals(connection)
    last: dict[int, str] = {}
    rows = []
    for seq, step in enumerate(sorted(steps, key=lambda s: (s.at, s.order)), start=1):
        at = max(step.at, _after(last.get(step.project_id)))
        last[step.project_id] = at
        row = step._asdict() | {"seq": seq, "at": at, "body": _json(step.body)}
        rows.append({key: value for key, value in row.items() if key != "order"})
    return rows


def _asked(connection: Connection) -> Iterator[_Step]:
    for row in _rows(connection, "SELECT * FROM golden_case"):
        body = {"case_id": row["case_id"]}
        yield _Step(row["project_id"], row["at"], 0, "ask", row["actor"], body, _op())


def _entries(connection: Connection) -> Iterator[_Step]:
    """Yield finished entries, and the reopening of each that has a later revision."""
    query = "SELECT * FROM golden_entry ORDER BY project_id, case_id, expert, rev"
    done: RowMapping | None = None
    for row in _rows(connection, query):
        if done is not None and _whose(done) == _whose(row):
            body = {"case_id": row["case_id"], "rev": done["rev"] + 1}
            # When is not known. Straight after it was done is before the other one was.
            yield _Step(row["project_id"], done["at"], 2, "reopen", row["expert"], body, _op())
        done = row if row["state"] == "done" else None
        if done is not None:
            entry = json.loads(row["body"])
            body = {"case_id": row["case_id"], "rev": row["rev"], "entry": entry}
            yield _Step(row["project_id"], row["at"], 1, "done", row["expert"], body, _op())


def _settled(connection: Connection) -> Iterator[_Step]:
    for row in _rows(connection, "SELECT * FROM golden_resolution"):
        body = {key: row[key] for key in ("case_id", "field", "rev", "decision")}
        body |= json.loads(row["body"])
        yield _Step(row["project_id"], row["at"], 3, "settle", row["actor"], body, _op())


def _proposals(connection: Connection) -> Iterator[_Step]:
    query = (
        "SELECT p.*, project.id AS project_id, d.state, d.actor AS decider, d.reason, "
        "d.at AS decided_at FROM proposal p JOIN project ON project.name = p.project "
        f"LEFT JOIN decision d ON d.proposal_id = p.id WHERE p.kind IN {_LOGGED}"
    )
    for row in _rows(connection, query):
        made, project_id = _op(), row["project_id"]
        body = {"what": row["kind"], "subject": row["subject"], "note": row["note"]}
        body["payload"] = json.loads(row["payload"])
        proposer = row["proposer"]
        yield _Step(project_id, row["at"], 4, "propose", proposer, body, made, row["id"])
        if row["state"] is not None:
            body = {"proposal": made, "state": row["state"], "reason": row["reason"]}
            yield _Step(project_id, row["decided_at"], 5, "decide", row["decider"], body, _op())


def _rows(connection: Connection, query: str) -> Iterator[RowMapping]:
    yield from connection.execute(text(query)).mappings()


def _whose(row: RowMapping) -> tuple[Any, ...]:
    return row["project_id"], row["case_id"], row["expert"]


def _op() -> str:
    return uuid.uuid4().hex


def _after(at: str | None) -> str:
    if at is None:
        return ""
    moment = datetime.fromisoformat(at) + _MICROSECOND
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _json(body: dict[str, Any]) -> str:
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
