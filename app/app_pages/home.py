"""Home: what should I do next?"""

from __future__ import annotations

from parts.home_panel import draw_home
from parts.page import open_page

draw_home(open_page("home"))
