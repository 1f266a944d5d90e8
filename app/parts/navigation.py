"""The left navigation: the pages of one's roles, and who is signed in."""

from __future__ import annotations

import streamlit as st

from parts.messages import errors_shown
from parts.pages import PAGES, PageEntry, page_entry
from parts.sign_in import current_user
from parts.sign_in_local import sign_out, starts_at_home
from parts.theme import apply_theme
from parts.user import User

HOME = "home"


def run_navigation() -> None:
    """Draw the navigation and run the page that the address names.

    Pages of other roles stay reachable by address, where they say "not allowed".
    """
    apply_theme("judgekit")
    with errors_shown():
        user = current_user()
    page = st.navigation([*(_page(entry, user) for entry in PAGES), _home_by_name()])
    if user.mode == "local" and starts_at_home():
        st.switch_page(page_entry(HOME).file)
    _who(user)
    page.run()


def _page(entry: PageEntry, user: User) -> st.Page:
    home = entry.name == HOME
    return st.Page(
        entry.file,
        title=entry.title,
        url_path="start" if home else entry.name,
        default=home,
        visibility="visible" if user.roles & entry.roles else "hidden",
    )


def _home_by_name() -> st.Page:
    """Return Home once more: the default page has no address but `/`, and `/home` is natural."""
    entry = page_entry(HOME)
    return st.Page(entry.file, title=entry.title, url_path=HOME, visibility="hidden")


def _who(user: User) -> None:
    with st.sidebar.container(key="who"):
        st.text(f"Signed in as {user.alias}" + ("" if user.verified else " (not verified)"))
        if user.mode == "local":
            st.button("Change person", key="sign-out", on_click=sign_out)
        if user.mode == "oidc":
            st.button("Sign out", key="sign-out", on_click=st.logout)
