"""Rows as a table of text nodes: readable by everybody, and no word in it becomes markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parts.plain_words import PlainTable, show_table


def show_rows(caption: str, rows: Sequence[Mapping[str, str]], *, key: str) -> None:
    """Show rows of the same columns; the first column heads its row."""
    head = tuple(rows[0])
    cells = tuple(tuple(row[name] for name in head) for row in rows)
    show_table(PlainTable(caption=caption, head=head, rows=cells), key=key)
