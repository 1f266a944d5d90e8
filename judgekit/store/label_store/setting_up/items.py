"""Adding items, and drawing which of them want a second annotator."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, insert, select, update

from judgekit.errors import InputError
from judgekit.model.canonical import unit_interval
from judgekit.model.item import Item
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import utc_now
from judgekit.store.label_store.records.setup import ItemImport
from judgekit.store.label_store.scope import Scope

MAX_ID = 500


def add_items(
    connection: Connection,
    scope: Scope,
    items: Sequence[Item],
    *,
    source: str | None,
    designs: Mapping[str, str],
    dry_run: bool,
) -> ItemImport:
    """Add the items that are new, or nothing where one contradicts what is there."""
    query = select(t.item.c.id, t.item.c.hash).where(t.item.c.project_id == scope.id)
    known: dict[str, str] = {row.id: row.hash for row in connection.execute(query)}
    new: list[Item] = []
    n_known, conflicting = 0, []
    for item in items:
        held = known.get(_checked(item).id)
        if held is None:
            known[item.id] = item.content_hash
            new.append(item)
        elif held == item.content_hash:
            n_known += 1
        else:
            conflicting.append(item.id)
    if conflicting or dry_run or not new:
        return ItemImport(n_new=len(new), n_known=n_known, conflicting=tuple(conflicting))
    _insert(connection, scope, new, source, designs)
    draw_slots(connection, scope)
    return ItemImport(n_new=len(new), n_known=n_known, written=True)


def draw_slots(connection: Connection, scope: Scope) -> None:
    """Write how many annotators each item wants: the share with the lowest hashes wants one more.

    Where the share is 0 none does; else at least `overlap_min` items do, or all there are.
    """
    settings = scope.settings
    query = select(t.item.c.id, t.item.c.slots).where(t.item.c.project_id == scope.id)
    slots = {row.id: row.slots for row in connection.execute(query)}
    wanted = math.ceil(settings.overlap_share * len(slots) - 1e-9)
    if settings.overlap_share > 0:
        wanted = max(wanted, min(settings.overlap_min, len(slots)))
    ranked = sorted(slots, key=lambda key: (unit_interval(settings.seed, "overlap", key), key))
    more = set(ranked[:wanted])
    for value, ids in (
        (settings.labels_per_item + 1, [k for k in ranked if k in more]),
        (settings.labels_per_item, [k for k in ranked if k not in more]),
    ):
        changed = [key for key in ids if slots[key] != value]
        for start in range(0, len(changed), 500):
            batch = changed[start : start + 500]
            where = (t.item.c.project_id == scope.id, t.item.c.id.in_(batch))
            connection.execute(update(t.item).where(*where).values(slots=value))


def _insert(
    connection: Connection,
    scope: Scope,
    items: Sequence[Item],
    source: str | None,
    designs: Mapping[str, str],
) -> None:
    at = utc_now()
    rows = [
        {
            "project_id": scope.id,
            "id": item.id,
            "hash": item.content_hash,
            "body": item.model_dump_json(exclude_unset=True),
            "source": source,
            "design": designs.get(item.id),
            "slots": scope.settings.labels_per_item,
            "at": at,
        }
        for item in items
    ]
    connection.execute(insert(t.item), rows)


def _checked(item: Item) -> Item:
    if len(item.id) > MAX_ID or "\x00" in item.id:
        raise InputError(
            f"the item id {item.id[:60]!r} cannot be stored",
            found=f"{len(item.id)} characters, or a NUL character",
            expected=f"at most {MAX_ID} characters without NUL",
        )
    return item
