"""The gate's review file as a queue: a dataset of its own, sampled on purpose."""

from __future__ import annotations

import re
from pathlib import Path

from judgekit.errors import InputError
from judgekit.model.canonical import bytes_hash
from judgekit.store.dataset import MANIFEST_FILE
from judgekit.store.files import atomic_write, read_bytes
from judgekit.store.label_files.project_source import open_project
from judgekit.store.label_store import LabelStore, Project
from judgekit.store.readers import read_items
from judgekit.store.workspace import Workspace

_LONGEST_STEM = 40


def open_review(
    store: LabelStore,
    workspace: Workspace,
    file: Path,
    *,
    rubric: str,
    actor: str,
) -> Project:
    """Open what `judgekit gate --review` wrote for labelling, and return the project.

    The items go to `annotations/review-<file>-<hash>/`, apart from the dataset that the gate ran
    on: they are fresh outputs, which may have the ids of cases that are there. Their design is
    `targeted`. The same file opens the same project again.

    Raises:
        InputError: the file cannot be used, or holds no item.
    """
    data = read_bytes(file)
    if not data.strip():
        raise InputError(
            "there is nothing to review",
            where=str(file),
            found="an empty file",
            expected="items that the gate sent to review",
        )
    read_items(file)
    name = review_name(file, data)
    folder = workspace.annotations_dir / name
    if not (folder / "items.jsonl").exists():
        atomic_write(folder / MANIFEST_FILE, _manifest(name, file).encode("utf-8"))
        atomic_write(folder / "items.jsonl", data)
    return open_project(store, workspace, dataset=name, rubric=rubric, actor=actor)


def review_name(file: Path, data: bytes) -> str:
    """Return the dataset's name: the same content of a file of the same name has the same one."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", file.stem).strip("-")[:_LONGEST_STEM]
    mark = bytes_hash(data).removeprefix("sha256:")[:8]
    return "-".join(part for part in ("review", stem, mark) if part)


def _manifest(name: str, file: Path) -> str:
    written = re.sub(r"[^\w.\- ]", "_", file.name)
    return (
        f'schema: 1\nname: {name}\nversion: "1"\n'
        f'source: "items that the gate sent to review ({written})"\ndesign: targeted\n'
    )
