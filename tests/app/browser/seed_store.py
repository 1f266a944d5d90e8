"""A seeded workspace with its label store, opened as `judgekit label` opens them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seed_files import DATASET, RUBRIC, write_workspace

from judgekit.store.label_files.mirror import EventMirror
from judgekit.store.label_files.project_source import open_project
from judgekit.store.label_store import (
    Answer,
    LabelEvent,
    LabelStore,
    ProjectSettings,
    Saved,
    open_label_store,
)
from judgekit.store.workspace import find_workspace

PROJECT = DATASET
PLAIN = ProjectSettings(overlap_share=1.0, overlap_min=0, repeat_share=0.0)
"""Two annotators for every item, no hidden repeats."""


def open_store(folder: Path, url: str | None = None) -> LabelStore:
    """Open the workspace's label store with its mirror of event files."""
    return open_label_store(url, folder, mirror=EventMirror(folder / "annotations"))


def seed(
    folder: Path,
    items: Iterable[Mapping[str, Any]],
    *,
    settings: ProjectSettings = PLAIN,
    url: str | None = None,
    yaml: str = "",
    **options: Any,
) -> Path:
    """Write a workspace, open its dataset as a project, and return the folder."""
    write_workspace(folder, items, settings=yaml)
    with open_store(folder, url) as store:
        open_project(
            store,
            find_workspace(folder),
            dataset=DATASET,
            rubric=RUBRIC,
            actor="lea",
            settings=settings,
            **options,
        )
    return folder


def events_of(folder: Path, user: str | None = None, url: str | None = None) -> list[LabelEvent]:
    """Return the log, of one person where `user` is given."""
    from judgekit.store.label_files.mirror import read_event_folder

    files = read_event_folder(folder / "annotations" / DATASET)
    return [e for own in files.values() for e in own if user in (None, e.actor)]


def label_as(
    store: LabelStore, user: str, answers: Mapping[str, Answer], project: str = PROJECT
) -> None:
    """Save answers as the page would, without its dwell guard's wait."""
    for item_id, answer in answers.items():
        shown = store.queue.present(project, user, item_id)
        saved = store.labels.save(
            shown.id, answer, annotator=user, op_id=str(uuid.uuid4()), rev_seen=shown.rev
        )
        assert isinstance(saved, Saved), saved
