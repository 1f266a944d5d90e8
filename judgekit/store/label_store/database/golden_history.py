"""What the golden editor did before it kept a log, read from its tables for the migration."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, text

_LOGGED = "('golden', 'golden_candidate')"
_MICROSECOND = timedelta(microseconds=1)


class _Step(NamedTuple):
    """One event to be; `order` keeps apart what happened at one moment."""

    project_id: int
    at: str
    order: tuple[int, int]
    kind: str
    actor: str
    body: dict[str, Any]
    op_id: str
    proposal_id: int | None = None


_Case = tuple[int, str]
_Moments = dict[_Case, str]
"""Case -> the earliest moment at which what is read next about it can have happened."""


def logged_so_far(connection: Connection) -> list[dict[str, Any]]:
    """Return the rows of `golden_event` for what is in the tables, in the order it happened.

    Times grow within a project, and never go against revisions or what a step needs: where a clock
    was set back, or two steps share a moment, a row is later than what its table tells.
    """
    since: _Moments = {}
    steps = [*_asked(connection, since), *_entries(connection, since), *_settled(connection, since)]
    steps += _proposals(connection)
    last: dict[int, str] = {}
    rows = []
    for seq, step in enumerate(sorted(steps, key=lambda s: (s.at, s.order)), start=1):
        at = max(step.at, _after(last.get(step.project_id)))
        last[step.project_id] = at
        row = step._asdict() | {"seq": seq, "at": at, "body": _json(step.body)}
        rows.append({key: value for key, value in row.items() if key != "order"})
    return rows


def _asked(connection: Connection, since: _Moments) -> Iterator[_Step]:
    for row in _rows(connection, "SELECT * FROM golden_case"):
        since[_case(row)] = row["at"]
        body = {"case_id": row["case_id"]}
        yield _Step(row["project_id"], row["at"], (0, 0), "ask", row["actor"], body, _op())


def _entries(connection: Connection, since: _Moments) -> Iterator[_Step]:
    """Yield finished entries, and the reopening of each that has a later revision.

    Nobody can reopen once both are done: what stands comes after all that was reopened.
    """
    query = "SELECT * FROM golden_entry ORDER BY project_id, case_id, expert, rev"
    for case, entries in groupby(_rows(connection, query), key=_case):
        reopened, standing = _steps(entries, since.get(case, ""))
        yield from reopened
        first = max([since.get(case, ""), *(step.at for step in reopened)])
        standing = [step._replace(at=max(step.at, first)) for step in standing]
        yield from standing
        since[case] = max([first, *(step.at for step in standing)])


def _steps(entries: Iterable[RowMapping], first: str) -> tuple[list[_Step], list[_Step]]:
    """Return a case's steps: what was reopened and the reopenings, and what stands."""
    reopened: list[_Step] = []
    standing: dict[str, _Step] = {}
    at: dict[str, str] = {}
    for row in entries:
        expert = row["expert"]
        at[expert] = max(row["at"], at.get(expert, first))
        if expert in standing:
            done = standing.pop(expert)
            body = {"case_id": row["case_id"], "rev": done.body["rev"] + 1}
            # When is not known. Straight after it was done is before the other one was.
            again = _Step(done.project_id, done.at, (1, body["rev"]), "reopen", expert, body, _op())
            reopened += [done._replace(order=(1, done.body["rev"])), again]
        if row["state"] == "done":
            rev = row["rev"]
            body = {"case_id": row["case_id"], "rev": rev, "entry": json.loads(row["body"])}
            order = (2, rev)
            standing[expert] = _Step(
                row["project_id"], at[expert], order, "done", expert, body, _op()
            )
    return reopened, list(standing.values())


def _settled(connection: Connection, since: _Moments) -> Iterator[_Step]:
    query = "SELECT * FROM golden_resolution ORDER BY project_id, case_id, field, rev"
    for row in _rows(connection, query):
        at = since[_case(row)] = max(row["at"], since.get(_case(row), ""))
        body = {key: row[key] for key in ("case_id", "field", "rev", "decision")}
        body |= json.loads(row["body"])
        yield _Step(row["project_id"], at, (3, row["rev"]), "settle", row["actor"], body, _op())


def _proposals(connection: Connection) -> Iterator[_Step]:
    query = (
        "SELECT p.*, project.id AS project_id, d.state, d.actor AS decider, d.reason, "
        "d.at AS decided_at FROM proposal p JOIN project ON project.name = p.project "
        f"LEFT JOIN decision d ON d.proposal_id = p.id WHERE p.kind IN {_LOGGED} ORDER BY p.id"
    )
    since: dict[tuple[Any, ...], str] = {}
    for row in _rows(connection, query):
        made, project_id, number = _op(), row["project_id"], row["id"]
        about = project_id, row["kind"], row["subject"]
        at = max(row["at"], since.get(about, ""))
        body = {"what": row["kind"], "subject": row["subject"], "note": row["note"]}
        body["payload"] = json.loads(row["payload"])
        order = (4, 2 * number)
        yield _Step(project_id, at, order, "propose", row["proposer"], body, made, number)
        if row["state"] is not None:
            since[about] = at = max(row["decided_at"], at)
            body = {"proposal": made, "state": row["state"], "reason": row["reason"]}
            order = (4, 2 * number + 1)
            yield _Step(project_id, at, order, "decide", row["decider"], body, _op())


def _rows(connection: Connection, query: str) -> Iterator[RowMapping]:
    yield from connection.execute(text(query)).mappings()


def _case(row: RowMapping) -> _Case:
    return row["project_id"], row["case_id"]


def _op() -> str:
    return uuid.uuid4().hex


def _after(at: str | None) -> str:
    if at is None:
        return ""
    moment = datetime.fromisoformat(at) + _MICROSECOND
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _json(body: dict[str, Any]) -> str:
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
