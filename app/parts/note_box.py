"""A note that survives a reload and a killed server: sent 300 ms after the last key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from parts.web_files import component

_box = component("note_box")


def note_box(
    *,
    key: str,
    token: str,
    text: str,
    on_draft: Callable[[], None],
    on_done: Callable[[], None] | None = None,
    label: str = "Note (optional)",
    rows: int = 3,
    focus_key: str | None = "m",
    focus: bool = False,
) -> None:
    """Show the box; `typed_note(key)` reads what was typed.

    Args:
        token: what the note is about; another token puts `text` into the box.
        on_draft: called when typing paused for 300 ms or the box was left.
        on_done: called on Ctrl+Enter.
        focus_key: the key that goes into the box from anywhere on the page; Escape leaves it.
        focus: whether the caret goes into the box when another token is shown.
    """
    data = {
        "token": token,
        "text": text,
        "label": label,
        "rows": rows,
        "focus_key": focus_key,
        "focus": focus,
    }
    _box(key=key, data=data, on_draft_change=on_draft, on_done_change=on_done or on_draft)


@dataclass(frozen=True)
class Typed:
    """What stands in the box, and what it is about. `done`: it was left with Ctrl+Enter."""

    token: str
    text: str
    done: bool


def typed_note(key: str) -> Typed | None:
    """Return what the browser sent in this run, or None."""
    state = st.session_state.get(key)
    for name in ("done", "draft"):
        sent: Any = getattr(state, name, None)
        if isinstance(sent, dict) and isinstance(sent.get("text"), str):
            return Typed(token=str(sent.get("token")), text=sent["text"], done=name == "done")
    return None
