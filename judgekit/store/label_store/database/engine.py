"""The engine."""

from __future__ import annotations

from pathlib import Path

from judgekit.store.label_store.records.events import EventMirror


class Database:
    """The engine, its transactions, and the mirror."""

    shown_url: str = ""

    def close(self) -> None:
        """Close all connections."""


def open_database(url: str | None, root: Path, *, mirror: EventMirror | None = None) -> Database:
    """Return the opened, upgraded database."""
    raise NotImplementedError
