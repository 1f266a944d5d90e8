"""Approvals: what waits for a second pair of eyes."""

from __future__ import annotations

from typing import Any

from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.keeping import (
    DecideResult,
    Proposal,
    ProposalKind,
    ProposalState,
    ProposeResult,
)


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
        (for `release`, `guideline`, `threshold` and `approval`: pending)."""
        raise NotImplementedError

    def get(self, proposal_id: int) -> Proposal:
        """Return a proposal.

        Raises:
            InputError: there is none of that id.
        """
        raise NotImplementedError

    def list(
        self,
        *,
        state: ProposalState | None = "pending",
        kind: ProposalKind | None = None,
        project: str | None = None,
        proposer: str | None = None,
    ) -> tuple[Proposal, ...]:
        """Return proposals, oldest first."""
        raise NotImplementedError

    def approve(
        self, proposal_id: int, *, approver: str, payload_hash: str, reason: str | None = None
    ) -> DecideResult:
        """Approve what was read (`payload_hash`); refused to its proposer."""
        raise NotImplementedError

    def send_back(self, proposal_id: int, *, approver: str, reason: str) -> DecideResult:
        """Send back with a reason that the proposer sees; an empty reason is refused."""
        raise NotImplementedError

    def withdraw(self, proposal_id: int, *, proposer: str) -> DecideResult:
        """Withdraw one's own pending proposal."""
        raise NotImplementedError
