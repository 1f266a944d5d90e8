"""Approvals: what waits for a second pair of eyes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from sqlalchemy import Connection, insert

from judgekit.errors import InputError
from judgekit.store.label_store.database.engine import utc_now
from judgekit.store.label_store.database.review_tables import decision as decision_table
from judgekit.store.label_store.database.review_tables import proposal as proposal_table
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.events import ReviewEvent
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
from judgekit.store.label_store.review_log.proposal_log import log_decision, log_proposal
from judgekit.store.label_store.reviewing.proposal_rows import (
    add_proposal,
    one_proposal,
    proposal_from,
    proposal_query,
    standing_proposal,
)
from judgekit.store.label_store.scope import scope_of

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

        def store(connection: Connection) -> tuple[ProposeResult, tuple[ReviewEvent, ...]]:
            if project is not None:
                scope_of(connection, project)
            standing = standing_proposal(connection, kind, subject, project)
            if standing is not None:
                return AlreadyProposed(existing=standing), ()
            values = {
                "project": project,
                "kind": kind,
                "subject": subject,
                "payload": payload,
                "proposer": proposer,
                "note": note,
                "at": utc_now(),
            }
            made = one_proposal(connection, add_proposal(connection, values))
            return Proposed(proposal=made), log_proposal(connection, made)

        return self._db.write_events(store)

    def get(self, proposal_id: int) -> Proposal:
        """Return a proposal.

        Raises:
            InputError: there is none of that id.
        """
        with self._db.read() as connection:
            return one_proposal(connection, proposal_id)

    def list(
        self,
        *,
        state: ProposalState | None = "pending",
        kind: ProposalKind | None = None,
        project: str | None = None,
        proposer: str | None = None,
    ) -> tuple[Proposal, ...]:
        """Return proposals, oldest first; None takes every state, kind, project or proposer."""
        query = proposal_query()
        for name, wanted in (("kind", kind), ("project", project), ("proposer", proposer)):
            if wanted is not None:
                query = query.where(proposal_table.c[name] == wanted)
        with self._db.read() as connection:
            rows = connection.execute(query.order_by(proposal_table.c.id)).all()
        found = (proposal_from(row) for row in rows)
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

        def store(connection: Connection) -> tuple[DecideResult, tuple[ReviewEvent, ...]]:
            proposal = one_proposal(connection, proposal_id)
            if (proposal.state, proposal.decided_by) == (state, actor):
                return Decided(proposal=proposal), ()
            why = refusal(proposal)
            if why is None and proposal.state != "pending":
                words = proposal.state.replace("_", " ")
                why = f"It was {words} by {proposal.decided_by} already."
            if why is not None:
                return NotDecided(reason=why, proposal=proposal), ()
            values = {
                "proposal_id": proposal_id,
                "state": state,
                "actor": actor,
                "reason": reason.strip()[:_LONGEST_REASON] if reason else None,
                "at": utc_now(),
            }
            connection.execute(insert(decision_table).values(values))
            decided = one_proposal(connection, proposal_id)
            return Decided(proposal=decided), log_decision(connection, decided)

        return self._db.write_events(store)
