"""A report as headings, lines, tables and bullets, shown as plain text or as Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from judgekit.render.markdown import escape_markdown
from judgekit.render.markdown import table as markdown_table
from judgekit.render.text import bullets, one_line, table


class Heading(NamedTuple):
    """The title of what follows."""

    text: str


class Line(NamedTuple):
    """One sentence or a few."""

    text: str


class Bullets(NamedTuple):
    """A list; nothing is shown where it is empty."""

    title: str
    lines: tuple[str, ...]


class Table(NamedTuple):
    """Rows under a head; nothing is shown where there is no row."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Line | Bullets | Table


def blocks_text(blocks: Iterable[Block]) -> str:
    """Return the blocks as plain text that ends with a line feed; nothing in it steers a terminal.

    Example:
        >>> print(blocks_text([Bullets("Why", ("one", "two"))]), end="")
        Why
          - one
          - two
    """
    shown = [_text(block) for block in blocks]
    return "\n\n".join(part for part in shown if part) + "\n"


def blocks_markdown(blocks: Iterable[Block]) -> str:
    """Return the blocks as Markdown, safe to show on a pull request.

    Example:
        >>> print(blocks_markdown([Heading("a|b")]), end="")
        ## a\\|b
    """
    shown = [_markdown(block) for block in blocks]
    return "\n\n".join(part for part in shown if part) + "\n"


def _text(block: Block) -> str:
    if isinstance(block, Heading | Line):
        return one_line(block.text)
    if isinstance(block, Bullets):
        return bullets(one_line(block.title), [one_line(line) for line in block.lines])
    if not block.rows:
        return ""
    rows = [[one_line(cell) for cell in row] for row in (block.head, *block.rows)]
    titled = [one_line(block.title)] if block.title else []
    return "\n".join([*titled, table(rows, indent="  ")])


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"## {escape_markdown(block.text)}"
    if isinstance(block, Line):
        return escape_markdown(block.text)
    title = f"### {escape_markdown(block.title)}" if block.title else ""
    if isinstance(block, Bullets):
        lines = [f"- {escape_markdown(line)}" for line in block.lines]
        return "\n".join([title, "", *lines]).strip() if lines else ""
    if not block.rows:
        return ""
    head = [escape_markdown(cell) for cell in block.head]
    return "\n".join([title, "", *markdown_table(head, block.rows)]).strip()
