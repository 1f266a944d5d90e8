"""Error analysis in a real browser: 20 notes, grouping and promotion by keyboard only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor
from hostile_items import ELSEWHERE, MARK
from seed_store import PROJECT, open_store, seed

from judgekit.store.label_store import CodeBook

Visit = Callable[..., Visitor]
STATUS = ".st-key-save-state"
EVIL = f'<img src=x onerror="window.{MARK}=1"> ![]({ELSEWHERE}) **b**'
WORDS = ("wrong sum in the reply", "promises a voucher", "rude greeting", "the sum is wrong")
READ_MS = 300
LIVE_IN_CHART = """() => [...document.querySelectorAll('.st-key-shares svg *')]
  .filter(e => ['a', 'image', 'script', 'foreignObject'].includes(e.tagName)).map(e => e.tagName)"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    items = [
        {"id": f"case-{k:02d}", "input": f"q {k} {EVIL}", "output": f"answer {k}"}
        for k in range(24)
    ]
    return seed(tmp_path_factory.mktemp("coding"), items)


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def book(workspace: Path) -> CodeBook:
    with open_store(workspace) as store:
        return store.codes.book(PROJECT)


def modes(workspace: Path) -> dict[str, int]:
    return {code.name: code.n_notes for code in book(workspace).codes}


def open_step(visitor: Visitor, step: str) -> None:
    visitor.open(f"/error_analysis?user=eve&step={step}")
    visitor.wait_probe(page="error_analysis", user="eve")


def choose(visitor: Visitor, name: str, *keys: str, text: str = "") -> None:
    """Put the keyboard into a list, press keys there and answer what is asked."""
    visitor.page.get_by_role("listbox", name=name).focus()
    before = visitor.seen_text(STATUS)
    for key in keys:
        visitor.page.keyboard.press(key)
    if text:
        visitor.type(text)
        visitor.page.keyboard.press("Enter")
    visitor.wait_for(
        "([s, t]) => document.querySelector(s)?.innerText !== t", [STATUS, before], "an answer"
    )
    visitor.idle()


def test_twenty_notes_are_written_by_keyboard_only(visit: Visit, workspace: Path) -> None:
    """E1."""
    eve = visit()
    open_step(eve, "Open")
    for number in range(20):
        item = eve.probe()["item"]
        eve.wait_for(
            "() => document.activeElement?.tagName === 'TEXTAREA'", None, "the caret in the note"
        )
        eve.page.wait_for_timeout(READ_MS)
        eve.type(EVIL if number == 5 else f"{WORDS[number % 4]} {number}")
        eve.page.keyboard.press("Control+Enter")
        eve.wait_probe(item_not=item)
    notes = book(workspace).notes
    assert len(notes) == len({note.item_id for note in notes}) == 20
    assert sorted(note.text for note in notes) == sorted(
        EVIL if n == 5 else f"{WORDS[n % 4]} {n}" for n in range(20)
    )
    eve.expect_text("20 notes, none under a mode yet")
    assert eve.problems() == []


def test_notes_are_grouped_merged_and_brought_back_by_keyboard(
    visit: Visit, workspace: Path
) -> None:
    """E2, E3, E7."""
    eve = visit()
    open_step(eve, "Axial")
    choose(eve, "Notes", " ", "ArrowDown", " ", "ArrowDown", " ", "a", text="Wrong sum")
    choose(eve, "Notes", " ", "Shift+ArrowDown", "a", text=EVIL)
    assert modes(workspace) == {"Wrong sum": 3, EVIL: 2}
    eve.expect_text("Unassigned (15)")
    eve.expect_text("3 notes · 15 % (5 to 36 %, n = 20)")

    choose(eve, "Failure modes", "Home", "m", "Enter")
    assert sum(modes(workspace).values()) == 5
    assert len(modes(workspace)) == 1
    assert len(book(workspace).notes) == 20
    eve.press("u")
    eve.expect_text("Undone", STATUS)
    assert modes(workspace) == {"Wrong sum": 3, EVIL: 2}

    choose(eve, "Failure modes", "Home", "r", text="Wrong amount")
    assert modes(workspace) == {"Wrong amount": 3, EVIL: 2}
    eve.expect_inert(".st-key-notes-box .jk-list")
    eve.expect_inert(".st-key-modes-box .jk-list")
    assert eve.page.evaluate(LIVE_IN_CHART) == []
    assert EVIL in eve.held_text(".st-key-axial")
    assert eve.problems() == []


def test_a_key_in_the_name_box_is_a_letter_and_no_command(visit: Visit, workspace: Path) -> None:
    """Typing `u`, `m`, `a` into a prompt undoes and merges nothing; Escape leaves it."""
    eve = visit()
    open_step(eve, "Axial")
    before = modes(workspace)
    eve.page.get_by_role("listbox", name="Failure modes").focus()
    eve.press("n")
    eve.type("umarnsx")
    eve.press("Escape")
    assert modes(workspace) == before


def test_promotion_by_keyboard_proposes_once_and_links_to_the_first(
    visit: Visit, workspace: Path
) -> None:
    """E4, E5, E7."""
    eve = visit()
    open_step(eve, "Promote")
    choose(eve, "Notes to promote", "Home", "p")
    eve.expect_text("pending in Approvals", STATUS)
    choose(eve, "Notes to promote", "Home", "p")
    eve.expect_text("was promoted before, as candidate 1", STATUS)
    link = eve.page.get_by_role("link", name="Open candidate 1 in Approvals")
    assert "proposal=1" in str(link.get_attribute("href"))
    with open_store(workspace) as store:
        (proposal,) = store.proposals.list(state=None)
        assert (proposal.kind, proposal.state) == ("golden_candidate", "pending")
        assert store.goldens.cases(PROJECT, "eve") == ()
    eve.expect_inert(".st-key-representatives-box .jk-list")
    assert eve.problems() == []


def test_a_trace_is_shown_below_and_stays_text(visit: Visit) -> None:
    """E7."""
    eve = visit()
    open_step(eve, "Axial")
    choose(eve, "Notes", "Home", "Enter")
    eve.expect_text("Trace of the note")
    eve.expect_inert(".jk-root")
    assert EVIL in eve.held_text()
