"""Disagreements: read every case in which people and a judge differ."""

from __future__ import annotations

from parts.calibrate_cases import show_cases
from parts.page import open_page

show_cases(open_page("disagreements", needs_project=False, draws_probe=False))
