"""The words around an item: what is asked of it, and which field that is shown it has not got."""

from __future__ import annotations

from html import escape

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.model.item import Item
from judgekit.store.label_store import LabelSchema
from parts.settings import workspace

SHORT = 160
_TITLES = {"output": "Answer"}


def draw_question(schema: LabelSchema) -> None:
    """Draw what is asked, in one line; a long text is folded behind its beginning."""
    words = question(schema)
    if len(words) <= SHORT:
        body = escape(words)
    else:
        first = escape(words[:SHORT].rsplit(" ", 1)[0])
        body = f"<details><summary>{first} …</summary>{escape(words)}</details>"
    with st.container(key="asked"):
        st.html(f'<div class="jk-question">{body}</div>')


def question(schema: LabelSchema) -> str:
    """Return the task of the rubric as it is now, else a question that fits the answers."""
    pair = "Which answer is better?" if "output_1" in schema.labels else ""
    if not schema.criteria:
        return pair or "Is this in order?"
    task = _task(str(workspace().root), schema.rubric or "", schema.rubric_version or "")
    return " ".join(filter(None, (pair, task))) or "Does this pass?"


@st.cache_resource(show_spinner=False, max_entries=32)
def _task(root: str, rubric: str, version: str) -> str:
    """Return the rubric's task, empty where the project is of another version of it."""
    del root  # part of the cache's key
    try:
        found = workspace().rubric(rubric)
    except JudgekitError:
        return ""
    return " ".join(found.task.split()) if found.version == version else ""


def missing_fields(item: Item, schema: LabelSchema) -> list[str]:
    """Return a sentence for each field that the rubric shows and the item has not got."""
    if not schema.criteria:  # no rubric chose what is shown
        return []
    answered = item.output is not None or item.output_1 is not None or item.trial is not None
    names = [
        name
        for name in schema.shows
        if name.startswith(("input", "context", "reference")) or not answered or "." in name
    ]
    return [f"{_title(name)}: none given" for name in names if not _has(item, name)]


def _has(item: Item, name: str) -> bool:
    root, _, part = name.partition(".")
    value = getattr(item, root)
    if part:
        return isinstance(value, dict) and value.get(part) is not None
    return value not in (None, {}, [])


def _title(name: str) -> str:
    root, _, part = name.partition(".")
    title = _TITLES.get(root, root.capitalize())
    return f"{title}: {part}" if part else title
