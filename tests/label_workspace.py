"""A small workspace with a dataset of replies, for tests of label files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from judgekit.store.label_files.mirror import EventMirror
from judgekit.store.label_files.project_source import open_project
from judgekit.store.label_store import (
    Answer,
    LabelStore,
    Project,
    ProjectSettings,
    open_label_store,
)
from judgekit.store.workspace import Workspace, find_workspace

RUBRIC = """\
schema: 1
name: reply
version: "1"
task: Decide whether the reply may be sent.
criteria:
  - {id: tone, description: The reply is polite.}
  - {id: facts, description: The reply is right.}
failure_modes:
  - {id: rude, description: The reply is rude.}
  - {id: wrong, description: The reply is wrong.}
"""
MANIFEST = """\
# The desk's replies of November. Keep this comment.
schema: 1
name: desk
version: "3"    # raised by each release
licence: CC0-1.0
guideline: v1
splits: {development: 0.5, holdout: 0.5}  # by hash
design: random
"""


def item_rows(n: int) -> list[dict]:
    """Return `n` items."""
    return [
        {"id": f"case-{k:05}", "input": f"Where is my parcel {k}?", "output": f"On its way {k}."}
        for k in range(1, n + 1)
    ]


def write_rows(path: Path, rows: list[dict]) -> Path:
    """Write JSON lines and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def make_workspace(root: Path, *, n_items: int = 6) -> Workspace:
    """Write a workspace and return it."""
    (root / "rubrics").mkdir(parents=True)
    (root / "judgekit.yaml").write_text("schema: 1\ndataset: desk\n")
    (root / "rubrics" / "reply.yaml").write_text(RUBRIC)
    folder = root / "annotations" / "desk"
    write_rows(folder / "items.jsonl", item_rows(n_items))
    (folder / "dataset.yaml").write_text(MANIFEST)
    return find_workspace(root)


@contextmanager
def opened(workspace: Workspace) -> Iterator[LabelStore]:
    """Open the workspace's label store with its files."""
    mirror = EventMirror(workspace.annotations_dir)
    with open_label_store(None, workspace.root, mirror=mirror) as store:
        yield store


def open_desk(store: LabelStore, workspace: Workspace, **options) -> Project:
    """Open the project of the desk; everyone labels everything, at any speed."""
    settings = ProjectSettings(
        labels_per_item=2, overlap_share=0, overlap_min=0, repeat_share=0, min_dwell_ms=0
    )
    return open_project(
        store, workspace, dataset="desk", rubric="reply", actor="lea", settings=settings, **options
    )


def give(store: LabelStore, annotator: str, label: str, *item_ids: str, **answer) -> None:
    """Save a label of `annotator` about each item, as the page does."""
    for item_id in item_ids:
        shown = store.queue.present("desk", annotator, item_id)
        saved = store.labels.save(
            shown.id,
            Answer(label=label, **answer),
            annotator=annotator,
            op_id=f"{annotator}-{item_id}-{shown.rev + 1}",
            rev_seen=shown.rev,
            dwell_ms=900,
        )
        assert saved.kind == "saved", saved


def case(n: int) -> str:
    """Return the id of item `n`."""
    return f"case-{n:05}"
