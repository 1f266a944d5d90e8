"""The log: reading it, importing it, bringing the mirror up to date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.adjudication import LabelOrigin
from judgekit.store.label_store.records.events import EventImport, LabelEvent


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
        raise NotImplementedError

    def last_seq(self, project: str | None = None) -> int:
        """Return the highest sequence number, 0 for an empty log."""
        raise NotImplementedError

    def count(self, project: str | None = None) -> int:
        """Return the number of events."""
        raise NotImplementedError

    def current(self, project: str, *, repeats: bool = False) -> tuple[LabelOrigin, ...]:
        """Return every current value by item, annotator and field: labels and adjudications."""
        raise NotImplementedError

    def import_events(
        self, project: str, events: Sequence[LabelEvent], *, actor: str, dry_run: bool = False
    ) -> EventImport:
        """Add events of another store in one transaction, keeping their order.

        `seq` and `project` of the events are ignored. A known `key` with the same content counts
        as known; with other content, or with a revision that is taken, or about an unknown item
        or other item content, it is a conflict, and then nothing at all is written.
        """
        raise NotImplementedError

    def catch_up(self) -> int:
        """Append to the mirror what it lacks and return how many events that were."""
        raise NotImplementedError
