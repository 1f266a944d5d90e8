"""Approvals: nothing becomes calibration data, and no judge gates, unseen by a second person."""

from __future__ import annotations

from parts.approval_desk import show_approvals
from parts.page import open_page

show_approvals(open_page("approvals", needs_project=False, draws_probe=False))
