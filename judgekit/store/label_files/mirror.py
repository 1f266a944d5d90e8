"""`events/<alias>.jsonl`: every saved event, appended and on the disk before anyone goes on.

The database commits first, then the line is written. Where the process dies in between, the next
append or `catch_up` adds what is missing, each event exactly once by its key (operation, field).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from judgekit.errors import InputError, LabelConflict, StoreFailed
from judgekit.store.files import open_input
from judgekit.store.formats.problems import Refusal, refusal_error
from judgekit.store.label_files.log.aliases import alias_file_name
from judgekit.store.label_files.log.event_line import event_text, parse_event
from judgekit.store.label_store.records.events import LabelEvent

EVENTS_FOLDER = "events"
_MEND = "restore the file from version control, or delete the line"


class EventMirror:
    """Append events to the files of a workspace's datasets, from any process or thread.

    Args:
        annotations: the folder of the datasets; a dataset's `events` folder is made with its
            first event.
    """

    def __init__(self, annotations: Path) -> None:
        self._annotations = annotations
        self._files: dict[Path, _EventFile] = {}
        self._lock = threading.Lock()

    def append(self, events: Iterable[LabelEvent]) -> None:
        """Write the events that their files lack, in the given order.

        They are on the disk (flush and fsync) when this returns. A torn last line, of a process
        that died while writing, is closed where it is whole and cut off where it is not.

        Raises:
            StoreFailed: a file cannot be written; the events are still in the database.
            LabelConflict: a file tells another thing about one of these events.
        """
        self.add(events)

    def add(self, events: Iterable[LabelEvent]) -> int:
        """Append as `append` does, and return how many events the files lacked."""
        by_file: dict[Path, list[LabelEvent]] = {}
        for event in events:
            by_file.setdefault(self._path(event), []).append(event)
        with self._lock:
            return sum(self._file(path).append(own) for path, own in by_file.items())

    def held(self, dataset: str) -> frozenset[str]:
        """Return the keys of all events that the dataset's files hold, broken lines passed over.

        Raises:
            StoreFailed: a file cannot be read.
        """
        folder = self._annotations / dataset / EVENTS_FOLDER
        paths = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
        with self._lock:
            return frozenset(key for path in paths for key in self._file(path).known())

    def _path(self, event: LabelEvent) -> Path:
        name = alias_file_name(event.actor)
        return self._annotations / event.dataset / EVENTS_FOLDER / name

    def _file(self, path: Path) -> _EventFile:
        if path not in self._files:
            self._files[path] = _EventFile(path)
        return self._files[path]


def catch_up(annotations: Path, events: Iterable[LabelEvent]) -> int:
    """Add to the files what they lack of `events`, all that the database holds; return how many.

    Raises:
        StoreFailed: a file cannot be written.
        LabelConflict: a file and the database tell different things about one event.
    """
    return EventMirror(annotations).add(events)


def read_event_file(path: Path) -> tuple[LabelEvent, ...]:
    """Return the events of one file, in file order.

    Raises:
        InputError: a line is no event, an event is there twice, an event is another actor's,
            or the last line is torn; every refused line is named.
    """
    events: list[LabelEvent] = []
    refused: list[Refusal] = []
    seen: dict[str, int] = {}
    for entry in scan_events(path):
        if isinstance(entry, Refusal):
            refused.append(entry)
            continue
        line, event = entry
        problem = out_of_place(path, line, event, seen)
        if problem is None:
            seen[event.key] = line
            events.append(event)
        else:
            refused.append(problem)
    if refused:
        raise refusal_error(path.name, str(path), refused)
    return tuple(events)


def read_event_folder(dataset_folder: Path) -> dict[str, tuple[LabelEvent, ...]]:
    """Return the events of a dataset by file name; empty where there is no `events` folder."""
    folder = dataset_folder / EVENTS_FOLDER
    paths = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
    return {path.name: read_event_file(path) for path in paths}


def in_order(files: Iterable[Sequence[LabelEvent]]) -> Iterator[LabelEvent]:
    """Yield the events of several files by time; events of one file keep their order."""
    heads = [list(reversed(events)) for events in files if events]
    while heads:
        first = min(heads, key=lambda events: (events[-1].at, events[-1].key))
        yield first.pop()
        heads = [events for events in heads if events]


def scan_events(path: Path) -> Iterator[tuple[int, LabelEvent] | Refusal]:
    """Yield each event of a JSON lines file with its line, or why the line is refused.

    Raises:
        InputError: the file cannot be read or is not UTF-8.
    """
    dataset = path.parent.parent.name
    with open_input(path) as handle:
        for line, raw in enumerate(handle, start=1):
            text = _decoded(raw.removeprefix(b"\xef\xbb\xbf") if line == 1 else raw, path, line)
            if not text.strip():
                continue
            found = parse_event(line, text, dataset)
            if isinstance(found, Refusal):
                yield _torn(found) if not raw.endswith(b"\n") else found
            else:
                yield line, found


def _torn(refusal: Refusal) -> Refusal:
    return refusal.model_copy(
        update={
            "found": f"a last line that was torn while it was written ({refusal.found})",
            "expected": "a whole line; `judgekit labels export` mends it from the database",
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


def out_of_place(path: Path, line: int, event: LabelEvent, seen: dict[str, int]) -> Refusal | None:
    """Return why an event may not stand in its file: there twice, or another actor's."""
    if event.key in seen:
        found = f"{event.op_id!r}, which line {seen[event.key]} has too for this field"
        return Refusal(line=line, field="op_id", found=found, expected="each event once")
    own = alias_file_name(event.actor)
    if path.name != own and path.parent.name == EVENTS_FOLDER:
        return Refusal(
            line=line, field="actor", found=repr(event.actor), expected=f"it in the file {own!r}"
        )
    return None


class _EventFile:
    """One file and the digests of the lines it is known to hold, by the event's key."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_to = 0
        self._inode = -1
        self._digests: dict[str, bytes] = {}

    def known(self) -> Iterator[str]:
        """Yield the keys of the events that the file holds now."""
        try:
            with _held(self._path) as fd:
                self._catch_up_reading(fd)
        except OSError as error:
            raise self._failed(error) from error
        yield from self._digests

    def append(self, events: Sequence[LabelEvent]) -> int:
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
            mend="free space or mend the folder's permissions; the labels are in the database, "
            "and the next save or `judgekit labels export` adds them here",
        )

    def _catch_up_reading(self, fd: int) -> None:
        """Read what others appended since, and mend a torn last line."""
        status = os.fstat(fd)
        if status.st_ino != self._inode or status.st_size < self._read_to:
            self._inode, self._read_to, self._digests = status.st_ino, 0, {}
        data = _read(fd, self._read_to, status.st_size)
        whole, newline, torn = data.rpartition(b"\n")
        for raw in whole.split(b"\n"):
            self._note(raw.rstrip(b"\r"))
        self._read_to += len(whole + newline)
        if torn:
            self._mend(fd, torn)

    def _mend(self, fd: int, torn: bytes) -> None:
        if not _is_json(torn):
            os.ftruncate(fd, self._read_to)
        else:
            _write_whole(fd, b"\n", self._read_to + len(torn))
            self._note(torn)
            self._read_to += len(torn) + 1
        os.fsync(fd)

    def _note(self, raw: bytes) -> None:
        try:
            row = json.loads(raw)
            key = f"{row['op_id']}/{row['field']}"
        except (ValueError, KeyError, TypeError, RecursionError):
            return  # a broken line is refused where events are read; it must not stop a save
        self._digests[key] = _digest(raw)

    def _holds(self, event: LabelEvent) -> bool:
        known = self._digests.get(event.key)
        if known is None:
            return False
        if known != _digest(event_text(event).encode("utf-8")) and not self._same(event):
            raise LabelConflict(
                f"{self._path.name!r} tells another thing about the event {event.key!r}",
                where=str(self._path),
                found="another content than the database's",
                expected=event_text(event)[:200],
                mend=_MEND,
            )
        return True

    def _same(self, event: LabelEvent) -> bool:
        """Tell whether the file has this event in another spelling, such as other spaces."""
        own = (e for e in scan_events(self._path) if not isinstance(e, Refusal))
        return any(event_text(found) == event_text(event) for _, found in own)

    def _write(self, fd: int, events: Sequence[LabelEvent]) -> None:
        lines = [event_text(event).encode("utf-8") for event in events]
        _write_whole(fd, b"".join(line + b"\n" for line in lines), self._read_to)
        os.fsync(fd)
        for event, line in zip(events, lines, strict=True):
            self._digests[event.key] = _digest(line)
            self._read_to += len(line) + 1


@contextmanager
def _held(path: Path) -> Iterator[int]:
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
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


def _write_whole(fd: int, data: bytes, size: int) -> None:
    """Append `data` wholly, or leave the file at `size` bytes."""
    try:
        written = os.write(fd, data)
    except OSError:
        os.ftruncate(fd, size)
        raise
    if written < len(data):
        os.ftruncate(fd, size)
        raise OSError(28, "no space left for a whole line")


def _is_json(raw: bytes) -> bool:
    try:
        return isinstance(json.loads(raw), dict)
    except (ValueError, RecursionError):
        return False


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=16).digest()
