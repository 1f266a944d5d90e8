"""`events/`: every saved event, appended and on the disk before anyone goes on.

Labels stand in `events/<alias>.jsonl`, error analysis in `events/codes/<alias>.jsonl`, the golden
editor in `events/goldens/<alias>.jsonl`.

The database commits first, then the line is written. Where the process dies in between, the next
`catch_up` adds what is missing, each event exactly once by its key.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

from judgekit.store.formats.problems import Refusal, refusal_error
from judgekit.store.label_files.aliases import alias_file_name
from judgekit.store.label_files.log.event_file import EventFile, scan_events
from judgekit.store.label_files.log.lines import (
    EVENTS_FOLDER,
    event_paths,
    file_of,
    line_text,
    place_of,
)
from judgekit.store.label_store.records.events import LabelEvent, LogEvent, ReviewEvent

Seen = dict[str, tuple[int, LogEvent]]
"""Key of an event -> the line of the file that it came from, and the event."""


class EventMirror:
    """Append events to the files of a workspace's datasets, from any process or thread.

    Args:
        annotations: the folder of the datasets; a dataset's `events` folder is made with its
            first event.
    """

    def __init__(self, annotations: Path) -> None:
        self._annotations = annotations
        self._files: dict[Path, EventFile] = {}
        self._lock = threading.Lock()

    def append(self, events: Iterable[LogEvent]) -> None:
        """Write the events that their files lack, in the given order.

        They are on the disk (flush and fsync) when this returns. A torn last line, of a process
        that died while writing, is closed where it is whole and cut off where it is not.

        Raises:
            StoreFailed: a file cannot be written; the events are still in the database.
            LabelConflict: a file tells another thing about one of these events.
        """
        self.add(events)

    def add(self, events: Iterable[LogEvent]) -> int:
        """Append as `append` does, and return how many events the files lacked."""
        by_file: dict[Path, list[LogEvent]] = {}
        for event in events:
            by_file.setdefault(self._path(event), []).append(event)
        return sum(self._file(path).append(own) for path, own in by_file.items())

    def held(self, dataset: str) -> frozenset[str]:
        """Return the keys of all events that the dataset's files hold, broken lines passed over.

        Raises:
            StoreFailed: a file cannot be read.
        """
        paths = event_paths(self._annotations / dataset / EVENTS_FOLDER)
        return frozenset().union(*(self._file(path).known() for path in paths))

    def _path(self, event: LogEvent) -> Path:
        return self._annotations / event.dataset / EVENTS_FOLDER / file_of(event)

    def _file(self, path: Path) -> EventFile:
        with self._lock:
            return self._files.setdefault(path, EventFile(path))


def catch_up(annotations: Path, events: Iterable[LogEvent]) -> int:
    """Add to the files what they lack of `events`, all that the database holds; return how many.

    Raises:
        StoreFailed: a file cannot be written.
        LabelConflict: a file and the database tell different things about one event.
    """
    return EventMirror(annotations).add(events)


def event_files(events: Iterable[LogEvent]) -> dict[str, bytes]:
    """Return the event files of logs by name, each actor's events in their order."""
    texts: dict[str, list[str]] = {}
    for event in events:
        texts.setdefault(file_of(event), []).append(line_text(event) + "\n")
    return {name: "".join(own).encode("utf-8") for name, own in sorted(texts.items())}


def read_event_file(path: Path) -> tuple[LabelEvent, ...]:
    """Return the events of one file of labels, in file order.

    Raises:
        InputError: a line is no event, an event is there twice with two contents or is another
            actor's, or the last line is torn; every refused line is named.
    """
    events: list[LabelEvent] = []
    refused: list[Refusal] = []
    seen: Seen = {}
    for entry in scan_events(path):
        if isinstance(entry, Refusal):
            refused.append(entry)
            continue
        line, event = entry
        if is_doubled(event, seen):
            continue
        problem = out_of_place(path, line, event, seen)
        if problem is None and isinstance(event, LabelEvent):
            seen[event.key] = line, event
            events.append(event)
        elif problem is not None:
            refused.append(problem)
    if refused:
        raise refusal_error(path.name, str(path), refused)
    return tuple(events)


def read_event_folder(dataset_folder: Path) -> dict[str, tuple[LabelEvent, ...]]:
    """Return a dataset's label events by file name; empty where there is no `events` folder."""
    folder = dataset_folder / EVENTS_FOLDER
    paths = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
    return {path.name: read_event_file(path) for path in paths}


def is_doubled(event: LogEvent, seen: Seen) -> bool:
    """Tell whether the file has the very same event already, as after a merge of two branches."""
    known = seen.get(event.key)
    return known is not None and line_text(known[1]) == line_text(event)


def out_of_place(path: Path, line: int, event: LogEvent, seen: Seen) -> Refusal | None:
    """Return why an event may not stand in its file: there with other content, or another's."""
    if event.key in seen:
        field = "" if isinstance(event, ReviewEvent) else " for this field"
        found = f"{event.op_id!r}, which line {seen[event.key][0]} has too{field}"
        return Refusal(line=line, field="op_id", found=found, expected="each event once")
    _, name = place_of(path)
    in_folder = name != path.name or path.parent.name == EVENTS_FOLDER
    if in_folder and name != file_of(event):
        is_person = alias_file_name(event.actor) != path.name
        field, found = ("actor", event.actor) if is_person else ("log", log_of(event))
        expected = f"it in the file {file_of(event)!r}"
        return Refusal(line=line, field=field, found=repr(found), expected=expected)
    return None


def log_of(event: LogEvent) -> str:
    """Return the log that an event is of, in a word."""
    return event.log if isinstance(event, ReviewEvent) else "labels"
