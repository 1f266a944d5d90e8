"""What holds on every page: contrast, names, focus, headings, narrow windows, no foreign host."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from app_server import AppServer
from browser_driver import Visitor
from label_page import open_label
from page_list import PAGES, open_view
from seed_full import seed_full

Visit = Callable[..., Visitor]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed_full(tmp_path_factory.mktemp("every"))


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


@pytest.mark.parametrize("view", PAGES)
def test_a_page_can_be_used_by_everybody(visit: Visit, view: str) -> None:
    """X1, X2, X3, X4, X6, X9, X10 on one opening of the page, in light."""
    one = visit(color_scheme="light")
    open_view(one, view)
    found = one.accessibility()

    _can_be_read(one, found)
    assert one.page.evaluate(_MOVING) == [], "X6"
    if view != "sign-in":
        title = one.page.locator("h1").first.inner_text()
        assert found["title"].startswith(title), "X9"
        assert "desk" in found["title"], "X9"
    stops = one.focus_order()
    assert len(stops) > 2
    assert [stop for stop in stops if not stop["ring"]] == [], "X2"
    one.page.set_viewport_size({"width": 320, "height": 640})
    one.idle()
    one.wait_for("() => innerWidth === 320", None, "the narrow window")
    assert _too_wide(one) == [], "X4"
    assert one.errors == []
    assert one.external == [], "X10"


@pytest.mark.parametrize("view", PAGES)
def test_a_page_can_be_read_in_the_dark(visit: Visit, view: str) -> None:
    """X1 and X3 in dark."""
    one = visit(color_scheme="dark")
    open_view(one, view)

    _can_be_read(one, one.accessibility())
    ground = one.page.evaluate(
        "() => getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    )
    assert max(int(part) for part in ground[4:-1].split(",")) < 64, ground


def _can_be_read(visitor: Visitor, found: dict[str, Any]) -> None:
    assert found["texts"] > 5
    assert found["controls"] > 0
    faults = {name: found[name] for name in ("contrast", "unnamed", "images")}
    assert faults == {"contrast": [], "unnamed": [], "images": []}
    headings: list[int] = found["headings"]
    assert headings.count(1) == 1, headings
    assert headings[0] == 1, headings
    assert all(b <= a + 1 for a, b in pairwise(headings)), headings


def test_decisions_come_before_what_is_optional(visit: Visit) -> None:
    """X2: by Tab, the answers are reached before note, pause and jump."""
    ann = visit()
    open_label(ann, "ann")
    stops = ann.focus_order()
    names = [stop["name"] for stop in stops if stop["tag"] in ("button", "textarea", "input")]
    places = [next(i for i, n in enumerate(names) if word in n) for word in _ORDER]

    assert places == sorted(places), names


_ORDER = ("✓ Pass", "✗ Fail", "Unsure", "Skip", "Undo", "Note", "Go to item")


def _too_wide(visitor: Visitor) -> list[Any]:
    found = visitor.page.evaluate(
        """() => { const over = [...document.querySelectorAll('body, .stMain, .stApp')]
          .filter(e => e.scrollWidth > e.clientWidth + 1)
          .filter(e => getComputedStyle(e).overflowX !== 'hidden')
          .map(e => [e.className || e.tagName, e.scrollWidth, e.clientWidth]);
          return over.concat(document.documentElement.scrollWidth > innerWidth + 1
            ? [['page', document.documentElement.scrollWidth, innerWidth]] : []); }"""
    )
    return list(found)


def test_the_check_sees_what_is_too_wide(visit: Visit) -> None:
    """The control of X4."""
    one = visit(viewport={"width": 320, "height": 640})
    open_view(one, "label")
    one.page.evaluate(
        "() => { const e = document.createElement('div');"
        " e.style.cssText = 'width:900px;height:9px';"
        " document.querySelector('.stMainBlockContainer').append(e); }"
    )

    assert _too_wide(one) != []


@pytest.mark.parametrize("view", ["label", "adjudicate"])
def test_the_keys_are_folded_in_a_narrow_window_and_open_at_a_press(
    visit: Visit, view: str
) -> None:
    """X4: a phone has no keys, a window at 400 % has."""
    one = visit(viewport={"width": 320, "height": 640})
    open_view(one, view)
    keys = one.page.locator(".st-key-legend kbd")
    assert not any(keys.nth(number).is_visible() for number in range(keys.count()))

    one.page.locator(".st-key-legend summary").press("Enter")

    one.page.locator(".jk-narrow kbd").first.wait_for(state="visible")
    assert _too_wide(one) == []


@pytest.mark.parametrize("view", ["label", "adjudicate"])
def test_decisions_are_reached_at_200_percent(visit: Visit, view: str) -> None:
    """X5: a window of 1280 x 800 at 200 % has 640 x 400 CSS pixels."""
    one = visit(viewport={"width": 640, "height": 400}, device_scale_factor=2)
    open_view(one, view)
    buttons = one.page.locator(".st-key-decisions button")

    assert buttons.count() >= 4
    for number in range(buttons.count()):
        button = buttons.nth(number)
        button.scroll_into_view_if_needed()
        box = button.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 640
        button.click(trial=True)
    assert _too_wide(one) == []


def test_the_check_sees_what_moves(visit: Visit) -> None:
    """The control of X6: without the wish, transitions are there."""
    one = visit(reduced_motion="no-preference")
    open_view(one, "label")

    assert one.page.evaluate(_MOVING) != []


_MOVING = """() => { const seconds = words => Math.max(...words.split(',').map(parseFloat));
  return [...document.querySelectorAll('*')].filter(e => { const s = getComputedStyle(e);
    return (s.animationName !== 'none' && seconds(s.animationDuration) > 0.01)
      || (s.transitionProperty !== 'none' && seconds(s.transitionDuration) > 0.01); })
    .map(e => e.tagName + '.' + e.className).slice(0, 5); }"""


def test_what_is_saved_is_told_to_a_screen_reader(visit: Visit) -> None:
    """X7."""
    ann = visit()
    open_label(ann, "ann")
    status = ann.page.locator('.st-key-save-state [role="status"]')

    assert status.count() == 1
    assert "saved" in status.inner_text()


def test_item_and_decisions_are_seen_without_scrolling(visit: Visit) -> None:
    """Look: both are in a window of 1280 x 800, Pass and Fail of one size, neither focused."""
    ann = visit()
    open_label(ann, "ann")
    boxes = [
        ann.page.locator(selector).first.bounding_box()
        for selector in (".st-key-decide-pass button", ".st-key-decide-fail button")
    ]
    item = ann.page.locator(".st-key-item").first.bounding_box()

    assert item is not None
    assert item["y"] < 400
    assert all(box is not None and box["y"] + box["height"] < 800 for box in boxes)
    assert len({(box["width"], box["height"]) for box in boxes if box}) == 1
    assert ann.page.evaluate("() => document.activeElement === document.body") is True
