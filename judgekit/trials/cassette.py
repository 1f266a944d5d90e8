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
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from judgekit.errors import JudgekitError, UsageError
from judgekit.model.canonical import canonical_json
from judgekit.model.secrets import scrub, secret_values
from judgekit.trials.cassette_file import (
    Kind,
    Recorded,
    RecordedError,
    cassette_line,
    played,
    read_cassette,
)

CassetteMode = Literal["off", "record", "replay", "auto", "play"]
MODES: tuple[CassetteMode, ...] = ("off", "record", "replay", "auto", "play")
PATH_VARIABLE = "JUDGEKIT_CASSETTE"
MODE_VARIABLE = "JUDGEKIT_CASSETTE_MODE"
KINDS_VARIABLE = "JUDGEKIT_CASSETTE_KINDS"
MISSES_VARIABLE = "JUDGEKIT_CASSETTE_MISSES"
CALLS_VARIABLE = "JUDGEKIT_CALLS"
_SHOWN = 3


class CassetteMiss(JudgekitError):
    """A call was made that the cassette does not hold (strict replay)."""


class _Asked(NamedTuple):
    """One call: as the agent makes it, and its place in the cassette with what that holds."""

    kind: Kind
    name: str
    arguments: Mapping[str, Any]
    key: Recorded | None
    held: Recorded | None

    def happens(self, *, sandboxed: bool) -> bool:
        return self.held is None or (sandboxed and self.held.error is None)


class Cassette:
    """Calls of one attempt, recorded or played. Threads may share one.

    Args:
        path: the file; None in mode `off`.
        mode: `off` (calls happen), `record` (they happen and are added to the file), `replay`
            (none happens; a call that is not held raises CassetteMiss), `auto` (what is held is
            played, the rest happens and is added), `play` (as `auto`, but nothing is added).
        kinds: the kinds that are played; calls of other kinds happen and are not kept.

    Raises:
        InputError: the file is missing in mode `replay` or `play`, or a line is no recorded call.

    Example:
        >>> Cassette(None).call("add", {"a": 1}, lambda: 2)
        2
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
        self._lock = threading.Lock()
        self._calls = os.environ.get(CALLS_VARIABLE)
        self._held = self._read()

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        live: Callable[[], Any],
        *,
        kind: Kind = "tool",
        sandboxed: bool = False,
    ) -> Any:
        """Return the result of a call, played or made.

        `sandboxed`: the call changes the attempt's own fresh state, so it is made even when its
        result is played; else the final state would lack what was recorded.

        Raises:
            CassetteMiss: strict replay does not hold it.
            ReplayedError: the recorded call had ended with an error whose class is not loaded;
                else that class.
        """
        asked = self._ask(kind, name, arguments)
        if asked.happens(sandboxed=sandboxed):
            try:
                result = live()
            except Exception as error:
                self._ended(asked, None, error)
                raise
            if asked.held is None:
                self._ended(asked, result, None)
                return result
        return self._play(asked)

    async def acall(
        self,
        name: str,
        arguments: Mapping[str, Any],
        live: Callable[[], Awaitable[Any]],
        *,
        kind: Kind = "tool",
        sandboxed: bool = False,
    ) -> Any:
        """Return the result of an asynchronous call, played or made; raises as `call` does."""
        asked = self._ask(kind, name, arguments)
        if asked.happens(sandboxed=sandboxed):
            try:
                result = await live()
            except Exception as error:
                self._ended(asked, None, error)
                raise
            if asked.held is None:
                self._ended(asked, result, None)
                return result
        return self._play(asked)

    def _ask(self, kind: Kind, name: str, arguments: Mapping[str, Any]) -> _Asked:
        """Return the call with its place in the cassette; neither in mode `off`."""
        if self.mode == "off" or kind not in self._kinds:
            return _Asked(kind, name, arguments, None, None)
        key = self._key(kind, name, arguments)
        return _Asked(kind, name, arguments, key, self._find(key))

    def _play(self, asked: _Asked) -> Any:
        held = asked.held
        if held is None:
            raise UsageError("there is nothing to play")
        self._log(asked, held.result, None if held.error is None else held.error.text)
        return played(held)

    def _ended(self, asked: _Asked, result: Any, error: Exception | None) -> None:
        """Note a call that happened: in the log of the attempt, and in the cassette."""
        self._log(asked, result, None if error is None else f"{type(error).__name__}: {error}")
        if asked.key is not None and asked.held is None:
            self._keep(asked.key, result, error)

    def _read(self) -> dict[tuple[str, str, str, int], Recorded]:
        fresh = self.path is None or (self.mode == "auto" and not self.path.exists())
        if fresh or self.mode in ("off", "record") or self.path is None:
            return {}
        return {one.key: one for one in read_cassette(self.path)}

    def _key(self, kind: Kind, name: str, arguments: Mapping[str, Any]) -> Recorded:
        """Return the call with its occurrence counted; arguments are scrubbed as they are kept."""
        clean = scrub(dict(arguments), self._secrets)
        base = (kind, name, canonical_json(clean))
        with self._lock:
            occurrence = self._seen[base]
            self._seen[base] += 1
        return Recorded(kind, name, clean, occurrence, None)

    def _find(self, key: Recorded) -> Recorded | None:
        if self.mode == "record":
            return None
        held = self._held.get(key.key)
        if held is None:
            self.misses += 1
            if self.mode == "replay":
                raise self._missed(key)
        return held

    def _missed(self, key: Recorded) -> CassetteMiss:
        same = [canonical_json(one.arguments) for one in self._held.values() if _alike(one, key)]
        held = "; ".join(one[:80] for one in same[:_SHOWN])
        miss = CassetteMiss(
            f"the cassette holds no call of {key.name!r} with these arguments "
            f"(occurrence {key.occurrence})",
            where=str(self.path),
            found=canonical_json(key.arguments)[:200],
            expected=held or f"no {key.kind} call of {key.name!r} is held",
            mend="record it again, or replay with mode auto",
        )
        note = os.environ.get(MISSES_VARIABLE)
        if note:  # an agent may catch the exception; the attempt is no less a miss
            with Path(note).open("a", encoding="utf-8") as handle:
                handle.write(f"CassetteMiss: {miss}\n")
        return miss

    def _log(self, asked: _Asked, result: Any, error: str | None) -> None:
        """Note the call for `judgekit repeat`: it is all that is left of an agent that dies."""
        if self._calls is None or asked.kind != "tool":
            return
        entry = {"name": asked.name, "arguments": dict(asked.arguments), "result": result}
        entry |= {"error": error} if error is not None else {}
        line = _logged(entry, self._secrets)
        # The agent may have removed its folder, or filled the disk: its call happened all the same.
        with suppress(OSError), self._lock, open(self._calls, "ab", buffering=0) as handle:
            handle.write(line)

    def _keep(self, key: Recorded, result: Any, error: Exception | None) -> None:
        if self.mode == "play" or self.path is None:
            return
        kept = key._replace(
            result=scrub(result, self._secrets),
            error=None if error is None else RecordedError.of(error, self._secrets),
        )
        line = cassette_line(kept)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock, self.path.open("ab", buffering=0) as handle:
            handle.write(line)


def open_cassette() -> Cassette:
    """Return the cassette that `judgekit repeat` names in the environment, else one that is off.

    A process has one cassette, however often it is asked for.

    Raises:
        InputError: the named file cannot be used.
    """
    return _opened(
        os.environ.get(PATH_VARIABLE),
        os.environ.get(MODE_VARIABLE, "off"),
        os.environ.get(KINDS_VARIABLE, "tool,model"),
    )


@cache
def _opened(path: str | None, mode: str, kinds: str) -> Cassette:
    return Cassette(
        Path(path) if path else None,
        mode,  # type: ignore[arg-type] # checked by the cassette itself
        kinds=[kind for kind in kinds.split(",") if kind],  # type: ignore[misc] # as above
    )


def _logged(entry: dict[str, Any], secrets: tuple[str, ...]) -> bytes:
    """Return the line of a call; what JSON cannot hold is left out, and the line says so."""
    try:
        text = json.dumps(scrub(entry, secrets), default=repr)
    except (TypeError, ValueError, RecursionError) as error:
        what = f"<not kept: {type(error).__name__}>"
        text = json.dumps({"name": str(entry["name"]), "arguments": {}, "result": what})
    return text.encode("utf-8", "replace") + b"\n"


def _alike(one: Recorded, key: Recorded) -> bool:
    return (one.kind, one.name) == (key.kind, key.name)
