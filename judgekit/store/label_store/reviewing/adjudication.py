"""Adjudication: only what differs, is unsure or is flagged; one line of revisions per field."""

from __future__ import annotations

from judgekit.model.label import OVERALL
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.adjudication import (
    AdjudicateResult,
    AdjudicationCase,
    AdjudicationCounts,
    AdjudicationTask,
    Decision,
    Flag,
    FlagReason,
    TaskState,
)


class Adjudication(Part):
    """`store.adjudication`: for people with the role adjudicator (the page checks the role)."""

    def tasks(
        self,
        project: str,
        *,
        state: TaskState = "open",
        adjudicator: str | None = None,
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[AdjudicationTask, ...]:
        """Return tasks, lowest agreement first, then by item id.

        `open` lists disagreements, unsure and flagged items that are undecided (agreeing items
        never, unless flagged); with `adjudicator` items are left out that this person labelled
        where the project forbids it. `incomplete` items have fewer labels than wanted.
        """
        raise NotImplementedError

    def counts(self, project: str) -> AdjudicationCounts:
        """Return the queue in numbers."""
        raise NotImplementedError

    def next_case(self, project: str, adjudicator: str) -> AdjudicationCase | None:
        """Claim and return the first open task that no other adjudicator holds, or None."""
        raise NotImplementedError

    def case(self, project: str, item_id: str, adjudicator: str) -> AdjudicationCase:
        """Return one item's answers as A, B ... in an order seeded by item, without names.

        Raises:
            InputError: no such item.
        """
        raise NotImplementedError

    def adjudicate(
        self, project: str, decision: Decision, *, adjudicator: str, op_id: str, rev_seen: int
    ) -> AdjudicateResult:
        """Store a decision about one field as the revision after `rev_seen`.

        `choice` A or B takes over that option's label and failure mode (those of `decision` are
        ignored); `other` needs `label`, and a cause where no option has that label; `exclude`
        needs a reason. `rev`, `actor` and `at` of `decision` are filled by the store.
        """
        raise NotImplementedError

    def restore(
        self,
        project: str,
        item_id: str,
        *,
        field: str = OVERALL,
        adjudicator: str,
        op_id: str,
        rev_seen: int,
    ) -> AdjudicateResult:
        """Reopen a decided or excluded field: a new revision under which nothing stands."""
        raise NotImplementedError

    def history(self, project: str, item_id: str, field: str = OVERALL) -> tuple[Decision, ...]:
        """Return all decisions about a field, oldest first; a reopening is not one."""
        raise NotImplementedError

    def flag(
        self,
        project: str,
        item_id: str,
        *,
        reason: FlagReason,
        actor: str,
        field: str = OVERALL,
        note: str | None = None,
    ) -> Flag:
        """Put an item into the queue. It changes no label; the same open flag is kept once."""
        raise NotImplementedError

    def flags(self, project: str, *, item_id: str | None = None) -> tuple[Flag, ...]:
        """Return all flags, oldest first."""
        raise NotImplementedError

    def outcomes(self, project: str, annotator: str) -> tuple[Decision, ...]:
        """Return released decisions on this annotator's own items; empty before a release."""
        raise NotImplementedError
