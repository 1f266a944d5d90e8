"""Recorded model replies: one line a request, found again by what was asked and how often."""

from __future__ import annotations

import json
import os
import threading
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from judgekit.errors import FailureKind, InputError, StoreFailed
from judgekit.model.base import Record
from judgekit.model.canonical import bytes_hash, canonical_json
from judgekit.model.secrets import scrub, secret_values
from judgekit.model.verdict import Usage
from judgekit.providers.base import AttemptFailed, Reply


class RecordedFailure(Record):
    """A request that gave no usable reply, as AttemptFailed says it."""

    message: str
    kind: FailureKind
    retryable: bool = False
    http_status: int | None = None
    usage: Usage | None = None
    finish_reason: str | None = None
    model: str | None = None
    mend: str | None = None

    @classmethod
    def of(cls, failure: AttemptFailed) -> RecordedFailure:
        """Return the record of a failure."""
        return cls(
            message=failure.message,
            kind=failure.kind,
            retryable=failure.retryable,
            http_status=failure.http_status,
            usage=failure.usage,
            finish_reason=failure.finish_reason,
            model=failure.model,
            mend=failure.mend,
        )

    def raised(self) -> AttemptFailed:
        """Return the failure to raise; a played one costs nothing."""
        failure = AttemptFailed(**{name: getattr(self, name) for name in type(self).model_fields})
        failure.billed = False
        return failure


class Exchange(Record):
    """One line: the request as it was sent, without secrets, and what came back."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    provider: str
    occurrence: int = Field(ge=0)
    reply: Reply | None = None
    failure: RecordedFailure | None = None
    request: Any


class ReplyTape:
    """A file of exchanges. Requests that are alike are told apart by their occurrence.

    Args:
        path: the file.
        secrets: values that must never be written, besides those of the environment's variables.

    Raises:
        InputError: a line is no exchange; says which.
    """

    def __init__(self, path: Path, secrets: tuple[str, ...] = ()) -> None:
        self.path = path
        self._secrets = secrets
        self._held: dict[str, list[Exchange]] = defaultdict(list)
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()
        for number, line in enumerate(_lines(path), 1):
            if line.strip():
                exchange = _exchange(path, number, line)
                self._held[canonical_json(exchange.request)].append(exchange)

    @property
    def content_hash(self) -> str:
        """Return the hash of the file as it is now."""
        return bytes_hash(b"\n".join(_lines(self.path)))

    def play(self, body: bytes) -> Reply:
        """Return the reply to the next request of this kind.

        Raises:
            AttemptFailed: that is what was recorded, or nothing was (kind `request`, final).
        """
        key = canonical_json(self._clean(body, ()))
        with self._lock:
            occurrence = self._asked[key]
            self._asked[key] += 1
        held = self._held.get(key, [])
        if occurrence >= len(held):
            raise self._missed(occurrence, len(held))
        exchange = held[occurrence]
        if exchange.failure is not None:
            raise exchange.failure.raised()
        if exchange.reply is None:
            raise self._missed(occurrence, len(held))
        return exchange.reply

    def keep(
        self,
        provider: str,
        body: bytes,
        came: Reply | AttemptFailed,
        secrets: tuple[str, ...] = (),
    ) -> None:
        """Add what came back for a request.

        Raises:
            StoreFailed: the file cannot be written.
        """
        request = self._clean(body, secrets)
        key = canonical_json(request)
        ended = "failure" if isinstance(came, AttemptFailed) else "reply"
        record = RecordedFailure.of(came) if isinstance(came, AttemptFailed) else came
        facts = scrub(record.model_dump(mode="json", exclude_defaults=True), self._all(secrets))
        with self._lock:
            exchange = {
                "schema": 1,
                "provider": provider,
                "occurrence": len(self._held[key]),
                ended: facts,
                "request": request,
            }
            self._held[key].append(Exchange.model_validate(exchange))
            self._write(json.dumps(exchange, ensure_ascii=False) + "\n")

    def _clean(self, body: bytes, secrets: tuple[str, ...]) -> Any:
        return scrub(json.loads(body), self._all(secrets))

    def _all(self, secrets: tuple[str, ...]) -> tuple[str, ...]:
        return (*self._secrets, *secrets, *secret_values(os.environ))

    def _missed(self, occurrence: int, held: int) -> AttemptFailed:
        how = f"this request {held} times and not once more" if occurrence else "no such request"
        failure = AttemptFailed(
            f"the cassette {self.path.name!r} holds {how} (occurrence {occurrence})",
            kind="request",
            mend="record it again: `cassette:` at the endpoint of the real provider",
        )
        failure.billed = False
        return failure

    def _write(self, line: str) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as handle:
                handle.write(line.encode("utf-8", "replace"))
        except OSError as error:
            raise StoreFailed(
                f"the cassette cannot be written: {error.strerror}", where=str(self.path)
            ) from error


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(
            f"the cassette {path.name!r} cannot be read: {error.strerror}", where=str(path)
        ) from error


def _exchange(path: Path, number: int, line: bytes) -> Exchange:
    try:
        found = Exchange.model_validate(json.loads(line))
        if (found.reply is None) == (found.failure is None):
            raise ValueError("not one of reply and failure")
    except (ValidationError, ValueError, RecursionError) as error:
        raise InputError(
            "a line of the cassette is no recorded reply",
            where=f"{path}:{number}",
            found=line[:120].decode("utf-8", "replace"),
            expected='{"schema": 1, "provider", "occurrence", "reply" or "failure", "request"}',
        ) from error
    return found
