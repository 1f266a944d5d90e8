"""The browser's half of our components: files beside this one, read once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

_WEB = Path(__file__).resolve().parent / "web"


def only_rerun() -> None:
    """Take no notice: for what the browser sends so that the page runs again."""


def component(name: str) -> Any:
    """Return the component made of `web/<name>.js` and, where there is one, `web/<name>.css`.

    What `web/nodes.js` defines stands before each. Styles are not isolated: the page's own checks
    (contrast, names, focus) see all of it.
    """
    styles = _WEB / f"{name}.css"
    css = styles.read_text(encoding="utf-8") if styles.is_file() else None
    js = "".join((_WEB / f"{part}.js").read_text(encoding="utf-8") for part in ("nodes", name))
    return st.components.v2.component(f"judgekit_{name}", css=css, js=js, isolate_styles=False)
