"""Importing events of the two logs: each is done again, as it was done, or it is a conflict."""

from __future__ import annotations

from sqlalchemy import Connection, select

from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.records.events import EventConflict, EventImport, ReviewEvent
from judgekit.store.label_store.review_log.code_steps import CodeSteps
from judgekit.store.label_store.review_log.fault import Fault
from judgekit.store.label_store.review_log.golden_steps import GoldenSteps
from judgekit.store.label_store.review_log.reading import project_of_operation, review_events
from judgekit.store.label_store.scope import Scope


class ReviewImporter:
    """Takes events in their order and does at once what they say.

    What cannot be done yet is tried again after the others: times do not tell the order where a
    clock was set back.

    The caller undoes it all where there is a conflict. Conflicts never tell what the database
    holds: who imports may be one of two experts who must not see each other's entry yet.
    """

    def __init__(self, connection: Connection, scope: Scope) -> None:
        self._connection = connection
        self._scope = scope
        self._known = {event.key: event for event in review_events(connection, scope)}
        query = select(t.item.c.id).where(t.item.c.project_id == scope.id)
        items = frozenset(connection.execute(query).scalars())
        self._codes = CodeSteps(connection, scope, items, self._known.values())
        self._goldens = GoldenSteps(connection, scope, items)
        self.written: list[ReviewEvent] = []
        self.conflicts: list[EventConflict] = []
        self._waiting: list[ReviewEvent] = []
        self._n_known = 0

    def take(self, event: ReviewEvent) -> None:
        """Sort one event: new (then it is done), known or conflicting."""
        known = self._known.get(event.key)
        if known is not None:
            self._compare(event, known)
            return
        if isinstance(self._done(event), Fault):
            self._waiting.append(event)

    def report(self) -> EventImport:
        """Return what was found, after what waits was tried again as long as that helps."""
        faults = {event.key: self._done(event) for event in self._waiting}
        while any(fault is None for fault in faults.values()):
            self._waiting = [event for event in self._waiting if faults[event.key] is not None]
            faults = {event.key: self._done(event) for event in self._waiting}
        for event in self._waiting:
            if fault := faults[event.key]:
                self._conflict(event, fault)
        self._waiting = []
        return EventImport(
            n_new=len(self.written), n_known=self._n_known, conflicts=tuple(self.conflicts)
        )

    def _done(self, event: ReviewEvent) -> Fault | None:
        """Do the step, or return what stands against it."""
        done = self._elsewhere(event) or self._steps(event).do(event)
        if isinstance(done, Fault):
            return done
        self._known[event.key] = done
        self.written.append(done)
        return None

    def _steps(self, event: ReviewEvent) -> CodeSteps | GoldenSteps:
        return self._codes if event.log == "codes" else self._goldens

    def _elsewhere(self, event: ReviewEvent) -> Fault | None:
        if project_of_operation(self._connection, event.log, event.op_id) is None:
            return None
        return Fault("the event is in another project", event.project, "one project")

    def _compare(self, event: ReviewEvent, known: ReviewEvent) -> None:
        mine, theirs = (one.model_dump(exclude={"seq", "project"}) for one in (known, event))
        differing = sorted(key for key in mine if mine[key] != theirs[key])
        if not differing:
            self._n_known += 1
            return
        fault = Fault(f"{differing[0]!r} differs", "other content", "what the database has")
        self._conflict(event, fault)

    def _conflict(self, event: ReviewEvent, fault: Fault) -> None:
        about = event.body.get("case_id") or event.body.get("item_id") or event.body.get("subject")
        self.conflicts.append(
            EventConflict(key=event.key, item_id=str(about or ""), **fault._asdict())
        )
