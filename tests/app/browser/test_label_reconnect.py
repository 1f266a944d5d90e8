"""A server that was started anew: the open page draws itself again, and no key or note is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from app_server import AppServer
from browser_driver import Visitor
from label_page import MARKED, NOTE_IS, decide, mark_words, open_label, read_item
from seed_files import plain_items
from seed_store import crowd, draft_of, events_of, label_as, open_store, seed, until

from judgekit.store.label_store import Answer, ProjectSettings

ANNOTATORS, PEOPLE_YAML = crowd(14)
SETTINGS = ProjectSettings(
    overlap_share=1.0, overlap_min=0, repeat_share=0.0, labels_per_item=len(ANNOTATORS)
)
STATUS = ".st-key-save-state"
CONNECTED = """() => document.querySelector('[data-testid="stApp"]')
  .getAttribute("data-test-connection-state") === "CONNECTED" """
REDRAWN = "() => window.__redrawn === true"
WATCH_REDRAW = """() => { window.__sameDocument = true;
  window.addEventListener('jk-back', () => { window.__redrawn = true; }); }"""
PRESS_WHEN_CONNECTED = """key => {
  const app = document.querySelector('[data-testid="stApp"]');
  const watch = new MutationObserver(() => {
    if (app.getAttribute('data-test-connection-state') !== 'CONNECTED') return;
    watch.disconnect();
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key, code: 'KeyP', bubbles: true}));
  });
  watch.observe(app, {attributes: true, attributeFilter: ['data-test-connection-state']}); }"""
SEND_NOTHING = "() => { WebSocket.prototype.send = () => {}; }"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reconnect")
    return seed(folder, plain_items(20), settings=SETTINGS, yaml=PEOPLE_YAML)


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def _kill(server: AppServer, visitor: Visitor) -> None:
    """End the server and wait until the page says so."""
    visitor.page.evaluate(WATCH_REDRAW)
    server.kill()
    visitor.expect_text("Not connected", STATUS)


def _start(server: AppServer, visitor: Visitor) -> None:
    """Start a new server and wait until the page has drawn itself again, in the same document."""
    server.start()
    visitor.wait_for(REDRAWN, None, "the page to draw itself again")
    visitor.idle()
    assert visitor.page.evaluate("() => window.__sameDocument") is True


@pytest.mark.parametrize(("user", "labels"), [("ann00", 0), ("ann01", 1)])
def test_after_a_restart_the_page_draws_itself_again_and_the_first_key_labels(
    visit: Callable[..., Visitor], server: AppServer, workspace: Path, user: str, labels: int
) -> None:
    """L15: on a page just opened, and on one that was labelled on."""
    ann = visit()
    shown = open_label(ann, user)
    for _ in range(labels):
        shown = decide(ann, "p")
    _kill(server, ann)
    _start(server, ann)
    ann.expect_text("All saved", STATUS)
    assert ann.probe()["item"] == shown["item"]
    assert "Reload" not in ann.seen_text()
    decide(ann, "p")

    assert [e.item_id for e in events_of(workspace, user)][labels:] == [shown["item"]]


def test_a_key_before_the_page_is_drawn_again_is_told(
    visit: Callable[..., Visitor], server: AppServer, workspace: Path
) -> None:
    """L15: it is not taken, the line says so, and pressed again it labels."""
    ann = visit()
    first = open_label(ann, "ann02")
    read_item(ann)
    _kill(server, ann)
    ann.page.evaluate(PRESS_WHEN_CONNECTED, "p")
    _start(server, ann)
    ann.expect_text("not taken", STATUS)
    assert ann.probe()["item"] == first["item"]
    assert events_of(workspace, "ann02") == []
    decide(ann, "p")

    assert [e.item_id for e in events_of(workspace, "ann02")] == [first["item"]]


def test_a_note_typed_while_the_server_was_down_is_stored_when_it_is_back(
    visit: Callable[..., Visitor], server: AppServer, workspace: Path
) -> None:
    """L7: the caret stays in the box, and the words reach the store without another key."""
    ann = visit()
    first = open_label(ann, "ann03")
    _kill(server, ann)
    ann.page.keyboard.press("m")
    ann.type("typed in the dark")
    _start(server, ann)
    ann.wait_for(NOTE_IS, "typed in the dark", "the words in the box")
    assert ann.page.evaluate("() => document.activeElement.tagName") == "TEXTAREA"
    shown = first["presentation"]
    stored = {"note": "typed in the dark"}
    until(lambda: stored.items() <= draft_of(workspace, "ann03", shown).items(), "the note")


def test_a_note_whose_item_gave_way_is_told_word_for_word(
    visit: Callable[..., Visitor], server: AppServer, workspace: Path
) -> None:
    """L7: labelled from elsewhere meanwhile; the note that was not stored is not dropped."""
    ann = visit()
    first = open_label(ann, "ann04")
    _kill(server, ann)
    ann.page.keyboard.press("m")
    ann.type("second thoughts")
    with open_store(workspace) as store:
        label_as(store, "ann04", {first["item"]: Answer(label="pass")})
    _start(server, ann)

    assert ann.probe()["item"] != first["item"]
    ann.expect_text("this note was not stored: second thoughts", STATUS)


def test_where_the_page_cannot_be_drawn_again_no_key_is_taken_and_it_says_reload(
    visit: Callable[..., Visitor], server: AppServer, workspace: Path
) -> None:
    """L15."""
    ann = visit()
    open_label(ann, "ann05")
    _kill(server, ann)
    ann.page.evaluate(SEND_NOTHING)
    server.start()
    ann.wait_for(CONNECTED, None, "the connection")
    ann.expect_text("Reload it", STATUS)
    ann.page.keyboard.press("p")
    ann.expect_text("The key p was not taken", STATUS)

    assert events_of(workspace, "ann05") == []


def _mark_in_the_dark(visitor: Visitor) -> None:
    visitor.page.keyboard.press("e")
    for key in ("Shift+ArrowRight", "Enter", "Escape"):
        visitor.page.keyboard.press(key)


def _quotes(draft: dict[str, Any]) -> list[str]:
    return [span["quote"] for span in draft.get("spans", ())]


def test_evidence_marked_while_the_server_was_down_is_stored_when_it_is_back(
    visit: Callable[..., Visitor], server: AppServer, workspace: Path
) -> None:
    """L7: what is shown as marked is in the store, and nothing is sent where nobody listens."""
    ann = visit()
    first = open_label(ann, "ann06")
    _kill(server, ann)
    _mark_in_the_dark(ann)
    _start(server, ann)
    ann.wait_for(MARKED, "Reply", "the mark")
    shown = first["presentation"]
    until(lambda: len(_quotes(draft_of(workspace, "ann06", shown))) == 1, "the mark in the store")
    assert [text for text in ann.errors if "Cannot send" in text] == []


def test_evidence_whose_item_gave_way_is_told_word_for_word(
    visit: Callable[..., Visitor], server: AppServer, workspace: Path
) -> None:
    """L7: of marks that were stored before, nothing is said."""
    ann, other = visit(), "ann08"
    first = open_label(ann, "ann07")
    _kill(server, ann)
    _mark_in_the_dark(ann)
    with open_store(workspace) as store:
        label_as(store, "ann07", {first["item"]: Answer(label="pass")})
    _start(server, ann)
    ann.expect_text("this evidence was not stored: Reply", STATUS)

    first = open_label(ann, other)
    mark_words(ann, 2)
    until(lambda: bool(_quotes(draft_of(workspace, other, first["presentation"]))), "the mark")
    ann.idle()
    _kill(server, ann)
    with open_store(workspace) as store:
        label_as(store, other, {first["item"]: Answer(label="pass")})
    _start(server, ann)
    ann.expect_text("this is another item", STATUS)
    assert "not stored" not in ann.seen_text(STATUS)


def test_a_note_is_told_where_no_item_is_left_to_take_its_place(
    visit: Callable[..., Visitor], server: AppServer, workspace: Path
) -> None:
    """L7: the box is gone with the last item, its words are not."""
    everything = {item["id"]: Answer(label="pass") for item in plain_items(20)}
    ann = visit()
    first = open_label(ann, "ann09")
    _kill(server, ann)
    ann.page.keyboard.press("m")
    ann.type("last words")
    with open_store(workspace) as store:
        label_as(store, "ann09", everything)
    _start(server, ann)

    assert ann.probe()["item"] == "" != first["item"]
    ann.expect_text("this note was not stored: last words", STATUS)


def test_a_pause_outlives_the_server(
    visit: Callable[..., Visitor], server: AppServer, workspace: Path
) -> None:
    """L16: the item stays put aside, so that the time until somebody comes back does not count."""
    ann = visit()
    first = open_label(ann, "ann10")
    ann.press("m")
    ann.type("half a thought")
    ann.click("button", "Pause")
    _kill(server, ann)
    _start(server, ann)
    ann.expect_text("Paused", ".st-key-item")
    ann.expect_text("Paused", STATUS)
    ann.press("b")
    ann.wait_for(NOTE_IS, "half a thought", "the note")
    assert "paused" not in draft_of(workspace, "ann10", first["presentation"])
    ann.page.evaluate("() => { window.__shown = performance.now(); }")  # the guard starts anew
    decide(ann, "p")
    assert [e.item_id for e in events_of(workspace, "ann10")] == [first["item"]]


@pytest.mark.parametrize(("user", "wide"), [("ann11", False), ("ann12", True)])
def test_at_200_percent_the_answers_are_in_reach_after_a_restart(
    visit: Callable[..., Visitor], server: AppServer, workspace: Path, user: str, wide: bool
) -> None:
    """X5: enlarged before the server went away, or while it was away."""
    zoomed, whole = {"width": 640, "height": 400}, {"width": 1280, "height": 800}
    ann = visit(viewport=whole if wide else zoomed, device_scale_factor=2)
    first = open_label(ann, user)
    _kill(server, ann)
    ann.page.set_viewport_size(zoomed)
    _start(server, ann)
    ann.wait_for(AT_THE_BOTTOM, None, "the answers at the bottom of the window")
    buttons = ann.page.locator(".st-key-decisions button")
    for number in range(buttons.count()):
        box = buttons.nth(number).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 640
        assert box["y"] >= 200
        assert box["y"] + box["height"] <= 400
        buttons.nth(number).click(trial=True)
    item = ann.page.locator(".st-key-item").bounding_box()
    assert item is not None
    assert item["y"] <= 130
    decide(ann, "p")

    assert [e.item_id for e in events_of(workspace, user)] == [first["item"]]


AT_THE_BOTTOM = """() => !!document.querySelector('.st-key-decisions')
  ?.closest('[data-testid="stBottomBlockContainer"]')"""


def test_escape_leaves_the_note_while_the_server_is_away(
    visit: Callable[..., Visitor], server: AppServer
) -> None:
    """X8: the box that tells of the lost connection closes, and the note is left with it."""
    ann = visit()
    open_label(ann, "ann13")
    ann.press("m")
    ann.type("half")
    ann.expect_text("draft kept", STATUS)
    _kill(server, ann)
    ann.expect_text("Connection error")
    ann.wait_for("() => !!document.activeElement.closest('[role=dialog]')", None, "its focus")
    ann.page.keyboard.press("Escape")
    ann.wait_for("() => !document.querySelector('[role=dialog]')", None, "the box to be closed")
    ann.wait_for("() => document.activeElement === document.body", None, "the note to be left")
    ann.type("xyz")
    assert ann.page.evaluate(NOTE_IS, "half")
    _start(server, ann)
    assert ann.page.evaluate(NOTE_IS, "half")
