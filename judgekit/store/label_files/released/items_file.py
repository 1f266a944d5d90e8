"""items.jsonl: what is there stays byte for byte, items of the project that it lacks are added."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.store.dataset import SUFFIXES
from judgekit.store.files import read_bytes
from judgekit.store.label_files.log.event_line import json_line
from judgekit.store.label_store import LabelStore
from judgekit.store.readers import read_items


class ItemsFile(Record):
    """The items file of a dataset as it has to be: its name, its bytes, whether they changed."""

    name: str
    data: bytes
    changed: bool


def items_with(store: LabelStore, project: str, folder: Path) -> ItemsFile:
    """Return the dataset's items file with the project's items that it lacks at its end.

    Raises:
        InputError: the file cannot be read, or it is CSV or Parquet and lacks items.
    """
    own = [stored.item for stored in store.projects.items(project)]
    found = [folder / f"items{suffix}" for suffix in SUFFIXES]
    path = next((path for path in found if path.is_file()), found[0])
    old = read_bytes(path) if path.is_file() else b""
    known = {item.id for item in read_items(path)} if old.strip() else set()
    missing = [item for item in own if item.id not in known]
    if not missing:
        return ItemsFile(name=path.name, data=old, changed=False)
    if path.suffix != ".jsonl":
        raise InputError(
            f"{path.name!r} lacks {len(missing)} items of the project",
            where=str(path),
            found=f"no item {missing[0].id!r}",
            mend="turn it into items.jsonl, to which they can be added",
        )
    start = old if not old or old.endswith(b"\n") else old + b"\n"
    return ItemsFile(name=path.name, data=start + items_bytes(missing), changed=True)


def items_bytes(items: list[Item]) -> bytes:
    """Return items as JSON lines with sorted keys, without defaults."""
    return "".join(json_line(item_row(item)) + "\n" for item in items).encode("utf-8")


def item_row(item: Item) -> dict[str, Any]:
    """Return an item as the row that reads as it."""
    return item.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
