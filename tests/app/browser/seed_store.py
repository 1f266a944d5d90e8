"""A seeded workspace with its label store, opened as `judgekit label` opens them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Mapping
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
    """Save answers as the page would, the dwell guard put off for the moment."""
    settings = store.projects.get(project).settings
    unguarded = settings.model_copy(update={"min_dwell_ms": 0})
    store.projects.change_settings(project, unguarded, actor="lea")
    for item_id, answer in answers.items():
        shown = store.queue.present(project, user, item_id)
        saved = store.labels.save(
            shown.id, answer, annotator=user, op_id=str(uuid.uuid4()), rev_seen=shown.rev
        )
        assert isinstance(saved, Saved), saved
    store.projects.change_settings(project, settings, actor="lea")


def draft_of(folder: Path, user: str, presentation: str) -> dict[str, Any]:
    """Return the draft that the store holds, empty where there is none."""
    with open_store(folder) as store:
        draft = store.drafts.load(presentation, user)
    return draft.body if draft else {}


def until(condition: Callable[[], bool], what: str, timeout_s: float = 30) -> None:
    """Wait until the condition holds."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)


def crowd(count: int) -> tuple[list[str], str]:
    """Return names of annotators, and the lines of judgekit.yaml that let them sign in."""
    aliases = [f"ann{number:02d}" for number in range(count)]
    return aliases, "".join(f"    {alias}: {{roles: [annotator]}}\n" for alias in aliases)
