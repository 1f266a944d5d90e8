"""The log: reading it, importing it, bringing the mirror up to date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import func, select

from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.keeping.current import current_rows
from judgekit.store.label_store.keeping.importing import Importer
from judgekit.store.label_store.keeping.rows import events_from
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.adjudication import LabelOrigin
from judgekit.store.label_store.records.events import EventImport, LabelEvent
from judgekit.store.label_store.scope import Scope, loaded, scope_from, scope_of

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

    def import_events(
        self, project: str, events: Sequence[LabelEvent], *, actor: str, dry_run: bool = False
    ) -> EventImport:
        """Add events of another store in one transaction, keeping their order.

        `seq` and `project` of the events are ignored. A known `key` with the same content counts
        as known; with other content, or with a revision that is taken, or about an unknown item
        or other item content, it is a conflict, and then nothing at all is written.
        """
        with self._db.write() as connection:
            importer = Importer(connection, scope_of(connection, project))
            for event in events:
                importer.take(event)
            written = () if dry_run else importer.write(actor)
        self._db.mirror_events(written)
        return importer.report(written=bool(written))

    def catch_up(self) -> int:
        """Append to the mirror what it lacks and return how many events that were."""
        mirror = self._db.mirror
        if mirror is None:
            return 0
        appended = 0
        for dataset in sorted({scope.dataset for scope in self._scopes(None, None).values()}):
            held = set(mirror.held(dataset))
            lacking = [event for event in self.since(dataset=dataset) if event.key not in held]
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
