"""Importing another store's events: all of them, or none where one contradicts what is here."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from judgekit.model.label import OVERALL
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import as_stored
from judgekit.store.label_store.keeping.rows import add_events, events_from
from judgekit.store.label_store.records.events import (
    ADJUDICATION,
    EventConflict,
    EventImport,
    LabelEvent,
)
from judgekit.store.label_store.scope import Scope, scope_from

Line = tuple[str, str, int, str]


class Importer:
    """Takes events in their order and writes those that are new when none contradicts."""

    def __init__(self, connection: Connection, scope: Scope) -> None:
        self._connection = connection
        self._scope = scope
        i = t.item.c
        items = select(i.id, i.hash).where(i.project_id == scope.id)
        self._items: dict[str, str] = {row.id: row.hash for row in connection.execute(items)}
        self._known = self._events()
        self._revs: dict[Line, int] = {}
        self._answered: dict[Line, bool] = {}
        for event in self._known.values():
            if event.project == scope.name:
                self._advance(event)
        self._new: list[dict[str, Any]] = []
        self._n_known = 0
        self._conflicts: list[EventConflict] = []

    def take(self, event: LabelEvent) -> None:
        """Sort one event: new, known or conflicting."""
        known = self._known.get(event.key)
        if known is not None:
            self._compare(event, known)
            return
        reason = self._fault(event)
        if reason is not None:
            self._conflicts.append(reason)
            return
        self._known[event.key] = event.model_copy(update={"project": self._scope.name})
        self._new.append(self._row(event))

    def write(self) -> tuple[LabelEvent, ...]:
        """Write what is new, or nothing where there is a conflict."""
        if self._conflicts or not self._new:
            return ()
        return add_events(self._connection, self._scope, self._new)

    def report(self) -> EventImport:
        """Return what was found."""
        return EventImport(
            n_new=len(self._new),
            n_known=self._n_known,
            conflicts=tuple(self._conflicts),
        )

    def _events(self) -> dict[str, LabelEvent]:
        rows = self._connection.execute(select(t.project))
        scopes = {scope.id: scope for scope in map(scope_from, rows)}
        query = select(t.label_event).order_by(t.label_event.c.seq)
        found = events_from(self._connection.execute(query), scopes)
        return {event.key: event for event in found}

    def _compare(self, event: LabelEvent, known: LabelEvent) -> None:
        if known.project != self._scope.name:
            self._conflicts.append(
                _conflict(event, "the event is in another project", known.project, event.project)
            )
            return
        ignored = {"seq", "project"}
        mine, theirs = known.model_dump(exclude=ignored), event.model_dump(exclude=ignored)
        differing = sorted(key for key in mine if mine[key] != theirs[key])
        if not differing:
            self._n_known += 1
            return
        key = differing[0]
        self._conflicts.append(
            _conflict(event, f"{key!r} differs", _shown(theirs[key]), _shown(mine[key]))
        )

    def _fault(self, event: LabelEvent) -> EventConflict | None:
        held = self._items.get(event.item_id)
        if held is None:
            return _conflict(event, "the item is unknown", event.item_id, "an item of the project")
        if held != event.item_hash:
            return _conflict(event, "the item has other content", event.item_hash, held)
        if event.dataset != self._scope.dataset:
            return _conflict(event, "another dataset", event.dataset, self._scope.dataset)
        own, whole = self._revs.get(_line(event), 0), self._revs.get(_whole(event), 0)
        if event.rev <= own:
            return _conflict(event, "the revision is taken", str(event.rev), f"{own + 1} or later")
        if event.rev > whole + 1:
            return _conflict(event, "a revision is missing", str(event.rev), str(whole + 1))
        return None

    def _row(self, event: LabelEvent) -> dict[str, Any]:
        before = self._answered.get(_line(event), False)
        self._advance(event)
        counts = event.field == OVERALL and event.annotator != ADJUDICATION
        row = event.model_dump(exclude={"seq", "project", "dataset"})
        return row | {
            "at": as_stored(event.at),
            "delta": int(event.value is not None) - int(before) if counts else 0,
        }

    def _advance(self, event: LabelEvent) -> None:
        for line in (_line(event), _whole(event)):
            self._revs[line] = max(self._revs.get(line, 0), event.rev)
        self._answered[_line(event)] = event.value is not None


def _line(event: LabelEvent) -> Line:
    return event.item_id, event.annotator, event.repeat, event.field


def _whole(event: LabelEvent) -> Line:
    """Return the line whose revisions have no gaps: all fields of an answer, one of a decision."""
    field = event.field if event.annotator == ADJUDICATION else ""
    return event.item_id, event.annotator, event.repeat, field


def _shown(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else repr(value)


def _conflict(event: LabelEvent, reason: str, found: str, expected: str) -> EventConflict:
    return EventConflict(
        key=event.key, item_id=event.item_id, reason=reason, found=found, expected=expected
    )
