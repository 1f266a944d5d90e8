"""Looking up the project that a call is about, inside its transaction."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import ValidationError
from sqlalchemy import Connection, Row, select

from judgekit.errors import InputError, StoreFailed
from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.records.setup import (
    GuidelineVersion,
    LabelSchema,
    ProjectSettings,
)

R = TypeVar("R", bound=Record)


class Scope(Record):
    """A project's row, parsed."""

    id: int
    name: str
    dataset: str
    title: str | None
    settings: ProjectSettings
    archived: bool


class ItemRow(Record):
    """An item's row, parsed."""

    item: Item
    item_hash: str
    source: str | None
    design: str | None
    slots: int


def scope_of(connection: Connection, name: str) -> Scope:
    """Return the project of that name.

    Raises:
        InputError: there is none.
    """
    row = connection.execute(select(t.project).where(t.project.c.name == name)).one_or_none()
    if row is None:
        names = list(connection.execute(select(t.project.c.name).order_by("name")).scalars())
        near = get_close_matches(name, names, n=1)
        raise InputError(
            f"there is no project called {name!r}",
            found=repr(name),
            expected=", ".join(names[:20]) or "a project; none is there yet",
            mend=f"did you mean {near[0]!r}?" if near else None,
        )
    return scope_from(row)


def scope_by_id(connection: Connection, project_id: int) -> Scope:
    """Return the project of that database id."""
    query = select(t.project).where(t.project.c.id == project_id)
    return scope_from(connection.execute(query).one())


def scope_from(row: Row[Any]) -> Scope:
    """Return a row of `project`, parsed."""
    return Scope(
        id=row.id,
        name=row.name,
        dataset=row.dataset,
        title=row.title,
        settings=parsed(ProjectSettings, row.settings),
        archived=bool(row.archived),
    )


def schema_of(connection: Connection, project_id: int, version: int | None = None) -> LabelSchema:
    """Return a schema version of a project, the newest without `version`."""
    table = t.schema_version
    query = select(table.c.body).where(table.c.project_id == project_id)
    if version is not None:
        query = query.where(table.c.version == version)
    body = connection.execute(query.order_by(table.c.version.desc()).limit(1)).scalar_one()
    return parsed(LabelSchema, body)


def guideline_of(connection: Connection, project_id: int) -> GuidelineVersion | None:
    """Return the newest guideline version of a project, or None."""
    table = t.guideline_version
    query = select(table.c.body).where(table.c.project_id == project_id)
    body = connection.execute(query.order_by(table.c.ordinal.desc()).limit(1)).scalar_one_or_none()
    return None if body is None else parsed(GuidelineVersion, body)


def item_of(connection: Connection, scope: Scope, item_id: str) -> ItemRow:
    """Return an item of a project.

    Raises:
        InputError: the project has no such item.
    """
    where = (t.item.c.project_id == scope.id, t.item.c.id == item_id)
    row = connection.execute(select(t.item).where(*where)).one_or_none()
    if row is None:
        raise InputError(
            f"the project {scope.name!r} has no item {item_id!r}",
            found=repr(item_id),
            expected="the id of one of its items",
        )
    return item_from(row)


def item_from(row: Row[Any]) -> ItemRow:
    """Return a row of `item`, parsed."""
    return ItemRow(
        item=parsed(Item, row.body),
        item_hash=row.hash,
        source=row.source,
        design=row.design,
        slots=row.slots,
    )


def parsed(kind: type[R], body: str) -> R:
    """Return a record kept as JSON.

    Raises:
        StoreFailed: the row was changed by something that is not judgekit.
    """
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first = error.errors()[0]
        raise StoreFailed(
            f"a row of the label database is no {kind.__name__}",
            where=".".join(str(part) for part in first["loc"]),
            found=first["msg"],
            expected=f"what this judgekit wrote as {kind.__name__}",
        ) from error


def loaded(body: str | None) -> dict[str, Any] | None:
    """Return a JSON object kept as text, or None."""
    if body is None:
        return None
    value: dict[str, Any] = json.loads(body)
    return value
