"""What the parts of the Goldens page share: who acts where, the quiet line, the case in view."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from judgekit.model.item import Item
from judgekit.store.label_store import GoldenCase, LabelStore, Project
from parts.acting import acting_user
from parts.item_view import item_blocks, item_view
from parts.long_item import offer_whole, shown_part
from parts.page import OpenPage
from parts.probe import probe
from parts.settings import workspace
from parts.status_line import LastSaid, status_line

PAGE = "goldens"
CASE = "case"
_line = LastSaid("golden")
say, say_error, forget_said = _line.say, _line.say_error, _line.forget
_SHOWN_FIELDS = ("input", "context")


@dataclass(frozen=True)
class GoldenDesk:
    """One person at one project, asked anew in every callback and fragment."""

    store: LabelStore
    project: Project
    alias: str

    def case(self, case_id: str) -> GoldenCase:
        """Return the case as this person may see it."""
        return self.store.goldens.case(self.project.name, case_id, self.alias)

    def item(self, case_id: str) -> Item:
        """Return the item behind a case, whole: only for what is not shown to experts."""
        return self.store.projects.item(self.project.name, case_id).item

    @property
    def folder(self) -> Path:
        """Return the folder of the project's dataset."""
        return workspace().annotations_dir / self.project.dataset


def desk_of(page: OpenPage) -> GoldenDesk:
    """Return the desk of whoever acts now, if they may."""
    user = acting_user(PAGE)
    return GoldenDesk(store=page.store, project=page.the_project, alias=user.alias)


def case_in_view() -> str:
    """Return the id of the case that the address names, or ""."""
    return str(st.query_params.get(CASE, ""))


def show_case(case_id: str) -> None:
    """Bring a case into view; "" brings the list back."""
    if case_id:
        st.query_params[CASE] = case_id
    else:
        st.query_params.pop(CASE, None)


def quiet_line(*, idle: str = "") -> None:
    """Draw the line with what was said last, else with `idle`."""
    status_line(_line.said(idle), keys=(), key="golden-status")


def golden_probe(desk: GoldenDesk, *, item: str = "", rev: int = 0, saved: str = "") -> None:
    """Write the page's probe."""
    probe(page=PAGE, user=desk.alias, item=item, rev=rev, saved=saved)


def show_input(desk: GoldenDesk, case_id: str) -> None:
    """Show what the case starts from: input and context, never what a system answered.

    The answer, the trial and labels are not sent to the browser: an expert who has seen them
    expects what was done and not what should be done.
    """
    whole = desk.item(case_id)
    given = {name: getattr(whole, name) for name in _SHOWN_FIELDS}
    part = shown_part(item_blocks(Item(id=case_id, **given)), case_id)
    if not part.blocks:
        st.text("The case has neither input nor context.")
    item_view(part.blocks, key="golden-item", token=case_id)
    offer_whole(part)
