"""The guidelines beside the item: plain text, with the version that labels will name."""

from __future__ import annotations

import streamlit as st

from judgekit.store.label_store import Project


def guidelines_panel(project: Project) -> None:
    """Draw guideline, criteria and failure modes of the project as they stand now."""
    schema, guideline = project.label_schema, project.guideline
    with st.container(key="guidelines", border=True, height=640):
        st.header("Guidelines", anchor=False)
        rubric = f"{schema.rubric or 'no rubric'} {schema.rubric_version or ''}".strip()
        version = guideline.version if guideline else "none"
        st.text(f"Guideline {version} · rubric {rubric}")
        if guideline and guideline.text:
            st.text(guideline.text)
        told = guideline.text if guideline else ""
        _list("Criteria", [(c.id, c.description) for c in schema.criteria], told)
        _list("Failure modes", [(m.id, m.description) for m in schema.failure_modes], told)


def _list(title: str, rows: list[tuple[str, str]], told: str) -> None:
    """Draw what the guideline's own text does not say already."""
    if any(words not in told for _, words in rows):
        st.markdown(f"**{title}**")
        for name, words in rows:
            st.text(f"{name.replace('_', ' ')}: {words}")
