"""Parts of a golden in words, and values of parts as they are typed."""

from __future__ import annotations

import json
from typing import Any

from judgekit.errors import InputError
from judgekit.goldens.entry_words import Fault, expected_text, read_expected, refuse
from judgekit.goldens.parts import checked_value
from judgekit.model.expected import Expected
from judgekit.model.golden import pointer_keys

NOTHING = "nothing said"
_EMPTY = {"": "empty text", "[]": "empty list", "{}": "empty object"}


def part_name(part: str) -> str:
    """Return a pointer in words: `/state/orders/R-1/status` is `state orders, R-1: status`.

    Example:
        >>> part_name("/paths/p1/calls/0/arguments/order")
        'tool path p1, call 1: order'
    """
    keys = pointer_keys(part)
    match keys[0], len(keys):
        case "fields", 2:
            return f"field {keys[1]}"
        case "paths", 2:
            return f"tool path {keys[1]}"
        case "paths", 6:
            return f"tool path {keys[1]}, call {int(keys[3]) + 1}: {keys[5]}"
        case "forbidden", 2:
            return f"forbidden call {keys[1]}"
        case "state", 3:
            return f"state {keys[1]}, {keys[2]}: the row"
        case "state", 4:
            return f"state {keys[1]}, {keys[2]}: {keys[3]}"
        case "allowed_changes", 4:
            return f"allowed change {keys[1]} / {keys[2]} / {keys[3]}"
    return {"scenario": "scenario class", "failure_modes": "failure modes"}.get(keys[0], part)


def holds_expected(part: str) -> bool:
    """Tell whether a part is the expectation of one value (a field, an argument, a column)."""
    keys = pointer_keys(part)
    return (keys[0], len(keys)) in {("fields", 2), ("paths", 6), ("state", 4)}


def value_text(part: str, value: Any) -> str:
    """Return the value of a part as it is typed; "" where nothing is said."""
    if value is None:
        return ""
    if holds_expected(part):
        return expected_text(Expected.model_validate(value))
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def value_words(part: str, value: Any) -> str:
    """Return the value of a part for reading: as typed, and what it is where that is easily missed.

    Example:
        >>> value_words("/fields/note", {"value": ""})
        '"" (empty text)'
        >>> value_words("/fields/note", None)
        'nothing said'
    """
    if value is None:
        return NOTHING
    if part.startswith("/allowed_changes"):
        return "allowed"
    if part.startswith("/paths/") and not holds_expected(part):
        return _path_words(value)
    text = value_text(part, value)
    if not holds_expected(part):
        return text
    return text + _kind_word(Expected.model_validate(value))


def read_part_value(part: str, text: str) -> Any:
    """Return the value of a part from what was typed, in the stored form.

    Raises:
        InputError: it cannot be read, or does not fit the part.
    """
    if holds_expected(part):
        try:
            return checked_value(part, read_expected(text).model_dump(mode="json"))
        except Fault as fault:
            raise refuse(fault, part) from fault
    if part == "/scenario":
        return checked_value(part, text.strip())
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            "the value cannot be read",
            where=part,
            found=f"{text!r:.80}, which is no JSON",
            expected=f"one JSON value, such as {_example(part)}",
        ) from error
    return checked_value(part, value)


def _kind_word(expected: Expected) -> str:
    if expected.expect == "missing":
        return " (the key is not there)"
    if expected.expect == "null":
        return " (the key is there, without a value)"
    empty = expected.value == "" or expected.value in ([], {})
    if empty and not isinstance(expected.value, bool | int | float):
        word = "" if expected.value == "" else json.dumps(expected.value)
        return f" ({_EMPTY[word]})"
    return ""


def _path_words(path: dict[str, Any]) -> str:
    calls = [_call_words(call) for call in path.get("calls", [])]
    match = path.get("match", "in_order").replace("_", " ")
    return f"{match}: {', then '.join(calls)}" if calls else f"{match}: no tool is called"


def _call_words(call: dict[str, Any]) -> str:
    given = [
        f"{name}={expected_text(Expected.model_validate(value))}"
        for name, value in call.get("arguments", {}).items()
    ]
    only = ", only these arguments" if call.get("only_these") else ""
    return f"{call['tool']}({', '.join(given)}){only}"


def _example(part: str) -> str:
    return {
        "paths": '{"match": "in_order", "calls": [{"tool": "lookup_order"}]}',
        "forbidden": '[{"tool": "delete_order"}]',
        "state": '{"absent": true}',
        "failure_modes": '["wrong_amount"]',
    }.get(pointer_keys(part)[0], "true")
