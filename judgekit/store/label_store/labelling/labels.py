"""Saving, skipping and undoing: one transaction each, idempotent by operation id."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, insert, select, text

from judgekit.model.base import Record
from judgekit.model.label import OVERALL
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import utc_now
from judgekit.store.label_store.labelling.checks import missing_from, refuse_bad_answer
from judgekit.store.label_store.labelling.drafts import drop_draft
from judgekit.store.label_store.labelling.operation import (
    Operation,
    count_too_fast,
    earlier,
    refused_dwell,
    waited_ms,
    write_operation,
)
from judgekit.store.label_store.labelling.presenting import as_shown, let_go, show
from judgekit.store.label_store.labelling.state import (
    State,
    Target,
    is_used,
    presentation_row,
    refuse_released,
    released_seq,
    state_of,
    target_of,
)
from judgekit.store.label_store.labelling.view import (
    Standing,
    answer_of,
    is_swapped,
    turned,
    values_of,
)
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.events import LabelEvent
from judgekit.store.label_store.records.labelling import (
    AlreadySaved,
    Answer,
    Conflict,
    Incomplete,
    NothingToUndo,
    Saved,
    SaveResult,
    Stale,
    TooFast,
    Undone,
    UndoResult,
)
from judgekit.store.label_store.scope import (
    ItemRow,
    Scope,
    item_of,
    schema_of,
    scope_by_id,
    scope_of,
)

# The newest own label or skip that no undo took back.
_LAST = """
SELECT e.* FROM label_event e
WHERE e.project_id = :p AND e.annotator = :a AND e.field = '_overall'
AND e.kind IN ('label', 'unsure', 'skip') AND e.seq > :released
AND NOT EXISTS (SELECT 1 FROM label_event u WHERE u.project_id = e.project_id
    AND u.item_id = e.item_id AND u.annotator = e.annotator AND u.field = '_overall'
    AND u.repeat = e.repeat AND u.kind = 'undo' AND u.prev_rev = e.rev)
ORDER BY e.seq DESC LIMIT 1
"""


class _Press(Record):
    """One key press: an answer, or None for a skip."""

    answer: Answer | None
    op_id: str
    rev_seen: int
    dwell_ms: int | None = None
    active_ms: int | None = None


class Labels(Part):
    """`store.labels`: what an annotator's keys do."""

    def save(
        self,
        presentation_id: str,
        answer: Answer,
        *,
        annotator: str,
        op_id: str,
        rev_seen: int,
        dwell_ms: int | None = None,
        active_ms: int | None = None,
    ) -> SaveResult:
        """Store one whole answer as the revision after `rev_seen`.

        `op_id` is made once per key press (a retry sends the same one). `dwell_ms` is what the
        page measured; the store measures too (since the presentation was made) and takes the
        smaller of both for the guard and the record. All fields of the answer, `_overall` always
        among them, share one revision. The draft is cleared in the same transaction, and the
        event is in the mirror before this returns.

        Raises:
            InputError: no such presentation for this annotator; a label, mode, criterion or span
                that the schema or the item does not have; the label is released.
        """
        press = _Press(
            answer=answer, op_id=op_id, rev_seen=rev_seen, dwell_ms=dwell_ms, active_ms=active_ms
        )
        return self._pressed(presentation_id, annotator, press)

    def skip(
        self, presentation_id: str, *, annotator: str, op_id: str, rev_seen: int
    ) -> SaveResult:
        """Put an item off: it comes back after all unskipped ones. A given label stays."""
        press = _Press(answer=None, op_id=op_id, rev_seen=rev_seen)
        return self._pressed(presentation_id, annotator, press)

    def undo(self, project: str, *, annotator: str, op_id: str) -> UndoResult:
        """Take back the annotator's newest label or skip that is not yet taken back.

        Called again it goes one further back, to the first. The same `op_id` does it once.
        Released labels cannot be taken back.
        """
        return self._db.write_events(
            lambda connection: _undone(connection, scope_of(connection, project), annotator, op_id)
        )

    def reveal(self, presentation_id: str, *, annotator: str) -> bool:
        """Record that the verdict was shown; later changes of this label are `after_reveal`.

        Returns False, and records nothing, where the project does not allow it or this
        annotator's answer is not saved: then nothing may be shown.
        """
        with self._db.write() as connection:
            row = presentation_row(connection, presentation_id, annotator)
            scope = scope_by_id(connection, row.project_id)
            target = target_of(row)
            answered = state_of(connection, target).answered
            if not (scope.settings.reveal_after_save and answered and row.repeat == 0):
                return False
            known = select(t.reveal).where(t.reveal.c.presentation_id == row.id)
            if connection.execute(known).first() is None:
                values = target.model_dump(exclude={"repeat"})
                values |= {"presentation_id": row.id, "at": utc_now()}
                connection.execute(insert(t.reveal).values(values))
            return True

    def _pressed(self, presentation_id: str, annotator: str, press: _Press) -> SaveResult:
        return self._db.write_events(
            lambda connection: _stored(connection, presentation_id, annotator, press)
        )


Outcome = tuple[SaveResult, tuple[LabelEvent, ...]]


def _stored(connection: Connection, presentation_id: str, annotator: str, press: _Press) -> Outcome:
    """Store a key press or say why not: first what is known, then what is stale, then the rest."""
    row = presentation_row(connection, presentation_id, annotator)
    scope, target = scope_by_id(connection, row.project_id), target_of(row)
    done = earlier(connection, press.op_id, annotator)
    if done is not None:
        return AlreadySaved(item_id=done.item_id, rev=done.rev, at=done.at), ()
    item = item_of(connection, scope, target.item_id)
    swapped = is_swapped(item.item, scope.settings.seed, annotator)
    answer = turned(press.answer) if press.answer is not None and swapped else press.answer
    schema = schema_of(connection, scope.id, row.schema_version)
    if answer is not None:
        refuse_bad_answer(answer, schema, item.item, item.item_hash)
    state = state_of(connection, target)
    refused = _refused(connection, scope, row, press, state, swapped=swapped)
    if refused is not None:
        return refused, ()
    refuse_released(connection, scope, target, state)
    if answer is not None and missing_from(answer, schema):
        return Incomplete(item_id=row.item_id, missing=missing_from(answer, schema)), ()
    events = _written(connection, scope, row, press, state, answer, item)
    first = events[0]
    saved = Saved(
        item_id=row.item_id,
        rev=first.rev,
        seqs=tuple(event.seq for event in events),
        at=first.at,
        after_reveal=first.after_reveal,
    )
    return saved, events


def _refused(
    connection: Connection,
    scope: Scope,
    row: Row[Any],
    press: _Press,
    state: State,
    *,
    swapped: bool,
) -> Stale | Conflict | TooFast | None:
    stored = as_shown(answer_of(state.standing), swapped=swapped)
    if is_used(connection, row.id):
        reason = "already answered: this key was not saved"
        return Stale(item_id=row.item_id, reason=reason, rev=state.rev, stored=stored)
    if press.rev_seen != state.rev:
        return Conflict(
            item_id=row.item_id,
            rev_seen=press.rev_seen,
            rev=state.rev,
            yours=press.answer or Answer(),
            stored=stored,
        )
    limit = scope.settings.min_dwell_ms
    dwell = refused_dwell(connection, press.op_id)
    if dwell is None:
        dwell = waited_ms(row.shown_at, press.dwell_ms)
        if dwell >= limit:
            return None
        count_too_fast(connection, row, press.op_id, dwell)
    return TooFast(item_id=row.item_id, dwell_ms=dwell, min_dwell_ms=limit)


def _written(
    connection: Connection,
    scope: Scope,
    row: Row[Any],
    press: _Press,
    state: State,
    answer: Answer | None,
    item: ItemRow,
) -> tuple[LabelEvent, ...]:
    target = target_of(row)
    operation = Operation(
        op_id=press.op_id,
        presentation_id=row.id,
        target=target,
        rev=state.rev + 1,
        prev_rev=state.rev or None,
        schema_version=row.schema_version,
        guideline=row.guideline,
        dwell_ms=waited_ms(row.shown_at, press.dwell_ms),
        active_ms=press.active_ms,
        after_reveal=_was_revealed(connection, target),
    )
    after: Standing = {OVERALL: state.standing.get(OVERALL)}
    if answer is not None:
        after = {field: None for field, value in state.standing.items() if value is not None}
        after |= values_of(answer)
    events = write_operation(
        connection,
        scope,
        operation,
        before=state,
        after=after,
        item=item,
        kind="skip" if answer is None else None,
    )
    drop_draft(connection, target)
    let_go(connection, scope, "label", row.item_id, row.annotator)
    return events


def _was_revealed(connection: Connection, target: Target) -> bool:
    r = t.reveal.c
    seen = select(r.at).where(
        r.project_id == target.project_id,
        r.item_id == target.item_id,
        r.annotator == target.annotator,
    )
    return connection.execute(seen.limit(1)).first() is not None


def _undone(
    connection: Connection, scope: Scope, annotator: str, op_id: str
) -> tuple[UndoResult, tuple[LabelEvent, ...]]:
    done = earlier(connection, op_id, annotator)
    if done is not None:
        target = target_of(done)
        past = state_of(connection, target, below=done.rev).standing
        return _shown_again(connection, scope, target, past, (done.seq,)), ()
    released = released_seq(connection, scope.id)
    values = {"p": scope.id, "a": annotator, "released": released}
    last = connection.execute(text(_LAST), values).one_or_none()
    if last is None:
        reason = "the labels before this are released" if released else "nothing to undo"
        return NothingToUndo(reason=reason), ()
    target = target_of(last)
    now, then = state_of(connection, target), state_of(connection, target, below=last.rev)
    operation = Operation(
        op_id=op_id,
        presentation_id=None,
        target=target,
        rev=now.rev + 1,
        prev_rev=last.rev,
        schema_version=last.schema_version,
        guideline=last.guideline,
    )
    after = {field: then.standing.get(field) for field in now.standing}
    events = write_operation(
        connection,
        scope,
        operation,
        before=now,
        after=after,
        item=item_of(connection, scope, target.item_id),
        kind="undo",
    )
    was = {} if last.kind == "skip" else now.standing
    seqs = tuple(event.seq for event in events)
    return _shown_again(connection, scope, target, was, seqs), events


def _shown_again(
    connection: Connection, scope: Scope, target: Target, was: Standing, seqs: tuple[int, ...]
) -> Undone:
    presentation = show(connection, scope, target)
    answer = as_shown(answer_of(was), swapped=presentation.swapped)
    return Undone(presentation=presentation, was=answer or Answer(), seqs=seqs)
