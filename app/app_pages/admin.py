"""Admin: projects, people and roles, import and export, pace, audit log, backup. Leads only."""

from __future__ import annotations

import streamlit as st

from parts.admin_audit import audit_section
from parts.admin_backup import backup_section
from parts.admin_export import export_section
from parts.admin_import import import_section
from parts.admin_pace import pace_section
from parts.admin_people import people_section
from parts.admin_projects import projects_section
from parts.page import open_page

SECTIONS = {
    "Projects": projects_section,
    "People": people_section,
    "Import": import_section,
    "Export": export_section,
    "Pace": pace_section,
    "Audit": audit_section,
    "Backup": backup_section,
}

page = open_page("admin", needs_project=False)
tabs = st.tabs(list(SECTIONS), key="section", on_change="rerun", bind="query-params")
for (name, section), tab in zip(SECTIONS.items(), tabs, strict=True):
    if tab.open:
        with tab, st.container(key=name.lower()):
            section(page)
