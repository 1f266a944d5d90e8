"""The file of a cassette: one recorded call a line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Literal, NamedTuple

from judgekit.errors import InputError
from judgekit.model.canonical import canonical_json
from judgekit.model.secrets import scrub

Kind = Literal["tool", "model"]
_SCHEMA = 1


class ReplayedError(Exception):
    """The error that the recorded call ended with, where its class is not loaded."""


class RecordedError(NamedTuple):
    """What a call raised: its text, and what is needed to raise the like of it again.

    `type` is `module:class`; None = it cannot be raised as that class.
    """

    text: str
    type: str | None = None
    arguments: tuple[Any, ...] = ()
    attributes: dict[str, Any] | None = None

    @classmethod
    def of(cls, error: Exception, secrets: tuple[str, ...]) -> RecordedError:
        """Return the record of an exception, without secrets."""
        kind = type(error)
        attributes = {name: value for name, value in vars(error).items() if _is_json(value)}
        return cls(
            text=str(scrub(f"{kind.__name__}: {error}", secrets)),
            type=f"{kind.__module__}:{kind.__qualname__}",
            arguments=tuple(scrub(one, secrets) for one in error.args if _is_json(one)),
            attributes=scrub(attributes, secrets) or None,
        )

    def raised(self) -> Exception:
        """Return the exception to raise: of its class where that is loaded; nothing is imported
        and no constructor runs."""
        kind = _loaded(self.type)
        if kind is None:
            return ReplayedError(self.text)
        error: Exception = kind.__new__(kind, *self.arguments)
        error.args = self.arguments
        for name, value in (self.attributes or {}).items():
            setattr(error, name, value)
        return error


class Recorded(NamedTuple):
    """One recorded call: a result, or the error it ended with."""

    kind: Kind
    name: str
    arguments: Any
    occurrence: int
    result: Any
    error: RecordedError | None = None

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Return what identifies the call: kind, name, canonical arguments and occurrence."""
        return self.kind, self.name, canonical_json(self.arguments), self.occurrence


def read_cassette(path: Path) -> tuple[Recorded, ...]:
    """Return the recorded calls of a file, in order.

    Raises:
        InputError: it is not there, or a line is no recorded call; says file and line.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(
            f"the cassette {path.name!r} cannot be read: {error.strerror}",
            where=str(path),
            expected="a file that `judgekit repeat --cassettes record` wrote",
        ) from error
    return tuple(_recorded(path, number, raw) for number, raw in enumerate(lines, 1) if raw.strip())


def cassette_line(call: Recorded) -> bytes:
    """Return the line of a recorded call: keys in a fixed order, so that changes read well.

    Raises:
        InputError: the result is no JSON.
    """
    error = call.error
    given = {} if error is None else {n: v for n, v in error._asdict().items() if v}
    body = {
        "schema": _SCHEMA,
        "kind": call.kind,
        "name": call.name,
        "arguments": call.arguments,
        "occurrence": call.occurrence,
        **({"result": call.result} if error is None else {"error": given}),
    }
    try:
        return (json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")
    except (TypeError, ValueError, RecursionError) as wrong:
        raise InputError(
            f"the result of {call.name!r} cannot be kept: {wrong}",
            expected="a result that is JSON (no NaN, no object of a class)",
        ) from wrong


def played(call: Recorded) -> Any:
    """Return a fresh copy of the recorded result.

    Raises:
        Exception: what the recorded call raised.
    """
    if call.error is not None:
        raise call.error.raised()
    return json.loads(json.dumps(call.result))


def _recorded(path: Path, number: int, raw: bytes) -> Recorded:
    try:
        body = json.loads(raw)
        kind, name, occurrence = body["kind"], body["name"], body["occurrence"]
        if body["schema"] != _SCHEMA or kind not in ("tool", "model") or not isinstance(name, str):
            raise ValueError("another schema or kind")
        if type(occurrence) is not int or ("result" in body) == ("error" in body):
            raise ValueError("no occurrence, or not one of result and error")
        error = _recorded_error(body["error"]) if "error" in body else None
        return Recorded(kind, name, body["arguments"], occurrence, body.get("result"), error)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            "a line of the cassette is no recorded call",
            where=f"{path}:{number}",
            found=raw[:120].decode("utf-8", "replace"),
            expected='{"schema": 1, "kind", "name", "arguments", "occurrence", "result"|"error"}',
        ) from error


def _recorded_error(given: dict[str, Any]) -> RecordedError:
    arguments = given.get("arguments", [])
    attributes = given.get("attributes")
    if not isinstance(given["text"], str) or not isinstance(arguments, list):
        raise ValueError("no error")
    if attributes is not None and not isinstance(attributes, dict):
        raise ValueError("no attributes")
    if not isinstance(given.get("type"), str | None):
        raise ValueError("no type")
    return RecordedError(given["text"], given.get("type"), tuple(arguments), attributes)


def _loaded(name: str | None) -> type[Exception] | None:
    """Return an exception class by `module:qualname` if its module is loaded, else None."""
    module, _, path = (name or "").partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, Exception) else None


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError):
        return False
    return True
