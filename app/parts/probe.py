"""The hidden element that tells a test what the page shows: ids and numbers only."""

from __future__ import annotations

from html import escape

import streamlit as st

_FIELDS = ("page", "item", "presentation", "rev", "saved", "user")


def probe(
    *,
    page: str,
    user: str,
    item: str = "",
    presentation: str = "",
    rev: int | str = "",
    saved: str = "",
) -> None:
    """Write the page's only `<div id="probe">`."""
    values = (page, item, presentation, str(rev), saved, user)
    words = " ".join(
        f'data-{name}="{escape(value, quote=True)}"'
        for name, value in zip(_FIELDS, values, strict=True)
    )
    with st.container(key="probe"):
        st.html(f'<div id="probe" aria-hidden="true" {words}></div>')
