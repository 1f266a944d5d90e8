"""A whole copy of the label database, beside it and never over an older one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from judgekit.store.label_store import LabelStore
from judgekit.store.workspace import Workspace

FOLDER = "backups"


def back_up(store: LabelStore, workspace: Workspace, *, at: datetime | None = None) -> Path:
    """Write `.judgekit/backups/labels-<UTC time>.db` and return its path.

    Raises:
        InputError: the database is PostgreSQL (use `pg_dump`).
        StoreFailed: the file cannot be written.
    """
    folder = workspace.state_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    stamp = (at or datetime.now(UTC)).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    path, number = folder / f"labels-{stamp}.db", 1
    while path.exists():
        number += 1
        path = folder / f"labels-{stamp}-{number}.db"
    return store.backup(path)
