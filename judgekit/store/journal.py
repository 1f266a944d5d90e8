"""The verdict journal: one line per verdict, written at once, read back after any kind of death.

A record is one unbuffered `write`, so a killed process loses nothing that was appended. A thread
calls fsync every 100 ms, so a power cut loses at most that much. One process at a time may write.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from judgekit.errors import InputError
from judgekit.model.verdict import Verdict
from judgekit.store.files import open_input
from judgekit.store.line_journal import LineJournal

JOURNAL_SCHEMA = 1
_KEYS = ("fingerprint", "item_id", "item_hash", "status")
_MEND = "delete this line (its item is graded again), or restore the file"
_PREFIX = b'{"schema":%d,' % JOURNAL_SCHEMA


class Journal(LineJournal):
    """Append verdicts to one file that no other process may write meanwhile."""

    def append(self, verdict: Verdict) -> None:
        """Write one verdict with one system call.

        Raises:
            StoreFailed: the disk is full or the file cannot be written.
        """
        self.write(encode_verdict(verdict))


def encode_verdict(verdict: Verdict) -> bytes:
    """Return the journal line of a verdict, with its newline."""
    return _PREFIX + verdict.model_dump_json(exclude_defaults=True).encode()[1:] + b"\n"


def verdict_key(item_id: str, item_hash: str, regrade: int) -> bytes:
    """Return 16 bytes that name an item's content and regrade: small enough for a million."""
    text = "\x1f".join((item_id, item_hash, str(regrade)))
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()


def iter_journal(path: Path, fingerprint: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the records of a journal as written, of one fingerprint or of all.

    A last line without a newline was torn by a dying process and is passed over, and so is a
    recorded verdict of a foreign judge: it was given under no fingerprint.

    Raises:
        InputError: any other line is not a record of ours.
    """
    if not path.exists():
        return
    with open_input(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            record = _decode(line, f"{path}:{number}")
            if record is None:
                continue
            if fingerprint is None or record.get("fingerprint") == fingerprint:
                yield record


def read_verdict_journal(path: Path, fingerprint: str | None = None) -> tuple[Verdict, ...]:
    """Return one verdict per fingerprint, item, content and regrade, in the order first seen.

    A later record replaces a failed one; a failed one never replaces a usable one.

    Args:
        path: the journal; a missing file is an empty one.
        fingerprint: only verdicts given under it; None = all.
    """
    kept: dict[tuple[str, bytes], Verdict] = {}
    for record in iter_journal(path, fingerprint):
        verdict = _as_verdict(record, path)
        key = (
            verdict.fingerprint,
            verdict_key(verdict.item_id, verdict.item_hash, verdict.regrade),
        )
        if verdict.status != "failed" or key not in kept or kept[key].status == "failed":
            kept[key] = verdict
    return tuple(kept.values())


def finished_keys(path: Path, fingerprint: str) -> dict[bytes, str]:
    """Return the status by key of every verdict that need not be asked for again."""
    return {
        verdict_key(r["item_id"], r["item_hash"], r.get("regrade", 0)): r["status"]
        for r in iter_journal(path, fingerprint)
        if r["status"] != "failed"
    }


def _decode(line: bytes, where: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            "a journal line is not JSON", where=where, found=str(error), mend=_MEND
        ) from error
    if not isinstance(record, dict):
        raise InputError("a journal line is not an object", where=where, mend=_MEND)
    schema = record.pop("schema", JOURNAL_SCHEMA)
    if schema != JOURNAL_SCHEMA:
        raise InputError(
            "the journal was written by a newer judgekit",
            where=where,
            found=f"schema {schema!r}",
            expected=f"schema {JOURNAL_SCHEMA}",
        )
    if "judge" in record and "fingerprint" not in record:
        return None
    for key in _KEYS:
        if not isinstance(record.get(key), str):
            found = json.dumps(record[key])[:80] if key in record else f"no {key!r}"
            raise InputError(
                "a journal line is not a verdict",
                where=where,
                found=found,
                expected=f"{key!r}: a text",
                mend=_MEND,
            )
    return record


def _as_verdict(record: dict[str, Any], path: Path) -> Verdict:
    try:
        return Verdict.model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        where = f"{path.name}: item {record.get('item_id')!r}"
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"a journal record is not a verdict: {field} {first['msg']}".strip(), where=where
        ) from error
