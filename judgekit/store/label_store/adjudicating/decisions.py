"""Decisions as rows of the log: one line of revisions per item and field, for all adjudicators."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, select

from judgekit.errors import InputError
from judgekit.model.canonical import unit_interval
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import utc_now
from judgekit.store.label_store.keeping.current import current_labels
from judgekit.store.label_store.keeping.rows import add_events
from judgekit.store.label_store.records.adjudication import Decision, Option
from judgekit.store.label_store.records.events import ADJUDICATION, LabelEvent
from judgekit.store.label_store.records.labelling import UNSURE, Span
from judgekit.store.label_store.records.setup import LabelSchema
from judgekit.store.label_store.scope import ItemRow, Scope, guideline_of, loaded, schema_of

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def options_of(connection: Connection, scope: Scope, item_id: str) -> dict[str, tuple[Option, ...]]:
    """Return the answers to each field under letters: one letter a person, seeded by item."""
    rows = current_labels(connection, scope, item_id=item_id)
    rows = [row for row in rows if row.repeat == 0]
    people = sorted(
        {row.annotator for row in rows},
        key=lambda who: unit_interval(scope.settings.seed, "adjudicate", item_id, who),
    )
    options: dict[str, tuple[Option, ...]] = {}
    for who, letter in zip(people, _LETTERS, strict=False):
        for row in rows:
            if row.annotator == who:
                options[row.field] = (*options.get(row.field, ()), _option(letter, row))
    return options


def newest(connection: Connection, scope: Scope, item_id: str, field: str) -> Row[Any] | None:
    """Return the newest adjudication row of a field, or None."""
    e = t.label_event.c
    query = select(t.label_event).where(
        e.project_id == scope.id,
        e.item_id == item_id,
        e.annotator == ADJUDICATION,
        e.field == field,
    )
    return connection.execute(query.order_by(e.rev.desc()).limit(1)).one_or_none()


def decision_from(row: Row[Any] | None) -> Decision | None:
    """Return the decision in a row; None where there is no row or the field was reopened."""
    value = None if row is None else loaded(row.value)
    if row is None or value is None:
        return None
    return Decision(
        item_id=row.item_id,
        field=row.field,
        choice="exclude" if value.get("excluded") else value.get("choice", "other"),
        label=value.get("label"),
        failure_mode=value.get("failure_mode"),
        cause=value.get("cause"),
        confidence=value.get("confidence"),
        guideline_should_change=value.get("guideline_change", False),
        reason=value.get("reason"),
        note=value.get("note"),
        rev=row.rev,
        actor=row.actor,
        at=row.at,
    )


def missing_from(decision: Decision, options: tuple[Option, ...]) -> tuple[str, ...]:
    """Return what the decision lacks: a cause where it overrides every answer, or a reason."""
    if decision.choice == "exclude":
        return () if (decision.reason or "").strip() else ("reason",)
    if decision.choice != "other" or not options:
        return ()
    overrides = all(option.label != decision.label for option in options)
    return ("cause",) if overrides and decision.cause is None else ()


def resolved(decision: Decision, options: tuple[Option, ...], schema: LabelSchema) -> Decision:
    """Return the decision with the label of the option it took.

    Raises:
        InputError: there is no such option, or the label or mode is not in the schema.
    """
    if decision.choice == "exclude":
        return decision.model_copy(update={"label": None, "failure_mode": None})
    if decision.choice != "other":
        chosen = [option for option in options if option.letter == decision.choice]
        if not chosen:
            letters = ", ".join(option.letter for option in options)
            raise _unknown("answer", decision.choice, letters or "other or exclude")
        update = {"label": chosen[0].label, "failure_mode": chosen[0].failure_mode}
        decision = decision.model_copy(update=update)
    labels = schema.criterion_labels if decision.field != "_overall" else schema.labels
    if decision.label not in (*labels, UNSURE):
        raise _unknown("label", repr(decision.label), ", ".join(labels))
    modes = tuple(mode.id for mode in schema.failure_modes)
    if decision.failure_mode is not None and decision.failure_mode not in modes:
        raise _unknown("failure mode", decision.failure_mode, ", ".join(modes))
    return decision


def value_of(decision: Decision, *, own_item: bool, spans: tuple[Span, ...]) -> dict[str, Any]:
    """Return what is stored of a decision."""
    shared = {
        "cause": decision.cause,
        "confidence": decision.confidence,
        "reason": decision.reason,
        "note": decision.note,
        "guideline_change": decision.guideline_should_change,
        "own_item": own_item,
    }
    if decision.choice == "exclude":
        value: dict[str, Any] = {"excluded": True} | shared
    else:
        value = shared | {
            "choice": decision.choice,
            "label": decision.label,
            "failure_mode": decision.failure_mode,
            "spans": [span.model_dump(mode="json") for span in spans],
        }
    return {key: entry for key, entry in value.items() if entry}


def write_decision(
    connection: Connection,
    scope: Scope,
    item: ItemRow,
    *,
    field: str,
    kind: str,
    value: dict[str, Any] | None,
    rev: int,
    actor: str,
    op_id: str,
) -> tuple[LabelEvent, ...]:
    """Write one adjudication row as the revision after `rev`."""
    guideline = guideline_of(connection, scope.id)
    row = {
        "op_id": op_id,
        "presentation_id": None,
        "item_id": item.item.id,
        "item_hash": item.item_hash,
        "annotator": ADJUDICATION,
        "field": field,
        "kind": kind,
        "value": value,
        "rev": rev + 1,
        "prev_rev": rev or None,
        "repeat": 0,
        "delta": 0,
        "dwell_ms": None,
        "active_ms": None,
        "schema_version": schema_of(connection, scope.id).version,
        "guideline": None if guideline is None else guideline.version,
        "design": item.design or scope.settings.design,
        "after_reveal": False,
        "actor": actor,
        "at": utc_now(),
    }
    return add_events(connection, scope, [row])


def _option(letter: str, row: Row[Any]) -> Option:
    value = loaded(row.value) or {}
    return Option(
        letter=letter,
        label=row.label,
        failure_mode=value.get("failure_mode"),
        spans=tuple(Span.model_validate(span) for span in value.get("spans", ())),
        note=value.get("note"),
    )


def _unknown(kind: str, found: str, expected: str) -> InputError:
    return InputError(f"there is no {kind} {found} here", found=found, expected=expected)
