"""One event of error analysis or of the golden editor as one line of its file.

The line holds what `ReviewEvent` holds but for `seq` (a place in one database) and `dataset` (the
folder), with sorted keys; `log` tells it from a line of labels.
"""

from __future__ import annotations

from datetime import UTC
from typing import Any

from judgekit.errors import InputError
from judgekit.store.formats.problems import Refusal
from judgekit.store.label_files.aliases import check_alias
from judgekit.store.label_files.log.event_line import (
    EVENT_SCHEMA,
    LEFT_OUT,
    MAX_NAME,
    json_line,
    time_fault,
    typed_event,
)
from judgekit.store.label_store.records.code_actions import parse_action
from judgekit.store.label_store.records.events import ReviewEvent
from judgekit.store.label_store.records.golden_actions import parse_golden_action

LONGEST_OPERATION = 64
_IN_COLUMNS = ("case_id", "field", "subject", "note", "reason")
"""Texts of a body that stand in columns of their own, where no database takes a null."""


def review_text(event: ReviewEvent) -> str:
    """Return the event as one line without its line feed; the same event, the same bytes."""
    utc = event.model_copy(update={"at": event.at.astimezone(UTC)})
    return json_line({"schema": EVENT_SCHEMA, **utc.model_dump(mode="json", exclude=LEFT_OUT)})


def review_of(line: int, row: dict[str, Any], dataset: str) -> ReviewEvent | Refusal:
    """Return the event in a parsed row, or why it is refused."""
    event = typed_event(line, row, dataset, ReviewEvent)
    if isinstance(event, Refusal):
        return event
    return _fault(line, event) or event.model_copy(update={"at": event.at.astimezone(UTC)})


def _fault(line: int, event: ReviewEvent) -> Refusal | None:
    for name, limit in (("op_id", LONGEST_OPERATION), ("project", MAX_NAME)):
        text = getattr(event, name)
        if not text.strip() or len(text) > limit or not text.isprintable():
            expected = f"a text of at most {limit} characters on one line"
            return Refusal(line=line, field=name, found=repr(text)[:80], expected=expected)
    try:
        check_alias(event.actor)
    except InputError as error:
        expected = "an alias, no e-mail"
        return Refusal(line=line, field="actor", found=error.found or "", expected=expected)
    return time_fault(line, "at", event.at) or _body_fault(line, event)


def _body_fault(line: int, event: ReviewEvent) -> Refusal | None:
    parse = parse_action if event.log == "codes" else parse_golden_action
    try:
        parse(event.kind, event.body)
        json_line(event.body)
    except InputError as error:
        field = f"body.{error.where}" if error.where else "kind"
        expected = f"a body as {event.kind[:40]!r} has it" if error.where else "a step of this log"
        return Refusal(
            line=line, field=field, found=error.found or error.message, expected=expected
        )
    for name in _IN_COLUMNS if event.log == "goldens" else ():
        if "\0" in str(event.body.get(name)):
            return Refusal(line=line, field=f"body.{name}", found="U+0000", expected="plain text")
    return None
