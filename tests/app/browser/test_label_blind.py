"""What an annotator must not know before saving never reaches the browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import CheckFailed, Visitor
from label_page import decide, go_to, open_label
from seed_files import JUDGE, SECRETS, plain_items
from seed_full import release
from seed_store import PROJECT, crowd, events_of, label_as, open_store, seed

from judgekit.store.label_store import Answer, ProjectSettings

Visit = Callable[..., Visitor]
NOTE = "zznotecanary"
ANNOTATORS, PEOPLE_YAML = crowd(4)
SETTINGS = ProjectSettings(
    labels_per_item=5, overlap_share=0, overlap_min=0, repeat_share=0.5, repeat_gap=3
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    items = plain_items(12)
    folder = seed(tmp_path_factory.mktemp("blind"), items, settings=SETTINGS, yaml=PEOPLE_YAML)
    answer = Answer(label="fail", failure_mode="rude", note=NOTE)
    with open_store(folder) as store:
        answers = {f"case-{number:05d}": answer for number in range(12)}
        label_as(store, "bob", answers)
    release(folder)
    return folder


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def _control(probe: dict[str, str]) -> str:
    return f"Question {probe['item'].removeprefix('case-')}"


def test_verdict_model_score_and_other_labels_are_never_sent(visit: Visit) -> None:
    """L8 and acceptance D; the control is the item's own text, on page and wire."""
    ann = visit()
    shown = open_label(ann, ANNOTATORS[0])
    for key in ("p", "n", "p", "s", "u"):
        ann.expect_text(_control(shown))
        ann.expect_never_sent(*SECRETS, NOTE, control=_control(shown))
        before = ann.probe()["presentation"]
        shown = decide(ann, key) if key != "u" else _undo(ann, before)
    ann.press("g")
    ann.expect_never_sent(*SECRETS, NOTE, "bob", control=_control(shown))
    ann.open(f"/?user={ANNOTATORS[0]}")
    ann.expect_never_sent(*SECRETS, NOTE, "bob", control=_control(shown))


def _undo(visitor: Visitor, before: str) -> dict[str, str]:
    visitor.page.keyboard.press("u")
    return visitor.wait_probe(presentation_not=before)


def test_the_check_of_blindness_sees_what_is_sent(visit: Visit) -> None:
    """The positive control of L8: an engineer's page does carry the judge's name."""
    eve = visit()
    eve.open("/calibrate?user=eve")
    eve.wait_probe(page="calibrate")
    eve.expect_text(JUDGE)
    with pytest.raises(CheckFailed, match="was sent"):
        eve.expect_never_sent(JUDGE, control="Calibrate")


def test_the_second_annotators_page_is_the_firsts(visit: Visit) -> None:
    """L16: but for who is signed in and the progress, although the first one has answered."""
    pages = []
    for user in ANNOTATORS[1:3]:
        one = visit()
        open_label(one, user)
        go_to(one, "case-00003")
        pages.append([one.held_text(".st-key-item"), *_buttons(one)])
        decide(one, "p")

    assert pages[0] == pages[1]
    assert "Question 00003" in pages[0][0]
    assert len(pages[0]) > 5


def _buttons(visitor: Visitor) -> list[str]:
    buttons = visitor.page.locator(".st-key-decisions button")
    return [f"{text} {buttons.nth(n).get_attribute('class')}" for n, text in enumerate(
        buttons.all_inner_texts())]  # fmt: skip


def test_nothing_tells_a_hidden_repeat(visit: Visit, workspace: Path) -> None:
    """L17: the same words on the page and the wire as for any other item."""
    ann = visit()
    shown = open_label(ann, ANNOTATORS[3])
    texts: dict[str, list[str]] = {}
    while shown["item"]:
        texts.setdefault(shown["item"], []).append(ann.held_text(".st-key-item"))
        shown = decide(ann, "p")
    repeated = {item: seen for item, seen in texts.items() if len(seen) > 1}

    assert repeated, "no repeat was shown: the check would prove nothing"
    assert all(len(set(seen)) == 1 for seen in repeated.values())
    assert sum(e.repeat for e in events_of(workspace, ANNOTATORS[3])) == len(repeated)
    assert not ann.wire.carried("repeat_of")
    with open_store(workspace) as store:
        progress = store.queue.progress(PROJECT, ANNOTATORS[3])
    assert progress.left == 0
