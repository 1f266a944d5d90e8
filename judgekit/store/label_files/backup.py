"""A whole copy of the label database, under a name of its time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from judgekit.store.label_store import LabelStore
from judgekit.store.workspace import Workspace


def back_up(store: LabelStore, workspace: Workspace) -> Path:
    """Copy the database into `.judgekit/backups/` and return the new file.

    Raises:
        InputError: the database is PostgreSQL, which `pg_dump` copies.
        StoreFailed: the folder cannot be written.
    """
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return store.backup(workspace.state_dir / "backups" / f"labels-{moment}.db")
