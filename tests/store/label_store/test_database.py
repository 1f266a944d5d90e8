from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from desk import label, open_desk
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import DBAPIError, OperationalError

from judgekit.errors import InputError, StoreFailed
from judgekit.store.label_store import LabelStore, open_label_store
from judgekit.store.label_store.database import review_tables
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import open_database
from judgekit.store.label_store.database.faults import store_failed
from judgekit.store.label_store.database.upgrade import REVISIONS, upgrade


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    made = create_engine(url)
    yield made
    made.dispose()


@pytest.mark.parametrize("table", t.APPEND_ONLY)
@pytest.mark.parametrize("verb", ["UPDATE {} SET at = at", "DELETE FROM {}"])
def test_every_log_has_its_triggers(url: str, tmp_path: Path, table: str, verb: str) -> None:
    """M7: PostgreSQL refuses the statement, SQLite each row of it."""
    open_label_store(url, tmp_path).close()
    made = create_engine(url)
    if made.dialect.name == "sqlite":
        name = f"{table}_no_{verb.split()[0].lower()}"
        assert name in _triggers(made)
    else:
        with pytest.raises(DBAPIError, match="append-only"), made.begin() as connection:
            connection.execute(text(verb.format(table)))
    made.dispose()


def _triggers(engine: Engine) -> str:
    with engine.connect() as connection:
        query = "SELECT group_concat(sql) FROM sqlite_master WHERE type = 'trigger'"
        return str(connection.execute(text(query)).scalar_one())


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE label_event SET kind = 'pass'",
        "DELETE FROM label_event",
        "DELETE FROM label_event WHERE seq = 1",
        "UPDATE label_event SET seq = 9 WHERE seq = 1",
    ],
)
def test_a_stored_event_is_neither_changed_nor_deleted(
    store: LabelStore, engine: Engine, sql: str
) -> None:
    """M7."""
    open_desk(store)
    label(store, "ana", "c1", "pass")
    before = list(store.events.since())
    with pytest.raises(DBAPIError, match="append-only"), engine.begin() as connection:
        connection.execute(text(sql))
    assert list(store.events.since()) == before


def test_replace_does_not_get_around_the_log(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    with open_label_store(f"sqlite:///{path}", tmp_path) as store:
        open_desk(store)
        label(store, "ana", "c1", "pass")
        before = list(store.events.since())
        plain = sqlite3.connect(path)
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            plain.execute("INSERT OR REPLACE INTO label_event SELECT * FROM label_event")
        plain.close()
        assert list(store.events.since()) == before


def test_postgres_refuses_truncate(store: LabelStore, engine: Engine) -> None:
    if engine.dialect.name == "sqlite":
        pytest.skip("SQLite has no TRUNCATE")
    with pytest.raises(DBAPIError, match="append-only"), engine.begin() as connection:
        connection.execute(text("TRUNCATE label_event"))


def test_sqlite_runs_in_wal_with_full_synchronous(tmp_path: Path) -> None:
    database = open_database(None, tmp_path)
    with database.read() as connection:
        mode = connection.execute(text("PRAGMA journal_mode")).scalar_one()
        synchronous = connection.execute(text("PRAGMA synchronous")).scalar_one()
    database.close()
    assert (mode, synchronous) == ("wal", 2)


def test_the_list_of_migrations_is_the_folder() -> None:
    folder = Path(t.__file__).parent / "migrations" / "versions"
    files = sorted(path.name[1:5] for path in folder.glob("v*.py"))
    assert tuple(files) == REVISIONS


def test_migrations_make_the_tables_that_the_code_uses(store: LabelStore, engine: Engine) -> None:
    assert review_tables.flag.metadata is t.metadata
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), t.metadata)
    assert differences == []


def test_a_database_of_version_one_is_upgraded_with_what_it_holds(
    url: str, engine: Engine, tmp_path: Path
) -> None:
    upgrade(engine, target="0001")
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO person (alias, roles, mode, verified, active, at)"
                " VALUES ('ana', '[\"annotator\"]', 'local', false, true, '2026-01-01')"
            )
        )
    with open_label_store(url, tmp_path) as store:
        assert [person.alias for person in store.people.list()] == ["ana"]
        open_desk(store)
        store.adjudication.flag("desk", "c1", reason="label_wrong", actor="eng")
        assert len(store.adjudication.tasks("desk")) == 1


def test_a_newer_database_is_refused_and_left_alone(
    url: str, engine: Engine, tmp_path: Path
) -> None:
    open_label_store(url, tmp_path).close()
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreFailed, match="newer judgekit") as failed:
        open_label_store(url, tmp_path)
    assert failed.value.exit_code == 5
    with engine.connect() as connection:
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    assert found == "9999"


def test_another_programs_database_is_refused(url: str, engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE accounts (id INTEGER)"))
    with pytest.raises(StoreFailed, match="not a label database"):
        open_label_store(url, tmp_path)


def test_a_file_that_is_no_database_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / ".judgekit" / "labels.db"
    path.parent.mkdir()
    path.write_bytes(b"not a database at all " * 500)
    with pytest.raises(StoreFailed, match="not an SQLite file") as failed:
        open_label_store(None, tmp_path)
    assert "judgekit labels import" in str(failed.value)
    assert path.read_bytes().startswith(b"not a database")


def test_a_damaged_database_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / ".judgekit" / "labels.db"
    with open_label_store(None, tmp_path) as store:
        open_desk(store, 200)
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    with pytest.raises(StoreFailed), open_label_store(None, tmp_path) as store:
        store.projects.items("desk")


def test_a_database_held_by_another_process_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    with open_label_store(f"sqlite:///{path}", tmp_path) as store:
        open_desk(store)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    held = LabelStore(open_database(f"sqlite:///{path}", tmp_path, busy_timeout_ms=50))
    with held, pytest.raises(StoreFailed, match="another process holds"):
        held.queue.next_presentation("desk", "ana")
    holder.close()


def test_a_read_only_database_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    with open_label_store(f"sqlite:///{path}", tmp_path) as store:
        open_desk(store)
    url = f"sqlite:///file:{path}?mode=ro&uri=true"
    with open_label_store(url, tmp_path) as store, pytest.raises(StoreFailed, match="read-only"):
        store.queue.next_presentation("desk", "ana")


def test_a_folder_in_place_of_the_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / ".judgekit" / "labels.db").mkdir(parents=True)
    with pytest.raises(StoreFailed, match="cannot be opened"):
        open_label_store(None, tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFailed, match="cannot be made"):
        open_label_store(None, tmp_path / "file")


def test_a_server_that_does_not_answer_is_one_clear_error_without_the_password(
    tmp_path: Path,
) -> None:
    url = "postgresql+psycopg://ana:hunter2@127.0.0.1:1/labels"
    with pytest.raises(StoreFailed, match="does not answer") as failed:
        open_label_store(url, tmp_path)
    assert "hunter2" not in str(failed.value)


@pytest.mark.parametrize("url", ["nonsense", "mysql://x/y", "sqlite://", "://"])
def test_addresses_that_cannot_be_used_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError):
        open_label_store(url, tmp_path)


def test_a_full_disk_never_advises_to_move_the_database_away() -> None:
    error = OperationalError("SELECT 1", {}, sqlite3.OperationalError("disk I/O error"))
    told = str(store_failed(error, "sqlite:///labels.db"))
    assert "free some space" in told
    assert "move the file away" not in told
