"""Read parts of a reply that may have any shape: what does not fit is not known."""

from __future__ import annotations

from typing import Any

_MOST_TOKENS = 10**12


def tokens(value: Any) -> int | None:
    """Return a count of tokens, or None where `value` is not one.

    Example:
        >>> tokens(12), tokens(-1), tokens("12"), tokens(True)
        (12, None, None, None)
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= _MOST_TOKENS else None


def word(value: Any) -> str | None:
    """Return a text, or None where `value` is not one."""
    return value if isinstance(value, str) else None


def record(value: Any) -> dict[str, Any]:
    """Return a JSON object, empty where `value` is not one."""
    return value if isinstance(value, dict) else {}


def first_record(value: Any) -> dict[str, Any]:
    """Return the first entry of a list of JSON objects, empty where there is none."""
    return record(value[0]) if isinstance(value, list) and value else {}
