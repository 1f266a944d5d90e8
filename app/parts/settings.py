"""The `label:` section of judgekit.yaml."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from judgekit.store.label_settings import LabelSettings
from judgekit.store.workspace import Workspace, find_workspace
from parts.store import workspace_root


def workspace() -> Workspace:
    """Return the workspace, its settings read once for the whole server."""
    return _workspace(str(workspace_root()))


def workspace_now() -> Workspace:
    """Return the workspace as its files stand now: for what is signed or released."""
    return find_workspace(workspace_root())


def label_settings() -> LabelSettings:
    """Return the settings of the app."""
    return workspace().settings.label


@st.cache_resource(show_spinner=False)
def _workspace(root: str) -> Workspace:
    return find_workspace(Path(root))
