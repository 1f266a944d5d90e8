"""Cassettes: tool and model calls recorded once and played again, at the agent's own client seam.

An agent wraps its calls:

    tape = open_cassette()
    found = tape.call("lookup_order", {"order": "R-1"}, lambda: lookup_order("R-1"))

Outside `judgekit repeat --cassettes` the call simply happens. A file has one call a line, to be
read and reviewed; secrets are taken out before it is written.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from judgekit.errors import InputError, JudgekitError, UsageError
from judgekit.model.canonical import canonical_json
from judgekit.model.secrets import scrub, secret_values

CassetteMode = Literal["off", "record", "replay", "auto", "play"]
Kind = Literal["tool", "model"]
MODES: tuple[CassetteMode, ...] = ("off", "record", "replay", "auto", "play")
PATH_VARIABLE = "JUDGEKIT_CASSETTE"
MODE_VARIABLE = "JUDGEKIT_CASSETTE_MODE"
KINDS_VARIABLE = "JUDGEKIT_CASSETTE_KINDS"
_SCHEMA = 1


class CassetteMiss(JudgekitError):
    """A call was made that the cassette does not hold (strict replay)."""


class ReplayedError(Exception):
    """The error that the recorded call ended with; its text is the recorded one."""


class Recorded(NamedTuple):
    """One recorded call: `error` is the text of the exception it raised, else None."""

    kind: Kind
    name: str
    arguments: Any
    occurrence: int
    result: Any
    error: str | None = None

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Return what identifies the call: kind, name, canonical arguments and occurrence."""
        return self.kind, self.name, canonical_json(self.arguments), self.occurrence


class Cassette:
    """Calls of one attempt, recorded or played.

    Args:
        path: the file; None in mode `off`.
        mode: `off` (calls happen), `record` (they happen and are kept), `replay` (none happens; a
            call that is not held raises CassetteMiss), `auto` (what is held is played, the rest
            happens and is kept), `play` (as `auto`, but nothing is kept: the file stays as it is).
        kinds: the kinds that are played; calls of other kinds happen and are not kept.

    Raises:
        InputError: the file is missing in mode `replay`, or a line is no recorded call.
    """

    def __init__(
        self,
        path: Path | None,
        mode: CassetteMode = "off",
        *,
        kinds: Iterable[Kind] = ("tool", "model"),
    ) -> None:
        if mode not in MODES:
            raise UsageError(f"there is no cassette mode {mode!r}", expected=", ".join(MODES))
        if path is None and mode != "off":
            raise UsageError("a cassette needs a file", expected=f"{PATH_VARIABLE}, or mode off")
        self.path = path
        self.mode = mode
        self.misses = 0
        self._kinds = frozenset(kinds)
        self._seen: Counter[tuple[str, str, str]] = Counter()
        self._secrets = secret_values(os.environ)
        held = mode in ("replay", "auto", "play") and path is not None
        self._held = {one.key: one for one in read_cassette(path)} if held and path else {}
        if mode == "record" and path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"")

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        live: Callable[[], Any],
        *,
        kind: Kind = "tool",
    ) -> Any:
        """Return the result of a call, played or made.

        Raises:
            CassetteMiss: strict replay does not hold it.
            ReplayedError: the recorded call had ended with an error.
        """
        key = self._key(kind, name, arguments)
        held = self._find(key)
        if held is not None:
            return _played(held)
        try:
            result = live()
        except Exception as error:
            self._keep(key, arguments, None, f"{type(error).__name__}: {error}")
            raise
        self._keep(key, arguments, result, None)
        return result

    async def acall(
        self,
        name: str,
        arguments: Mapping[str, Any],
        live: Callable[[], Awaitable[Any]],
        *,
        kind: Kind = "tool",
    ) -> Any:
        """Return the result of an asynchronous call, played or made; raises as `call` does."""
        key = self._key(kind, name, arguments)
        held = self._find(key)
        if held is not None:
            return _played(held)
        try:
            result = await live()
        except Exception as error:
            self._keep(key, arguments, None, f"{type(error).__name__}: {error}")
            raise
        self._keep(key, arguments, result, None)
        return result

    def _key(self, kind: Kind, name: str, arguments: Mapping[str, Any]) -> Recorded:
        """Return the call with its occurrence counted; arguments are scrubbed as they are kept."""
        clean = scrub(dict(arguments), self._secrets)
        base = (kind, name, canonical_json(clean))
        occurrence = self._seen[base]
        self._seen[base] += 1
        return Recorded(kind, name, clean, occurrence, None)

    def _find(self, key: Recorded) -> Recorded | None:
        if self.mode in ("off", "record") or key.kind not in self._kinds:
            return None
        held = self._held.get(key.key)
        if held is None:
            self.misses += 1
            if self.mode == "replay":
                raise CassetteMiss(
                    f"the cassette holds no call {key.name!r} with these arguments "
                    f"(occurrence {key.occurrence})",
                    where=str(self.path),
                    found=canonical_json(key.arguments)[:200],
                    expected=_held_names(self._held.values(), key.name),
                    mend="record it again, or replay with mode auto",
                )
        return held

    def _keep(
        self, key: Recorded, arguments: Mapping[str, Any], result: Any, error: str | None
    ) -> None:
        del arguments
        if self.mode not in ("record", "auto") or self.path is None:
            return
        if key.kind not in self._kinds:
            return
        kept = key._replace(
            result=scrub(result, self._secrets),
            error=None if error is None else scrub(error, self._secrets),
        )
        line = cassette_line(kept)
        with self.path.open("ab", buffering=0) as handle:
            handle.write(line)


def open_cassette() -> Cassette:
    """Return the cassette that `judgekit repeat` names in the environment, else one that is off.

    Raises:
        InputError: the named file cannot be used.
    """
    path = os.environ.get(PATH_VARIABLE)
    mode = os.environ.get(MODE_VARIABLE, "off")
    kinds = [kind for kind in os.environ.get(KINDS_VARIABLE, "tool,model").split(",") if kind]
    return Cassette(
        Path(path) if path else None,
        mode,  # type: ignore[arg-type] # checked by the cassette itself
        kinds=kinds,  # type: ignore[arg-type] # unknown kinds match no call
    )


def read_cassette(path: Path) -> tuple[Recorded, ...]:
    """Return the recorded calls of a file, in order.

    Raises:
        InputError: it is not there, or a line is no recorded call; says file and line.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(
            f"the cassette {path.name!r} cannot be read: {error.strerror}",
            where=str(path),
            expected="a file that `judgekit repeat --cassettes record` wrote",
        ) from error
    return tuple(_recorded(path, number, raw) for number, raw in enumerate(lines, 1) if raw.strip())


def cassette_line(call: Recorded) -> bytes:
    """Return the line of a recorded call: keys in a fixed order, so that changes read well."""
    body = {
        "schema": _SCHEMA,
        "kind": call.kind,
        "name": call.name,
        "arguments": call.arguments,
        "occurrence": call.occurrence,
        "result": call.result,
        **({"error": call.error} if call.error is not None else {}),
    }
    try:
        return (json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the result of {call.name!r} cannot be kept: {error}",
            expected="a result that is JSON (no NaN, no object of a class)",
        ) from error


def _recorded(path: Path, number: int, raw: bytes) -> Recorded:
    where = f"{path}:{number}"
    try:
        body = json.loads(raw)
        kind, name = body["kind"], body["name"]
        if body["schema"] != _SCHEMA or kind not in ("tool", "model") or not isinstance(name, str):
            raise ValueError("another schema or kind")
        return Recorded(
            kind,
            name,
            body["arguments"],
            int(body["occurrence"]),
            body["result"],
            body.get("error"),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            "a line of the cassette is no recorded call",
            where=where,
            found=raw[:120].decode("utf-8", "replace"),
            expected='{"schema": 1, "kind", "name", "arguments", "occurrence", "result"}',
        ) from error


def _played(held: Recorded) -> Any:
    if held.error is not None:
        raise ReplayedError(held.error)
    return json.loads(json.dumps(held.result))


def _held_names(held: Iterable[Recorded], name: str) -> str:
    same = [canonical_json(one.arguments)[:80] for one in held if one.name == name]
    return "; ".join(same[:3]) or f"no call of {name!r} is held"
