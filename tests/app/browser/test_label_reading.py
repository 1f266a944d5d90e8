"""Label is read by keyboard alone: the item, the guidelines, and both in a narrow window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor
from label_page import decide, open_label, read_item
from seed_files import DATASET, RUBRIC, plain_items, write_workspace
from seed_store import PLAIN, crowd, events_of, open_store

from judgekit.store.label_files.project_source import open_project
from judgekit.store.workspace import find_workspace

Visit = Callable[..., Visitor]
ANNOTATORS, PEOPLE_YAML = crowd(8)
STATUS = ".st-key-save-state"
PHONE = {"width": 320, "height": 640}
LINES = 80
INSIDE = """([inner, lower, upper]) => { const at = s => s && document.querySelector(s);
  const box = at(inner).getBoundingClientRect();
  const floor = at(lower) ? at(lower).getBoundingClientRect().top : innerHeight;
  return box.top >= (upper || 0) && box.bottom <= floor; }"""
PLACE = "() => document.querySelector('.stMain').scrollTop"
BAR = '[data-testid="stBottom"]'


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reading")
    items = [{**row, "output": str(row["output"]) * 40} for row in plain_items(12)]
    write_workspace(folder, items, settings=PEOPLE_YAML)
    (folder / "annotations" / DATASET / "guideline.md").write_text(LONG, encoding="utf-8")
    with open_store(folder) as store:
        open_project(
            store, find_workspace(folder), dataset=DATASET, rubric=RUBRIC, actor="lea",
            settings=PLAIN,
        )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


LONG = "# How to decide\n\n" + "".join(f"- **Rule {n}**: read it.\n" for n in range(LINES))
AT_END = """s => { const e = document.querySelector(s);
  return e.scrollHeight - e.clientHeight - e.scrollTop <= 1 && e.scrollTop > 0; }"""


@pytest.mark.parametrize(("user", "key"), [("ann00", "PageDown"), ("ann01", "ArrowDown")])
def test_the_guidelines_fit_the_window_and_keys_scroll_them_to_their_end(
    visit: Visit, user: str, key: str
) -> None:
    """X8: the page below stays, and a key of labelling labels."""
    ann = visit(viewport={"width": 1280, "height": 600})
    open_label(ann, user)
    ann.press("g")
    ann.expect_text("Rule 79", ".st-key-guidelines")
    ann.wait_for(INSIDE, [".st-key-guidelines", None, 0], "the panel inside the window")
    for _ in range(60 if key == "ArrowDown" else 8):
        ann.page.keyboard.press(key)
    ann.wait_for(AT_END, ".st-key-guidelines", "the end of the guidelines")


def test_keys_scroll_the_item_above_the_bar_of_a_narrow_window(visit: Visit) -> None:
    """X4, X8: its last field is seen whole above the answers."""
    ann = visit(viewport=PHONE)
    open_label(ann, "ann02")
    ann.expect_text("Pass", BAR)
    last = ".st-key-item .jk-block:last-child"
    end = f"""() => {{ const r = document.querySelector('{last}').getBoundingClientRect().bottom;
      return r <= document.querySelector('{BAR}').getBoundingClientRect().top; }}"""
    assert not ann.page.evaluate(end)
    for _ in range(12):
        ann.page.keyboard.press("PageDown")
    ann.wait_for(end, None, "the end of the item above the bar")
    ann.page.keyboard.press("Home")
    ann.wait_for("() => !document.querySelector('.stMain').scrollTop", None, "the top again")


def test_the_guidelines_come_into_view_in_a_narrow_window(visit: Visit) -> None:
    """X4: they stand below the item there; closed, the item is where it was."""
    ann = visit(viewport=PHONE)
    open_label(ann, "ann03")
    ann.press("PageDown")
    place = ann.page.evaluate(PLACE)
    assert place > 0
    ann.press("g")
    ann.expect_text("Rule 79", ".st-key-guidelines")
    ann.wait_for(INSIDE, [".st-key-guidelines", BAR, 0], "the panel above the bar")
    for _ in range(8):
        ann.page.keyboard.press("PageDown")
    ann.wait_for(AT_END, ".st-key-guidelines", "the end of the guidelines")
    ann.press("g")
    ann.wait_for(f"place => ({PLACE})() === place", place, "the place before")


def test_escape_takes_fail_back_before_it_closes_the_guidelines(
    visit: Visit, workspace: Path
) -> None:
    """X8: one press of Escape leaves one thing, and nothing is saved."""
    ann = visit()
    open_label(ann, "ann04")
    ann.press("g")
    ann.expect_text("Rule 79", ".st-key-guidelines")
    read_item(ann)
    ann.press("f")
    ann.expect_text("which failure mode", STATUS)
    ann.press("Escape")
    ann.expect_text("Fail taken back", STATUS)
    assert ann.page.locator(".st-key-guidelines").is_visible()
    ann.press("Escape")
    ann.wait_for("() => !document.querySelector('.st-key-guidelines')", None, "no guidelines")
    assert events_of(workspace, "ann04") == []


def test_a_digit_that_no_failure_mode_has_is_told(visit: Visit, workspace: Path) -> None:
    """L2."""
    ann = visit()
    first = open_label(ann, "ann05")
    read_item(ann)
    ann.press("f")
    ann.expect_text("which failure mode", STATUS)
    ann.press("7")
    ann.expect_text("7: no failure mode has this digit", STATUS)
    assert ann.probe()["item"] == first["item"]
    assert events_of(workspace, "ann05") == []
    assert decide(ann, "2")["item"] != first["item"]


def test_the_caret_leaves_the_box_where_nothing_was_opened(visit: Visit, workspace: Path) -> None:
    """X8: the next key labels and is not typed."""
    ann = visit()
    first = open_label(ann, "ann06")
    ann.press("i")
    ann.type("nowhere")
    ann.page.keyboard.press("Enter")
    ann.expect_text("Not opened: ", STATUS)
    ann.wait_for("() => document.activeElement === document.body", None, "the caret to leave")
    decide(ann, "p")
    assert [e.item_id for e in events_of(workspace, "ann06")] == [first["item"]]


def test_one_key_leaves_a_reopened_label_for_the_next_unlabelled_item(
    visit: Visit, workspace: Path
) -> None:
    """X8."""
    ann = visit()
    open_label(ann, "ann07")
    second = decide(ann, "p")
    ann.press("i")
    ann.type("1")
    ann.page.keyboard.press("Enter")
    ann.expect_text("Your label here: pass", STATUS)
    ann.expect_text("j Next unlabelled", ".st-key-legend")
    ann.press("j")
    ann.wait_probe(item=second["item"])
    assert [e.kind for e in events_of(workspace, "ann07")] == ["label"]
