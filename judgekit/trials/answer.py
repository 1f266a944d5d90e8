"""Read what an agent answered: strictly, and never raising for what it wrote."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from judgekit.model.nesting import deeper_than
from judgekit.model.secrets import scrub
from judgekit.model.trial import ToolCall
from judgekit.trials.process import MAX_ANSWER
from judgekit.trials.request import TrialAnswer

DEEPEST = 100
"""Levels of an answer: a deeper one could not be read back wherever the trial is read."""
SHOWN = 2_000
"""Characters of an answer that does not fit, or of error output, that are kept with the trial."""
_SEARCHED = 64 * 1024
"""Characters in which secrets are looked for before a text is cut, so that none is cut in half."""


TEMPORARY = "the agent reported a temporary failure"


class Attempted(NamedTuple):
    """How an attempt ended: finished, crashed, timeout or infrastructure; the answer, the error."""

    how: str
    answer: TrialAnswer | None
    error: str | None


def last_words(out: bytes | str, secrets: tuple[str, ...]) -> str:
    """Return the end of what an agent wrote, without secrets."""
    text = out if isinstance(out, str) else out.decode("utf-8", "replace")
    return str(scrub(text[-_SEARCHED:], secrets)).strip()[-SHOWN:]


def first_words(out: bytes | str, secrets: tuple[str, ...]) -> str:
    """Return the beginning of what an agent wrote, without secrets."""
    text = out if isinstance(out, str) else out[:_SEARCHED].decode("utf-8", "replace")
    return str(scrub(text[:_SEARCHED], secrets))[:SHOWN]


def read_answer(out: bytes, secrets: tuple[str, ...] = ()) -> TrialAnswer:
    """Return the answer in what an agent wrote: a JSON object, or the last line that is one.

    `secrets` are taken out of what an error quotes, not out of the answer.

    Raises:
        ValueError: there is none, or it does not fit; says what was found.
    """
    text = out.decode("utf-8", "replace").strip()
    if not text:
        raise ValueError("the agent answered nothing")
    why = "no JSON object"
    for candidate in dict.fromkeys((text, text.splitlines()[-1])):
        try:
            body = _DECODER.decode(candidate)
        except _NumberError as error:
            why = str(error)
            continue
        except RecursionError:
            why = "nested too deeply"
            continue
        except ValueError:
            continue
        if isinstance(body, Mapping) and deeper_than(body, DEEPEST):
            why = "nested too deeply"
        elif isinstance(body, Mapping):
            return _fitting(body, secrets)
    raise ValueError(f"the answer is {why}: {last_words(text, secrets)!r}")


def written(path: Path, most: int) -> bytes:
    """Return at most `most` bytes of a file that an agent wrote; nothing where it is no file.

    A pipe or device in its place is not read: it may have no end, or nobody at the other.
    """
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as handle:
            regular = stat.S_ISREG(os.fstat(handle.fileno()).st_mode)
            return handle.read(most) if regular else b""
    except OSError:
        return b""


def logged_calls(path: Path) -> TrialAnswer | None:
    """Return the tool calls that an agent without an answer had made through its cassette.

    None where it made none. A line that was cut off when the process died is left out.
    """
    lines = written(path, MAX_ANSWER).split(b"\n")
    calls = []
    for line in lines:
        try:
            body = _DECODER.decode(line.decode("utf-8"))
            if not deeper_than(body, DEEPEST):
                calls.append(ToolCall.model_validate(body))
        except (ValueError, RecursionError):
            continue
    return TrialAnswer(tool_calls=tuple(calls)) if calls else None


def ending(answer: TrialAnswer) -> Attempted:
    """Return how an attempt with a readable answer ended."""
    if answer.infrastructure is not None:
        return Attempted("infrastructure", answer, answer.infrastructure.strip() or TEMPORARY)
    return Attempted("finished", answer, answer.error)


class _NumberError(ValueError):
    """A number that JSON does not know."""


def _no_constant(text: str) -> float:
    raise _NumberError(f"no JSON ({text} is no number)")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _NumberError(f"no JSON that can be kept ({text[:40]} is too large a number)")
    return number


_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)


def _fitting(body: Mapping[str, Any], secrets: tuple[str, ...]) -> TrialAnswer:
    try:
        return TrialAnswer.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        shown = json.dumps(scrub(body, secrets))[:SHOWN]
        raise ValueError(
            f"the answer does not fit: {place}: {first['msg']}; it answered {shown}"
        ) from error
