"""A very long item: its first part, and a button that shows the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from parts.item_view import Block, shorten

_WHOLE = "_show_all"


@dataclass(frozen=True)
class Part:
    """What is shown of an item: all of it, or `cut` to a first part of `total` characters."""

    item_id: str
    blocks: list[Block]
    cut: bool
    total: int


def shown_part(blocks: Sequence[Block], item_id: str) -> Part:
    """Return the first part of a very long item, or all of it where that was asked for."""
    whole = st.session_state.get(_WHOLE) == item_id
    kept, cut = (list(blocks), False) if whole else shorten(blocks)
    return Part(item_id, kept, cut, sum(len(block.text) for block in blocks))


def offer_whole(part: Part, *, then: str = "") -> None:
    """Draw the button that shows the rest; `then` says what is possible once it is shown."""
    if part.cut:
        st.button(
            f"Show all {part.total:,} characters{then}",
            key="show-all",
            on_click=_show_all,
            args=(part.item_id,),
        )


def _show_all(item_id: str) -> None:
    st.session_state[_WHOLE] = item_id
