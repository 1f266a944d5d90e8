"""Error analysis: read traces and note what goes wrong, group the notes, promote the telling."""

from __future__ import annotations

import streamlit as st

from parts.coding_axial import axial_coding
from parts.coding_open import open_coding
from parts.coding_promote import promotion
from parts.page import open_page

STEPS = {"Open": open_coding, "Axial": axial_coding, "Promote": promotion}

page = open_page("error_analysis", draws_probe=False)
tabs = st.tabs(list(STEPS), key="step", on_change="rerun", bind="query-params")
for tab, (name, show) in zip(tabs, STEPS.items(), strict=True):
    if tab.open:
        with tab, st.container(key=name.lower()):
            show(page)
