"""Tables, headings and word differences whose every word is a text node: nothing is markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from typing import Literal

import streamlit as st

from parts.web_files import component

_table = component("plain_table")
_diff = component("word_diff")

_CSS = """
[class*="st-key-tint-"] { border: 1px solid var(--st-border-color, #8A94A3); border-radius: 6px;
  padding: .5rem .75rem; }
[class*="st-key-tint-false-pass-"] { background: color-mix(in srgb,
  var(--st-orange-color, #9A3B00) 16%, transparent); }
[class*="st-key-tint-false-fail-"] { background: color-mix(in srgb,
  var(--st-gray-color, #56606E) 16%, transparent); }
[class*="st-key-tint-"] p { font-size: 1rem; white-space: nowrap; }
[data-tag] > *, [data-tag] { background: transparent !important; color: inherit !important; }
[data-tag] { border: 1px solid currentColor; border-radius: 4px; }
@media (max-width: 700px) {
  [class*="st-key-tint-"] { padding: .25rem; }
  [class*="st-key-tint-"] p { white-space: normal; }
  [class*="st-key-tint-"] a { padding: .25rem; }
  [class*="st-key-matrix-"] [data-testid="stColumn"] { min-width: 0; flex: 1 1 0; }
  [class*="st-key-matrix-"] [data-testid="stHorizontalBlock"] { gap: .5rem; }
}
h2.plain-heading { font-size: 1.25rem; font-weight: 600; padding: .75rem 0 0; margin: 0; }
h3.plain-heading { font-size: 1.1rem; font-weight: 600; padding: .5rem 0 0; margin: 0; }
"""


@dataclass(frozen=True)
class PlainTable:
    """A table of words: the first cell of each row is the row's heading."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def show_table(table: PlainTable, *, key: str) -> None:
    """Show a table whose cells are text nodes; it scrolls sideways inside itself only."""
    _table(
        data={"caption": table.caption, "head": list(table.head), "rows": list(table.rows)},
        key=key,
    )


def apply_styles() -> None:
    """Set the styles of the pages of judges: headings, matrix cells."""
    st.html(f"<style>{_CSS}</style>")


def heading(text: str, level: Literal[2, 3] = 2) -> None:
    """Show a heading whose words may come from settings or data."""
    st.html(f"<h{level} class='plain-heading'>{escape(text)}</h{level}>")


@dataclass(frozen=True)
class Piece:
    """A run of words; `only` tells that the other side has not got them."""

    text: str
    only: bool


def word_pieces(first: str, second: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both texts in runs of shared and of own words, every character kept."""
    one, two = _words(first), _words(second)
    sides: tuple[list[Piece], list[Piece]] = ([], [])
    matcher = SequenceMatcher(a=one, b=two, autojunk=False)
    for tag, a_start, a_end, b_start, b_end in matcher.get_opcodes():
        for side, words in ((sides[0], one[a_start:a_end]), (sides[1], two[b_start:b_end])):
            if words:
                side.append(Piece("".join(words), only=tag != "equal"))
    return tuple(sides[0]), tuple(sides[1])


def _words(text: str) -> list[str]:
    """Return words, each with the space behind it."""
    words: list[str] = []
    for part in text.split(" "):
        words.append(part + " ")
    if words:
        words[-1] = words[-1][:-1]
    return [word for word in words if word]


def show_word_diff(sides: Sequence[tuple[str, tuple[Piece, ...]]], *, key: str) -> None:
    """Show two texts under each other, what only one says underlined (solid, then dashed)."""
    shown = [
        {"name": name, "pieces": [{"text": p.text, "only": p.only} for p in pieces]}
        for name, pieces in sides
    ]
    _diff(data={"sides": shown}, key=key)
