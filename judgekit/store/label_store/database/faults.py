"""What a database can do wrong, as one clear message each (exit 5)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from judgekit.errors import StoreFailed

_KNOWN = (
    (
        "is locked",
        "another process holds the label database",
        "close the program that holds it, then try again",
    ),
    (
        "readonly",
        "the label database is read-only",
        "give this user the right to write the file and its folder",
    ),
    ("not a database", "the label database is not an SQLite file", None),
    ("malformed", "the label database is damaged", None),
    (
        "unable to open",
        "the label database cannot be opened",
        "check that the folder exists and may be written",
    ),
    ("is full", "the disk is full", "free some space, then try again"),
    (
        "disk i/o",
        "the disk does not answer, or is full",
        "free some space or mend the disk, then try again; leave the file where it is",
    ),
    ("connection refused", "the database server does not answer", "start PostgreSQL"),
    ("could not connect", "the database server does not answer", "start PostgreSQL"),
    ("connection failed", "the database server does not answer", "check the address, start it"),
    ("resolve host", "the database server is not known", "check the host's name in the address"),
    ("server closed the connection", "the database server went away", "start PostgreSQL"),
    ("terminating connection", "the database server went away", "start PostgreSQL"),
    ("no such table", "the label database lacks a table", None),
    ("already exists", "the label database is half made", None),
    ("authentication failed", "the database server refuses the sign-in", "check user and password"),
    ("append-only", "label events are never changed or deleted", "write a newer event"),
)
_RESTORE = (
    "move the file away; labels come back with `judgekit labels import` from annotations/*/events/"
)


@contextmanager
def told(where: str) -> Iterator[None]:
    """Turn an error of the database into one StoreFailed that says what and where."""
    try:
        yield
    except SQLAlchemyError as error:
        raise store_failed(error, where) from error


def store_failed(error: SQLAlchemyError, where: str) -> StoreFailed:
    """Return what an error of the database means to a user."""
    cause = str(error.orig) if isinstance(error, DBAPIError) and error.orig else str(error)
    first = cause.strip().splitlines()[0] if cause.strip() else type(error).__name__
    for sign, message, mend in _KNOWN:
        if sign in cause.lower():
            return StoreFailed(message, where=where, found=first, mend=mend or _RESTORE)
    return StoreFailed("the label database failed", where=where, found=first)
