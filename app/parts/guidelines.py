"""The guidelines beside the item: Markdown drawn safely, and the version that labels name."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from judgekit.store.label_store import Project
from parts.plain_markdown import markdown_html

PANEL = ".st-key-guidelines"
"""The panel in the page; it scrolls itself."""


def guidelines_panel(project: Project, *, on_close: Callable[[], None] | None = None) -> None:
    """Draw guideline, criteria and failure modes of the project as they stand now.

    Where `on_close` is given, a button and Escape close the panel.
    """
    schema, guideline = project.label_schema, project.guideline
    with st.container(key="guidelines", border=True):
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            st.header("Guidelines", anchor=False, width="content")
            if on_close is not None:
                st.button(
                    "Close", key="close-guidelines", shortcut="Escape", on_click=on_close,
                )  # fmt: skip
        rubric = f"{schema.rubric or 'no rubric'} {schema.rubric_version or ''}".strip()
        version = guideline.version if guideline else "none"
        st.text(f"Guideline {version} · rubric {rubric}")
        if guideline and guideline.text:
            st.html(f'<div class="jk-guideline">{markdown_html(guideline.text)}</div>')
        told = guideline.text if guideline else ""
        _list("Criteria", [(c.id, c.description) for c in schema.criteria], told)
        _list("Failure modes", [(m.id, m.description) for m in schema.failure_modes], told)


def _list(title: str, rows: list[tuple[str, str]], told: str) -> None:
    """Draw what the guideline's own text does not say already."""
    if any(words not in told for _, words in rows):
        st.markdown(f"**{title}**")
        for name, words in rows:
            st.text(f"{name.replace('_', ' ')}: {words}")
