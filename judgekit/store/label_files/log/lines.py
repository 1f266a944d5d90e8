"""Lines of any log: told apart, written, read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from judgekit.store.formats.problems import Refusal
from judgekit.store.label_files.aliases import alias_file_name
from judgekit.store.label_files.log.event_line import event_of, event_text, row_of
from judgekit.store.label_files.log.review_line import review_of, review_text
from judgekit.store.label_store.records.events import LogEvent, ReviewEvent, ReviewLog

EVENTS_FOLDER = "events"
LOG_FOLDERS: tuple[str, ...] = get_args(ReviewLog)


def line_text(event: LogEvent) -> str:
    """Return an event as one line without its line feed."""
    return review_text(event) if isinstance(event, ReviewEvent) else event_text(event)


def parse_line(line: int, text: str, dataset: str) -> LogEvent | Refusal:
    """Return the event in a line of text, or why it is refused. Its `seq` is the line."""
    row = row_of(line, text)
    if isinstance(row, Refusal):
        return row
    return review_of(line, row, dataset) if "log" in row else event_of(line, row, dataset)


def key_of(row: dict[str, Any]) -> str:
    """Return the key of the event in a row.

    Raises:
        KeyError: it holds none.
    """
    return f"{row['log']}/{row['op_id']}" if "log" in row else f"{row['op_id']}/{row['field']}"


def file_of(event: LogEvent) -> str:
    """Return the file of an event in the events folder: `<alias>.jsonl`, `codes/<alias>.jsonl`."""
    name = alias_file_name(event.actor)
    return f"{event.log}/{name}" if isinstance(event, ReviewEvent) else name


def place_of(path: Path) -> tuple[str, str]:
    """Return the dataset that an event file is of, and its name in the events folder."""
    in_log = path.parent.name in LOG_FOLDERS and path.parent.parent.name == EVENTS_FOLDER
    if in_log:
        return path.parent.parent.parent.name, f"{path.parent.name}/{path.name}"
    return path.parent.parent.name, path.name


def event_paths(folder: Path) -> list[Path]:
    """Return all event files in an events folder: of labels, then of the other logs."""
    folders = (folder, *(folder / log for log in LOG_FOLDERS))
    return [path for one in folders if one.is_dir() for path in sorted(one.glob("*.jsonl"))]


def unknown_paths(folder: Path) -> list[Path]:
    """Return what lies in an events folder and is no event file of any log; hidden files aside."""
    folders = {folder, *(folder / log for log in LOG_FOLDERS)}
    known = folders | set(event_paths(folder))
    inside = [path for one in sorted(folders) if one.is_dir() for path in sorted(one.iterdir())]
    return [path for path in inside if path not in known and not path.name.startswith(".")]
