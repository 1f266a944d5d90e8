"""Label by keyboard: one key, one label, on the item that was seen."""

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
Serve = Callable[..., AppServer]
ANNOTATORS, PEOPLE_YAML = crowd(19)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = PLAIN.model_copy(update={"labels_per_item": len(ANNOTATORS)})
    folder = tmp_path_factory.mktemp("keys")
    return seed(folder, plain_items(80), settings=settings, yaml=PEOPLE_YAML)


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Serve) -> AppServer:
    return serve(workspace)


def test_pass_is_one_key_and_one_event(visit: Visit, workspace: Path) -> None:
    """L1."""
    ann = visit()
    first = open_label(ann, "ann00")
    second = decide(ann, "p")

    assert second["item"] != first["item"]
    stored = events_of(workspace, "ann00")
    assert [(e.item_id, e.kind, (e.value or {})["label"]) for e in stored] == [
        (first["item"], "label", "pass")
    ]
    ann.expect_text("Saved: pass", ".st-key-save-state")


def test_fail_and_its_mode_are_one_revision(visit: Visit, workspace: Path) -> None:
    """L2."""
    ann = visit()
    first = open_label(ann, "ann01")
    decide(ann, "f", "2")

    stored = events_of(workspace, "ann01")
    assert {(e.item_id, e.rev) for e in stored} == {(first["item"], 1)}
    assert [(e.value or {}).get("failure_mode") for e in stored] == ["rude"]
    assert [(e.value or {})["label"] for e in stored] == ["fail"]


def test_words_typed_into_the_note_are_no_decisions(visit: Visit, workspace: Path) -> None:
    """L3."""
    ann = visit()
    first = open_label(ann, "ann02")
    read_item(ann)
    ann.press("m")
    ann.type("pass fail snug 123")
    ann.press("Escape")

    assert ann.probe()["item"] == first["item"]
    assert events_of(workspace, "ann02") == []
    decide(ann, "p")
    assert [(e.value or {}).get("note") for e in events_of(workspace, "ann02")] == [
        "pass fail snug 123"
    ]


def test_half_a_character_in_a_note_does_not_keep_the_label_from_being_saved(
    visit: Visit, workspace: Path
) -> None:
    """L3: it is stored as the sign for what cannot be read; whole ones stay."""
    ann = visit()
    first = open_label(ann, "ann18")
    ann.press("m")
    ann.page.evaluate("() => document.execCommand('insertText', false, '\\u{1F4E6} \\uD83D end')")
    ann.expect_text("draft kept", ".st-key-save-state")
    ann.press("Escape")
    assert decide(ann, "p")["item"] != first["item"]
    assert [(e.value or {}).get("note") for e in events_of(workspace, "ann18")] == [
        "\U0001f4e6 \ufffd end"
    ]


def test_escape_leaves_the_box_for_an_item_and_goes_nowhere(visit: Visit) -> None:
    """X2: what was typed is dropped, and the next key is a decision again."""
    ann = visit()
    first = open_label(ann, "ann11")
    box = ann.page.get_by_label("Go to item").first
    box.focus()
    ann.type("p")
    ann.press("Escape")

    ann.wait_for(
        "() => !document.activeElement.closest('.st-key-jump')", None, "the caret to leave"
    )
    ann.idle()
    assert box.input_value() == ""
    assert ann.probe()["item"] == first["item"]
    ann.expect_text("All saved", ".st-key-save-state")
    assert decide(ann, "p")["item"] != first["item"]


@pytest.mark.parametrize(("user", "repeats"), [("ann03", 12), ("ann04", 45)])
def test_a_held_key_labels_at_most_one_item(
    visit: Visit, workspace: Path, user: str, repeats: int
) -> None:
    """L4: held for 0.4 s, and for 1.5 s, with the repeats that a keyboard sends."""
    ann = visit()
    first = open_label(ann, user)
    read_item(ann)
    for _ in range(repeats):
        ann.page.keyboard.down("p")
        ann.page.wait_for_timeout(33)
    ann.page.keyboard.up("p")
    ann.wait_probe(item_not=first["item"])

    assert [e.item_id for e in events_of(workspace, user)] == [first["item"]]


def test_a_key_while_the_guidelines_are_open_labels_the_shown_item_only(
    visit: Visit, workspace: Path
) -> None:
    """L5."""
    ann = visit()
    first = open_label(ann, "ann05")
    ann.press("g")
    ann.expect_text("Read the question first", ".st-key-guidelines")
    assert ann.probe()["item"] == first["item"]
    read_item(ann)
    ann.press("p")
    ann.wait_probe(item_not=first["item"])

    assert [e.item_id for e in events_of(workspace, "ann05")] == [first["item"]]


def test_two_quick_escapes_leave_the_guidelines_closed(visit: Visit) -> None:
    """X2: the second finds them closed or closing, and opens nothing."""
    ann = visit()
    open_label(ann, "ann16")
    ann.press("g")
    ann.expect_text("Read the question first", ".st-key-guidelines")
    ann.idle()
    for _ in range(2):
        ann.page.keyboard.press("Escape")
    ann.idle()
    assert ann.page.locator(".st-key-guidelines").count() == 0


def test_a_held_key_opens_the_guidelines_once(visit: Visit) -> None:
    """L4: its repeats neither close nor open them again."""
    ann = visit()
    open_label(ann, "ann17")
    for _ in range(2):
        ann.page.keyboard.down("g")
        ann.idle()
    ann.page.keyboard.up("g")
    ann.expect_text("Read the question first", ".st-key-guidelines")


def test_undo_returns_to_the_item_with_its_values_twenty_times(
    visit: Visit, workspace: Path
) -> None:
    """L12, and undo 20 deep."""
    ann = visit()
    items = [open_label(ann, "ann06")["item"]]
    for number in range(20):
        items.append(decide(ann, *(("f", "2") if number % 2 else ("p",)))["item"])
    back = []
    for _ in range(20):
        before = ann.probe()["presentation"]
        ann.page.keyboard.press("u")
        back.append(ann.wait_probe(presentation_not=before)["item"])

    assert back == items[-2::-1]
    kinds = [e.kind for e in events_of(workspace, "ann06")]
    assert kinds == ["label"] * 20 + ["undo"] * 20
    ann.press("u")
    assert len(events_of(workspace, "ann06")) == 40


def test_thirty_keys_at_150_ms_never_hit_an_unseen_item(visit: Visit, workspace: Path) -> None:
    """Fast keys: what is stored lies in the order shown, and what is refused is told."""
    ann = visit()
    open_label(ann, "ann07")
    read_item(ann)
    for number in range(30):
        ann.page.keyboard.press("p" if number % 2 else "n")
        ann.page.wait_for_timeout(30)
    ann.idle()
    ann.wait_for(
        "() => /Too fast|not taken/.test(document.querySelector('.st-key-save-state').innerText)",
        None,
        "a word on the keys that were not taken",
    )
    stored = events_of(workspace, "ann07")

    assert 1 <= len(stored) < 30
    assert all(e.dwell_ms is not None and e.dwell_ms >= 250 for e in stored)
    assert len({e.item_id for e in stored}) == len(stored)


def test_unsure_and_skip_are_told_apart(visit: Visit, workspace: Path) -> None:
    """Unsure is an answer; a skipped item comes back."""
    ann = visit()
    first = open_label(ann, "ann08")
    second = decide(ann, "n")
    decide(ann, "s")

    stored = events_of(workspace, "ann08")
    assert [(e.item_id, e.kind) for e in stored] == [
        (first["item"], "unsure"),
        (second["item"], "skip"),
    ]
    assert (stored[1].value or {}).get("label") is None


def test_there_is_no_default_answer(visit: Visit, workspace: Path) -> None:
    """Honest 5: nothing is chosen before the annotator chooses."""
    ann = visit()
    open_label(ann, "ann09")

    assert ann.page.locator('[aria-checked="true"], [aria-pressed="true"], :checked').count() == 0
    assert events_of(workspace, "ann09") == []


def test_one_key_pauses_and_the_same_key_resumes(visit: Visit, workspace: Path) -> None:
    """X8: while paused the item is away and no key labels."""
    ann = visit()
    first = open_label(ann, "ann10")
    legend = ann.seen_text(".st-key-legend")
    assert "b Pause" in legend
    assert "i Go to item" in legend
    ann.press("b")
    ann.expect_text("Paused", ".st-key-item")
    ann.expect_text("b Resume", ".st-key-legend")
    ann.press("p")
    ann.press("b")
    ann.wait_for("() => !document.querySelector('.st-key-resume')", None, "the item to be back")
    ann.page.evaluate("() => { window.__shown = performance.now(); }")  # the guard starts anew

    assert ann.probe()["item"] == first["item"]
    assert events_of(workspace, "ann10") == []
    decide(ann, "p")
    assert [e.item_id for e in events_of(workspace, "ann10")] == [first["item"]]


def test_one_key_goes_to_the_box_for_an_item(visit: Visit) -> None:
    """X8: the key itself is not typed, and Enter opens the item."""
    ann = visit()
    first = open_label(ann, "ann12")
    decide(ann, "p")
    ann.press("i")
    ann.wait_for(
        "() => !!document.activeElement.closest('.st-key-jump')", None, "the caret in the box"
    )
    ann.type(first["item"])
    ann.page.keyboard.press("Enter")

    ann.wait_probe(item=first["item"])
    ann.expect_text("Your label here: pass", ".st-key-save-state")
    assert "(i)" in ann.seen_text(".st-key-jump")


def test_escape_closes_the_guidelines_but_first_leaves_what_is_written_in(visit: Visit) -> None:
    """X8: one press of Escape leaves one thing."""
    ann = visit()
    open_label(ann, "ann13")
    ann.press("g")
    ann.expect_text("Read the question first", ".st-key-guidelines")
    for into in ("m", "i", "e"):
        ann.press(into)
        ann.wait_for(
            "() => document.activeElement !== document.body", None, f"the focus after {into}"
        )
        ann.press("Escape")
        assert ann.page.evaluate("() => document.activeElement === document.body"), into
        assert ann.page.locator(".st-key-guidelines").is_visible(), into
    ann.press("Escape")
    ann.wait_for("() => !document.querySelector('.st-key-guidelines')", None, "no guidelines")


NOTE_PLACE = "() => document.querySelector('.st-key-note').getBoundingClientRect().y"


def test_nothing_moves_when_fail_asks_for_its_mode_or_a_key_is_refused(visit: Visit) -> None:
    """L2: the note and what is below it stay where they are."""
    ann = visit()
    open_label(ann, "ann14")
    ann.expect_text("All saved", ".st-key-save-state")
    before = ann.page.evaluate(NOTE_PLACE)
    framed = "() => document.querySelector('.st-key-modes button').getAttribute('kind')"
    assert ann.page.evaluate(framed) == "tertiary"
    ann.press("1")
    ann.expect_text("press f first, then the failure mode", ".st-key-save-state")
    assert ann.page.evaluate(NOTE_PLACE) == before
    ann.press("f")
    ann.expect_text("which failure mode", ".st-key-save-state")
    ann.expect_text("Fail, because", ".st-key-modes")

    assert ann.page.evaluate(framed) == "secondary"
    assert ann.page.evaluate(NOTE_PLACE) == before
