"""Every case of every file in ../shared/vectors, asked of the registry by one test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from vector_agreement import AGREEMENT
from vector_audits import AUDITS
from vector_rates import RATES

from judgekit.stats.registry import statistics

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "vectors"
ADAPTERS = {**AGREEMENT, **RATES, **AUDITS}

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not VECTORS.exists(), reason="../shared/vectors is absent"),
]


def all_cases() -> list[Any]:
    files = sorted(VECTORS.glob("*.json")) if VECTORS.exists() else []
    found = [
        pytest.param(file.stem, case, id=f"{file.stem}-{case['id']}")
        for file in files
        for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
    ]
    return found or [pytest.param("none", None, id="absent")]


def assert_same(found: Any, wanted: Any, tolerance: float, where: str) -> None:
    if isinstance(wanted, dict):
        assert set(wanted) <= set(found), where
        for key in wanted:
            assert_same(found[key], wanted[key], tolerance, f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for i, (one, other) in enumerate(zip(found, wanted, strict=True)):
            assert_same(one, other, tolerance, f"{where}[{i}]")
    elif wanted is None or isinstance(wanted, str | bool):
        assert found == wanted, where
    else:
        assert found is not None, where
        assert abs(found - wanted) <= tolerance + 1e-12, f"{where}: {found} is not {wanted}"


@pytest.mark.parametrize(("name", "case"), all_cases())
def test_the_registry_gives_what_the_vector_says(name: str, case: dict[str, Any]) -> None:
    adapter, _ = ADAPTERS[name]
    assert_same(adapter(case["input"]), case["expected"], case["tolerance"], name)


def test_every_vector_file_has_an_adapter_and_every_adapter_a_file() -> None:
    assert {file.stem for file in VECTORS.glob("*.json")} == set(ADAPTERS)


def test_every_name_that_an_adapter_asks_for_is_registered() -> None:
    names = {name for _, asked in ADAPTERS.values() for name in asked}
    assert names <= set(statistics())
