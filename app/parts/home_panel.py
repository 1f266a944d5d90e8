"""Home below its title: what is left, what was done last. Nothing of anybody else."""

from __future__ import annotations

import streamlit as st

from judgekit.store.label_store import Progress
from parts.home_labels import GO, draw_own_labels, labels_under_older_guideline
from parts.home_outcomes import draw_outcomes
from parts.label_work import set_work
from parts.messages import errors_shown
from parts.page import OpenPage, turn_to_project
from parts.pages import page_entry


def draw_home(page: OpenPage) -> None:
    """Draw the queue of the person who is signed in."""
    if st.session_state.pop(GO, False):
        st.switch_page(page_entry("label").file)
    with errors_shown():
        if "annotator" not in page.user.roles:
            _adjudicate(page, first=True)
            _projects(page)
            return
        progress = page.store.queue.progress(page.the_project.name, page.user.alias)
        _continue(page, progress)
        _adjudicate(page, first=not progress.left)
        older = labels_under_older_guideline(page)
        _projects(page)
        draw_own_labels(page, older)
        draw_outcomes(page)


def _adjudicate(page: OpenPage, *, first: bool) -> None:
    """Draw the way to what waits for an adjudicator; `first` makes it the primary button."""
    if "adjudicator" not in page.user.roles:
        return
    with st.container(key="continue-adjudicate"):
        waiting = page.store.adjudication.counts(page.the_project.name).open
        if not waiting:
            st.text(f"Nothing waits for adjudication in {page.the_project.name}.")
            return
        if st.button(
            "Continue adjudicating", type="primary" if first else "secondary",
            key="continue-adjudicating",
        ):  # fmt: skip
            st.switch_page(page_entry("adjudicate").file)
        st.text(f"{waiting} to adjudicate")


def _continue(page: OpenPage, progress: Progress) -> None:
    with st.container(key="continue"):
        if progress.left:
            if st.button("Continue labelling", type="primary", key="continue-labelling"):
                set_work(None)
                st.switch_page(page_entry("label").file)
            st.text(f"{progress.left} left{_minutes(progress)}")
        else:
            st.text(f"All done in {page.the_project.name}: nothing is left for you.")


def _minutes(progress: Progress) -> str:
    if progress.median_active_ms is None:
        return ""
    minutes = max(1, round(progress.left * progress.median_active_ms / 60_000))
    return f", about {minutes} min at your own median pace"


def _projects(page: OpenPage) -> None:
    """Draw one line for each project: done, left, and for adjudicators what waits for them."""
    with st.container(key="projects", gap="xsmall"):
        st.header("Projects", anchor=False)
        for project in page.store.projects.list():
            parts = []
            if "annotator" in page.user.roles:
                done = page.store.queue.progress(project.name, page.user.alias)
                parts.append(f"{done.labelled} done by you, {done.left} left for you")
            if "adjudicator" in page.user.roles:
                counts = page.store.adjudication.counts(project.name)
                parts.append(f"{counts.open} to adjudicate")
            if not parts:
                parts.append(_standing(page, project.name))
            _project_row(page, project.name, "; ".join(parts))
        if page.user.roles and not page.user.roles & {"annotator", "adjudicator"}:
            st.text("You have no queue here: choose a page on the left.")


def _project_row(page: OpenPage, name: str, words: str) -> None:
    if name == page.the_project.name:
        st.text(f"{name}: {words}  (this one)")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(f"{name}: {words}")
        st.button(
            "Open", key=f"open-{name}", type="tertiary", on_click=turn_to_project, args=(name,),
        )  # fmt: skip


def _standing(page: OpenPage, project: str) -> str:
    """Return how far a project is, for those who neither label nor adjudicate."""
    if not page.user.roles:
        return "nothing for you yet; a lead gives roles"
    counts = page.store.adjudication.counts(project)
    return f"{counts.open} to adjudicate, {counts.decided} decided, {counts.agreeing} agree"
