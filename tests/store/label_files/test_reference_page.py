from __future__ import annotations

from pathlib import Path

import pytest

from judgekit.model.base import Record
from judgekit.model.release import Release
from judgekit.store.label_store import LabelEvent, ReviewEvent
from judgekit.store.label_store.records import code_actions, golden_actions

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "files.md"


ACTIONS = [
    kind
    for module in (code_actions, golden_actions)
    for kind in vars(module).values()
    if isinstance(kind, type) and "kind" in getattr(kind, "model_fields", {})
]


@pytest.mark.parametrize("name", sorted({*ReviewEvent.model_fields} - {"seq", "dataset"}))
def test_every_key_of_a_step_is_documented(name: str) -> None:
    assert f"`{name}`" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.__name__)
def test_every_kind_of_step_is_documented_with_what_it_holds(action: type[Record]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in (action.model_fields["kind"].default, *action.model_fields):
        assert f"`{name}`" in page


@pytest.mark.parametrize(
    "name", [*sorted({*LabelEvent.model_fields} - {"seq", "dataset"}), *Release.model_fields]
)
def test_every_key_of_an_event_and_of_a_release_is_documented(name: str) -> None:
    assert f"`{name}`" in PAGE.read_text(encoding="utf-8")
