"""How the items of a list on Home begin, and item ids in the words of a button."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parts.adjudicate_lists import opening
from parts.page import OpenPage

LONGEST_ID = 60
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def openings(page: OpenPage, item_ids: Sequence[str]) -> dict[str, str]:
    """Return the first words of own items, by id; none of pairs, whose sides may be exchanged."""
    project = page.the_project
    items = page.store.adjudication.items(project.name, item_ids)
    return {
        item_id: opening(item)
        for item_id, item in items.items()
        if item.input is not None or item.output_1 is None
    }


def plain_label(words: str) -> str:
    """Return words of data for a button's label, which Streamlit reads as Markdown."""
    cut = words if len(words) <= LONGEST_ID else words[:LONGEST_ID] + "…"
    return _PUNCTUATION.sub(r"\\\1", cut)
