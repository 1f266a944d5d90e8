"""Home below its title: what is left, what was done last. Nothing of anybody else."""

from __future__ import annotations

from uuid import uuid4

import streamlit as st

from judgekit.store.label_store import OwnLabel, Progress, Undone
from parts.acting import acting_user
from parts.home_outcomes import draw_outcomes
from parts.label_actions import reopen
from parts.label_work import clock, set_work, work_on
from parts.messages import errors_shown, show_notice
from parts.page import OpenPage
from parts.pages import page_entry

_GO = "_go_to_label"


def draw_home(page: OpenPage) -> None:
    """Draw the queue of the person who is signed in."""
    if st.session_state.pop(_GO, False):
        st.switch_page(page_entry("label").file)
    with errors_shown():
        if "annotator" in page.user.roles:
            progress = page.store.queue.progress(page.the_project.name, page.user.alias)
            _continue(page, progress)
        _projects(page)
        if "annotator" in page.user.roles:
            _recent(page)
            draw_outcomes(page)


def _continue(page: OpenPage, progress: Progress) -> None:
    with st.container(key="continue"):
        if progress.left:
            if st.button("Continue labelling", type="primary", key="continue-labelling"):
                set_work(None)
                st.switch_page(page_entry("label").file)
            st.text(f"{progress.left} left{_minutes(progress)}")
        else:
            st.text(f"All done in {page.the_project.name}: nothing is left for you.")
    guideline = page.the_project.guideline
    if progress.under_older_guideline and guideline:
        show_notice(
            f"The guideline is now version {guideline.version}. "
            f"{progress.under_older_guideline} of your labels were given under an older one; "
            "reopen them below where the change matters.",
            key="guideline-changed",
        )


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
            done = page.store.queue.progress(project.name, page.user.alias)
            parts = []
            if "annotator" in page.user.roles:
                parts.append(f"{done.labelled} done by you, {done.left} left for you")
            if "adjudicator" in page.user.roles:
                counts = page.store.adjudication.counts(project.name)
                parts.append(f"{counts.open} to adjudicate")
            if not parts:
                parts.append(_standing(page, project.name))
            here = "  (open)" if project.name == page.the_project.name else ""
            st.text(f"{project.name}: {'; '.join(parts)}{here}")
        if page.user.roles and not page.user.roles & {"annotator", "adjudicator"}:
            st.text("You have no queue here: choose a page on the left.")


def _standing(page: OpenPage, project: str) -> str:
    """Return how far a project is, for those who neither label nor adjudicate."""
    if not page.user.roles:
        return "nothing for you yet; a lead gives roles"
    counts = page.store.adjudication.counts(project)
    return f"{counts.open} to adjudicate, {counts.decided} decided, {counts.agreeing} agree"


def _recent(page: OpenPage) -> None:
    labels = page.store.queue.last_labels(page.the_project.name, page.user.alias, limit=10)
    with st.container(key="recent", gap="xsmall"):
        st.header("Your last labels", anchor=False)
        if not labels:
            st.text("None yet.")
            return
        st.button("Undo the last one", key="undo-last", on_click=_undo, args=(page, str(uuid4())))
        for number, label in enumerate(labels):
            _row(page, number, label)


def _row(page: OpenPage, number: int, label: OwnLabel) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"recent-{number}"):
        mode = (
            f" ({label.answer.failure_mode.replace('_', ' ')})" if label.answer.failure_mode else ""
        )
        words = f"{clock(label.at)}  {label.answer.label}{mode}  {label.item_id}"
        st.text(words + ("  released" if label.released else ""))
        if not label.released:
            st.button(
                "Reopen", key=f"reopen-{number}", on_click=_reopen, args=(page, label.item_id),
                type="tertiary",
            )  # fmt: skip


def _undo(page: OpenPage, op_id: str) -> None:
    acting_user("label")
    with errors_shown():
        result = page.store.labels.undo(
            page.the_project.name, annotator=page.user.alias, op_id=op_id
        )
    if isinstance(result, Undone):
        set_work(work_on(result.presentation, was=result.was))
        st.session_state[_GO] = True


def _reopen(page: OpenPage, item_id: str) -> None:
    acting_user("label")
    reopen(page, item_id)
    st.session_state[_GO] = True
