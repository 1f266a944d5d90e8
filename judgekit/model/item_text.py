"""The texts of an item as people read and mark them: one for each named place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.model.trial import Message, ToolCall, Trial

TextKind = Literal["text", "json", "message", "call", "result", "error"]
_FIELDS = ("input", "output", "output_1", "output_2", "context", "reference")


class ItemText(Record):
    """One text of an item. A span's `field` is `place`; its offsets are code points of `text`.

    Args:
        place: `output`, `input.customer`, `context.0`, `trial.messages.3.content` ...
        text: strings as they stand, anything else as indented JSON.
        kind: what it is, for the page.
        name: who spoke or which tool was called, where the text belongs to a trial.
    """

    place: str
    text: str
    kind: TextKind = "text"
    name: str | None = None


def item_texts(item: Item) -> tuple[ItemText, ...]:
    """Return every text of an item in reading order: input, trial, output, context, reference.

    Example:
        >>> [t.place for t in item_texts(Item(id="a", input={"question": "q"}, output="o"))]
        ['input.question', 'output']
    """
    found: list[ItemText] = []
    for name in _FIELDS:
        if name == "output" and item.trial is not None:
            found.extend(_trial(item.trial))
        value = getattr(item, name)
        if value is not None:
            found.extend(_parts(name, value))
    return tuple(found)


def _parts(place: str, value: Any) -> Iterator[ItemText]:
    """Yield one text for a string, and one for each entry of an object or a list."""
    if isinstance(value, dict):
        entries = [(f"{place}.{key}", entry) for key, entry in value.items()]
    elif isinstance(value, list):
        entries = [(f"{place}.{index}", entry) for index, entry in enumerate(value)]
    else:
        entries = [(place, value)]
    for name, entry in entries:
        yield _plain(name, entry)


def _plain(place: str, value: Any) -> ItemText:
    if isinstance(value, str):
        return ItemText(place=place, text=value)
    return ItemText(place=place, text=as_text(value), kind="json")


def as_text(value: Any) -> str:
    """Return a string as it stands, anything else as indented JSON with text kept as Unicode."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _trial(trial: Trial) -> Iterator[ItemText]:
    for index, message in enumerate(trial.messages):
        yield from _message(f"trial.messages.{index}", message)
    for index, call in enumerate(trial.tool_calls):
        yield from _call(f"trial.tool_calls.{index}", call)
    for name in ("final", "state"):
        value = getattr(trial, name)
        if value is not None:
            yield ItemText(place=f"trial.{name}", text=as_text(value), kind="json")
    if trial.error is not None:
        yield ItemText(place="trial.error", text=trial.error, kind="error")


def _message(place: str, message: Message) -> Iterator[ItemText]:
    if message.content is not None:
        kind: TextKind = "result" if message.role == "tool" else "message"
        name = message.name or message.role
        yield ItemText(place=f"{place}.content", text=message.content, kind=kind, name=name)
    for index, call in enumerate(message.tool_calls):
        yield from _call(f"{place}.tool_calls.{index}", call)


def _call(place: str, call: ToolCall) -> Iterator[ItemText]:
    arguments = as_text(call.arguments)
    yield ItemText(place=f"{place}.arguments", text=arguments, kind="call", name=call.name)
    if call.result is not None:
        result = as_text(call.result)
        yield ItemText(place=f"{place}.result", text=result, kind="result", name=call.name)
    if call.error is not None:
        yield ItemText(place=f"{place}.error", text=call.error, kind="error", name=call.name)
