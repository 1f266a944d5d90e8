"""Calls as they are compared: a name, arguments as an object, and a key for equality."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from judgekit.errors import InputError, ItemError
from judgekit.model.canonical import canonical_json
from judgekit.model.trial import ToolCall, Trial


class Call(NamedTuple):
    """One call: `fault` says why its arguments are no object (then `arguments` is empty).

    `position` is its place in the trial, from 0.
    """

    name: str
    arguments: Mapping[str, Any]
    position: int = 0
    fault: str | None = None


def read_call(raw: Any, position: int = 0) -> Call:
    """Return a call from a name, a `{name, arguments}` object or a `ToolCall`.

    Arguments given as a text are read as JSON; what is no JSON object is kept as the call's fault.

    Raises:
        ItemError: there is no name.

    Example:
        >>> read_call({"name": "refund", "arguments": '{"order": "R-1"}'}).arguments
        {'order': 'R-1'}
    """
    if isinstance(raw, Call):
        return raw._replace(position=position)
    if isinstance(raw, str):
        return Call(raw, {}, position)
    if isinstance(raw, ToolCall):
        return _read(raw.name, raw.arguments, position, raw.malformed)
    if isinstance(raw, Mapping) and isinstance(raw.get("name"), str):
        return _read(raw["name"], raw.get("arguments", {}), position, None)
    raise ItemError(
        "a tool call has no name", found=repr(raw)[:120], expected='{"name": ..., "arguments": {}}'
    )


def read_calls(raw: Iterable[Any]) -> tuple[Call, ...]:
    """Return the calls in order, each with its position."""
    return tuple(read_call(one, position) for position, one in enumerate(raw))


def calls_of(trial: Trial) -> tuple[Call, ...]:
    """Return the calls of a trial in order, as they are compared."""
    return read_calls(trial.calls)


def call_key(call: Call) -> tuple[str, str]:
    """Return what two equal calls share: the name and the arguments as canonical JSON.

    Numbers count as written: 5 and 5.0 differ, as do "5" and 5. A comparison of values under
    declared rules is `arguments.score_arguments`.
    """
    if call.fault is not None:
        return call.name, f"!{call.fault}"
    if not call.arguments:
        return call.name, "{}"
    try:
        return call.name, canonical_json(call.arguments)
    except (InputError, RecursionError):  # NaN, half a letter, nested too deep
        return call.name, f"!{_flat(call.arguments)}"


def _flat(value: Any) -> str:
    """Return a text that only equal values share, also of values that have no canonical JSON."""
    written: list[str] = []
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            written.append(f"{{{len(part)}")
            for key in sorted(part, reverse=True):
                waiting += [part[key], key]
        elif isinstance(part, list | tuple):
            written.append(f"[{len(part)}")
            waiting += reversed(part)
        else:
            large = type(part) is int and part.bit_length() > 1_000
            written.append(f"{part:x}" if large else repr(part))
    return " ".join(written)


def _read(name: str, arguments: Any, position: int, fault: str | None) -> Call:
    if fault is not None:
        return Call(name, {}, position, fault)
    if isinstance(arguments, dict):
        return Call(name, arguments, position)
    if arguments is None or arguments == "":
        return Call(name, {}, position)
    return _from_text(name, arguments, position)


def _from_text(name: str, arguments: Any, position: int) -> Call:
    if not isinstance(arguments, str):
        return Call(name, {}, position, f"arguments are a {type(arguments).__name__}, no object")
    try:
        parsed = json.loads(arguments)
    except (ValueError, RecursionError) as error:
        return Call(name, {}, position, f"arguments are no JSON: {error}")
    if not isinstance(parsed, dict):
        return Call(name, {}, position, f"arguments are a {type(parsed).__name__}, no object")
    return Call(name, parsed, position)
