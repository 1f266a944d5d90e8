"""How deep a value is nested."""

from __future__ import annotations

from typing import Any


def deeper_than(value: Any, levels: int) -> bool:
    """Tell whether objects and lists are nested more than `levels` deep; never runs out of stack.

    Example:
        >>> [deeper_than([{"a": 1}], levels) for levels in (1, 2)]
        [True, False]
    """
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        inner: list[Any] = []
        for one in level:
            parts = one.values() if isinstance(one, dict) else one
            inner += [part for part in parts if isinstance(part, dict | list)]
        if not inner:
            return False
        level = inner
    return bool(level)
