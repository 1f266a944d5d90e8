"""What each key of a page does: a line of its own, folded where the window is narrow."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import streamlit as st


def draw_key_legend(rows: Iterable[tuple[str, str]]) -> None:
    """Draw key and word of each row; the theme shows one of the two, by the window's width.

    A phone has no keys, but a window enlarged to 400 % has: so it is folded, not left out.
    """
    keys = "".join(f"<span><kbd>{escape(key)}</kbd> {escape(word)}</span>" for key, word in rows)
    if not keys:
        return
    line = f'<div class="jk-legend">{keys}</div>'
    with st.container(key="legend"):
        st.html(f'<div class="jk-wide">{line}</div>')
        st.html(f'<details class="jk-narrow"><summary>Keys</summary>{line}</details>')
