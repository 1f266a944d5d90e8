"""A list of cases to open one of: each row is a button whose words are text nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from parts.web_files import component

_list = component("case_list")


@dataclass(frozen=True)
class CaseRow:
    """One row: its words, and small print under them."""

    id: str
    text: str
    meta: str


def case_list(
    label: str, rows: Sequence[CaseRow], *, current: str, key: str, on_open: Callable[[str], None]
) -> None:
    """Draw the rows, `current` marked; `on_open` gets the id of a row that was shown."""
    known = {row.id for row in rows}

    def opened() -> None:
        wanted = getattr(st.session_state.get(key), "open", None)
        if wanted in known:
            on_open(str(wanted))

    data = {"label": label, "current": current, "rows": [asdict(row) for row in rows]}
    _list(key=key, data=data, on_open_change=opened)
