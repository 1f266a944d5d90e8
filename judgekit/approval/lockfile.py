"""`judges.lock`: TOML, schema first, one block per approval, one writer."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from judgekit.approval.record import LOCK_SCHEMA, Approval, Lock
from judgekit.errors import ApprovalError, InputError, StoreFailed
from judgekit.model.base import Record
from judgekit.model.canonical import content_hash

LOCK_NAME = "judges.lock"
HEADER = "Written by `judgekit approve` and `judgekit revoke`. Edits by hand are found and refused."
_CONFLICT = re.compile(r"^(<{7}|>{7}|\|{7}|={7})(\s|$)", re.MULTILINE)


class LockChange(Record):
    """What a rewrite did: the lock after it and the unified diff, empty when nothing changed."""

    lock: Lock
    diff: str


def read_lock(path: Path) -> Lock:
    """Return the approvals in `path`; none where the file is absent.

    Raises:
        InputError: not UTF-8, not TOML, merge conflict marks, a newer schema, an unknown key or
            two blocks for one judge and unit.
        ApprovalError: a block was edited by hand.
    """
    text = _read_text(path)
    return Lock() if text is None else parse_lock(text, str(path))


def parse_lock(text: str, where: str = LOCK_NAME) -> Lock:
    """Return the approvals in the text of a lock file (see `read_lock`)."""
    conflict = _CONFLICT.search(text)
    if conflict:
        line = text.count("\n", 0, conflict.start()) + 1
        raise InputError(
            "the lock file holds the marks of an unfinished merge",
            where=f"{where}:{line}",
            mend="keep the block of one side whole, then run `judgekit verify`",
        )
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError is a ValueError
        raise InputError(
            f"the lock file is not TOML: {error}", where=where, mend="restore the file from git"
        ) from error
    _check_top(data, where)
    approvals = [_read_block(block, where) for block in data.get("approval", [])]
    _check_unique(approvals, where)
    return Lock(approvals=tuple(sorted(approvals, key=lambda a: a.key)))


def lock_text(lock: Lock) -> str:
    """Return the file's text: stable, so that an unchanged lock gives the same bytes."""
    import tomlkit

    document = tomlkit.document()
    document.add(tomlkit.comment(HEADER))
    document.add("schema", tomlkit.item(LOCK_SCHEMA))
    if lock.approvals:
        blocks = tomlkit.aot()
        for approval in sorted(lock.approvals, key=lambda a: a.key):
            content = _plain(approval)
            blocks.append(tomlkit.item({"digest": content_hash(content), **content}))
        document.add(tomlkit.nl())
        document.add("approval", blocks)
    return tomlkit.dumps(document)


def update_lock(path: Path, change: Callable[[Lock], Lock]) -> LockChange:
    """Rewrite the lock through `change`, holding it exclusively; the only writer of the file.

    The file is left untouched when its content would be the same.

    Raises:
        StoreFailed: another process is writing it, or the disk refuses.
    """
    from judgekit.store.files import atomic_write

    with _exclusive(path):
        before = _read_text(path)
        lock = change(Lock() if before is None else parse_lock(before, str(path)))
        after = lock_text(lock)
        old = (before or "").replace("\r\n", "\n")
        if old != after:
            parse_lock(after, str(path))
            atomic_write(path, after.encode("utf-8"))
    return LockChange(lock=lock, diff=unified_diff(old, after, path.name))


def unified_diff(before: str, after: str, name: str) -> str:
    """Return the unified diff of two texts, "" when they are equal."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    return "".join(lines)


def _plain(approval: Approval) -> dict[str, Any]:
    fields = approval.model_dump(mode="json", exclude_none=True)
    return {key: _storable(value) for key, value in fields.items()}


def _storable(value: Any) -> Any:
    """Sort keys and drop nulls, which TOML cannot hold: figures are foreign dicts."""
    if isinstance(value, dict):
        return {key: _storable(value[key]) for key in sorted(value) if value[key] is not None}
    if isinstance(value, list | tuple):
        return [_storable(inner) for inner in value if inner is not None]
    return value


def _read_text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InputError("the lock file is not UTF-8", where=str(path)) from error
    except OSError as error:
        raise StoreFailed(f"the lock file cannot be read: {error}", where=str(path)) from error


def _check_top(data: dict[str, Any], where: str) -> None:
    schema = data.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1:
        raise InputError(
            "the lock file has no schema version", where=where, expected=f"schema = {LOCK_SCHEMA}"
        )
    if schema > LOCK_SCHEMA:
        raise InputError(
            "the lock file was written by a newer judgekit",
            where=where,
            found=f"schema = {schema}",
            expected=f"schema = {LOCK_SCHEMA} or older",
            mend="upgrade judgekit",
        )
    unknown = sorted(set(data) - {"schema", "approval"})
    blocks = data.get("approval", [])
    if unknown or not isinstance(blocks, list) or not all(isinstance(b, dict) for b in blocks):
        raise InputError(
            "the lock file holds something else than [[approval]] blocks",
            where=where,
            found=", ".join(unknown) or "approval",
        )


def _read_block(block: dict[str, Any], where: str) -> Approval:
    content = {key: value for key, value in block.items() if key != "digest"}
    place = f"{where}: [[approval]] {block.get('judge')!r} {block.get('unit')!r}"
    if block.get("digest") != _digest(content, place):
        raise ApprovalError(
            "a block of the lock file was edited by hand",
            where=place,
            mend="restore the file from git, or run `judgekit approve` again",
        )
    try:
        return Approval.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise InputError(
            f"a block of the lock file cannot be read: {first['msg']}", where=f"{place} {key}"
        ) from error


def _digest(content: dict[str, Any], place: str) -> str:
    try:
        return content_hash(content)
    except InputError as error:
        raise ApprovalError(
            "a block of the lock file was edited by hand", where=place, found=error.message
        ) from error


def _check_unique(approvals: list[Approval], where: str) -> None:
    for (judge, unit), count in Counter(a.key for a in approvals).items():
        if count > 1:
            raise InputError(
                f"the lock file approves {judge!r} for {unit!r} {count} times",
                where=where,
                mend="keep one of the blocks",
            )


@contextlib.contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    """Hold `.judgekit/judges.lock.held` exclusively; the kernel frees it when a process dies."""
    from judgekit.store.locks import open_locked

    held = path.parent / ".judgekit" / f"{path.name}.held"
    try:
        descriptor = open_locked(held, wait=False)
    except BlockingIOError as error:
        raise StoreFailed(
            "another process is writing the lock file", where=str(held), mend="try again"
        ) from error
    except OSError as error:
        raise StoreFailed(f"the lock file cannot be held: {error}", where=str(held)) from error
    try:
        yield
    finally:
        os.close(descriptor)
