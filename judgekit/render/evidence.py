"""Find a judge's quotes in a text, so that they can be marked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple


class Piece(NamedTuple):
    """A stretch of text, and whether it is quoted as evidence."""

    text: str
    quoted: bool


_QUOTES = "[\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb]"


def mark_quotes(text: str, quotes: Iterable[str]) -> tuple[Piece, ...]:
    """Split `text` into pieces, those found in `quotes` marked.

    Case, spacing and the kind of quotation mark do not matter. A quote that is not found marks
    nothing; joined, the pieces are always the text.

    Example:
        >>> mark_quotes("We refund $5.", ["refund  $5"])[1]
        Piece(text='refund $5', quoted=True)
    """
    spans = sorted(span for quote in quotes for span in _spans(text, quote))
    pieces: list[Piece] = []
    at = 0
    for start, end in spans:
        if end <= at:
            continue
        start = max(start, at)
        if start > at:
            pieces.append(Piece(text[at:start], False))
        pieces.append(Piece(text[start:end], True))
        at = end
    if at < len(text) or not pieces:
        pieces.append(Piece(text[at:], False))
    return tuple(pieces)


def is_quoted(text: str, quote: str) -> bool:
    """Tell whether `quote` occurs in `text`, by the rule of `mark_quotes`."""
    return bool(_spans(text, quote))


def _spans(text: str, quote: str) -> list[tuple[int, int]]:
    words = quote.split()
    if not words:
        return []
    pattern = r"\s+".join(_any_quote_mark(word) for word in words)
    return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]


def _any_quote_mark(word: str) -> str:
    return "".join(_QUOTES if re.fullmatch(_QUOTES, c) else re.escape(c) for c in word)


def shown_text(value: Any) -> str:
    """Return an item's field as text: a string as it is, an object as indented JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2)
