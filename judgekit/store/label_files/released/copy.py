"""A whole copy of a project's files: what another database can import and export again."""

from __future__ import annotations

from pathlib import Path

from judgekit.model.base import Record
from judgekit.model.label import Label
from judgekit.model.release import LABELS_FILE
from judgekit.store.dataset import MANIFEST_FILE
from judgekit.store.files import read_bytes
from judgekit.store.label_files.fold import fold, labels_text
from judgekit.store.label_files.mirror import EVENTS_FOLDER, event_files
from judgekit.store.label_files.released.items_file import items_with
from judgekit.store.label_store import LabelStore


class ProjectFiles(Record):
    """The files of a project by their path in the dataset folder, and the labels among them."""

    files: dict[str, bytes]
    labels: tuple[Label, ...]


def copy_files(store: LabelStore, folder: Path, project: str) -> ProjectFiles:
    """Return items, log, labels and manifest as they stand now; nothing is written.

    The same items and events give the same bytes, from whichever database.

    Raises:
        InputError: a file of the dataset cannot be read.
    """
    log = tuple(store.events.since(0, project=project))
    labels = fold(log).labels
    items = items_with(store, project, folder)
    files = {items.name: items.data, LABELS_FILE: labels_text(labels).encode("utf-8")}
    files |= {f"{EVENTS_FOLDER}/{name}": data for name, data in event_files(log).items()}
    if (folder / MANIFEST_FILE).is_file():
        files[MANIFEST_FILE] = read_bytes(folder / MANIFEST_FILE)
    return ProjectFiles(files=files, labels=labels)
