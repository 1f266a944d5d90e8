"""The log: reading it, importing it, bringing the mirror up to date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from sqlalchemy import Connection, func, select

from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.keeping.current import current_rows
from judgekit.store.label_store.keeping.importing import Importer
from judgekit.store.label_store.keeping.rows import events_from
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.adjudication import LabelOrigin
from judgekit.store.label_store.records.events import (
    EventImport,
    LabelEvent,
    LogEvent,
    ReviewEvent,
)
from judgekit.store.label_store.review_log.importing import ReviewImporter
from judgekit.store.label_store.review_log.reading import review_events
from judgekit.store.label_store.scope import Scope, loaded, scope_from, scope_of
from judgekit.store.label_store.setting_up.audit_rows import add_row

_CHUNK = 2000


class EventLog(Part):
    """`store.events`: for export, fold, import and audits. Not for annotators' pages."""

    def since(
        self,
        seq: int = 0,
        *,
        project: str | None = None,
        dataset: str | None = None,
        until: int | None = None,
    ) -> Iterator[LabelEvent]:
        """Yield events with a sequence number above `seq`, up to `until`, in order."""
        e = t.label_event.c
        scopes = self._scopes(project, dataset)
        last = self.last_seq() if until is None else until
        while True:
            query = select(t.label_event).where(
                e.project_id.in_(scopes), e.seq > seq, e.seq <= last
            )
            with self._db.read() as connection:
                rows = connection.execute(query.order_by(e.seq).limit(_CHUNK)).all()
            yield from events_from(rows, scopes)
            if len(rows) < _CHUNK:
                return
            seq = rows[-1].seq

    def last_seq(self, project: str | None = None) -> int:
        """Return the highest sequence number, 0 for an empty log."""
        return self._number(func.coalesce(func.max(t.label_event.c.seq), 0), project)

    def count(self, project: str | None = None) -> int:
        """Return the number of events."""
        return self._number(func.count(), project)

    def current(self, project: str, *, repeats: bool = False) -> tuple[LabelOrigin, ...]:
        """Return every current value by item, annotator and field: labels and adjudications."""
        e = t.label_event.c
        conditions = [e.value.is_not(None)] + ([] if repeats else [e.repeat == 0])
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            rows = current_rows(connection, scope, *conditions)
        return tuple(
            LabelOrigin(
                project=project,
                item_id=row.item_id,
                annotator=row.annotator,
                field=row.field,
                kind=row.kind,
                value=loaded(row.value) or {},
                rev=row.rev,
                guideline=row.guideline,
                design=row.design,
                schema_version=row.schema_version,
                after_reveal=bool(row.after_reveal),
                repeat=row.repeat,
                at=row.at,
            )
            for row in rows
        )

    def reviews(
        self, *, project: str | None = None, dataset: str | None = None
    ) -> tuple[ReviewEvent, ...]:
        """Return the logs of error analysis and of the golden editor, whole.

        They hold entries that an expert may not see yet: for files, never for a page.
        """
        scopes = self._scopes(project, dataset).values()
        with self._db.read() as connection:
            return tuple(event for scope in scopes for event in review_events(connection, scope))

    def import_events(
        self, project: str, events: Sequence[LogEvent], *, actor: str, dry_run: bool = False
    ) -> EventImport:
        """Add events of another store, of any log, in one transaction, keeping their order.

        `seq` and `project` of the events are ignored. A known `key` with the same content counts
        as known; with other content, or with a revision that is taken, or about an unknown item
        or other item content, it is a conflict, and then nothing at all is written.
        """
        with self._db.write() as connection:
            scope = scope_of(connection, project)
            attempt = connection.begin_nested()
            report, written = _imported(connection, scope, events)
            if dry_run or report.conflicts or not written:
                attempt.rollback()
                return report
            attempt.commit()
            after = {"n_new": len(written)}
            add_row(connection, "events.import", actor=actor, project=project, after=after)
        self._db.mirror_events(written)
        return report.model_copy(update={"written": True})

    def catch_up(self) -> int:
        """Append to the mirror what it lacks and return how many events that were."""
        mirror = self._db.mirror
        if mirror is None:
            return 0
        appended = 0
        for dataset in sorted({scope.dataset for scope in self._scopes(None, None).values()}):
            held = set(mirror.held(dataset))
            reviews = self.reviews(dataset=dataset)
            events: Iterator[LogEvent] = chain(self.since(dataset=dataset), reviews)
            lacking = [event for event in events if event.key not in held]
            self._db.mirror_events(lacking)
            appended += len(lacking)
        return appended

    def _scopes(self, project: str | None, dataset: str | None) -> dict[int, Scope]:
        with self._db.read() as connection:
            if project is not None:
                scope = scope_of(connection, project)
                return {scope.id: scope}
            scopes = [scope_from(row) for row in connection.execute(select(t.project))]
        return {scope.id: scope for scope in scopes if dataset in (None, scope.dataset)}

    def _number(self, what: Any, project: str | None) -> int:
        query = select(what).select_from(t.label_event)
        with self._db.read() as connection:
            if project is not None:
                scope = scope_of(connection, project)
                query = query.where(t.label_event.c.project_id == scope.id)
            return int(connection.execute(query).scalar_one())


def _imported(
    connection: Connection, scope: Scope, events: Sequence[LogEvent]
) -> tuple[EventImport, tuple[LogEvent, ...]]:
    """Write events; where some conflict, or it was to be tried only, the caller undoes it."""
    labels, reviews = Importer(connection, scope), ReviewImporter(connection, scope)
    for event in events:
        if isinstance(event, ReviewEvent):
            reviews.take(event)
        else:
            labels.take(event)
    report = labels.report().and_also(reviews.report())
    return report, (*labels.write(), *reviews.written)
