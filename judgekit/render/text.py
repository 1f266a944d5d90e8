"""Text that is safe to show: nothing in it can steer a terminal or turn a line around."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

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


def table(rows: Sequence[Sequence[str]], *, right: bool = False, indent: str = "") -> str:
    """Return rows as columns parted by two blanks; `right` sets all but the first to the right.

    Example:
        >>> print(table([["", "yes"], ["trials", "3"]], right=True))
                yes
        trials    3
    """
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if right and index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(indent + "  ".join(cells).rstrip())
    return "\n".join(lines)


def bullets(title: str, lines: Sequence[str]) -> str:
    """Return a title and its lines, or nothing without a line."""
    return "\n".join([title, *(f"  - {line}" for line in lines)]) if lines else ""
