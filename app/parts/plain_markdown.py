"""Simple Markdown as safe HTML: headings, lists, bold, italic and code; all else stays words.

Nothing of it is live: an image, a link or a tag stands there as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_ITEM = re.compile(r"\s*(?:([-*+])|\d{1,9}[.)])\s+(.*)$")
_FENCE = re.compile(r"\s*(```|~~~)")
_INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<b>\S(?:.*?\S)?)\*\*|__(?P<b2>\S(?:.*?\S)?)__"
    r"|(?<![\w*])\*(?P<i>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])"
    r"|(?<!\w)_(?P<i2>[^\s_](?:[^_]*[^\s_])?)_(?!\w)"
)
_TAGS = {"code": "code", "b": "strong", "b2": "strong", "i": "em", "i2": "em"}


def markdown_html(text: str, *, under: int = 2) -> str:
    """Return the text as HTML with every character escaped; it stands under an `<h{under}>`."""
    return "".join(_blocks(_rows(text.splitlines()), under))


def _blocks(rows: list[tuple[str, str]], under: int) -> Iterator[str]:
    level = under
    for kind, group in groupby(rows, key=lambda row: row[0]):
        texts = [words for _, words in group]
        if kind == "code":
            yield f"<pre>{escape(chr(10).join(texts))}</pre>"
        elif kind in ("ul", "ol"):
            yield f"<{kind}>{''.join(f'<li>{_inline(words)}</li>' for words in texts)}</{kind}>"
        elif kind == "text":
            yield f"<p>{'<br>'.join(map(_inline, texts))}</p>"
        elif kind.startswith("#"):
            level = min(under + len(kind), level + 1, 6)  # no level is left out
            yield from (f"<h{level}>{_inline(words)}</h{level}>" for words in texts)


def _rows(lines: list[str]) -> list[tuple[str, str]]:
    """Return what each line is, with its words; an item's further lines join it."""
    rows: list[tuple[str, str]] = [("blank", "")]
    fenced = False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            rows.append(("blank", ""))
            continue
        row = ("code", line) if fenced else _row(line)
        kind, words = rows[-1]
        if kind in ("ul", "ol") and row[0] == "text" and line[:1].isspace():
            rows[-1] = (kind, f"{words} {row[1]}")
        else:
            rows.append(row)
    return rows


def _row(line: str) -> tuple[str, str]:
    if heading := _HEADING.match(line):
        return heading[1], heading[2]
    if item := _ITEM.match(line):
        return "ul" if item[1] else "ol", item[2]
    return ("text", line.strip()) if line.strip() else ("blank", "")


def _inline(words: str) -> str:
    """Return escaped words with bold, italic and code drawn."""
    shown, end = "", 0
    for found in _INLINE.finditer(words):
        name = str(found.lastgroup)
        inside = escape(found[name]) if name == "code" else _inline(found[name])
        shown += f"{escape(words[end : found.start()])}<{_TAGS[name]}>{inside}</{_TAGS[name]}>"
        end = found.end()
    return shown + escape(words[end:])
