"""One browser session belongs to one person; another person starts with nothing of theirs."""

from __future__ import annotations

import streamlit as st

_ALIAS = "_alias"


def bind_session(alias: str) -> None:
    """Forget everything of the person before when another one is now signed in."""
    before = st.session_state.get(_ALIAS)
    if before is not None and before != alias:
        for key in list(st.session_state):
            del st.session_state[key]
    st.session_state[_ALIAS] = alias


def bound_alias() -> str | None:
    """Return whose session this is, or None."""
    alias = st.session_state.get(_ALIAS)
    return alias if isinstance(alias, str) else None


def forget_session() -> None:
    """Sign out: drop everything that this session holds."""
    for key in list(st.session_state):
        del st.session_state[key]
