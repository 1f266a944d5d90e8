"""One event file: read with its lines, appended to under a lock, mended where it was torn."""

from __future__ import annotations

import codecs
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from judgekit.errors import InputError, LabelConflict, StoreFailed
from judgekit.store.files import open_input
from judgekit.store.formats.problems import Refusal
from judgekit.store.formats.rows import raw_lines
from judgekit.store.label_files.log.lines import key_of, line_text, parse_line, place_of
from judgekit.store.label_store.records.events import LogEvent
from judgekit.store.line_journal import is_whole, write_whole
from judgekit.store.locks import open_locked

_END_BYTES = 4096
_MEND = "restore the file from version control, or delete the line"


def scan_events(path: Path) -> Iterator[tuple[int, LogEvent] | Refusal]:
    """Yield each event of a JSON lines file with its line, or why the line is refused.

    Raises:
        InputError: the file cannot be read, is no regular file or is not UTF-8.
    """
    if path.exists() and not path.is_file():
        raise InputError(
            f"{path.name!r} is no file with lines",
            where=str(path),
            found="a folder" if path.is_dir() else "a device or pipe",
            expected="a regular file",
        )
    dataset, _ = place_of(path)
    with open_input(path) as handle:
        size = handle.seek(0, os.SEEK_END)
        whole = _ends_whole(handle)
        for line, raw in raw_lines(handle, path):
            found = raw if isinstance(raw, Refusal) else _parsed(line, raw, path, dataset)
            if found is None:
                continue
            if not isinstance(found, Refusal):
                yield line, found
            elif whole or handle.tell() < size:
                yield found
            else:
                yield _torn(found, path)


def _parsed(line: int, raw: bytes, path: Path, dataset: str) -> LogEvent | Refusal | None:
    text = _decoded(raw, path, line)
    return parse_line(line, text, dataset) if text.strip() else None


def _ends_whole(handle: BinaryIO) -> bool:
    size = handle.seek(0, os.SEEK_END)
    handle.seek(max(size - 1, 0))
    whole = handle.read(1) in (b"", b"\n")
    handle.seek(0)
    return whole


def _torn(refusal: Refusal, path: Path) -> Refusal:
    return refusal.model_copy(
        update={
            "found": f"a last line that was torn while it was written ({refusal.found})",
            "expected": "a whole line; `judgekit labels export` mends it from a database that has "
            f"the project, and without one delete the unfinished last line {refusal.line} of "
            f"{path.name}",
        }
    )


def _decoded(raw: bytes, path: Path, line: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path.name!r} is not UTF-8",
            where=f"{path}:{line}",
            found=f"byte 0x{raw[error.start]:02x} at column {error.start + 1}",
            expected="UTF-8",
            mend=_MEND,
        ) from error


class EventFile:
    """One file and the digests of the lines it is known to hold, by the event's key.

    The file's lock also keeps threads apart: each call opens the file anew.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_to = 0
        self._inode = -1
        self._mark: tuple[int, int, bytes] | None = None
        self._digests: dict[str, bytes] = {}

    def known(self) -> frozenset[str]:
        """Return the keys of the events that the file holds now."""
        try:
            with _held(self._path) as fd:
                self._catch_up_reading(fd)
                return frozenset(self._digests)
        except OSError as error:
            raise self._failed(error) from error

    def append(self, events: Sequence[LogEvent]) -> int:
        """Append the events that the file lacks; return how many."""
        try:
            with _held(self._path) as fd:
                self._catch_up_reading(fd)
                missing = [event for event in events if not self._holds(event)]
                if missing:
                    self._write(fd, missing)
        except OSError as error:
            raise self._failed(error) from error
        return len(missing)

    def _failed(self, error: OSError) -> StoreFailed:
        self._inode = -1  # read the file anew next time
        return StoreFailed(
            f"{self._path.name!r} cannot be written",
            where=str(self._path),
            found=error.strerror or str(error),
            mend="free space or mend the folder's permissions; what was saved is in the database, "
            "and is added here when the app or `judgekit labels export` starts next",
        )

    def _catch_up_reading(self, fd: int) -> None:
        """Read what others appended since, and mend a torn last line."""
        status = os.fstat(fd)
        if self._rewritten(fd, status):
            self._inode, self._read_to, self._digests = status.st_ino, 0, {}
        if _is_utf16(fd):
            return  # nothing of it can be read, and its end is no torn line
        data = _read(fd, self._read_to, status.st_size)
        whole, newline, torn = data.rpartition(b"\n")
        for raw in whole.split(b"\n"):
            self._note(raw.rstrip(b"\r"))
        self._read_to += len(whole + newline)
        if torn:
            self._mend(fd, torn)
        self._mark = self._marked(fd)

    def _rewritten(self, fd: int, status: os.stat_result) -> bool:
        """Tell whether the file is not the one that was read, with lines appended to it.

        Version control replaces a file by another that is longer and may get the same inode.
        """
        if status.st_ino != self._inode or self._mark is None or status.st_size < self._read_to:
            return True
        size, changed_ns, end = self._mark
        is_longer = status.st_size > size
        return (not is_longer and status.st_mtime_ns != changed_ns) or end != self._end(fd)

    def _marked(self, fd: int) -> tuple[int, int, bytes]:
        status = os.fstat(fd)
        return status.st_size, status.st_mtime_ns, self._end(fd)

    def _end(self, fd: int) -> bytes:
        """Return the last bytes of what was read: a line's operation makes them its own."""
        return _read(fd, max(self._read_to - _END_BYTES, 0), self._read_to)

    def _mend(self, fd: int, torn: bytes) -> None:
        if not is_whole(torn):
            os.ftruncate(fd, self._read_to)
        else:
            write_whole(fd, b"\n")
            self._note(torn)
            self._read_to += len(torn) + 1
        os.fsync(fd)

    def _note(self, raw: bytes) -> None:
        try:
            key = key_of(json.loads(raw))
        except (ValueError, KeyError, TypeError, RecursionError):
            return  # a broken line is refused where events are read; it must not stop a save
        self._digests[key] = _digest(raw)

    def _holds(self, event: LogEvent) -> bool:
        known = self._digests.get(event.key)
        if known is None:
            return False
        if known != _digest(line_text(event).encode("utf-8")) and not self._same(event):
            # Never what it says: whoever is told may not see it yet.
            raise LabelConflict(
                f"{self._path.name!r} tells another thing about the event {event.key!r}",
                where=str(self._path),
                found="another content than the database's",
                expected="the event as it was saved",
                mend=_MEND,
            )
        return True

    def _same(self, event: LogEvent) -> bool:
        """Tell whether the file has this event in another spelling, such as other spaces."""
        own = (e for e in scan_events(self._path) if not isinstance(e, Refusal))
        return any(line_text(found) == line_text(event) for _, found in own)

    def _write(self, fd: int, events: Sequence[LogEvent]) -> None:
        if _is_utf16(fd):
            raise StoreFailed(
                f"{self._path.name!r} is UTF-16, and lines in UTF-8 would spoil it",
                where=str(self._path),
                found="a byte order mark of UTF-16",
                expected="UTF-8",
                mend="save the file as UTF-8, or restore it from version control",
            )
        lines = [line_text(event).encode("utf-8") for event in events]
        write_whole(fd, b"".join(line + b"\n" for line in lines))
        os.fsync(fd)
        for event, line in zip(events, lines, strict=True):
            self._digests[event.key] = _digest(line)
            self._read_to += len(line) + 1
        self._mark = self._marked(fd)


@contextmanager
def _held(path: Path) -> Iterator[int]:
    is_new = not path.exists()
    fd = open_locked(path, wait=True)
    try:
        yield fd
    finally:
        os.close(fd)
    if is_new:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _read(fd: int, start: int, end: int) -> bytes:
    parts = []
    while start < end and (part := os.pread(fd, end - start, start)):
        parts.append(part)
        start += len(part)
    return b"".join(parts)


def _is_utf16(fd: int) -> bool:
    return _read(fd, 0, 2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=16).digest()
