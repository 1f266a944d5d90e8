"""Text that is safe to show: nothing in it can steer a terminal or turn a line around."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    """Return `text` with control and direction marks written out as `\\uXXXX`.

    Newlines and tabs stay, and so do the joiners that emoji and some scripts need.

    Example:
        >>> print(visible("a\\x1b[31mb"))
        a\\u001b[31mb
    """
    return "".join(c if _harmless(c) else f"\\u{ord(c):04x}" for c in text.replace("\r\n", "\n"))


def _harmless(char: str) -> bool:
    if char in "\n\t" or char in _JOINERS:
        return True
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def one_line(text: str) -> str:
    """Return `visible` text on one line."""
    return " ".join(visible(text).split())
