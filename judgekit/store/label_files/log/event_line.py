"""One saved event as one line of `events/<alias>.jsonl`: the truth outside the database.

The line holds what `LabelEvent` holds but for `seq` (a place in one database) and `dataset` (the
folder), with sorted keys and without defaults; `schema` is the version of this form.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, TypeVar

from pydantic import Field, ValidationError

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.label import Origin
from judgekit.store.formats.problems import Refusal, explain, misfit
from judgekit.store.formats.rows import parse_object
from judgekit.store.label_files.aliases import check_alias
from judgekit.store.label_store.records.events import ADJUDICATION, LabelEvent

EVENT_SCHEMA = 1
MAX_NAME = 1_000
MAX_NUMBER = 2**31 - 1
YEARS = range(1970, 9999)
_NAMES = (
    "op_id", "item_id", "item_hash", "field", "project", "presentation_id", "guideline", "design",
)  # fmt: skip
_NUMBERS = ("rev", "prev_rev", "schema_version", "dwell_ms", "active_ms")
LEFT_OUT = {"seq", "dataset"}
_ANSWERS = frozenset({"label", "unsure", "import", "adjudicate"})
_Event = TypeVar("_Event", bound=Record)


class EventValue(Record):
    """What the value of an answer may hold; the rest is for exclusions and undo."""

    label: str | float | int | bool | None = None
    failure_mode: str | None = None
    spans: tuple[dict[str, Any], ...] = ()
    note: str | None = None
    origin: Origin | None = None
    weight: float | None = Field(default=None, ge=1e-9, le=1e9)
    evidence: tuple[str, ...] = ()


def event_text(event: LabelEvent) -> str:
    """Return the event as one line without its line feed; the same event, the same bytes."""
    utc = event.model_copy(update={"at": event.at.astimezone(UTC)})
    data = utc.model_dump(mode="json", exclude=LEFT_OUT, exclude_defaults=True)
    return json_line({"schema": EVENT_SCHEMA, "field": event.field, **data})


def json_line(value: dict[str, Any]) -> str:
    """Return JSON on one line with sorted keys and text kept as Unicode.

    Raises:
        InputError: it holds NaN, an infinity, a lone surrogate, or what JSON has no form for.
    """
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (ValueError, TypeError) as error:
        raise InputError(f"a value cannot be written as JSON: {error}") from error
    return text


def parse_event(line: int, text: str, dataset: str) -> LabelEvent | Refusal:
    """Return the event in a line of text, or why it is refused. Its `seq` is the line."""
    row = row_of(line, text)
    return row if isinstance(row, Refusal) else event_of(line, row, dataset)


def row_of(line: int, text: str) -> dict[str, Any] | Refusal:
    """Return the JSON object in a line of text, or why it is refused."""
    try:
        return parse_object(text)
    except RecursionError:
        return Refusal(line=line, found="JSON nested too deeply", expected="one event")
    except json.JSONDecodeError as error:
        found = f"broken JSON ({error.msg} at column {error.colno})"
        return Refusal(line=line, found=found, expected="one event as a JSON object")
    except ValueError as error:
        return Refusal(line=line, found=str(error)[:120], expected="one event as a JSON object")


def event_of(line: int, row: dict[str, Any], dataset: str) -> LabelEvent | Refusal:
    """Return the event in a parsed row, or why it is refused."""
    event = typed_event(line, row, dataset, LabelEvent)
    if isinstance(event, Refusal):
        return event
    return _fault(line, event) or event.model_copy(update={"at": event.at.astimezone(UTC)})


def typed_event(
    line: int, row: dict[str, Any], dataset: str, kind: type[_Event]
) -> _Event | Refusal:
    """Return a parsed row of any log as an event of its kind, or why it is refused."""
    schema = row.get("schema")
    if schema != EVENT_SCHEMA or isinstance(schema, bool):
        found = "nothing" if schema is None else repr(schema)[:80]
        return Refusal(line=line, field="schema", found=found, expected=str(EVENT_SCHEMA))
    for name in sorted(LEFT_OUT & row.keys()):
        return Refusal(line=line, field=name, found=f"the key {name!r}", expected="no such key")
    data = {key: value for key, value in row.items() if key != "schema"}
    data |= {"seq": max(line, 1), "dataset": dataset}
    try:
        return kind.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        return misfit(line, error, data, kind)


def _fault(line: int, event: LabelEvent) -> Refusal | None:
    """Return what is wrong with an event whose fields have the right types."""
    return (
        time_fault(line, "at", event.at)
        or _name_fault(line, event)
        or _number_fault(line, event)
        or _alias_fault(line, event)
        or _value_fault(line, event)
    )


def time_fault(line: int, field: str, at: datetime) -> Refusal | None:
    """Return why a time is refused: at the edge of the calendar it has no UTC or none after it."""
    if at.year in YEARS and at.astimezone(UTC).year in YEARS:
        return None
    expected = f"a time from {YEARS[0]} to {YEARS[-1]}, in UTC too"
    return Refusal(line=line, field=field, found=at.isoformat(), expected=expected)


def _name_fault(line: int, event: LabelEvent) -> Refusal | None:
    for name in _NAMES:
        text = getattr(event, name)
        if text is None:
            continue
        if not text.strip() or len(text) > MAX_NAME or any(ord(c) < 32 for c in text):
            expected = f"a text of at most {MAX_NAME} characters on one line"
            return Refusal(line=line, field=name, found=repr(text)[:80], expected=expected)
    return None


def _number_fault(line: int, event: LabelEvent) -> Refusal | None:
    limits = {"repeat": 1, **dict.fromkeys(_NUMBERS, MAX_NUMBER)}
    for name, limit in limits.items():
        number = getattr(event, name)
        if number is not None and not 0 <= number <= limit:
            found = str(number)[:40]
            return Refusal(line=line, field=name, found=found, expected=f"0 to {limit}")
    if event.prev_rev is not None and event.prev_rev >= event.rev:
        found, expected = str(event.prev_rev), f"a revision before {event.rev}"
        return Refusal(line=line, field="prev_rev", found=found, expected=expected)
    return None


def _alias_fault(line: int, event: LabelEvent) -> Refusal | None:
    decides = event.kind in ("adjudicate", "exclude", "restore")
    if decides != (event.annotator == ADJUDICATION) and event.kind != "undo":
        expected = repr(ADJUDICATION) if decides else "an annotator's alias"
        return Refusal(line=line, field="annotator", found=repr(event.annotator), expected=expected)
    for name in ("actor", "annotator"):
        if name == "annotator" and event.annotator == ADJUDICATION:
            continue
        try:
            check_alias(getattr(event, name))
        except InputError as error:
            found = error.found or ""
            return Refusal(line=line, field=name, found=found, expected="an alias, no e-mail")
    return None


def _value_fault(line: int, event: LabelEvent) -> Refusal | None:
    dropped = event.kind == "label" and event.value is None  # a criterion answered no more
    if event.kind not in _ANSWERS or dropped:
        return None
    if event.value is None:
        return Refusal(line=line, field="value", found="nothing", expected="an answer")
    given = event.value
    own = {key: given[key] for key in EventValue.model_fields if key in given}
    try:
        value = EventValue.model_validate_json(json.dumps(own), strict=True)
    except ValidationError as error:
        problem = explain(error, own, EventValue)
        field = f"value.{problem.field}" if problem.field else "value"
        return Refusal(line=line, field=field, found=problem.found, expected=problem.expected)
    if value.label == "" or (value.label is None and event.kind != "label"):
        return Refusal(line=line, field="value.label", found="nothing", expected="an answer")
    return None
