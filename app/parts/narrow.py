"""Whether the window is narrow: then the label bar goes to the bottom of the screen."""

from __future__ import annotations

import streamlit as st

from parts.web_files import component, only_rerun

_width = component("width")
_KEY = "window-width"


def is_narrow() -> bool:
    """Return whether the window is at most 700 px wide; the page reruns when that changes.

    Call it outside a fragment, once a page.
    """
    with st.container(key="width"):
        _width(key=_KEY, on_narrow_change=only_rerun)
    return bool(getattr(st.session_state.get(_KEY), "narrow", False))
