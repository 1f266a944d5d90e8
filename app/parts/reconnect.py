"""A page that outlived its connection, or its server, is drawn anew without being reloaded."""

from __future__ import annotations

import time

import streamlit as st

from parts.web_files import component, only_rerun

_watch = component("reconnect")


def redraw_when_connected_again() -> None:
    """Let the browser run the whole page once whenever the connection came back.

    Call it outside a fragment: a server that was started anew knows no fragment yet. The
    browser's event `jk-cut` says that the connection was lost, `jk-back` that the page is whole.
    """
    with st.container(key="reconnect"):
        _watch(
            key="reconnect-watch",
            data={"run": time.time_ns() // 1_000_000},
            on_again_change=only_rerun,
        )
