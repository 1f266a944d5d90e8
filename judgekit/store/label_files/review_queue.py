"""The gate's review file as a queue: a dataset of its own, sampled on purpose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from judgekit.errors import InputError
from judgekit.model.canonical import bytes_hash
from judgekit.model.item import Item
from judgekit.store.dataset import MANIFEST_FILE
from judgekit.store.files import atomic_write, read_bytes
from judgekit.store.label_files.project_source import GUIDELINE_FILE, is_suspected, open_project
from judgekit.store.label_store import LabelStore, Project
from judgekit.store.readers import is_table, read_items
from judgekit.store.workspace import Workspace

_LONGEST_STEM = 40
_SUSPECTED_VERSION = "suspected-trials-1"
_SUSPECTED = """Is this trial in order?

Code scored the trial and could not decide. Under Context, "to check" says what it suspects or could
not compare. Read the messages, the tool calls and the answer.

- Pass: the trial is in order; what is named there is no fault.
- Fail: something that is named there is a fault. Say in the note which.
- Unsure: the trial does not show enough to say.
"""


def open_review(
    store: LabelStore,
    workspace: Workspace,
    file: Path,
    *,
    rubric: str,
    actor: str,
) -> Project:
    """Open what `gate --review` or `score --review` wrote for labelling, and return the project.

    The items go to `annotations/review-<file>-<hash>/`, apart from the dataset that they came
    from: they are fresh outputs, which may have the ids of cases that are there. Their design is
    `targeted`. Trials of `score` get a guideline of their own. The same file opens the same
    project again.

    Raises:
        InputError: the file cannot be used, or holds no item.
    """
    data = read_bytes(file)
    if not data.strip():
        raise InputError(
            "there is nothing to review",
            where=str(file),
            found="an empty file",
            expected="items that `gate --review` or `score --review` wrote",
        )
    items = read_items(file)
    name = review_name(file, data)
    folder = workspace.annotations_dir / name
    if not (folder / "items.jsonl").exists():
        manifest = _manifest(name, file)
        if is_suspected(items):
            manifest += f"guideline: {_SUSPECTED_VERSION}\n"
            atomic_write(folder / GUIDELINE_FILE, _SUSPECTED.encode("utf-8"))
        atomic_write(folder / MANIFEST_FILE, manifest.encode("utf-8"))
        atomic_write(folder / "items.jsonl", _lines(items) if is_table(file) else data)
    return open_project(store, workspace, dataset=name, rubric=rubric, actor=actor)


def review_name(file: Path, data: bytes) -> str:
    """Return the dataset's name: the same content of a file of the same name has the same one."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", file.stem).strip("-")[:_LONGEST_STEM]
    mark = bytes_hash(data).removeprefix("sha256:")[:8]
    return "-".join(part for part in ("review", stem, mark) if part)


def _lines(items: Sequence[Item]) -> bytes:
    """Return items of a table as a dataset has them: one JSON object a line."""
    return "".join(item.model_dump_json(exclude_unset=True) + "\n" for item in items).encode()


def _manifest(name: str, file: Path) -> str:
    written = re.sub(r"[^\w.\- ]", "_", file.name)
    return (
        f'schema: 1\nname: {name}\nversion: "1"\n'
        f'source: "items that were sent to review ({written})"\ndesign: targeted\n'
    )
