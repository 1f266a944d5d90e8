"""Calibrate: which judge may I trust, on which labels?"""

from __future__ import annotations

from parts.calibrate_sections import show_calibration
from parts.page import open_page

show_calibration(open_page("calibrate", needs_project=False))
