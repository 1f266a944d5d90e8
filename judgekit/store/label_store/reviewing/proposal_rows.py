"""The rows of proposals and of the decisions on them, read and written."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select

from judgekit.errors import InputError
from judgekit.model.canonical import canonical_json, content_hash
from judgekit.store.label_store.database.review_tables import decision as decision_table
from judgekit.store.label_store.database.review_tables import proposal as proposal_table
from judgekit.store.label_store.records.keeping import Proposal, ProposalKind
from judgekit.store.label_store.scope import loaded

_AGAIN_AFTER_APPROVAL = frozenset({"release", "guideline", "threshold", "approval"})


def add_proposal(connection: Connection, values: dict[str, Any]) -> int:
    """Write a proposal (`payload` as an object) and return its number."""
    payload = values["payload"]
    stored = values | {"payload": canonical_json(payload), "payload_hash": content_hash(payload)}
    made = insert(proposal_table).values(stored).returning(proposal_table.c.id)
    return int(connection.execute(made).scalar_one())


def proposal_query() -> Select[Any]:
    """Return the query for proposals, each with its decision where there is one."""
    return select(
        proposal_table,
        decision_table.c.state,
        decision_table.c.actor.label("decided_by"),
        decision_table.c.at.label("decided_at"),
        decision_table.c.reason,
    ).join(decision_table, decision_table.c.proposal_id == proposal_table.c.id, isouter=True)


def one_proposal(connection: Connection, proposal_id: int) -> Proposal:
    """Return a proposal.

    Raises:
        InputError: there is none of that number.
    """
    row = connection.execute(
        proposal_query().where(proposal_table.c.id == proposal_id)
    ).one_or_none()
    if row is None:
        raise InputError(
            f"there is no proposal {proposal_id}", found=str(proposal_id), expected="a number"
        )
    return proposal_from(row)


def standing_proposal(
    connection: Connection, kind: ProposalKind, subject: str, project: str | None
) -> Proposal | None:
    """Return the proposal that keeps another one of this subject out."""
    own = (
        proposal_table.c.project.is_(None)
        if project is None
        else proposal_table.c.project == project
    )
    query = proposal_query().where(
        proposal_table.c.kind == kind, proposal_table.c.subject == subject, own
    )
    keeps = {"pending"} if kind in _AGAIN_AFTER_APPROVAL else {"pending", "approved"}
    rows = connection.execute(query.order_by(proposal_table.c.id)).all()
    return next((one for one in map(proposal_from, rows) if one.state in keeps), None)


def proposal_from(row: Row[Any]) -> Proposal:
    """Return a row of `proposal_query` as a record."""
    return Proposal(
        id=row.id,
        project=row.project,
        kind=row.kind,
        subject=row.subject,
        payload=loaded(row.payload) or {},
        payload_hash=row.payload_hash,
        proposer=row.proposer,
        note=row.note,
        at=row.at,
        state=row.state or "pending",
        decided_by=row.decided_by,
        decided_at=row.decided_at,
        reason=row.reason,
    )
