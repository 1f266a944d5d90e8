"""Admin, Audit: who changed what, with filters; rows are only ever added."""

from __future__ import annotations

import json
import math
from typing import Any

import streamlit as st

from judgekit.store.label_files.tables import csv_text
from judgekit.store.label_store import AuditRow, LabelStore
from parts.admin_table import show_rows
from parts.counts import counted
from parts.download import Offer, offer_download
from parts.page import OpenPage

PAGE = 50
SHOWN = 500
_MOST_EXPORTED = 100_000
_ANY = "any"
_COLUMNS = {"about": "subject"}


def audit_section(page: OpenPage) -> None:
    """Show the log, newest first, fifty rows a page; with what each changed."""
    st.header("Audit log", anchor=False)
    filters = _filters(page.store)
    count = page.store.audit.count(**filters)
    if count == 0:
        st.text("No rows match." if filters else "The log is empty.")
        return
    pages = max(1, math.ceil(count / PAGE))
    number = st.pagination(pages, key="audit-page") if pages > 1 else 1
    rows = page.store.audit.rows(**filters, offset=(min(number, pages) - 1) * PAGE, limit=PAGE)
    st.text(f"{counted(count, 'row')}, newest first")
    show_rows("Audit log", [_shown(row) for row in rows], key="audit-table")
    offer_download(
        Offer(
            key="audit-csv",
            label="these rows as CSV",
            file_name="audit.csv",
            mime="text/csv",
            make=lambda: _csv(page.store, filters),
        )
    )


def _filters(store: LabelStore) -> dict[str, Any]:
    recent = store.audit.rows(limit=1000)
    found: dict[str, Any] = {}
    with st.container(horizontal=True, key="audit-filters"):
        for name, values in (
            ("actor", {row.actor for row in recent}),
            ("action", {row.action for row in recent}),
            ("project", {project.name for project in store.projects.list(archived=True)}),
            ("about", {row.subject for row in recent if row.subject}),
        ):
            chosen = st.selectbox(
                name.capitalize(), [_ANY, *sorted(values)], key=f"audit-{name}", width=240
            )
            if chosen != _ANY:
                found[_COLUMNS.get(name, name)] = chosen
    return found


def _row(row: AuditRow) -> dict[str, str]:
    return {
        "At (UTC)": row.at.strftime("%Y-%m-%d %H:%M:%S"),
        "Actor": row.actor,
        "Action": row.action,
        "Project": row.project or "",
        "About": row.subject or "",
        "Change": _change(row),
    }


def _change(row: AuditRow) -> str:
    """Return what the row says, a line for each thing: what it was and what it became."""
    before, after = row.before or {}, row.after or {}
    lines = []
    for name in dict.fromkeys((*before, *after)):
        sides = [_word(side[name]) for side in (before, after) if name in side]
        lines.append(f"{name}: " + " \u2192 ".join(sides))
    return "\n".join(lines)


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(row: AuditRow) -> dict[str, str]:
    """Return the row for the page; a text beyond 500 characters stands whole in the CSV only."""
    cells = _row(row)
    cut = cells["Change"]
    return {**cells, "Change": cut if len(cut) <= SHOWN else f"{cut[:SHOWN]}\u2026"}


def _csv(store: LabelStore, filters: dict[str, Any]) -> bytes:
    rows = [_row(row) for row in store.audit.rows(**filters, limit=_MOST_EXPORTED)]
    return csv_text(rows, list(rows[0]) if rows else []).encode()
