"""What was typed and what was saved outlive a reload, a second tab and kill -9."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from app_server import AppServer
from browser_driver import Visitor
from label_page import MARKED, NOTE_IS, decide, mark_words, open_label, read_item, write_note
from seed_files import plain_items
from seed_store import draft_of, events_of, seed, until

from judgekit.store.label_files.mirror import read_event_folder

Visit = Callable[..., Visitor]
ROUNDS = 20


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed(tmp_path_factory.mktemp("survival"), plain_items(400), ask_criteria=True)


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def _fill_in(visitor: Visitor, folder: Path, note: str) -> None:
    """Write a note, answer one criterion, mark two words; the store has them within a moment."""
    probe = visitor.probe()
    write_note(visitor, note)
    visitor.page.locator(".st-key-criteria").get_by_text("✗ fail").first.click()
    visitor.idle()
    mark_words(visitor, 2)
    visitor.wait_for(MARKED, "Reply", "the mark")
    until(
        lambda: _kept(draft_of(folder, probe["user"], probe["presentation"]), note),
        "the draft in the store",
        timeout_s=10,
    )


def _kept(draft: dict[str, Any], note: str) -> bool:
    return (
        draft.get("note") == note
        and draft.get("criteria") == {"correct": "fail"}
        and [span["quote"][:5] for span in draft.get("spans", ())] == ["Reply"]
    )


def _is_filled_in(visitor: Visitor, note: str) -> None:
    visitor.wait_for(NOTE_IS, note, "the draft in the note")
    visitor.wait_for(MARKED, "Reply", "the mark")
    chosen = visitor.page.locator('.st-key-criteria [aria-checked="true"]')
    chosen.first.wait_for()
    assert [text.strip() for text in chosen.all_inner_texts()] == ["✗ fail"]


def test_a_reload_keeps_item_and_draft(visit: Visit, workspace: Path) -> None:
    """L6."""
    ann = visit()
    first = open_label(ann, "ann")
    _fill_in(ann, workspace, "half a thought")
    ann.reload()

    again = ann.wait_probe(item=first["item"])
    assert again["item"] == first["item"]
    _is_filled_in(ann, "half a thought")


def test_a_killed_server_keeps_item_and_draft(
    visit: Visit, server: AppServer, workspace: Path
) -> None:
    """L7."""
    bob = visit()
    first = open_label(bob, "bob")
    _fill_in(bob, workspace, "before the kill")
    server.kill()
    server.start()

    fresh = visit()
    assert open_label(fresh, "bob")["item"] == first["item"]
    _is_filled_in(fresh, "before the kill")


def test_a_key_while_the_server_is_down_is_never_dropped_in_silence(
    visit: Visit, server: AppServer, workspace: Path
) -> None:
    """L15: it is visibly not taken, or stored once after the server is back."""
    cyd = visit()
    first = open_label(cyd, "cyd")
    read_item(cyd)
    server.kill()
    cyd.page.keyboard.press("p")
    cyd.wait_for(
        "() => /not connected|Connection error|Connecting|Unsaved|not saved/i"
        ".test(document.body.innerText)",
        None,
        "a word that the key was not saved",
    )
    server.start()
    cyd.idle()
    stored = [e.item_id for e in events_of(workspace, "cyd")]
    shown = cyd.probe()["item"]

    assert stored in ([], [first["item"]])
    assert (shown == first["item"]) == (stored == [])


def test_no_acknowledged_label_is_lost_or_doubled_by_twenty_kills(
    visit: Visit, server: AppServer, workspace: Path
) -> None:
    """Acceptance C: acknowledged = the next item was on the page."""
    acknowledged: list[str] = []
    chance = random.Random(20)
    before = len(events_of(workspace, "ann"))
    for _ in range(ROUNDS):
        ann = visit()
        shown = open_label(ann, "ann")
        for _ in range(chance.randint(1, 3)):
            acknowledged.append(shown["item"])
            shown = decide(ann, "p")
        read_item(ann)
        ann.page.keyboard.press("p")
        ann.page.wait_for_timeout(chance.randint(0, 120))
        server.kill()
        ann.context.close()
        server.start()

    stored = events_of(workspace, "ann")[before:]
    items = [e.item_id for e in stored if e.field == "_overall"]
    assert len(items) == len(set(items)), "a label is doubled"
    assert set(acknowledged) <= set(items), "an acknowledged label is lost"
    assert len(items) - len(acknowledged) <= ROUNDS
    mirrored = read_event_folder(workspace / "annotations" / "desk")
    keys = sorted(e.key for own in mirrored.values() for e in own)
    assert keys == sorted(e.key for e in events_of(workspace))
