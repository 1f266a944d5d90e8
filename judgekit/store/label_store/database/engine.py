"""The engine: SQLite by the measured recipe, PostgreSQL by URL, one transaction per call."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError

from judgekit.errors import InputError, NotMirrored, StoreFailed
from judgekit.store.label_store.database.faults import told
from judgekit.store.label_store.database.turns import Turns, begin_immediate
from judgekit.store.label_store.records.events import EventMirror, LogEvent

R = TypeVar("R")
LOCK_KEY = 0x6A756467
BUSY_TIMEOUT_MS = 60_000
POOL_SIZE = 10


class Database:
    """The engine, its transactions, and the mirror. Safe in threads; one per process."""

    def __init__(
        self, engine: Engine, *, mirror: EventMirror | None, busy_timeout_ms: int = BUSY_TIMEOUT_MS
    ) -> None:
        self.engine = engine
        self.mirror = mirror
        self.is_sqlite = engine.dialect.name == "sqlite"
        self._turns = Turns(busy_timeout_ms) if self.is_sqlite else None
        self.shown_url = engine.url.render_as_string(hide_password=True)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection that sees one moment of the database and writes nothing."""
        with (
            told(self.shown_url),
            self.engine.connect().execution_options(judgekit_read=True) as connection,
        ):
            yield connection

    @contextmanager
    def write(self, *, log: bool = True) -> Iterator[Connection]:
        """Give a connection in a transaction that is committed at the end.

        Writers of the log stand in one line, so that sequence numbers appear in their order.
        A broken UNIQUE constraint becomes LostRace: read again and answer.
        """
        turn = self._turns.one(self.shown_url) if self._turns else nullcontext()
        with turn, told_but_races(self.shown_url), self.engine.begin() as connection:
            if log and not self.is_sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
            yield connection

    def write_events(self, store: Callable[[Connection], tuple[R, tuple[LogEvent, ...]]]) -> R:
        """Return what `store` answers; the events it wrote are committed and in the mirror.

        A lost race is run once more: it then meets what the other writer left.

        Raises:
            NotMirrored: the mirror cannot be written; the events are committed all the same.
        """
        try:
            with self.write() as connection:
                result, events = store(connection)
        except LostRace:
            with self.write() as connection:
                result, events = store(connection)
        self.mirror_events(events)
        return result

    def mirror_events(self, events: Sequence[LogEvent]) -> None:
        """Hand committed events to the mirror.

        Raises:
            NotMirrored: the mirror cannot be written; the events are committed all the same.
        """
        if self.mirror is None or not events:
            return
        try:
            self.mirror.append(events)
        except StoreFailed as error:
            raise NotMirrored(
                "saved in the label database, but not copied to the files of the log: "
                f"{error.message}",
                where=error.where,
                mend="mend the folder; the copy is made up for when the app starts next",
            ) from error

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


@contextmanager
def told_but_races(where: str) -> Iterator[None]:
    """Tell database errors as `told` does, but let a broken UNIQUE constraint through."""
    with told(where):
        try:
            yield
        except IntegrityError as error:
            raise LostRace(str(error.orig)) from error


class LostRace(Exception):
    """Another writer was first: a UNIQUE constraint refused the row. Read again and answer."""


def utc_now() -> str:
    """Return this moment as the database writes it: ISO 8601, UTC, microseconds."""
    return as_stored(datetime.now(UTC))


def as_stored(moment: datetime) -> str:
    """Return a moment as the database writes it: times sort as texts."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def open_database(
    url: str | None,
    root: Path,
    *,
    mirror: EventMirror | None = None,
    busy_timeout_ms: int = BUSY_TIMEOUT_MS,
) -> Database:
    """Return the opened database with its tables made or upgraded.

    Raises:
        StoreFailed: it cannot be opened, read or written, or is newer than this judgekit.
        InputError: the URL is none, or names an engine that is not supported.
    """
    from judgekit.store.label_store.database.upgrade import upgrade

    engine = _engine(_parsed(url, root), busy_timeout_ms)
    database = Database(engine, mirror=mirror, busy_timeout_ms=busy_timeout_ms)
    try:
        with told(database.shown_url):
            upgrade(engine)
    except BaseException:
        engine.dispose()
        raise
    return database


def _parsed(url: str | None, root: Path) -> URL:
    if url is None:
        return URL.create("sqlite", database=str(root / ".judgekit" / "labels.db"))
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:  # ValueError: a port that is no number
        raise InputError(
            "the address of the label database cannot be read",
            found="text that is no URL",
            expected="postgresql+psycopg://user@host/name or sqlite:///path",
        ) from error
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in ("sqlite", "postgresql+psycopg"):
        raise InputError(
            "this kind of label database is not supported",
            found=parsed.drivername,
            expected="postgresql+psycopg://... or sqlite:///path",
        )
    if parsed.drivername == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise InputError(
            "the label database needs a file", found=url, expected="sqlite:///path/labels.db"
        )
    return parsed


def _engine(url: URL, busy_timeout_ms: int) -> Engine:
    if url.drivername == "sqlite":
        if not str(url.database).startswith("file:"):
            _make_folder(Path(str(url.database)))
        engine = create_engine(url, pool_size=POOL_SIZE, max_overflow=50)
        event.listen(engine, "connect", lambda dbapi, _: _on_connect(dbapi, busy_timeout_ms))
        event.listen(engine, "begin", lambda made: _on_begin(made, busy_timeout_ms))
        return engine
    try:
        return create_engine(url, pool_size=POOL_SIZE, max_overflow=50, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise StoreFailed(
            "the PostgreSQL driver is not installed",
            found=str(error),
            mend="pip install 'judgekit-calibration[postgres]'",
        ) from error


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreFailed(
            "the folder of the label database cannot be made",
            where=str(path.parent),
            found=str(error.strerror),
            mend="give this user the right to write there",
        ) from error


def _on_connect(dbapi: Any, busy_timeout_ms: int) -> None:
    connection: sqlite3.Connection = dbapi
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout={busy_timeout_ms}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "recursive_triggers=ON",
        "cache_size=-16000",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _on_begin(connection: Connection, busy_timeout_ms: int) -> None:
    options = connection.get_execution_options()
    if options.get("judgekit_no_transaction", False):
        return  # VACUUM refuses to run in one
    if options.get("judgekit_read", False):
        connection.exec_driver_sql("BEGIN")
    else:
        begin_immediate(connection, busy_timeout_ms)
