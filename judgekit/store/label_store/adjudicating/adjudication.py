"""Adjudication: only what differs, is unsure or is flagged; one line of revisions per field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select

from judgekit.model.item import Item
from judgekit.model.label import OVERALL
from judgekit.store.label_store.adjudicating.cases import (
    QUEUE,
    Outcome,
    add_flag,
    case_of,
    decide,
    flag_from,
    held_by_others,
    questions_of,
    reopen,
)
from judgekit.store.label_store.adjudicating.decisions import (
    decision_from,
    newest,
)
from judgekit.store.label_store.adjudicating.questions import (
    Questions,
    count_rest,
    own_items,
)
from judgekit.store.label_store.database import review_tables as rt
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.keeping.current import adjudication_rows
from judgekit.store.label_store.labelling.drafts import DraftOf, draft_target, drop_draft, put_draft
from judgekit.store.label_store.labelling.presenting import claim, draft_of
from judgekit.store.label_store.labelling.state import released_seq
from judgekit.store.label_store.labelling.view import shown_item
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
from judgekit.store.label_store.records.events import ADJUDICATION
from judgekit.store.label_store.records.labelling import Draft
from judgekit.store.label_store.scope import item_from, item_of, schema_of, scope_of


class Adjudication(Part):
    """`store.adjudication`: for people with the role adjudicator (the page checks the role)."""

    def tasks(
        self,
        project: str,
        *,
        state: TaskState = "open",
        adjudicator: str | None = None,
        viewer: str | None = None,
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[AdjudicationTask, ...]:
        """Return tasks, lowest agreement first, then by item id.

        `open` lists disagreements, unsure and flagged items that are undecided (agreeing items
        never, unless flagged); with `adjudicator` items are left out that this person labelled
        where the project forbids it. `incomplete` items have fewer labels than wanted. What
        `viewer` (else `adjudicator`) holds is not told as held by another.
        """
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            found = questions_of(connection, scope, state, adjudicator)
            held = held_by_others(connection, scope, viewer or adjudicator)
        end = None if limit is None else offset + limit
        return tuple(q.task(project, claimed=q.item_id in held) for q in found[offset:end])

    def counts(self, project: str) -> AdjudicationCounts:
        """Return the queue in numbers."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            questions = Questions(connection, scope)
            found = questions.all()
            agreeing, incomplete = count_rest(connection, scope, {q.item_id for q in found})
        states = [q.state for q in found]
        alone = sum(q.state == "incomplete" and questions.is_single(q) for q in found)
        return AdjudicationCounts(
            open=states.count("open"),
            agreeing=agreeing + states.count("agreeing"),
            incomplete=incomplete + states.count("incomplete") - alone,
            decided=states.count("decided"),
            excluded=sum(q.n_excluded for q in found),
        )

    def next_case(
        self, project: str, adjudicator: str, *, last: Sequence[str] = ()
    ) -> AdjudicationCase | None:
        """Claim and return the first open task that no other adjudicator holds, or None.

        Items named in `last` come after all others, in that order.
        """
        places = {item_id: place for place, item_id in enumerate(last)}
        with self._db.write() as connection:
            scope = scope_of(connection, project)
            held = held_by_others(connection, scope, adjudicator)
            found = questions_of(connection, scope, "open", adjudicator)
            for question in sorted(found, key=lambda q: places.get(q.item_id, -1)):
                if question.item_id not in held:
                    claim(connection, scope, QUEUE, question.item_id, adjudicator)
                    return case_of(connection, scope, question.item_id, adjudicator)
        return None

    def case(self, project: str, item_id: str, adjudicator: str) -> AdjudicationCase:
        """Return one item's answers as A, B ... in an order seeded by item, without names.

        Raises:
            InputError: no such item.
        """
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            item_of(connection, scope, item_id)
            return case_of(connection, scope, item_id, adjudicator)

    def adjudicate(
        self, project: str, decision: Decision, *, adjudicator: str, op_id: str, rev_seen: int
    ) -> AdjudicateResult:
        """Store a decision about one field as the revision after `rev_seen`.

        `choice` A or B takes over that option's label and failure mode (those of `decision` are
        ignored); `other` needs `label`, and a cause where no option has that label; `exclude`
        needs a reason. `rev`, `actor` and `at` of `decision` are filled by the store.
        """

        def store(connection: Connection) -> Outcome:
            return decide(
                connection, scope_of(connection, project), decision, adjudicator, op_id, rev_seen
            )

        return self._db.write_events(store)

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

        def store(connection: Connection) -> Outcome:
            scope = scope_of(connection, project)
            return reopen(connection, scope, item_id, field, adjudicator, op_id, rev_seen)

        return self._db.write_events(store)

    def history(self, project: str, item_id: str, field: str = OVERALL) -> tuple[Decision, ...]:
        """Return all decisions about a field, oldest first; a reopening is not one."""
        e = t.label_event.c
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            query = select(t.label_event).where(
                e.project_id == scope.id,
                e.item_id == item_id,
                e.annotator == ADJUDICATION,
                e.field == field,
            )
            rows = connection.execute(query.order_by(e.rev)).all()
        decisions = (decision_from(row) for row in rows)
        return tuple(decision for decision in decisions if decision is not None)

    def standing(self, project: str, item_ids: Sequence[str]) -> dict[str, tuple[Decision, ...]]:
        """Return the decisions that stand about these items, by item, without who made them."""
        wanted, found = set(item_ids), defaultdict(list)
        with self._db.read() as connection:
            rows = adjudication_rows(connection, scope_of(connection, project))
        for row in rows:
            decision = decision_from(row) if row.item_id in wanted else None
            if decision is not None:
                found[row.item_id].append(decision.model_copy(update={"actor": None}))
        return {item_id: tuple(decisions) for item_id, decisions in found.items()}

    def items(self, project: str, item_ids: Sequence[str]) -> dict[str, Item]:
        """Return these items as an adjudicator may see them, by id."""
        i = t.item.c
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            schema = schema_of(connection, scope.id)
            query = select(t.item).where(i.project_id == scope.id, i.id.in_(item_ids))
            rows = [item_from(row) for row in connection.execute(query)]
        return {row.item.id: shown_item(row.item, schema) for row in rows}

    def released_in(self, project: str, item_id: str, field: str = OVERALL) -> str | None:
        """Return the first release that holds the newest revision of a field, or None."""
        r = t.release.c
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            row = newest(connection, scope, item_id, field)
            query = select(r.version).where(
                r.project_id == scope.id, r.last_seq >= (0 if row is None else row.seq)
            )
            found = connection.execute(query.order_by(r.last_seq).limit(1)).scalar_one_or_none()
        return None if row is None or found is None else str(found)

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
        f = rt.flag.c
        with self._db.write() as connection:
            scope = scope_of(connection, project)
            item_of(connection, scope, item_id)
            same = select(rt.flag).where(
                f.project_id == scope.id,
                f.item_id == item_id,
                f.field == field,
                f.reason == reason,
                f.actor == actor,
            )
            row = connection.execute(same.order_by(f.id.desc()).limit(1)).one_or_none()
            decided = newest(connection, scope, item_id, field)
            if row is None or (decided is not None and decided.seq > row.seq):
                add_flag(connection, scope, item_id, field, reason, actor, note)
                row = connection.execute(same.order_by(f.id.desc()).limit(1)).one()
        return flag_from(project, row)

    def flags(self, project: str, *, item_id: str | None = None) -> tuple[Flag, ...]:
        """Return all flags, oldest first."""
        f = rt.flag.c
        with self._db.read() as connection:
            query = select(rt.flag).where(f.project_id == scope_of(connection, project).id)
            if item_id is not None:
                query = query.where(f.item_id == item_id)
            rows = connection.execute(query.order_by(f.id)).all()
        return tuple(flag_from(project, row) for row in rows)

    def outcomes(self, project: str, annotator: str) -> tuple[Decision, ...]:
        """Return released decisions on this annotator's own items; empty before a release."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            last = released_seq(connection, scope.id)
            mine = own_items(connection, scope, annotator)
            e = t.label_event.c
            query = select(t.label_event).where(
                e.project_id == scope.id, e.annotator == ADJUDICATION, e.seq <= last
            )
            rows = connection.execute(query.order_by(e.seq)).all()
        final = {(row.item_id, row.field): decision_from(row) for row in rows}
        return tuple(
            decision.model_copy(update={"actor": None})
            for key, decision in sorted(final.items())
            if decision is not None and key[0] in mine
        )

    def save_draft(
        self, project: str, item_id: str, adjudicator: str, body: dict[str, Any]
    ) -> Draft:
        """Keep an adjudicator's half-typed decision about an item."""
        with self._db.write() as connection:
            target = draft_target(connection, project, item_id, adjudicator, DraftOf.DECISION)
            return put_draft(connection, target, body)

    def load_draft(self, project: str, item_id: str, adjudicator: str) -> Draft | None:
        """Return the adjudicator's own draft about an item, or None."""
        with self._db.read() as connection:
            target = draft_target(connection, project, item_id, adjudicator, DraftOf.DECISION)
            return draft_of(connection, target)

    def clear_draft(self, project: str, item_id: str, adjudicator: str) -> None:
        """Forget the draft; storing a decision does so as well."""
        with self._db.write() as connection:
            target = draft_target(connection, project, item_id, adjudicator, DraftOf.DECISION)
            drop_draft(connection, target)
