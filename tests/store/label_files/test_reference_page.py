from __future__ import annotations

from pathlib import Path

import pytest

from judgekit.model.release import Release
from judgekit.store.label_store import LabelEvent

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "files.md"


@pytest.mark.parametrize(
    "name", [*sorted({*LabelEvent.model_fields} - {"seq", "dataset"}), *Release.model_fields]
)
def test_every_key_of_an_event_and_of_a_release_is_documented(name: str) -> None:
    assert f"`{name}`" in PAGE.read_text(encoding="utf-8")
