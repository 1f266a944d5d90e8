"""The app's pages, and who opens each of them in the checks that hold for every page."""

from __future__ import annotations

from browser_driver import Visitor

PAGES: dict[str, tuple[str, str]] = {
    "sign-in": ("/", "sign-in"),
    "home": ("/?user=ann", "home"),
    "label": ("/label?user=ann", "label"),
    "adjudicate": ("/adjudicate?user=ada", "adjudicate"),
    "error-open": ("/error_analysis?user=eve&step=Open", "error_analysis"),
    "error-axial": ("/error_analysis?user=eve&step=Axial", "error_analysis"),
    "error-promote": ("/error_analysis?user=eve&step=Promote", "error_analysis"),
    "goldens": ("/goldens?user=ada", "goldens"),
    "calibrate": ("/calibrate?user=eve", "calibrate"),
    "disagreements": ("/disagreements?user=eve", "disagreements"),
    "approvals": ("/approvals?user=lea", "approvals"),
    "admin-projects": ("/admin?user=lea&section=Projects", "admin"),
    "admin-people": ("/admin?user=lea&section=People", "admin"),
    "admin-import": ("/admin?user=lea&section=Import", "admin"),
    "admin-export": ("/admin?user=lea&section=Export", "admin"),
    "admin-pace": ("/admin?user=lea&section=Pace", "admin"),
    "admin-audit": ("/admin?user=lea&section=Audit", "admin"),
    "admin-backup": ("/admin?user=lea&section=Backup", "admin"),
}
"""Name of the view: its address, and what its probe says (the sign-in page has no probe)."""


def open_view(visitor: Visitor, view: str) -> None:
    """Open one view and wait until it is drawn."""
    path, page = PAGES[view]
    visitor.open(path)
    if page == "sign-in":
        visitor.expect_text("Choose who you are")
    else:
        visitor.wait_probe(page=page)
    visitor.wait_for(
        '() => !document.querySelector(\'[data-testid="stSkeleton"], [data-stale="true"]\')',
        None,
        "the page to be drawn",
    )
