"""Two experts fill in a case, each unseen by the other until both are done."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, select

from judgekit.errors import InputError
from judgekit.model.canonical import unit_interval
from judgekit.store.label_store.database.engine import as_stored, utc_now
from judgekit.store.label_store.database.review_tables import golden_case, golden_event
from judgekit.store.label_store.labelling.drafts import DraftOf, draft_target, drop_draft, put_draft
from judgekit.store.label_store.labelling.presenting import draft_of
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.events import ReviewEvent
from judgekit.store.label_store.records.golden_actions import (
    AskCase,
    FinishEntry,
    ReopenEntry,
    SettlePart,
)
from judgekit.store.label_store.records.goldens import (
    GoldenCase,
    GoldenClosed,
    GoldenConflict,
    GoldenEntry,
    GoldenResolution,
    GoldenSaved,
    GoldenSaveResult,
)
from judgekit.store.label_store.records.labelling import Draft
from judgekit.store.label_store.review_log.writing import add_golden_event, later, next_moment
from judgekit.store.label_store.reviewing.golden_rows import (
    EXPERTS,
    Entries,
    add_case,
    add_entry,
    add_resolution,
    both_done,
    last_of,
    newest_entries,
    newest_resolutions,
)
from judgekit.store.label_store.scope import Scope, scope_of

Decision = Literal["redefine", "exclude", "reopen"]


class Goldens(Part):
    """`store.goldens`: entries and resolutions; the shape of `body` is judgekit.goldens'."""

    def cases(self, project: str, viewer: str) -> tuple[GoldenCase, ...]:
        """Return all cases someone has begun or was asked for, as `viewer` may see them."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            asked = select(golden_case.c.case_id).where(golden_case.c.project_id == scope.id)
            ids = connection.execute(asked.order_by(golden_case.c.case_id)).scalars().all()
            entries = newest_entries(connection, scope)
            settled = newest_resolutions(connection, scope)
        return tuple(
            _seen(scope, case_id, viewer, entries.get(case_id, {}), settled.get(case_id, ()))
            for case_id in ids
        )

    def case(self, project: str, case_id: str, viewer: str) -> GoldenCase:
        """Return one case as `viewer` may see it; the other's entry only when both are done."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            entries = newest_entries(connection, scope, case_id).get(case_id, {})
            settled = newest_resolutions(connection, scope, case_id).get(case_id, ())
        return _seen(scope, case_id, viewer, entries, settled)

    def both(self, project: str, case_id: str) -> tuple[GoldenEntry, ...]:
        """Return the two entries in an order seeded by case, or () before both are done."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            entries = newest_entries(connection, scope, case_id).get(case_id, {})
        if not both_done(entries):
            return ()
        seed = scope.settings.seed
        return tuple(
            sorted(entries.values(), key=lambda e: unit_interval(seed, "golden", case_id, e.expert))
        )

    def ask(self, project: str, case_ids: Sequence[str], *, actor: str) -> int:
        """Put cases into the golden queue; return how many were not there yet.

        Raises:
            InputError: an id is no item of the project; then none is put there.
        """

        def store(connection: Connection) -> tuple[int, tuple[ReviewEvent, ...]]:
            scope = scope_of(connection, project)
            asked = (_ask(connection, scope, one, actor) for one in dict.fromkeys(case_ids))
            events = tuple(event for events in asked for event in events)
            return len(events), events

        return self._db.write_events(store)

    def save(
        self,
        project: str,
        case_id: str,
        body: dict[str, Any],
        *,
        expert: str,
        rev_seen: int,
        done: bool = False,
    ) -> GoldenSaveResult:
        """Store the expert's entry as the revision after `rev_seen` (0 for a new one).

        A case takes two experts. Done entries are closed, unless the expert reopens theirs
        before the other is done. Saving the same again is answered as saved.
        """
        state: Literal["draft", "done"] = "done" if done else "draft"

        def store(connection: Connection) -> tuple[GoldenSaveResult, tuple[ReviewEvent, ...]]:
            scope = scope_of(connection, project)
            entries = newest_entries(connection, scope, case_id).get(case_id, {})
            mine = entries.get(expert)
            rev = mine.rev if mine else 0
            if mine and rev == rev_seen + 1 and (mine.body, mine.state) == (body, state):
                return GoldenSaved(entry=mine), ()
            closed = _closed(entries, expert)
            if closed is not None:
                return closed, ()
            if mine is not None and rev != rev_seen:
                return GoldenConflict(yours=body, stored=mine), ()
            asked = _ask(connection, scope, case_id, expert)
            entry = _now(connection, scope, case_id, expert, rev + 1, state, body)
            written = add_entry(connection, scope, entry)
            return GoldenSaved(entry=written), (*asked, *_logged(connection, scope, written))

        return self._db.write_events(store)

    def reopen(self, project: str, case_id: str, *, expert: str) -> GoldenSaveResult:
        """Make the own done entry a draft again, as long as the other is not done."""

        def store(connection: Connection) -> tuple[GoldenSaveResult, tuple[ReviewEvent, ...]]:
            scope = scope_of(connection, project)
            entries = newest_entries(connection, scope, case_id).get(case_id, {})
            mine = entries.get(expert)
            if mine is None:
                return GoldenClosed(reason="you have no entry of this case"), ()
            if both_done(entries):
                return GoldenClosed(reason="both entries are done and are compared already"), ()
            if mine.state == "draft":
                return GoldenSaved(entry=mine), ()
            entry = _now(connection, scope, case_id, expert, mine.rev + 1, "draft", mine.body)
            written = add_entry(connection, scope, entry)
            reopened = ReopenEntry(case_id=case_id, rev=written.rev)
            event = add_golden_event(
                connection, scope, reopened, actor=expert, at=as_stored(written.at)
            )
            return GoldenSaved(entry=written), (event,)

        return self._db.write_events(store)

    def finished(self, project: str) -> frozenset[str]:
        """Return the cases whose two entries are done: what was typed there may be shown."""
        with self._db.read() as connection:
            found = newest_entries(connection, scope_of(connection, project))
        return frozenset(case_id for case_id, entries in found.items() if both_done(entries))

    def save_draft(self, project: str, case_id: str, actor: str, body: dict[str, Any]) -> Draft:
        """Keep somebody's half-typed outcome of a difference, replacing an older one."""
        with self._db.write() as connection:
            target = draft_target(connection, project, case_id, actor, DraftOf.SETTLEMENT)
            return put_draft(connection, target, body)

    def load_draft(self, project: str, case_id: str, actor: str) -> Draft | None:
        """Return one's own half-typed outcome, or None."""
        with self._db.read() as connection:
            target = draft_target(connection, project, case_id, actor, DraftOf.SETTLEMENT)
            return draft_of(connection, target)

    def clear_draft(self, project: str, case_id: str, actor: str) -> None:
        """Forget it."""
        with self._db.write() as connection:
            target = draft_target(connection, project, case_id, actor, DraftOf.SETTLEMENT)
            drop_draft(connection, target)

    def resolve(
        self,
        project: str,
        case_id: str,
        field: str,
        *,
        decision: Decision,
        reason: str,
        actor: str,
        rev_seen: int,
        value: Any = None,
    ) -> GoldenResolution | None:
        """Settle a differing field, or open it again; None when someone else did so first.

        Raises:
            InputError: both entries are not done, or the reason is empty.
        """
        if not reason.strip():
            raise InputError("the decision has no reason", where=field, expected="why it was so")
        wanted = GoldenResolution(
            project=project,
            case_id=case_id,
            field=field,
            decision=decision,
            value=value,
            reason=reason,
            actor=actor,
            rev=rev_seen + 1,
            at=utc_now(),
        )
        return self._db.write_events(lambda connection: _resolve(connection, wanted))


def _seen(
    scope: Scope,
    case_id: str,
    viewer: str,
    entries: Entries,
    settled: Sequence[GoldenResolution],
) -> GoldenCase:
    """Return the case without anything that `viewer` may not know yet."""
    both = both_done(entries)
    others = [entry for expert, entry in entries.items() if expert != viewer]
    return GoldenCase(
        project=scope.name,
        case_id=case_id,
        viewer=viewer,
        mine=entries.get(viewer),
        other=others[0] if both and viewer in entries else None,
        n_experts=len(entries),
        n_done=sum(entry.state == "done" for entry in entries.values()),
        both_done=both,
        resolutions=tuple(settled) if both else (),
    )


def _refuse_too_early(connection: Connection, scope: Scope, case_id: str) -> None:
    if not both_done(newest_entries(connection, scope, case_id).get(case_id, {})):
        raise InputError(
            f"the case {case_id!r} cannot be settled yet",
            expected="both experts done with their entries",
        )


def _closed(entries: Entries, expert: str) -> GoldenClosed | None:
    if expert not in entries and len(entries) >= EXPERTS:
        return GoldenClosed(reason="two other experts have this case")
    if both_done(entries):
        return GoldenClosed(reason="both entries are done and are compared already")
    if expert in entries and entries[expert].state == "done":
        return GoldenClosed(reason="your entry is done; reopen it to change it")
    return None


def _ask(connection: Connection, scope: Scope, case_id: str, actor: str) -> tuple[ReviewEvent, ...]:
    """Put a case into the queue and return the event of it, none where it was there."""
    at = next_moment(connection, scope, golden_event)
    if not add_case(connection, scope, case_id, actor=actor, at=at):
        return ()
    action = AskCase(case_id=case_id)
    return (add_golden_event(connection, scope, action, actor=actor, at=at),)


def _now(
    connection: Connection,
    scope: Scope,
    case_id: str,
    expert: str,
    rev: int,
    state: Literal["draft", "done"],
    body: dict[str, Any],
) -> GoldenEntry:
    return GoldenEntry(
        project=scope.name,
        case_id=case_id,
        expert=expert,
        rev=rev,
        state=state,
        body=body,
        at=next_moment(connection, scope, golden_event),
    )


def _logged(connection: Connection, scope: Scope, entry: GoldenEntry) -> tuple[ReviewEvent, ...]:
    """Log an entry that is done; a draft is overwritten by the next one and is no event."""
    if entry.state == "draft":
        return ()
    action = FinishEntry(case_id=entry.case_id, rev=entry.rev, entry=entry.body)
    at = as_stored(entry.at)
    return (add_golden_event(connection, scope, action, actor=entry.expert, at=at),)


def _resolve(
    connection: Connection, wanted: GoldenResolution
) -> tuple[GoldenResolution | None, tuple[ReviewEvent, ...]]:
    """Store a settlement, unless it is there or somebody else was first."""
    scope, case_id = scope_of(connection, wanted.project), wanted.case_id
    _refuse_too_early(connection, scope, case_id)
    last = last_of(newest_resolutions(connection, scope, case_id).get(case_id, ()), wanted.field)
    if last is not None and last == wanted.model_copy(update={"at": last.at}):
        return last, ()
    if (last.rev if last else 0) != wanted.rev - 1:
        return None, ()
    at = later(connection, scope, golden_event, as_stored(wanted.at))
    settled = wanted.model_copy(update={"at": datetime.fromisoformat(at)})
    add_resolution(connection, scope, settled)
    given = settled.model_dump(include={"case_id", "field", "rev", "decision", "value", "reason"})
    action = SettlePart(**given)
    return settled, (add_golden_event(connection, scope, action, actor=settled.actor, at=at),)
