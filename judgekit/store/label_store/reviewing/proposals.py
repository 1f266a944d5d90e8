"""Approvals: what waits for a second pair of eyes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from sqlalchemy import Connection, Row, Select, insert, select

from judgekit.errors import InputError
from judgekit.model.canonical import canonical_json, content_hash
from judgekit.store.label_store.database.engine import utc_now
from judgekit.store.label_store.database.review_tables import decision as decision_table
from judgekit.store.label_store.database.review_tables import proposal as proposal_table
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.keeping import (
    AlreadyProposed,
    Decided,
    DecideResult,
    NotDecided,
    Proposal,
    ProposalKind,
    ProposalState,
    Proposed,
    ProposeResult,
)
from judgekit.store.label_store.scope import loaded, scope_of

_AGAIN_AFTER_APPROVAL = frozenset({"release", "guideline", "threshold", "approval"})
_LONGEST_REASON = 4000
Final = Literal["approved", "sent_back", "withdrawn"]


class Proposals(Part):
    """`store.proposals`: propose, approve, send back. Decisions are never edited."""

    def propose(
        self,
        kind: ProposalKind,
        subject: str,
        payload: dict[str, Any],
        *,
        proposer: str,
        project: str | None = None,
        note: str | None = None,
    ) -> ProposeResult:
        """Add a proposal, unless the same kind and subject of the project is pending or approved
        (for `release`, `guideline`, `threshold` and `approval`: pending).

        Raises:
            InputError: there is no such project, or the subject is empty.
        """
        if not subject.strip():
            raise InputError("a proposal has no subject", expected="what it is about")
        with self._db.write() as connection:
            if project is not None:
                scope_of(connection, project)
            standing = _standing(connection, kind, subject, project)
            if standing is not None:
                return AlreadyProposed(existing=standing)
            values = {
                "project": project,
                "kind": kind,
                "subject": subject,
                "payload": canonical_json(payload),
                "payload_hash": content_hash(payload),
                "proposer": proposer,
                "note": note,
                "at": utc_now(),
            }
            made = insert(proposal_table).values(values).returning(proposal_table.c.id)
            number = connection.execute(made).scalar_one()
            return Proposed(proposal=_one(connection, number))

    def get(self, proposal_id: int) -> Proposal:
        """Return a proposal.

        Raises:
            InputError: there is none of that id.
        """
        with self._db.read() as connection:
            return _one(connection, proposal_id)

    def list(
        self,
        *,
        state: ProposalState | None = "pending",
        kind: ProposalKind | None = None,
        project: str | None = None,
        proposer: str | None = None,
    ) -> tuple[Proposal, ...]:
        """Return proposals, oldest first; None takes every state, kind, project or proposer."""
        query = _query()
        for name, wanted in (("kind", kind), ("project", project), ("proposer", proposer)):
            if wanted is not None:
                query = query.where(proposal_table.c[name] == wanted)
        with self._db.read() as connection:
            rows = connection.execute(query.order_by(proposal_table.c.id)).all()
        found = (_proposal(row) for row in rows)
        return tuple(one for one in found if state is None or one.state == state)

    def approve(
        self, proposal_id: int, *, approver: str, payload_hash: str, reason: str | None = None
    ) -> DecideResult:
        """Approve what was read (`payload_hash`); refused to its proposer."""

        def refusal(proposal: Proposal) -> str | None:
            if proposal.proposer == approver:
                return "You proposed this; someone else approves it."
            if proposal.payload_hash != payload_hash:
                return "This is not what was shown: read it again."
            return None

        return self._decide(proposal_id, "approved", approver, reason, refusal)

    def send_back(self, proposal_id: int, *, approver: str, reason: str) -> DecideResult:
        """Send back with a reason that the proposer sees; an empty reason is refused."""

        def refusal(proposal: Proposal) -> str | None:
            if not reason.strip():
                return "Sending back needs a reason: the proposer sees it."
            if proposal.proposer == approver:
                return "You proposed this; withdraw it instead."
            return None

        return self._decide(proposal_id, "sent_back", approver, reason, refusal)

    def withdraw(self, proposal_id: int, *, proposer: str) -> DecideResult:
        """Withdraw one's own pending proposal."""

        def refusal(proposal: Proposal) -> str | None:
            if proposal.proposer != proposer:
                return "Only its proposer withdraws a proposal."
            return None

        return self._decide(proposal_id, "withdrawn", proposer, None, refusal)

    def _decide(
        self,
        proposal_id: int,
        state: Final,
        actor: str,
        reason: str | None,
        refusal: Callable[[Proposal], str | None],
    ) -> DecideResult:
        """Write a decision once. The same again by the same person is answered as decided."""
        with self._db.write() as connection:
            proposal = _one(connection, proposal_id)
            if (proposal.state, proposal.decided_by) == (state, actor):
                return Decided(proposal=proposal)
            why = refusal(proposal)
            if why is None and proposal.state != "pending":
                words = proposal.state.replace("_", " ")
                why = f"It was {words} by {proposal.decided_by} already."
            if why is not None:
                return NotDecided(reason=why, proposal=proposal)
            values = {
                "proposal_id": proposal_id,
                "state": state,
                "actor": actor,
                "reason": reason.strip()[:_LONGEST_REASON] if reason else None,
                "at": utc_now(),
            }
            connection.execute(insert(decision_table).values(values))
            return Decided(proposal=_one(connection, proposal_id))


def _query() -> Select[Any]:
    return select(
        proposal_table,
        decision_table.c.state,
        decision_table.c.actor.label("decided_by"),
        decision_table.c.at.label("decided_at"),
        decision_table.c.reason,
    ).join(decision_table, decision_table.c.proposal_id == proposal_table.c.id, isouter=True)


def _one(connection: Connection, proposal_id: int) -> Proposal:
    row = connection.execute(_query().where(proposal_table.c.id == proposal_id)).one_or_none()
    if row is None:
        raise InputError(
            f"there is no proposal {proposal_id}", found=str(proposal_id), expected="a number"
        )
    return _proposal(row)


def _standing(
    connection: Connection, kind: ProposalKind, subject: str, project: str | None
) -> Proposal | None:
    """Return the proposal that keeps another one of this subject out."""
    own = (
        proposal_table.c.project.is_(None)
        if project is None
        else proposal_table.c.project == project
    )
    query = _query().where(proposal_table.c.kind == kind, proposal_table.c.subject == subject, own)
    keeps = {"pending"} if kind in _AGAIN_AFTER_APPROVAL else {"pending", "approved"}
    rows = connection.execute(query.order_by(proposal_table.c.id)).all()
    return next((one for one in map(_proposal, rows) if one.state in keeps), None)


def _proposal(row: Row[Any]) -> Proposal:
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
