"""Admin, Import: a file is read and checked first; nothing is written with anything in the way."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from judgekit.errors import JudgekitError
from judgekit.goldens.two_experts import entry_texts
from judgekit.store.label_files.import_plan import ImportKind, ImportPlan, ImportReport
from judgekit.store.label_files.imports import apply_import, plan_import
from parts.admin_done import done, show_done
from parts.counts import counted
from parts.messages import show_error
from parts.page import OpenPage

KINDS: dict[str, ImportKind] = {
    "Items (JSON lines, CSV, Parquet, or the gate's review file)": "items",
    "Events exported by judgekit (labels, error analysis, goldens)": "events",
    "Labels of another tool (JSON lines, CSV, Parquet)": "labels",
}
TYPES = ("jsonl", "json", "csv", "parquet")
SHOWN = 50
_PLAN = "_import_plan"


@dataclass(frozen=True)
class Checked:
    """A plan and the upload that it was made from: another file or kind needs another check."""

    made_from: tuple[str, str, str]
    plan: ImportPlan


def import_section(page: OpenPage) -> None:
    """Check an uploaded file, say what it would do, and import it when nothing is in the way."""
    st.header("Import", anchor=False)
    show_done("import-done")
    projects = [project.name for project in page.store.projects.list()]
    if not projects:
        st.text("There is no project yet. Open one under Projects.")
        return
    first = projects.index(page.project.name) if page.project else 0
    project = st.selectbox(
        "Into the project", projects, index=first, key="import-project", width=480
    )
    words = st.selectbox("What the file holds", list(KINDS), key="import-kind", width=480)
    upload = st.file_uploader("File", type=TYPES, key="import-file")
    if upload is None:
        return
    made_from = (upload.file_id, project, KINDS[words])
    if st.button("Check the file (writes nothing)", key="import-check"):
        _check(page, upload, made_from, KINDS[words])
    checked = st.session_state.get(_PLAN)
    if isinstance(checked, Checked) and checked.made_from == made_from:
        _show(checked.plan.report)
        _offer(page, checked.plan)


def _check(
    page: OpenPage, upload: UploadedFile, made_from: tuple[str, str, str], kind: ImportKind
) -> None:
    st.session_state.pop(_PLAN, None)
    with st.status("Reading and checking every line") as status:
        try:
            plan = plan_import(
                page.store,
                made_from[1],
                (upload.name, upload.getvalue()),
                kind=kind,
                actor=page.user.alias,
                check_entry=entry_texts,
            )
        except JudgekitError as error:
            status.update(label="The file cannot be read", state="error", expanded=True)
            show_error(error, key="import-error")
            return
        status.update(label="Checked; nothing was written", state="complete")
    st.session_state[_PLAN] = Checked(made_from, plan)


def _show(report: ImportReport) -> None:
    with st.container(border=True, key="import-report"):
        st.text(
            f"{report.n_new:,} new, {report.n_known:,} known, "
            f"{report.n_conflicting:,} conflicting, {report.n_rejected:,} rejected"
        )
        if report.n_other:
            st.text(f"Passed over: {counted(report.n_other, 'event')} of other projects.")
        for problem in report.problems[:SHOWN]:
            st.text(problem.sentence())
        if len(report.problems) > SHOWN:
            st.text(f"and {len(report.problems) - SHOWN:,} more")
        if report.blocked:
            st.text("Nothing can be imported before every line is in order.")


def _offer(page: OpenPage, plan: ImportPlan) -> None:
    report = plan.report
    if report.blocked:
        return
    if report.n_new == 0:
        st.text("There is nothing new in this file.")
        return
    if not st.button(f"Import {report.n_new:,} new", key="import-now", type="primary"):
        return
    with st.status(f"Writing {report.n_new:,}") as status:
        try:
            written = apply_import(page.store, plan, actor=page.user.alias)
        except JudgekitError as error:
            status.update(label="Nothing was imported", state="error", expanded=True)
            show_error(error, key="import-error")
            return
        status.update(label="Imported", state="complete")
    st.session_state.pop(_PLAN, None)
    done("import-done", f"Imported: {written.n_new:,} new, {written.n_known:,} known.")
