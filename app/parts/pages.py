"""The pages of the app and who may open them: the only list of both."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from judgekit.store.label_settings import ROLES

APP = Path(__file__).resolve().parents[1]

Roles = frozenset[str]
ALL_ROLES: Roles = frozenset(ROLES)


@dataclass(frozen=True)
class PageEntry:
    """One page: its name (also the URL), its title and the roles that may open it."""

    name: str
    title: str
    roles: Roles

    @property
    def file(self) -> Path:
        """Return the page's file."""
        return APP / "app_pages" / f"{self.name}.py"


PAGES: tuple[PageEntry, ...] = (
    PageEntry("home", "Home", ALL_ROLES),
    PageEntry("label", "Label", frozenset({"annotator"})),
    PageEntry("adjudicate", "Adjudicate", frozenset({"adjudicator"})),
    PageEntry("error_analysis", "Error analysis", frozenset({"engineer", "lead"})),
    PageEntry("goldens", "Goldens", frozenset({"adjudicator", "engineer", "lead"})),
    PageEntry("calibrate", "Calibrate", frozenset({"engineer", "lead"})),
    PageEntry("disagreements", "Disagreements", frozenset({"engineer", "lead"})),
    PageEntry("approvals", "Approvals", frozenset({"engineer", "lead"})),
    PageEntry("admin", "Admin", frozenset({"lead"})),
)


def page_entry(name: str) -> PageEntry:
    """Return the entry of the page called `name`."""
    return next(entry for entry in PAGES if entry.name == name)
