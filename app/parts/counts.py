"""Counts in words: 1 item, 2 items."""

from __future__ import annotations


def counted(n: int, one: str, many: str = "") -> str:
    """Return a count with its noun; `many` where that is not `one` with an s."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
