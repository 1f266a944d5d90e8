"""How every page begins: who, whether they may, on which project; then its title."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import streamlit as st

from judgekit.store.label_store import LabelStore, Project
from parts.messages import errors_shown, show_notice
from parts.pages import PageEntry, page_entry
from parts.probe import probe
from parts.reconnect import redraw_when_connected_again
from parts.sign_in import current_user
from parts.store import label_store
from parts.theme import apply_theme
from parts.user import User

_QUERY = "project"
_ELSEWHERE, _BOX = "_no_such_project", "_project_box"


@dataclass(frozen=True)
class OpenPage:
    """What a page works with. `project` is None only where the page was opened without one."""

    name: str
    user: User
    store: LabelStore
    project: Project | None

    @property
    def the_project(self) -> Project:
        """Return the project; for pages that need one."""
        if self.project is None:
            raise RuntimeError("the page was opened with needs_project=False")
        return self.project


def open_page(name: str, *, needs_project: bool = True, draws_probe: bool = True) -> OpenPage:
    """Begin the page `name` of `parts.pages` and return what it works with, or stop it.

    The window's title names page and project, the page gets its only `h1`, and somebody without
    the role sees "not allowed" before anything is read from the project. A page that draws its
    own probe (to name an item) passes `draws_probe=False`.
    """
    entry = page_entry(name)
    with errors_shown():
        user = current_user()
        if not user.roles & entry.roles:
            refuse(entry, user)
        store = label_store()
        project = _choose_project(store.projects.list())
    apply_theme(f"{entry.title} · {project.name}" if project else entry.title)
    st.title(entry.title, anchor=False)
    redraw_when_connected_again()
    _tell_elsewhere(project)
    if draws_probe:
        probe(page=name, user=user.alias)
    if needs_project and project is None:
        show_notice("There is no project yet. A lead opens one in Admin.", key="no-project")
        st.stop()
    return OpenPage(name=name, user=user, store=store, project=project)


def refuse(entry: PageEntry, user: User) -> NoReturn:
    """Say that `user` may not use the page, and stop."""
    apply_theme(entry.title)
    st.title(entry.title, anchor=False)
    probe(page=entry.name, user=user.alias)
    show_notice("Not allowed: you do not have the role for this page.", key="not-allowed")
    st.stop()


def _choose_project(projects: tuple[Project, ...]) -> Project | None:
    """Return the project that the address names, else the one chosen last, else the first."""
    by_name = {project.name: project for project in projects}
    if not by_name:
        return None
    asked = st.query_params.get(_QUERY)
    wanted = asked or st.session_state.get("_project")
    name = wanted if wanted in by_name else sorted(by_name)[0]
    if asked and asked not in by_name:
        st.session_state[_ELSEWHERE] = (asked, name)
    if len(by_name) > 1:
        name = st.sidebar.selectbox(
            "Project", sorted(by_name), index=sorted(by_name).index(name), key=_BOX
        )
    st.session_state["_project"] = name
    if st.query_params.get(_QUERY) != name:
        st.query_params[_QUERY] = name
    return by_name[name]


def turn_to_project(name: str) -> None:
    """Choose another project, as the box on the left does; for callbacks."""
    st.session_state["_project"] = st.session_state[_BOX] = name
    st.query_params[_QUERY] = name


def _tell_elsewhere(project: Project | None) -> None:
    """Say so where the address named a project that is not there, until another is chosen."""
    asked, shown = st.session_state.get(_ELSEWHERE, (None, None))
    if asked is None or project is None:
        return
    if project.name == shown:
        show_notice(
            f"There is no project {asked[:64]!r}. This is {shown!r}.", key="no-such-project"
        )
    else:
        del st.session_state[_ELSEWHERE]
