"""A quiet line that says what was just done, on the run after it."""

from __future__ import annotations

import streamlit as st


def done(key: str, text: str) -> None:
    """Keep the line and draw the page anew, so that all of it shows the change."""
    st.session_state[f"_{key}"] = text
    st.rerun()


def show_done(key: str) -> None:
    """Show the line that `done` kept, once."""
    text = st.session_state.pop(f"_{key}", None)
    if text:
        with st.container(key=key):
            st.text(text)
