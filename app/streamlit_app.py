"""The annotation app: navigation only. Started by `judgekit label`."""

from __future__ import annotations

import sys
from pathlib import Path

_APP = str(Path(__file__).resolve().parent)
if _APP not in sys.path:
    sys.path.insert(0, _APP)

from parts.navigation import run_navigation  # noqa: E402 - the path above comes first

run_navigation()
