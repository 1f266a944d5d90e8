"""Read of an item: a field by its dotted path, a text, the trial."""

from __future__ import annotations

import json
from typing import Any

from judgekit.errors import ItemError
from judgekit.model.item import Item
from judgekit.model.trial import Trial


def field_of(item: Item, path: str) -> Any:
    """Return the value at a path such as `output.reply` or `trial.final.amount`.

    Raises:
        ItemError: the item has no such field.
    """
    root, *names = path.split(".")
    value: Any = getattr(item, root, None) if root in Item.model_fields else None
    for name in names:
        if isinstance(value, Trial):
            value = getattr(value, name, None)
        elif isinstance(value, dict) and name in value:
            value = value[name]
        else:
            value = None
            break
    if value is None:
        raise ItemError(f"item {item.id!r} has no field {path!r}", where=f"item {item.id}")
    return value


def text_at(item: Item, path: str) -> str:
    """Return the text at a path; an object is read as JSON.

    Raises:
        ItemError: the item has no such field.
    """
    value = field_of(item, path)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def trial_of(item: Item) -> Trial:
    """Return the item's trial.

    Raises:
        ItemError: it has none.
    """
    if item.trial is None:
        raise ItemError(f"item {item.id!r} has no trial", where=f"item {item.id}")
    return item.trial
