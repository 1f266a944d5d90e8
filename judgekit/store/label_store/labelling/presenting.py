"""Making presentations: the row, the claim, and the record that the page gets."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select

from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import as_stored, utc_now
from judgekit.store.label_store.labelling.order import Order
from judgekit.store.label_store.labelling.state import Target, matches, state_of, target_of
from judgekit.store.label_store.labelling.view import answer_of, is_swapped, shown_item, turned
from judgekit.store.label_store.records.labelling import Answer, Draft, Presentation
from judgekit.store.label_store.scope import (
    Scope,
    guideline_of,
    item_of,
    loaded,
    schema_of,
)


def show(
    connection: Connection, scope: Scope, target: Target, *, cursor: int | None = None
) -> Presentation:
    """Make a presentation of the target now, claim the item and return what the page needs.

    Without `cursor` the annotator's place in the own order stays where it is.
    """
    if cursor is None:
        cursor = Order(connection, scope, target.annotator).cursor()
    p = t.presentation.c
    own = (p.project_id == scope.id, p.annotator == target.annotator)
    number = connection.execute(select(func.coalesce(func.max(p.number), 0)).where(*own))
    guideline = guideline_of(connection, scope.id)
    row = {
        "id": uuid.uuid4().hex,
        "number": number.scalar_one() + 1,
        "project_id": scope.id,
        "annotator": target.annotator,
        "item_id": target.item_id,
        "repeat": target.repeat,
        "position": _position(connection, scope, target),
        "cursor": cursor,
        "shown_at": utc_now(),
        "schema_version": schema_of(connection, scope.id).version,
        "guideline": None if guideline is None else guideline.version,
    }
    connection.execute(insert(t.presentation).values(row))
    if target.repeat == 0 and not state_of(connection, target).answered:
        claim(connection, scope, "label", target.item_id, target.annotator)
    made = connection.execute(select(t.presentation).where(p.id == row["id"])).one()
    return presented(connection, scope, made)


def presented(connection: Connection, scope: Scope, row: Row[Any]) -> Presentation:
    """Return a presentation's row as the record for its annotator, as things stand now."""
    target = target_of(row)
    held = item_of(connection, scope, target.item_id)
    schema = schema_of(connection, scope.id, row.schema_version)
    swapped = is_swapped(held.item, scope.settings.seed, target.annotator)
    state = state_of(connection, target)
    return Presentation(
        id=row.id,
        project=scope.name,
        annotator=target.annotator,
        item=shown_item(held.item, schema, swapped=swapped),
        item_hash=held.item_hash,
        position=row.position,
        n_items=Order(connection, scope, target.annotator).n_places(),
        rev=state.rev,
        answer=as_shown(answer_of(state.standing), swapped=swapped),
        draft=draft_of(connection, target),
        swapped=swapped,
        shown_at=row.shown_at,
        schema_version=row.schema_version,
        guideline=row.guideline,
    )


def as_shown(answer: Answer | None, *, swapped: bool) -> Answer | None:
    """Return a stored answer with the sides as this annotator sees them."""
    return turned(answer) if answer is not None and swapped else answer


def draft_of(connection: Connection, target: Target) -> Draft | None:
    """Return the draft of a target, or None."""
    query = select(t.draft.c.body, t.draft.c.at).where(*matches(t.draft.c, target))
    row = connection.execute(query).one_or_none()
    return None if row is None else Draft(body=loaded(row.body) or {}, at=row.at)


def claim(
    connection: Connection,
    scope: Scope,
    queue: str,
    item_id: str,
    holder: str,
    seconds: int | None = None,
) -> None:
    """Hold an item for a while and let go of what the same person held in that queue."""
    c = t.claim.c
    mine = (c.project_id == scope.id, c.queue == queue, c.holder == holder)
    connection.execute(delete(t.claim).where(*mine))
    until = datetime.now(UTC) + timedelta(seconds=seconds or scope.settings.claim_s)
    row = {
        "project_id": scope.id,
        "queue": queue,
        "item_id": item_id,
        "holder": holder,
        "expires_at": as_stored(until),
    }
    connection.execute(insert(t.claim).values(row))


def let_go(connection: Connection, scope: Scope, queue: str, item_id: str, holder: str) -> None:
    """End a claim; nothing happens where there is none."""
    c = t.claim.c
    where = (c.project_id == scope.id, c.queue == queue, c.item_id == item_id, c.holder == holder)
    connection.execute(delete(t.claim).where(*where))


def _position(connection: Connection, scope: Scope, target: Target) -> int:
    p = t.presentation.c
    query = select(func.min(p.position)).where(*matches(p, target))
    before = connection.execute(query).scalar_one()
    return before or Order(connection, scope, target.annotator).next_position()
