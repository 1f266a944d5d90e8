"""One annotator's own order of items: what is next, what was done, how much is left."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Row, select, text

from judgekit.errors import InputError
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.labelling.order import Order
from judgekit.store.label_store.labelling.presenting import as_shown, presented, show
from judgekit.store.label_store.labelling.state import (
    Target,
    is_used,
    refuse_released,
    released_seq,
    state_of,
)
from judgekit.store.label_store.labelling.view import answer_of, is_swapped
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.labelling import (
    UNSURE,
    OwnLabel,
    Presentation,
    Progress,
)
from judgekit.store.label_store.scope import Scope, guideline_of, item_of, schema_of, scope_of

# The newest row of every own line of revisions, with what it says.
_OWN = """
SELECT e.item_id, e.repeat, e.rev, e.seq, e.at, e.guideline, e.active_ms, e.label
FROM label_event e WHERE e.project_id = :p AND e.annotator = :a AND e.field = '_overall'
AND NOT EXISTS (SELECT 1 FROM label_event n WHERE n.project_id = e.project_id
    AND n.item_id = e.item_id AND n.annotator = e.annotator AND n.field = e.field
    AND n.repeat = e.repeat AND n.rev > e.rev)
AND e.value IS NOT NULL
ORDER BY e.seq DESC
"""


class Queue(Part):
    """`store.queue`: everything here is about one annotator and returns nobody else's work."""

    def next_presentation(
        self, project: str, annotator: str, *, leave_open: bool = False
    ) -> Presentation | None:
        """Return the item to label now, or None when nothing is left for this annotator.

        That is the item shown and not yet answered (so a reload returns the same one), else the
        first unlabelled of the own order, hash(seed, annotator, item), that still wants a label
        and nobody else holds; then hidden repeats when they are due; then skipped items, the
        longest skipped first. The item is claimed for `claim_s` seconds. `leave_open` does not
        return an own label that was reopened and left unchanged, but goes on.

        Raises:
            InputError: there is no such project, or it is archived.
        """
        if not leave_open:
            with self._db.read() as connection:
                scope = _open_scope(connection, project)
                row = _open_row(connection, scope, annotator)
                if row is not None and _is_current(connection, scope, row):
                    return presented(connection, scope, row)
        with self._db.write() as connection:
            scope = _open_scope(connection, project)
            row = None if leave_open else _open_row(connection, scope, annotator)
            if row is not None and _is_current(connection, scope, row):
                return presented(connection, scope, row)
            if row is not None:
                again = _target(scope, annotator, row.item_id, repeat=row.repeat)
                return show(connection, scope, again)
            return _next(connection, scope, annotator)

    def present(self, project: str, annotator: str, item_id: str) -> Presentation:
        """Show one given item: a jump, or one's own label reopened with its values.

        Raises:
            InputError: the project has no such item, or this annotator's label on it is released.
        """
        with self._db.write() as connection:
            scope = _open_scope(connection, project)
            item_of(connection, scope, item_id)
            target = _newest_target(connection, scope, annotator, item_id)
            refuse_released(connection, scope, target, state_of(connection, target))
            Order(connection, scope, annotator).enrol()
            return show(connection, scope, target)

    def item_at(self, project: str, annotator: str, position: int) -> str | None:
        """Return the id of the item that this annotator was shown at a position of the own order.

        None where nothing was shown there yet.
        """
        p = t.presentation.c
        with self._db.read() as connection:
            own = (p.project_id == scope_of(connection, project).id, p.annotator == annotator)
            query = select(p.item_id).where(*own, p.position == position).limit(1)
            return connection.execute(query).scalar_one_or_none()

    def progress(self, project: str, annotator: str) -> Progress:
        """Return the annotator's counts, queried from the log now."""
        self._enrol(project, annotator)
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            rows = _own_rows(connection, scope, annotator)
            order = Order(connection, scope, annotator)
            guideline = guideline_of(connection, scope.id)
            times = sorted(row.active_ms for row in rows if row.active_ms is not None)
            return Progress(
                project=project,
                labelled=len(rows),
                unsure=sum(row.label == UNSURE for row in rows),
                skipped=order.n_skipped(),
                left=order.n_left(),
                median_active_ms=times[len(times) // 2] if times else None,
                under_older_guideline=sum(
                    guideline is not None and row.guideline != guideline.version for row in rows
                ),
            )

    def _enrol(self, project: str, annotator: str) -> None:
        with self._db.read() as connection:
            if Order(connection, scope_of(connection, project), annotator).is_enrolled():
                return
        with self._db.write() as connection:
            Order(connection, scope_of(connection, project), annotator).enrol()

    def last_labels(self, project: str, annotator: str, *, limit: int = 10) -> tuple[OwnLabel, ...]:
        """Return own current labels, newest first (hidden repeats are not told apart)."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            rows = _own_rows(connection, scope, annotator)
            return _own_labels(connection, scope, annotator, rows, limit)

    def labels_of(
        self, project: str, annotator: str, item_ids: Collection[str]
    ) -> dict[str, OwnLabel]:
        """Return own current labels of these items, by item."""
        wanted = set(item_ids)
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            rows = [r for r in _own_rows(connection, scope, annotator) if r.item_id in wanted]
            found = _own_labels(connection, scope, annotator, rows, len(wanted))
        return {label.item_id: label for label in found}

    def older_labels(
        self, project: str, annotator: str, *, limit: int = 100
    ) -> tuple[OwnLabel, ...]:
        """Return own labels under an older guideline that can still be given anew."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            guideline = guideline_of(connection, scope.id)
            if guideline is None:
                return ()
            rows = _own_rows(connection, scope, annotator)
            released = released_seq(connection, scope.id)
            now = {row.item_id for row in rows if row.guideline == guideline.version}
            rows = [row for row in rows if row.item_id not in now and row.seq > released]
            return _own_labels(connection, scope, annotator, rows, limit)


def _open_scope(connection: Connection, project: str) -> Scope:
    scope = scope_of(connection, project)
    if scope.archived:
        raise InputError(
            f"the project {project!r} is archived",
            found="archived",
            expected="a project that is open for labelling",
        )
    return scope


def _next(connection: Connection, scope: Scope, annotator: str) -> Presentation | None:
    """Show what comes next in the annotator's order, or return None at its end."""
    order = Order(connection, scope, annotator)
    order.enrol()
    due = order.due()
    if due is not None:
        return show(connection, scope, _target(scope, annotator, due, repeat=1))
    place = order.fresh()
    if place is not None:
        target = _target(scope, annotator, place.item_id)
        return show(connection, scope, target, cursor=place.cursor)
    put_off = order.put_off()
    return None if put_off is None else show(connection, scope, _target(scope, annotator, put_off))


def _target(scope: Scope, annotator: str, item_id: str, *, repeat: int = 0) -> Target:
    return Target(project_id=scope.id, item_id=item_id, annotator=annotator, repeat=repeat)


def _newest_target(connection: Connection, scope: Scope, annotator: str, item_id: str) -> Target:
    """Return the line of revisions to reopen: the hidden repeat where that was given later."""
    first, again = (_target(scope, annotator, item_id, repeat=n) for n in (0, 1))
    newer = state_of(connection, again)
    return again if newer.answered and newer.seq > state_of(connection, first).seq else first


def _open_row(connection: Connection, scope: Scope, annotator: str) -> Row[Any] | None:
    """Return the newest presentation where nothing was answered from it."""
    p = t.presentation.c
    query = select(t.presentation).where(p.project_id == scope.id, p.annotator == annotator)
    row = connection.execute(query.order_by(p.number.desc()).limit(1)).one_or_none()
    return None if row is None or is_used(connection, row.id) else row


def _is_current(connection: Connection, scope: Scope, row: Row[Any]) -> bool:
    """Return whether a presentation names the newest schema and guideline."""
    guideline = guideline_of(connection, scope.id)
    version = None if guideline is None else guideline.version
    newest = (schema_of(connection, scope.id).version, version)
    return newest == (row.schema_version, row.guideline)


def _own_rows(connection: Connection, scope: Scope, annotator: str) -> list[Row[Any]]:
    return list(connection.execute(text(_OWN), {"p": scope.id, "a": annotator}))


def _own_labels(
    connection: Connection, scope: Scope, annotator: str, rows: list[Row[Any]], limit: int
) -> tuple[OwnLabel, ...]:
    """Return the first `limit` labels, one for each item."""
    released = released_seq(connection, scope.id)
    found: dict[str, OwnLabel] = {}
    for row in rows:
        if len(found) == limit:
            break
        if row.item_id not in found:
            found[row.item_id] = _own_label(connection, scope, annotator, row, released)
    return tuple(found.values())


def _own_label(
    connection: Connection, scope: Scope, annotator: str, row: Row[Any], released: int
) -> OwnLabel:
    target = _target(scope, annotator, row.item_id, repeat=row.repeat)
    held = item_of(connection, scope, row.item_id)
    swapped = is_swapped(held.item, scope.settings.seed, annotator)
    answer = as_shown(answer_of(state_of(connection, target).standing), swapped=swapped)
    assert answer is not None
    return OwnLabel(
        item_id=row.item_id,
        answer=answer,
        rev=row.rev,
        at=row.at,
        guideline=row.guideline,
        released=row.seq <= released,
    )
