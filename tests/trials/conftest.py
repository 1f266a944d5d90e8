from __future__ import annotations

from pathlib import Path

import pytest
from trial_fakes import AGENTS


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "odd_agents.py").write_text(AGENTS)
    return folder
