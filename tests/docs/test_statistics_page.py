from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from judgekit.stats.registry import statistics

ROOT = Path(__file__).resolve().parents[2]
GENERATE = runpy.run_path(str(ROOT / "docs" / "generate_statistics.py"))
PAGE = (ROOT / "docs" / "reference" / "statistics.md").read_text(encoding="utf-8")


@pytest.mark.shared
@pytest.mark.skipif(not GENERATE["VECTORS"].exists(), reason="../shared/vectors is absent")
def test_the_page_of_statistics_is_current() -> None:
    # mend: python docs/generate_statistics.py
    assert GENERATE["page"]() == PAGE


@pytest.mark.parametrize("name", statistics())
def test_every_statistic_is_on_the_page_with_its_source(name: str) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))
    assert GENERATE["cell"](statistics()[name].source) in row


def test_agreeing_tools_are_named_once_with_their_fields() -> None:
    sources = [
        "independent reference implementation (numpy 1 / scipy 1); agrees: a 1 [x], a 1 [y]; "
        "agrees: R b (c et al. 2013) [u/v]",
        "independent reference implementation, two seeds agree within 0.004",
    ]
    assert GENERATE["agreeing"](sources) == "a 1 [x, y]; R b (c et al. 2013) [u, v]"
    assert GENERATE["agreeing"](sources[1:]) == GENERATE["ALONE"]
