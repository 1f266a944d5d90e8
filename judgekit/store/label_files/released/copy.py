"""A whole copy of a project's files: what another database can import and export again."""

from __future__ import annotations

from pathlib import Path

from judgekit.model.base import Record
from judgekit.model.label import Label
from judgekit.model.release import LABELS_FILE
from judgekit.store.dataset import MANIFEST_FILE
from judgekit.store.files import read_bytes
from judgekit.store.label_files.fold import fold, labels_text
from judgekit.store.label_files.log.lines import EVENTS_FOLDER
from judgekit.store.label_files.mirror import event_files
from judgekit.store.label_files.released.items_file import items_with
from judgekit.store.label_store import LabelStore, ReviewEvent


class ProjectFiles(Record):
    """The files of a project by their path in the dataset folder, and the labels among them."""

    files: dict[str, bytes]
    labels: tuple[Label, ...]


def copy_files(store: LabelStore, folder: Path, project: str) -> ProjectFiles:
    """Return items, logs, labels and manifest as they stand now; nothing is written.

    The same items and events give the same bytes, from whichever database.

    Raises:
        InputError: a file of the dataset cannot be read.
    """
    return _files(store, folder, project, store.events.reviews(project=project))


def files_to_show(store: LabelStore, folder: Path, project: str) -> ProjectFiles:
    """Return what `copy_files` does without what experts may not see of each other yet.

    For a browser: whoever downloads may be one of the two. Their entries of a case are left out
    until both are done.
    """
    finished = store.goldens.finished(project)
    reviews = store.events.reviews(project=project)
    shown = tuple(event for event in reviews if _may_be_seen(event, finished))
    return _files(store, folder, project, shown)


def _may_be_seen(event: ReviewEvent, finished: frozenset[str]) -> bool:
    is_entry = event.log == "goldens" and event.kind in ("done", "reopen")
    return not is_entry or event.body["case_id"] in finished


def _files(
    store: LabelStore, folder: Path, project: str, reviews: tuple[ReviewEvent, ...]
) -> ProjectFiles:
    log = tuple(store.events.since(0, project=project))
    labels = fold(log).labels
    items = items_with(store, project, folder)
    files = {items.name: items.data, LABELS_FILE: labels_text(labels).encode("utf-8")}
    files |= {
        f"{EVENTS_FOLDER}/{name}": data for name, data in event_files((*log, *reviews)).items()
    }
    if (folder / MANIFEST_FILE).is_file():
        files[MANIFEST_FILE] = read_bytes(folder / MANIFEST_FILE)
    return ProjectFiles(files=files, labels=labels)
