"""Taking turns at writing to SQLite, so that nobody waits for ever.

SQLite's own waiting sleeps longer and longer and lets newcomers pass; with twenty writers one of
them starves. So the threads of a process stand in one line, and processes try again after short
random pauses.
"""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from judgekit.errors import StoreFailed

_PAUSE_S = (0.001, 0.010)


class Turns:
    """The line of one process's threads."""

    def __init__(self, patience_ms: int) -> None:
        self._lock = threading.Lock()
        self._patience_s = patience_ms / 1000

    @contextmanager
    def one(self, where: str) -> Iterator[None]:
        """Wait for the turn.

        Raises:
            StoreFailed: it did not come in time.
        """
        if not self._lock.acquire(timeout=self._patience_s):
            raise StoreFailed(
                "the label database is too busy",
                where=where,
                found=f"no turn to write within {self._patience_s:g} s",
                mend="try again; with many annotators use PostgreSQL",
            )
        try:
            yield
        finally:
            self._lock.release()


def begin_immediate(connection: Connection, patience_ms: int) -> None:
    """Begin a writing transaction, trying again while another process writes."""
    raw = connection.connection.dbapi_connection
    assert isinstance(raw, sqlite3.Connection)
    until = time.monotonic() + patience_ms / 1000
    raw.execute("PRAGMA busy_timeout=0").close()
    try:
        while time.monotonic() < until and not _begun(raw):
            time.sleep(random.uniform(*_PAUSE_S))
        if not raw.in_transaction:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        raw.execute(f"PRAGMA busy_timeout={patience_ms}").close()


def _begun(raw: sqlite3.Connection) -> bool:
    try:
        raw.execute("BEGIN IMMEDIATE").close()
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise
        return False
    return True
