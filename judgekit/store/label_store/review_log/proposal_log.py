"""Proposals of candidates and goldens, and decisions on them, as events of the golden editor.

Other proposals are about files that have a record of their own (releases, judges.lock) or about
this database alone, and ones without a project have no dataset to be written to.
"""

from __future__ import annotations

from sqlalchemy import Connection, select

from judgekit.store.label_store.database.engine import as_stored
from judgekit.store.label_store.database.review_tables import golden_event
from judgekit.store.label_store.records.events import ReviewEvent
from judgekit.store.label_store.records.golden_actions import DecideCase, ProposeCase
from judgekit.store.label_store.records.keeping import Proposal
from judgekit.store.label_store.review_log.writing import add_golden_event, later
from judgekit.store.label_store.scope import scope_of


def log_proposal(connection: Connection, made: Proposal) -> tuple[ReviewEvent, ...]:
    """Log a new proposal, if it is one of a candidate or a golden of a project."""
    if made.project is None or made.kind not in ("golden", "golden_candidate"):
        return ()
    scope = scope_of(connection, made.project)
    action = ProposeCase(what=made.kind, subject=made.subject, payload=made.payload, note=made.note)
    at = later(connection, scope, golden_event, as_stored(made.at))
    return (
        add_golden_event(
            connection, scope, action, actor=made.proposer, at=at, proposal_id=made.id
        ),
    )


def log_decision(connection: Connection, decided: Proposal) -> tuple[ReviewEvent, ...]:
    """Log the decision on a proposal that is in the log."""
    operation = operation_of(connection, decided.id)
    if operation is None or decided.project is None or decided.decided_by is None:
        return ()
    if decided.state == "pending" or decided.decided_at is None:
        return ()
    scope = scope_of(connection, decided.project)
    action = DecideCase(proposal=operation, state=decided.state, reason=decided.reason)
    at = later(connection, scope, golden_event, as_stored(decided.decided_at))
    return (add_golden_event(connection, scope, action, actor=decided.decided_by, at=at),)


def operation_of(connection: Connection, proposal_id: int) -> str | None:
    """Return the operation that made a proposal, None where the log does not have it."""
    query = select(golden_event.c.op_id).where(golden_event.c.proposal_id == proposal_id)
    return connection.execute(query).scalar_one_or_none()
