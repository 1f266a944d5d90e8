"""Admin, Backup: a whole copy of the database beside it."""

from __future__ import annotations

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.store.label_files.backup import back_up
from parts.admin_done import done, show_done
from parts.messages import show_error
from parts.page import OpenPage
from parts.settings import workspace


def backup_section(page: OpenPage) -> None:
    """Write a backup file into the workspace, or say how PostgreSQL is backed up."""
    st.header("Backup", anchor=False)
    show_done("backup-done")
    if not page.store.url.startswith("sqlite"):
        st.text("Labels are in PostgreSQL. Back it up with pg_dump:")
        st.code('pg_dump --format=custom --file=labels.dump "$DATABASE"', language=None)
        return
    st.text(
        "Writes a whole copy of the label database into .judgekit/backups/ while people work. "
        "Every saved label also stands in annotations/, under version control."
    )
    if st.button("Back up now", key="backup-now"):
        try:
            path = back_up(page.store, workspace())
        except JudgekitError as error:
            show_error(error, key="backup-error")
            return
        page.store.audit.add("backup", actor=page.user.alias, after={"file": path.name})
        done("backup-done", f"Written: .judgekit/backups/{path.name}")
