"""Goldens: two experts say what a case should come to, apart from each other."""

from __future__ import annotations

import streamlit as st

from parts.golden_agreement import agreement
from parts.golden_case import one_case
from parts.golden_cases import case_list
from parts.golden_desk import case_in_view
from parts.page import open_page

STEPS = ("Cases", "Agreement")

page = open_page("goldens", draws_probe=False)
cases, figures = st.tabs(STEPS, key="goldens-tab", on_change="rerun", bind="query-params")
if cases.open:
    with cases, st.container(key="golden-cases-tab"):
        case_id = case_in_view()
        if case_id:
            one_case(page, case_id)
        else:
            case_list(page)
if figures.open:
    with figures, st.container(key="golden-figures-tab"):
        agreement(page)
