"""The workspace's label store, opened once for the whole server."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from judgekit.store.label_files.mirror import EventMirror
from judgekit.store.label_store import LabelStore, open_label_store

WORKSPACE_VARIABLE = "JUDGEKIT_LABEL_WORKSPACE"
STORE_VARIABLE = "JUDGEKIT_LABEL_STORE"


def workspace_root() -> Path:
    """Return the workspace that `judgekit label` was started on."""
    return Path(os.environ.get(WORKSPACE_VARIABLE) or ".").resolve()


def label_store() -> LabelStore:
    """Return the label store of the workspace; the engine is shared, connections never are."""
    return _opened(str(workspace_root()), os.environ.get(STORE_VARIABLE) or None)


@st.cache_resource(show_spinner=False)
def _opened(root: str, url: str | None) -> LabelStore:
    # The mirror is given here, once, so that no page can save a label without it.
    return open_label_store(url, Path(root), mirror=EventMirror(Path(root) / "annotations"))
