"""How faults are told: as plain text, since their words may come from data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from judgekit.errors import JudgekitError


def show_error(error: JudgekitError, *, key: str = "error") -> None:
    """Show what was found, where, what was expected and what mends it."""
    with st.container(border=True, key=key):
        st.text(f"Error: {error}")


def show_notice(text: str, *, key: str = "notice") -> None:
    """Show one plain sentence in a bordered box."""
    with st.container(border=True, key=key):
        st.text(text)


@contextmanager
def errors_shown(*, key: str = "error") -> Iterator[None]:
    """Show a fault raised inside as plain text and end the page there."""
    try:
        yield
    except JudgekitError as error:
        show_error(error, key=key)
        st.stop()
