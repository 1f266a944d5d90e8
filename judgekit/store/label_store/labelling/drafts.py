"""Drafts and claims: the two things that may be overwritten."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from judgekit.model.canonical import canonical_json
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import utc_now
from judgekit.store.label_store.labelling.presenting import claim, draft_of, let_go
from judgekit.store.label_store.labelling.state import Target, matches, presentation_row, target_of
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.labelling import Draft
from judgekit.store.label_store.scope import Scope, item_of, scope_of


class DraftOf(IntEnum):
    """What a draft about an item is of, where it is no label: kept where labels have `repeat`,
    0 or 1, so each needs a number of its own."""

    DECISION = -1
    NOTE = -2
    SETTLEMENT = -3


class Drafts(Part):
    """`store.drafts`: half-typed notes, spans and choices; they survive reload and kill."""

    def save(self, presentation_id: str, annotator: str, body: dict[str, Any]) -> Draft:
        """Keep the draft of the presentation's item, replacing an older one.

        Raises:
            InputError: there is no such presentation for this annotator.
        """
        with self._db.write() as connection:
            target = target_of(presentation_row(connection, presentation_id, annotator))
            return put_draft(connection, target, body)

    def load(self, presentation_id: str, annotator: str) -> Draft | None:
        """Return the draft of the presentation's item, or None. Never another annotator's."""
        with self._db.read() as connection:
            target = target_of(presentation_row(connection, presentation_id, annotator))
            return draft_of(connection, target)


class Claims(Part):
    """`store.claims`: who holds an item for a while. Losing a claim never loses a label."""

    def take(
        self, project: str, item_id: str, *, queue: str, holder: str, seconds: int | None = None
    ) -> bool:
        """Claim an item, or prolong the own claim; False while someone else's has not expired."""
        with self._db.write() as connection:
            scope = scope_of(connection, project)
            item_of(connection, scope, item_id)
            c = t.claim.c
            others = select(c.holder).where(
                c.project_id == scope.id,
                c.queue == queue,
                c.item_id == item_id,
                c.holder != holder,
                c.expires_at > utc_now(),
            )
            if connection.execute(others).first() is not None:
                return False
            claim(connection, scope, queue, item_id, holder, seconds)
            return True

    def release(self, project: str, item_id: str, *, queue: str, holder: str) -> None:
        """Give a claim back; nothing happens where there is none."""
        with self._db.write() as connection:
            let_go(connection, scope_of(connection, project), queue, item_id, holder)


def draft_target(
    connection: Connection, project: str, item_id: str, author: str, what: DraftOf
) -> Target:
    """Return the place of a draft that is of no label.

    Raises:
        InputError: there is no such project, or it has no such item.
    """
    scope = scope_of(connection, project)
    item_of(connection, scope, item_id)
    return draft_place(scope, item_id, author, what)


def draft_place(scope: Scope, item_id: str, author: str, what: DraftOf) -> Target:
    """Return the place of a draft about an item that is known to be there."""
    return Target(project_id=scope.id, item_id=item_id, annotator=author, repeat=int(what))


def put_draft(connection: Connection, target: Target, body: dict[str, Any]) -> Draft:
    """Replace the draft of a target."""
    drop_draft(connection, target)
    at = utc_now()
    row = target.model_dump() | {"body": canonical_json(body), "at": at}
    connection.execute(insert(t.draft).values(row))
    return Draft.model_validate({"body": body, "at": at})


def drop_draft(connection: Connection, target: Target) -> None:
    """Forget the draft of a target."""
    connection.execute(delete(t.draft).where(*matches(t.draft.c, target)))
