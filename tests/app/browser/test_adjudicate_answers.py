"""Adjudicate in a real browser: no key goes unanswered, and what is pressed stays where it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from adjudicate_page import decide, open_case, read_case
from app_server import AppServer
from browser_driver import Visitor
from seed_store import PROJECT, label_as, open_store, seed

from judgekit.store.label_store import Answer

Visit = Callable[..., Visitor]
STATUS, PANEL, CAUSES = ".st-key-save-state", ".st-key-guidelines", ".st-key-causes"
N = 12


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write items that two people labelled differently."""
    folder = tmp_path_factory.mktemp("answers")
    items = [
        {"id": f"case-{k:02d}", "input": f"question {k}", "output": f"an answer {k}"}
        for k in range(N)
    ]
    seed(folder, items)
    with open_store(folder) as store:
        for who, label in (("ann", "pass"), ("ben", "fail")):
            label_as(store, who, {item["id"]: Answer(label=label) for item in items})
    return folder


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def box(visitor: Visitor, selector: str) -> Any:
    found = visitor.page.locator(selector).bounding_box()
    assert found is not None
    return found


def test_keys_that_do_nothing_are_answered(visit: Visit) -> None:
    ada = visit()
    open_case(ada, "ada")
    read_case(ada)
    for key, words in (
        ("b", "Nothing to take back."),
        ("j", "There is no other field in this case."),
        ("v", "There are no more answers"),
        ("7", "This key does nothing now. Choose an answer"),
        ("1", "Why did they differ?"),
        ("9", "This key does nothing now. Give the cause"),
        ("b", "Taken back; nothing was stored."),
    ):
        ada.press(key)
        ada.expect_text(words, STATUS)
        assert "waiting for the server" not in ada.seen_text(STATUS)


def test_a_decided_case_is_looked_at_and_left_by_keyboard(visit: Visit, workspace: Path) -> None:
    ada = visit()
    done = open_case(ada, "ada")["item"]
    in_hand = decide(ada, "1", "s")["item"]
    ada.click("tab", "Decided")
    listed = ada.page.get_by_role("listbox", name="Decided items")
    listed.get_by_text("cause: slip").first.wait_for()
    assert f"{done}: question" in listed.inner_text()
    listed.focus()
    ada.page.keyboard.press("Enter")
    ada.wait_probe(item=done, presentation="look")
    ada.press("1")
    ada.expect_text("Only looked at", STATUS)
    ada.press("Escape")
    ada.wait_probe(item=in_hand)
    with open_store(workspace) as store:
        made = store.adjudication.history(PROJECT, done)
    assert [one.choice for one in made] == ["A"]
    assert ada.problems() == []


def test_the_guidelines_are_read_to_their_end_by_keyboard(visit: Visit) -> None:
    ada = visit(viewport={"width": 1280, "height": 300})
    open_case(ada, "ada")
    ada.press("d")
    ada.expect_text("Read the question first", PANEL)
    more = f"() => {{ const p = document.querySelector('{PANEL}');"
    more += " return p.scrollHeight - p.clientHeight - p.scrollTop; }"
    assert ada.page.evaluate(more) > 1
    ada.page.keyboard.press("End")
    ada.wait_for(f"() => ({more})() <= 1", None, "the end of the guidelines")
    ada.press("Escape")
    ada.page.locator(PANEL).wait_for(state="detached")


def test_the_causes_stay_where_they_are_and_look_like_buttons(visit: Visit) -> None:
    ada = visit(viewport={"width": 1280, "height": 800})
    open_case(ada, "ada")
    read_case(ada)
    before = box(ada, CAUSES)
    borders = ada.page.eval_on_selector_all(
        f"{CAUSES} button", "all => all.map(b => getComputedStyle(b).borderTopColor)"
    )
    assert len(borders) == 6
    assert not [one for one in borders if one in ("transparent", "rgba(0, 0, 0, 0)")]
    ada.press("2")
    ada.expect_text("B is right. Why did they differ?")
    ada.idle()
    assert box(ada, CAUSES) == before
    ada.press("b")


def test_in_a_narrow_window_the_choices_and_the_status_stay_in_sight(visit: Visit) -> None:
    ada = visit(viewport={"width": 320, "height": 568})
    open_case(ada, "ada")
    ada.page.locator('[data-testid="stBottom"] .st-key-choices').wait_for()
    for selector in (".st-key-choices", STATUS):
        found = box(ada, selector)
        assert found["y"] >= 0
        assert found["y"] + found["height"] <= 568
    read_case(ada)
    ada.page.locator(".st-key-choices button").first.click()
    ada.page.locator(f"{CAUSES} button").last.wait_for()
    found = box(ada, CAUSES)
    assert found["y"] > 568 / 3
    assert found["y"] + found["height"] <= 568
    decided = ada.probe()["saved"]
    ada.page.locator(f"{CAUSES} button").nth(2).click()
    ada.wait_probe(saved_not=decided)
    assert ada.problems() == []
