"""Disagreements: read every case in which people and a judge differ."""

from __future__ import annotations

from parts.disagreement_cases import show_cases
from parts.narrow import is_narrow
from parts.page import open_page

page = open_page("disagreements", needs_project=False, draws_probe=False)
show_cases(page, narrow=is_narrow())
