"""One item before an adjudicator, and what the keys there do, inside one transaction."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, insert, select

from judgekit.errors import InputError
from judgekit.model.label import OVERALL
from judgekit.store.label_store.adjudicating.decisions import (
    decision_from,
    missing_from,
    newest,
    options_of,
    resolved,
    value_of,
    write_decision,
)
from judgekit.store.label_store.adjudicating.questions import (
    Question,
    Questions,
    own_items,
    whole_item,
)
from judgekit.store.label_store.database import review_tables as rt
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import utc_now
from judgekit.store.label_store.keeping.current import adjudication_rows
from judgekit.store.label_store.keeping.rows import last_seq
from judgekit.store.label_store.labelling.drafts import DraftOf, draft_place, drop_draft
from judgekit.store.label_store.labelling.operation import earlier
from judgekit.store.label_store.labelling.presenting import let_go
from judgekit.store.label_store.labelling.view import shown_item
from judgekit.store.label_store.records.adjudication import (
    Adjudicated,
    AdjudicateResult,
    AdjudicationCase,
    AdjudicationConflict,
    AlreadyAdjudicated,
    Decision,
    FieldTask,
    Flag,
    NeedsReason,
    OwnItem,
    TaskState,
)
from judgekit.store.label_store.records.events import LabelEvent
from judgekit.store.label_store.records.setup import LabelSchema
from judgekit.store.label_store.scope import Scope, item_of, schema_of

QUEUE = "adjudicate"
Outcome = tuple[AdjudicateResult, tuple[LabelEvent, ...]]


def questions_of(
    connection: Connection, scope: Scope, state: TaskState, adjudicator: str | None
) -> list[Question]:
    """Return the questions of a state, lowest agreement first (items without a pair come last)."""
    questions = Questions(connection, scope, whole=state in ("incomplete", "agreeing"))
    found = [q for q in questions.all() if q.state == state]
    if state == "incomplete":
        found = [q for q in found if not questions.is_single(q)]
    if adjudicator is not None and not scope.settings.adjudicator_may_have_labelled:
        mine = own_items(connection, scope, adjudicator)
        found = [q for q in found if q.item_id not in mine]
    return sorted(found, key=lambda q: (2.0 if q.agreement is None else q.agreement, q.item_id))


def held_by_others(connection: Connection, scope: Scope, adjudicator: str | None) -> set[str]:
    """Return the items that other adjudicators hold at this moment."""
    c = t.claim.c
    query = select(c.item_id).where(
        c.project_id == scope.id,
        c.queue == QUEUE,
        c.holder != (adjudicator or ""),
        c.expires_at > utc_now(),
    )
    return set(connection.execute(query).scalars())


def case_of(
    connection: Connection, scope: Scope, item_id: str, adjudicator: str
) -> AdjudicationCase:
    """Return one item as an adjudicator may see it."""
    held = item_of(connection, scope, item_id)
    options = options_of(connection, scope, item_id)
    decided = {row.field: row for row in adjudication_rows(connection, scope, item_id=item_id)}
    others = item_id in held_by_others(connection, scope, adjudicator)
    question = Questions(connection, scope, item_id=item_id).of(item_id)
    fields = []
    for field in whole_item({*options, *decided, OVERALL}):
        answers = options.get(field, ())
        row = decided.get(field)
        agree = len({o.label for o in answers}) == 1 if len(answers) > 1 else None
        fields.append(
            FieldTask(
                field=field,
                options=answers,
                agree=agree,
                rev=0 if row is None else row.rev,
                decision=_nameless(decision_from(row)),
            )
        )
    return AdjudicationCase(
        task=question.task(scope.name, claimed=others),
        item=shown_item(held.item, schema_of(connection, scope.id)),
        item_hash=held.item_hash,
        fields=tuple(fields),
        claimed=not others,
    )


def _nameless(decision: Decision | None) -> Decision | None:
    return None if decision is None else decision.model_copy(update={"actor": None})


def decide(
    connection: Connection,
    scope: Scope,
    decision: Decision,
    adjudicator: str,
    op_id: str,
    rev_seen: int,
) -> Outcome:
    """Store a decision, or say why not."""
    item_id, field = decision.item_id, decision.field
    item = item_of(connection, scope, item_id)
    done = earlier(connection, op_id, adjudicator)
    if done is not None:
        return AlreadyAdjudicated(decision=decision_from(done)), ()
    own = item_id in own_items(connection, scope, adjudicator)
    if own and not scope.settings.adjudicator_may_have_labelled:
        return OwnItem(item_id=item_id), ()
    options = options_of(connection, scope, item_id).get(field, ())
    full = resolved(decision, options, _schema_for(connection, scope, field))
    row = newest(connection, scope, item_id, field)
    rev = 0 if row is None else row.rev
    if rev != rev_seen:
        stored = _nameless(decision_from(row))
        return AdjudicationConflict(yours=full, stored=stored, rev=rev), ()
    missing = missing_from(full, options)
    if missing:
        return NeedsReason(missing=missing), ()
    spans = next((o.spans for o in options if o.letter == full.choice), ())
    events = write_decision(
        connection,
        scope,
        item,
        field=field,
        kind="exclude" if full.choice == "exclude" else "adjudicate",
        value=value_of(full, own_item=own, spans=spans),
        rev=rev,
        actor=adjudicator,
        op_id=op_id,
    )
    return _done(connection, scope, full, adjudicator, events)


def _done(
    connection: Connection,
    scope: Scope,
    decision: Decision,
    adjudicator: str,
    events: tuple[LabelEvent, ...],
) -> Outcome:
    item_id = decision.item_id
    drop_draft(connection, draft_place(scope, item_id, adjudicator, DraftOf.DECISION))
    let_go(connection, scope, QUEUE, item_id, adjudicator)
    stored = decision_from(newest(connection, scope, item_id, decision.field))
    return Adjudicated(decision=stored or decision, seq=events[0].seq), events


def reopen(
    connection: Connection,
    scope: Scope,
    item_id: str,
    field: str,
    adjudicator: str,
    op_id: str,
    rev_seen: int,
) -> Outcome:
    """Open a decided field again, or say why not."""
    item = item_of(connection, scope, item_id)
    if earlier(connection, op_id, adjudicator) is not None:
        return AlreadyAdjudicated(decision=None), ()
    row = newest(connection, scope, item_id, field)
    before = decision_from(row)
    if row is None or before is None:
        raise InputError(
            f"there is no decision about {item_id!r} to reopen",
            found="nothing decided",
            expected="a field that was decided or excluded",
        )
    if row.rev != rev_seen:
        return AdjudicationConflict(yours=before, stored=_nameless(before), rev=row.rev), ()
    events = write_decision(
        connection,
        scope,
        item,
        field=field,
        kind="restore",
        value=None,
        rev=row.rev,
        actor=adjudicator,
        op_id=op_id,
    )
    reopened = before.model_copy(update={"rev": row.rev + 1})
    return Adjudicated(decision=reopened, seq=events[0].seq), events


def _schema_for(connection: Connection, scope: Scope, field: str) -> LabelSchema:
    schema = schema_of(connection, scope.id)
    known = {OVERALL, *(criterion.id for criterion in schema.criteria)}
    if field not in known:
        raise InputError(
            f"there is no field {field!r} in this project",
            found=repr(field),
            expected=", ".join(sorted(known)),
        )
    return schema


def add_flag(
    connection: Connection,
    scope: Scope,
    item_id: str,
    field: str,
    reason: str,
    actor: str,
    note: str | None,
) -> None:
    """Add a flag with the place in the log at which it was raised."""
    row = {
        "project_id": scope.id,
        "item_id": item_id,
        "field": field,
        "reason": reason,
        "actor": actor,
        "note": None if note is None else note.replace("\x00", "\ufffd"),
        "seq": last_seq(connection),
        "at": utc_now(),
    }
    connection.execute(insert(rt.flag).values(row))


def flag_from(project: str, row: Row[Any]) -> Flag:
    """Return a row of `flag` as a record."""
    values = {
        key: value for key, value in row._asdict().items() if key not in ("project_id", "seq")
    }
    return Flag.model_validate(values | {"project": project})
