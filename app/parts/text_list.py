"""A list of plain text rows with one-key actions: for words that come from data.

Every word is a text node of a component of ours, so nothing in it can become markup, a link or a
request. Arrows (or j and k) move, space selects, each action has one key, and an action may ask
for a choice or a name in place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import streamlit as st

from parts.web_files import component

_list = component("text_list")
Needs = Literal["rows", "none"]


@dataclass(frozen=True)
class Row:
    """One row: its words, small print under them, a warning, and the heading it stands under."""

    id: str
    text: str
    meta: tuple[str, ...] = ()
    flag: str = ""
    group: str = ""


@dataclass(frozen=True)
class Choice:
    """One thing a prompt offers."""

    id: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """What an action asks first: one of `options`, or with `free` a new name.

    `many` says in the title how many rows it is about; `starts_with_row` fills in the words of
    the row (renaming).
    """

    label: str
    options: tuple[Choice, ...] = ()
    free: bool = False
    many: bool = False
    starts_with_row: bool = False


@dataclass(frozen=True)
class Action:
    """One thing to do with rows. `key` is a lower-case letter, a digit or "enter".

    The first action is also what a double click does. `clears` drops the selection afterwards;
    `leaves` goes to the top of the page, where what was opened is shown.
    """

    key: str
    name: str
    label: str
    needs: Needs = "rows"
    prompt: Prompt | None = None
    clears: bool = True
    leaves: bool = False


@dataclass(frozen=True)
class Act:
    """What the user did: `ids` are the selected rows, else the row at the cursor (`row`).

    `option` is the chosen id, `text` the new name; both empty without a prompt. `op_id` is new
    for each act, so that one sent twice is stored once.
    """

    name: str
    ids: tuple[str, ...]
    row: str
    option: str
    text: str
    op_id: str


@dataclass(frozen=True)
class Selection:
    """Rows to select now; another `token` makes it hold again."""

    token: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class TextList:
    """What a list shows and offers.

    Attributes:
        label: the list's name for screen readers.
        rows: what is shown, in order; rows of one `group` stand together.
        actions: what can be done, each with its key.
        multi: whether several rows can be selected.
        opens: whether a click on a row of a single list does the first action.
        empty: what is said where there are no rows.
        height: the most it takes, in pixels; more scrolls.
        select: rows to select.
    """

    label: str
    rows: Sequence[Row]
    actions: Sequence[Action] = ()
    multi: bool = False
    opens: bool = False
    empty: str = "Nothing here."
    height: int = 420
    select: Selection | None = None


def text_list(shown: TextList, *, key: str, on_act: Callable[[Act], None] | None = None) -> None:
    """Draw the list in `st-key-<key>-box`; `on_act` runs before the page does, once an act."""
    ids = {row.id for row in shown.rows}

    def changed() -> None:
        act = _parse(st.session_state.get(key), ids)
        if act is not None and on_act is not None:
            on_act(act)

    with st.container(key=f"{key}-box"):
        _list(key=key, data=asdict(shown), on_act_change=changed)


def _parse(state: Any, shown: set[str]) -> Act | None:
    """Return the act the browser sent, without rows that were not shown to it."""
    sent = state.get("act") if isinstance(state, Mapping) else None
    if not isinstance(sent, Mapping):
        return None
    row = sent.get("row")
    return Act(
        name=str(sent.get("name") or ""),
        ids=tuple(i for i in sent.get("ids") or () if i in shown),
        row=row if row in shown else "",
        option=str(sent.get("option") or ""),
        text=str(sent.get("text") or ""),
        op_id=str(sent.get("op_id") or ""),
    )
