"""The item as the browser shows it: plain text that can be marked, by mouse or by keyboard.

The browser gets text nodes and `<mark>`, never markup made of the text. It counts offsets in
UTF-16 units and turns them into code points before it sends them; here each quote is compared
with the text, so that a span that does not fit is refused instead of stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import streamlit as st

from judgekit.model.item import Item
from judgekit.model.item_text import ItemText, item_texts
from judgekit.store.label_store import Span
from parts.web_files import component, only_rerun

Mark = Literal["a", "b"]
LONG_RESULT = 600
FIRST_PART = 100_000
LIMIT = 200_000
_view = component("item_view")


@dataclass(frozen=True)
class Block:
    """One text on the page. `fixed` blocks cannot be marked; `folded` ones start closed."""

    field: str
    title: str
    text: str
    kind: str = "text"
    folded: bool = False
    fixed: bool = False


@dataclass(frozen=True)
class ShownSpan:
    """A mark to show: `a` has a solid underline, `b` a dashed one; `tag` is a word before it."""

    field: str
    start: int
    end: int
    mark: Mark = "a"
    tag: str | None = None


def item_blocks(item: Item) -> list[Block]:
    """Return the item's texts as blocks, in reading order; long tool results start folded."""
    return [_block(text) for text in item_texts(item)]


def _block(text: ItemText) -> Block:
    side = text.place in ("output_1", "output_2")
    folded = text.kind == "result" and len(text.text) > LONG_RESULT
    kind = "side" if side else text.kind
    return Block(text.place, _title(text), text.text, kind=kind, folded=folded)


def _title(text: ItemText) -> str:
    place = text.place
    if place.startswith("trial."):
        return _trial_title(text)
    known = {"output": "Answer", "output_1": "First answer", "output_2": "Second answer"}
    if place in known:
        return known[place]
    root, _, rest = place.partition(".")
    title = {"output": "Answer"}.get(root, root.capitalize())
    return f"{title}: {int(rest) + 1 if rest.isdecimal() else rest}" if rest else title


def _trial_title(text: ItemText) -> str:
    words = {
        "message": f"{text.name}",
        "call": f"Calls {text.name}",
        "result": f"Result of {text.name}",
        "error": f"Error of {text.name}" if text.name else "Error",
    }
    return words.get(text.kind) or f"Trial: {text.place.removeprefix('trial.')}"


def shorten(blocks: Sequence[Block]) -> tuple[list[Block], bool]:
    """Return the blocks, cut to a first part where all of them together are over 200 kB.

    What is asked about stays: the short texts first, and of a trial what is left.
    """
    if sum(len(block.text) for block in blocks) <= LIMIT:
        return list(blocks), False
    left, kept = FIRST_PART, {}
    for block in sorted(blocks, key=_room_order):
        kept[block.field] = block.text[: max(left, 0)]
        left -= len(kept[block.field])
    short = [
        Block(**{**asdict(block), "text": kept[block.field]})
        for block in blocks
        if kept[block.field] or not block.text
    ]
    return short, True


def _room_order(block: Block) -> tuple[bool, int]:
    """Order blocks by who gets room first; a trial stays in its own order."""
    of_trial = block.field.startswith("trial.")
    return of_trial, 0 if of_trial else len(block.text)


def item_view(
    blocks: Sequence[Block],
    *,
    key: str,
    token: str,
    spans: Sequence[ShownSpan] = (),
    serial: int = 0,
    read_only: bool = True,
    on_mark: Callable[[], None] | None = None,
) -> None:
    """Show the blocks with their marks.

    Args:
        key: the widget's key; `marked_spans(key, ...)` reads what the person marked.
        token: what is shown (a presentation id); the view is rebuilt when it changes.
        serial: the `serial` of the last marks that the server took.
        on_mark: called when the person marked or unmarked something.
    """
    data = {
        "token": token,
        "blocks": [asdict(block) for block in blocks],
        "spans": [asdict(span) for span in spans],
        "serial": serial,
        "read_only": read_only,
        "wide": any(block.kind == "side" for block in blocks),
    }
    _view(key=key, data=data, on_marked_change=on_mark or only_rerun)


@dataclass(frozen=True)
class Marked:
    """What the person marked: the whole list, as it stands in the browser."""

    token: str
    serial: int
    spans: tuple[Span, ...]


def marked_spans(key: str, blocks: Sequence[Block], item_hash: str) -> Marked | None:
    """Return what the browser sent in this run, or None; spans that do not fit are left out."""
    sent: Any = getattr(st.session_state.get(key), "marked", None)
    if not isinstance(sent, dict) or not isinstance(sent.get("spans"), list):
        return None
    texts = {block.field: block.text for block in blocks}
    found = (_span(raw, texts, item_hash) for raw in sent["spans"])
    return Marked(
        token=str(sent.get("token")),
        serial=int(sent.get("serial") or 0),
        spans=tuple(span for span in found if span is not None),
    )


def _span(raw: Any, texts: dict[str, str], item_hash: str) -> Span | None:
    if not isinstance(raw, dict):
        return None
    field, start, end, quote = (raw.get(name) for name in ("field", "start", "end", "quote"))
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end:
        return None
    if not isinstance(field, str) or texts.get(field, "")[start:end] != quote:
        return None
    return Span(field=field, start=start, end=end, quote=str(quote), item_hash=item_hash)
