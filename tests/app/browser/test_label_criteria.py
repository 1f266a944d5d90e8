"""Criteria by keyboard, where each needs an answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor
from label_page import decide, open_label, read_item
from seed_files import plain_items
from seed_store import PLAIN, crowd, events_of, seed

Visit = Callable[..., Visitor]
_, YAML = crowd(2)
STATUS = ".st-key-save-state"
FOCUS = "() => document.activeElement.closest('[class*=st-key-criterion]')?.innerText"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("criteria")
    return seed(folder, plain_items(6), settings=PLAIN, yaml=YAML, criteria_required=True)


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def test_criteria_are_answered_by_keyboard_and_each_is_asked_for(
    visit: Visit, workspace: Path
) -> None:
    """X8."""
    ann = visit()
    first = open_label(ann, "ann00")
    ann.expect_text("k Criteria", ".st-key-legend")
    ann.expect_text("correct (needed)", ".st-key-criteria")
    read_item(ann)
    ann.press("p")
    ann.expect_text("Not saved yet: still to answer: correct, polite.", STATUS)
    ann.press("k", "Space")
    ann.expect_text("draft kept", STATUS)
    ann.press("k", "ArrowRight", "Space")
    assert "polite" in ann.page.evaluate(FOCUS)
    ann.press("k")
    assert "correct" in ann.page.evaluate(FOCUS)
    decide(ann, "p")

    stored = {e.field: (e.value or {})["label"] for e in events_of(workspace, "ann00")}
    assert stored == {"_overall": "pass", "correct": "pass", "polite": "fail"}
    assert {e.item_id for e in events_of(workspace, "ann00")} == {first["item"]}


def test_unsure_needs_no_criterion(visit: Visit, workspace: Path) -> None:
    ann = visit()
    first = open_label(ann, "ann01")
    decide(ann, "n")

    assert [(e.item_id, e.kind) for e in events_of(workspace, "ann01")] == [
        (first["item"], "unsure")
    ]
