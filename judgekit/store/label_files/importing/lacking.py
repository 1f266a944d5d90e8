"""Tell what the event files hold that the database does not, as after it was lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from judgekit.store.label_files.log.lines import EVENTS_FOLDER, event_paths, key_of
from judgekit.store.label_store import LabelStore, Project


def n_lacking(store: LabelStore, annotations: Path, project: Project) -> int:
    """Return how many events of a project its files hold and the database lacks.

    Lines that cannot be read are passed over: an import names them.
    """
    folder = annotations / project.dataset / EVENTS_FOLDER
    held = {key for path in event_paths(folder) for key in _keys(path, project.name)}
    if not held:
        return 0
    held -= {event.key for event in store.events.since(project=project.name)}
    held -= {event.key for event in store.events.reviews(project=project.name)}
    return len(held)


def _keys(path: Path, project: str) -> Iterator[str]:
    if not path.is_file():
        return
    for raw in path.read_bytes().split(b"\n"):
        try:
            row = json.loads(raw)
            if row["project"] == project:
                yield key_of(row)
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
