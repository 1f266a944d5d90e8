"""Bring a database to this judgekit's tables, or refuse a newer one."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from judgekit.errors import StoreFailed

REVISIONS = ("0001", "0002", "0003")
"""All migrations, oldest first. A test compares this with the files in migrations/versions."""
_LOCK = 0x6A756468


def upgrade(engine: Engine, *, target: str = REVISIONS[-1]) -> None:
    """Run the migrations that the database lacks, in one transaction.

    Raises:
        StoreFailed: the database is newer than this judgekit, or is some other program's.
    """
    with engine.connect().execution_options(judgekit_read=True) as connection:
        if _current(connection) == target:
            return
    with engine.begin() as connection:
        if engine.dialect.name != "sqlite":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        current = _current(connection)
        if current is None or REVISIONS.index(current) < REVISIONS.index(target):
            _run(connection, target)


def _current(connection: Connection) -> str | None:
    names = inspect(connection).get_table_names()
    if "alembic_version" not in names:
        if names:
            raise StoreFailed(
                "the database is not a label database",
                where=connection.engine.url.render_as_string(hide_password=True),
                found=f"tables {', '.join(sorted(names)[:5])}",
                expected="an empty database or one made by judgekit",
            )
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
    if not found:
        return None
    if found[0] not in REVISIONS:
        raise StoreFailed(
            "the label database was written by a newer judgekit",
            where=connection.engine.url.render_as_string(hide_password=True),
            found=f"schema {found[0]}",
            expected=f"schema {REVISIONS[-1]} or older",
            mend="upgrade judgekit, or open another database",
        )
    return str(found[0])


def _run(connection: Connection, target: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    folder = Path(__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, target)
