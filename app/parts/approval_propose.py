"""Propose a release of the labels, or a new version of the guideline."""

from __future__ import annotations

from typing import Any

import streamlit as st

from judgekit.approval.label_release import preview_release
from judgekit.errors import JudgekitError
from judgekit.store.label_files.released.release import ReleasePreview
from judgekit.store.label_store import AlreadyProposed, ProposalKind
from parts.acting import acting_user
from parts.approval_decision import SAID
from parts.approval_release import show_release
from parts.messages import show_error
from parts.page import OpenPage
from parts.plain_words import heading
from parts.settings import workspace_now
from parts.store import label_store


def show_proposing(page: OpenPage) -> None:
    """Draw what can be proposed for this project."""
    if page.project is None:
        return
    with st.container(key="propose"):
        heading("Propose")
        if st.toggle("A release of the labels as they stand", key="prepare-release"):
            _prepare_release(page, page.project.name)
        if st.toggle("A version of the guideline", key="prepare-guideline"):
            _prepare_guideline(page)
        st.text("A judge is proposed on the page Calibrate, a golden case in Goldens.")


def _prepare_release(page: OpenPage, project: str) -> None:
    try:
        found = preview_release(page.store, workspace_now(), project)
    except JudgekitError as error:
        show_error(error, key="no-release")
        return
    if found.unchanged or not found.labels:
        st.text("There is nothing to release: no label changed since the last release.")
        return
    show_release(page, found, key="prepared")
    st.text_input("Note for the lead (optional)", key="release-note")
    st.button(
        "Propose this release",
        key="propose-release",
        on_click=_propose,
        args=("release", found.version, release_payload(found), project),
    )


def release_payload(found: ReleasePreview) -> dict[str, Any]:
    """Return what is proposed: exactly these labels, by their place in the log and their hash."""
    return {"version": found.version, "last_seq": found.last_seq, "sha256": found.sha256}


def _prepare_guideline(page: OpenPage) -> None:
    project = page.the_project
    known = project.guideline
    st.text_input("Version", key="guideline-version", max_chars=64)
    st.text_area("Guideline", value=known.text if known else "", key="guideline-text", height=240)
    st.button(
        "Propose this guideline",
        key="propose-guideline",
        on_click=_propose_guideline,
        args=(project.name,),
    )


def _typed(key: str) -> str:
    """Return what stands in a box now: a callback's arguments are those of the run before."""
    return str(st.session_state.get(key, ""))


def _propose_guideline(project: str) -> None:
    version, text = _typed("guideline-version").strip(), _typed("guideline-text")
    if not version or not text.strip():
        st.session_state[SAID] = "Not proposed: a guideline needs a version and a text."
        return
    _propose("guideline", version, {"version": version, "text": text}, project)


def _propose(kind: ProposalKind, subject: str, payload: dict[str, Any], project: str) -> None:
    user = acting_user("approvals")
    try:
        result = label_store().proposals.propose(
            kind,
            subject,
            payload,
            proposer=user.alias,
            project=project,
            note=_typed("release-note").strip() or None if kind == "release" else None,
        )
    except JudgekitError as error:
        st.session_state[SAID] = f"Error: {error}"
        return
    if isinstance(result, AlreadyProposed):
        st.session_state[SAID] = f"Not proposed: {result.existing.proposer} proposed it before."
    else:
        st.session_state[SAID] = "Proposed: a lead who is not you decides it."
