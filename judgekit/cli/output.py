"""Where a command's words go: data to stdout, everything else to stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import Any, TextIO

from judgekit.errors import JudgekitError, StoreFailed

OUTPUT_SCHEMA = 1
_UNSEEN = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

_COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[)", re.MULTILINE)

_results: ContextVar[TextIO | None] = ContextVar("results", default=None)


@contextmanager
def only_json() -> Iterator[None]:
    """Keep stdout for `emit_json`: what a user's grader prints meanwhile goes to stderr."""
    token = _results.set(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _results.reset(token)


def clean(text: str) -> str:
    """Return `text` without characters that could steer a terminal; newline and tab stay.

    Example:
        >>> clean("a\\x1b[31mb")
        'a[31mb'
    """
    return "".join(c for c in text if c in "\n\t" or not _steers(c))


def _steers(char: str) -> bool:
    code = ord(char)
    return code < 32 or 127 <= code < 160 or 0xD800 <= code < 0xE000 or char in _UNSEEN


def _tame(text: str) -> str:
    # In GitHub Actions a line that starts with `::`, or holds `##[`, is a command to the runner.
    text = clean(text)
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    return _COMMAND.sub(lambda found: found.group() + " ", text)


def say(message: str, *, end: str = "\n") -> None:
    """Print a message for a person on stderr; where it cannot be written, the command goes on."""
    try:
        print(_tame(message), file=sys.stderr, end=end, flush=True)
    except OSError:
        # Python would end with a code of its own, such as 1, which means "no".
        drop(sys.__stderr__)


def drop(stream: TextIO | None) -> None:
    """Send what is still buffered, and all that follows, to nobody: it would be written at exit."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_text(text: str) -> None:
    """Print a command's readable result on stdout."""
    _put(_tame(text), sys.stdout)


def command_ci(line: str) -> None:
    """Print a command to the CI's runner: on stdout, or on stderr under `--json`."""
    _put(clean(line), sys.stdout)


def emit_json(obj: Any) -> None:
    """Print one schema-versioned JSON object on stdout.

    Args:
        obj: a dict, or a record with `model_dump`. `schema` is added where it is absent.
    """
    value = obj.model_dump(mode="json", by_alias=True) if hasattr(obj, "model_dump") else obj
    if isinstance(value, dict) and "schema" not in value:
        value = {"schema": OUTPUT_SCHEMA, **value}
    _put(json.dumps(value, allow_nan=False), _results.get() or sys.stdout)


def _put(text: str, stream: TextIO) -> None:
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StoreFailed(
            "the result cannot be written to stdout", found=error.strerror or str(error)
        ) from error


def error_object(error: JudgekitError) -> dict[str, Any]:
    """Return what `--json` prints for an error."""
    facts = {key: getattr(error, key) for key in ("where", "found", "expected", "mend")}
    return {
        "schema": OUTPUT_SCHEMA,
        "error": {
            "type": type(error).__name__,
            "message": error.message,
            **{key: value for key, value in facts.items() if value},
            "exit_code": error.exit_code,
        },
    }
