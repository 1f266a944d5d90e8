"""An item that 26 people answered: every answer is reached, by keyboard and by pointer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from adjudicate_page import open_case, read_case
from app_server import AppServer
from browser_driver import Visitor
from seed_files import plain_items
from seed_store import PROJECT, crowd, label_as, open_store, seed

from judgekit.store.label_store import Answer, Decision, ProjectSettings

Visit = Callable[..., Visitor]
PEOPLE, YAML = crowd(26)
STATUS = ".st-key-save-state"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = ProjectSettings(
        overlap_share=0, overlap_min=0, repeat_share=0, labels_per_item=len(PEOPLE)
    )
    items = plain_items(2)
    folder = seed(tmp_path_factory.mktemp("crowd"), items, settings=settings, yaml=YAML)
    with open_store(folder) as store:
        for place, who in enumerate(PEOPLE):
            label = "pass" if place % 2 else "fail"
            label_as(store, who, {item["id"]: Answer(label=label) for item in items})
    return folder


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def decided(workspace: Path, item: str) -> Decision:
    with open_store(workspace) as store:
        return store.adjudication.history(PROJECT, item)[-1]


def test_the_last_answer_is_chosen_by_keyboard(visit: Visit, workspace: Path) -> None:
    """X8."""
    ada = visit()
    first = open_case(ada, "ada")
    read_case(ada)
    for _ in range(3):
        ada.press("v")
    ada.expect_text("The digits now choose Y to Z", STATUS)
    ada.press("2")
    ada.expect_text("Z is right. Why did they differ?", ".st-key-decisions")
    ada.press("s")
    ada.wait_probe(item_not=first["item"])

    assert decided(workspace, first["item"]).choice == "Z"
    with open_store(workspace) as store:
        store.adjudication.restore(
            PROJECT, first["item"], adjudicator="abe", op_id="again", rev_seen=1
        )


def test_every_answer_has_a_button_within_a_window_of_320_px(visit: Visit) -> None:
    ada = visit(viewport={"width": 320, "height": 640})
    open_case(ada, "ada")
    read_case(ada)
    for letter in LETTERS:
        button = ada.page.locator(f".st-key-key-choose-{letter} button")
        button.scroll_into_view_if_needed()
        box = button.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 320
        button.click(trial=True)
    ada.page.locator(".st-key-key-choose-R button").click()

    ada.expect_text("R is right. Why did they differ?", ".st-key-decisions")
