"""Adjudicate: one label per item, and why they differed."""

from __future__ import annotations

from parts.adjudicate_panel import adjudicate_panel
from parts.narrow import is_narrow
from parts.page import open_page

page = open_page("adjudicate", draws_probe=False)
adjudicate_panel(page, narrow=is_narrow())
