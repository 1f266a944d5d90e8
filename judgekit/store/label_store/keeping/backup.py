"""A whole copy of the database while it is in use."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from judgekit.errors import InputError, StoreFailed
from judgekit.store.label_store.database.engine import Database
from judgekit.store.label_store.database.faults import told


def back_up(database: Database, path: Path) -> Path:
    """Write a copy to a new file with `VACUUM INTO` and return its path.

    Raises:
        InputError: the file exists, or the database is PostgreSQL.
        StoreFailed: the file cannot be written.
    """
    if not database.is_sqlite:
        raise InputError(
            "a PostgreSQL database is backed up with its own tool",
            found=database.shown_url,
            expected="a database in a file",
            mend="pg_dump",
        )
    if path.exists():
        raise InputError(
            "the backup would overwrite a file", where=str(path), expected="a path that is free"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreFailed(
            "the backup cannot be written", where=str(path), found=str(error.strerror)
        ) from error
    alone = database.engine.execution_options(judgekit_no_transaction=True)
    with told(str(path)), alone.connect() as connection:
        connection.execute(text("VACUUM INTO :path"), {"path": str(path)})
    return path
