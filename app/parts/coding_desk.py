"""What the three steps of Error analysis share: who codes what, the quiet line, the trace."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from judgekit.stats.estimate import Estimate, Statistic
from judgekit.store.label_store import CodeBook, LabelStore, Project, StoredItem
from parts.acting import acting_user
from parts.item_view import item_blocks, item_view
from parts.long_item import offer_whole, shown_part
from parts.page import OpenPage
from parts.probe import probe
from parts.status_line import LastSaid, status_line

PAGE = "error_analysis"
_line = LastSaid("coding")
say, say_error = _line.say, _line.say_error


@dataclass(frozen=True)
class Desk:
    """One coder at one project, asked anew in every callback and fragment."""

    store: LabelStore
    project: Project
    coder: str

    @property
    def book(self) -> CodeBook:
        """Return notes and modes as they stand now."""
        return self.store.codes.book(self.project.name)

    def item(self, item_id: str) -> StoredItem:
        """Return one item, whole."""
        return self.store.projects.item(self.project.name, item_id)


def desk_of(page: OpenPage) -> Desk:
    """Return the desk of whoever acts now, if they may."""
    user = acting_user(PAGE)
    return Desk(store=page.store, project=page.the_project, coder=user.alias)


def quiet_line(*, keys: tuple[str, ...] = ()) -> None:
    """Draw the line with what was said last."""
    with st.container(key="save-state"):
        status_line(_line.said("Nothing done yet."), keys=keys, key="coding-status")


def coding_probe(desk: Desk, *, item: str = "") -> None:
    """Write the page's probe; `saved` counts the notes that stand."""
    probe(page=PAGE, user=desk.coder, item=item, saved=str(len(desk.book.notes)))


def trace(desk: Desk, item_id: str, *, key: str) -> None:
    """Show one item as plain text."""
    part = shown_part(item_blocks(desk.item(item_id).item), item_id)
    item_view(part.blocks, key=key, token=item_id)
    offer_whole(part)


def trace_of_note(desk: Desk, book: CodeBook, item_id: str, *, key: str) -> None:
    """Show the item of a note that stands, under its heading; nothing where none was chosen."""
    if any(note.item_id == item_id for note in book.notes):
        st.header("Trace of the note", anchor=False)
        st.text(f"Item {item_id}")
        trace(desk, item_id, key=key)


def percent(share: Statistic) -> str:
    """Return `24 % (16 to 35 %, n = 50)`, or why there is no value."""
    if not isinstance(share, Estimate) or share.low is None or share.high is None:
        reason = "no interval" if isinstance(share, Estimate) else share.undefined
        return f"no share: {reason}"
    low, high = 100 * share.low, 100 * share.high
    return f"{100 * share.value:.0f} % ({low:.0f} to {high:.0f} %, n = {share.n})"
