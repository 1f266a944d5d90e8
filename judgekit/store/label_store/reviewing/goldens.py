"""Two experts fill in a case, each unseen by the other until both are done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal

from sqlalchemy import Connection, Row, delete, func, insert, select

from judgekit.errors import InputError
from judgekit.model.canonical import canonical_json, unit_interval
from judgekit.store.label_store.database.engine import as_stored, utc_now
from judgekit.store.label_store.database.review_tables import (
    golden_case,
    golden_entry,
    golden_resolution,
)
from judgekit.store.label_store.labelling.drafts import DraftOf, draft_target, drop_draft, put_draft
from judgekit.store.label_store.labelling.presenting import draft_of
from judgekit.store.label_store.part import Part
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
from judgekit.store.label_store.scope import Scope, item_of, loaded, scope_of

EXPERTS = 2
Entries = dict[str, GoldenEntry]
Decision = Literal["redefine", "exclude", "reopen"]


class Goldens(Part):
    """`store.goldens`: entries and resolutions; the shape of `body` is judgekit.goldens'."""

    def cases(self, project: str, viewer: str) -> tuple[GoldenCase, ...]:
        """Return all cases someone has begun or was asked for, as `viewer` may see them."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            asked = select(golden_case.c.case_id).where(golden_case.c.project_id == scope.id)
            ids = connection.execute(asked.order_by(golden_case.c.case_id)).scalars().all()
            entries = _entries(connection, scope)
            settled = _resolutions(connection, scope)
        return tuple(
            _seen(scope, case_id, viewer, entries.get(case_id, {}), settled.get(case_id, ()))
            for case_id in ids
        )

    def case(self, project: str, case_id: str, viewer: str) -> GoldenCase:
        """Return one case as `viewer` may see it; the other's entry only when both are done."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            entries = _entries(connection, scope, case_id).get(case_id, {})
            settled = _resolutions(connection, scope, case_id).get(case_id, ())
        return _seen(scope, case_id, viewer, entries, settled)

    def both(self, project: str, case_id: str) -> tuple[GoldenEntry, ...]:
        """Return the two entries in an order seeded by case, or () before both are done."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            entries = _entries(connection, scope, case_id).get(case_id, {})
        if not _both_done(entries):
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
        with self._db.write() as connection:
            scope = scope_of(connection, project)
            return sum(_ask(connection, scope, one, actor) for one in dict.fromkeys(case_ids))

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
        with self._db.write() as connection:
            scope = scope_of(connection, project)
            entries = _entries(connection, scope, case_id).get(case_id, {})
            mine = entries.get(expert)
            rev = mine.rev if mine else 0
            if mine and rev == rev_seen + 1 and (mine.body, mine.state) == (body, state):
                return GoldenSaved(entry=mine)
            closed = _closed(entries, expert)
            if closed is not None:
                return closed
            if mine is not None and rev != rev_seen:
                return GoldenConflict(yours=body, stored=mine)
            _ask(connection, scope, case_id, expert)
            return _write(connection, scope, case_id, expert, rev + 1, state, body)

    def reopen(self, project: str, case_id: str, *, expert: str) -> GoldenSaveResult:
        """Make the own done entry a draft again, as long as the other is not done."""
        with self._db.write() as connection:
            scope = scope_of(connection, project)
            entries = _entries(connection, scope, case_id).get(case_id, {})
            mine = entries.get(expert)
            if mine is None:
                return GoldenClosed(reason="you have no entry of this case")
            if _both_done(entries):
                return GoldenClosed(reason="both entries are done and are compared already")
            if mine.state == "draft":
                return GoldenSaved(entry=mine)
            return _write(connection, scope, case_id, expert, mine.rev + 1, "draft", mine.body)

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
        with self._db.write() as connection:
            scope = scope_of(connection, project)
            _refuse_too_early(connection, scope, case_id)
            last = _last(_resolutions(connection, scope, case_id).get(case_id, ()), field)
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
            if last is not None and last == wanted.model_copy(update={"at": last.at}):
                return last
            if (last.rev if last else 0) != rev_seen:
                return None
            _insert_resolution(connection, scope, wanted)
            return wanted


def _seen(
    scope: Scope,
    case_id: str,
    viewer: str,
    entries: Entries,
    settled: Sequence[GoldenResolution],
) -> GoldenCase:
    """Return the case without anything that `viewer` may not know yet."""
    both = _both_done(entries)
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


def _both_done(entries: Entries) -> bool:
    done = [entry for entry in entries.values() if entry.state == "done"]
    return len(done) == EXPERTS


def _refuse_too_early(connection: Connection, scope: Scope, case_id: str) -> None:
    if not _both_done(_entries(connection, scope, case_id).get(case_id, {})):
        raise InputError(
            f"the case {case_id!r} cannot be settled yet",
            expected="both experts done with their entries",
        )


def _closed(entries: Entries, expert: str) -> GoldenClosed | None:
    if expert not in entries and len(entries) >= EXPERTS:
        return GoldenClosed(reason="two other experts have this case")
    if _both_done(entries):
        return GoldenClosed(reason="both entries are done and are compared already")
    if expert in entries and entries[expert].state == "done":
        return GoldenClosed(reason="your entry is done; reopen it to change it")
    return None


def _ask(connection: Connection, scope: Scope, case_id: str, actor: str) -> int:
    item_of(connection, scope, case_id)
    where = (golden_case.c.project_id == scope.id, golden_case.c.case_id == case_id)
    if connection.execute(select(golden_case.c.case_id).where(*where)).first() is not None:
        return 0
    row = {"project_id": scope.id, "case_id": case_id, "actor": actor, "at": utc_now()}
    connection.execute(insert(golden_case).values(row))
    return 1


def _write(
    connection: Connection,
    scope: Scope,
    case_id: str,
    expert: str,
    rev: int,
    state: Literal["draft", "done"],
    body: dict[str, Any],
) -> GoldenSaved:
    """Write a revision; older drafts go, what was once done stays."""
    table = golden_entry
    own = (
        table.c.project_id == scope.id,
        table.c.case_id == case_id,
        table.c.expert == expert,
    )
    connection.execute(delete(table).where(*own, table.c.state == "draft"))
    values = {
        "project_id": scope.id,
        "case_id": case_id,
        "expert": expert,
        "rev": rev,
        "state": state,
        "body": canonical_json(body),
        "at": utc_now(),
    }
    connection.execute(insert(table).values(values))
    written = connection.execute(select(table).where(*own, table.c.rev == rev)).one()
    return GoldenSaved(entry=_entry(scope, written))


def _entries(
    connection: Connection, scope: Scope, case_id: str | None = None
) -> dict[str, Entries]:
    """Return the newest entry by case and expert."""
    table = golden_entry
    newest = select(table.c.case_id, table.c.expert, func.max(table.c.rev).label("rev")).where(
        table.c.project_id == scope.id
    )
    if case_id is not None:
        newest = newest.where(table.c.case_id == case_id)
    last = newest.group_by(table.c.case_id, table.c.expert).subquery()
    joined = (
        (table.c.case_id == last.c.case_id)
        & (table.c.expert == last.c.expert)
        & (table.c.rev == last.c.rev)
    )
    query = select(table).join(last, joined).where(table.c.project_id == scope.id)
    found: dict[str, Entries] = defaultdict(dict)
    for row in connection.execute(query.order_by(table.c.expert)):
        found[row.case_id][row.expert] = _entry(scope, row)
    return found


def _entry(scope: Scope, row: Row[Any]) -> GoldenEntry:
    return GoldenEntry(
        project=scope.name,
        case_id=row.case_id,
        expert=row.expert,
        body=loaded(row.body) or {},
        state=row.state,
        rev=row.rev,
        at=row.at,
    )


def _resolutions(
    connection: Connection, scope: Scope, case_id: str | None = None
) -> dict[str, tuple[GoldenResolution, ...]]:
    """Return the newest resolution of each field, by case, in the order settled."""
    table = golden_resolution
    query = select(table).where(table.c.project_id == scope.id)
    if case_id is not None:
        query = query.where(table.c.case_id == case_id)
    last: dict[tuple[str, str], GoldenResolution] = {}
    for row in connection.execute(query.order_by(table.c.rev)):
        body = loaded(row.body) or {}
        last[row.case_id, row.field] = GoldenResolution(
            project=scope.name,
            case_id=row.case_id,
            field=row.field,
            decision=row.decision,
            value=body.get("value"),
            reason=body["reason"],
            actor=row.actor,
            rev=row.rev,
            at=row.at,
        )
    found: dict[str, list[GoldenResolution]] = defaultdict(list)
    for one in sorted(last.values(), key=lambda entry: (entry.at, entry.field)):
        found[one.case_id].append(one)
    return {case: tuple(entries) for case, entries in found.items()}


def _last(settled: Sequence[GoldenResolution], field: str) -> GoldenResolution | None:
    return next((one for one in settled if one.field == field), None)


def _insert_resolution(connection: Connection, scope: Scope, one: GoldenResolution) -> None:
    values = {
        "project_id": scope.id,
        "case_id": one.case_id,
        "field": one.field,
        "rev": one.rev,
        "decision": one.decision,
        "body": canonical_json({"value": one.value, "reason": one.reason}),
        "actor": one.actor,
        "at": as_stored(one.at),
    }
    connection.execute(insert(golden_resolution).values(values))
