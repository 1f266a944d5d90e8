"""Label: decide, once, undisturbed."""

from __future__ import annotations

from parts.label_panel import label_panel
from parts.narrow import is_narrow
from parts.page import open_page

page = open_page("label", draws_probe=False)
label_panel(page, narrow=is_narrow())
