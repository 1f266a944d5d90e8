"""What every part of the store shares."""

from __future__ import annotations

from judgekit.store.label_store.database.engine import Database


class Part:
    """One group of the store's methods, over the store's database."""

    def __init__(self, database: Database) -> None:
        self._db = database
