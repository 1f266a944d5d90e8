"""The columns and keys that many tables share."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKeyConstraint, String, Text


def project_id(*, index: bool = False) -> Column[int]:
    """Return the number of the project that a row is of."""
    return Column("project_id", BigInteger, nullable=False, index=index or None)


def item_id() -> Column[str]:
    """Return the item that a row is about."""
    return Column("item_id", Text, nullable=False)


def alias(name: str) -> Column[str]:
    """Return a column with the alias of a person."""
    return Column(name, String(64), nullable=False)


def moment(name: str = "at") -> Column[str]:
    """Return a column with a time: ISO 8601 in UTC with microseconds."""
    return Column(name, String(32), nullable=False)


def body() -> Column[str]:
    """Return the rest of a row's record, as canonical JSON."""
    return Column("body", Text, nullable=False)


def in_project() -> ForeignKeyConstraint:
    """Return the key that ties a row to its project."""
    return ForeignKeyConstraint(["project_id"], ["project.id"])


def in_item() -> ForeignKeyConstraint:
    """Return the key that ties a row to an item of its project."""
    return ForeignKeyConstraint(["project_id", "item_id"], ["item.project_id", "item.id"])
