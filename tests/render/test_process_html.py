from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from process.trial_sets import (
    CHECKS,
    call,
    cases_of,
    no_prices,
    recorded,
    scored_set,
    set_of,
    trial,
)

from judgekit.model.trial import ToolCall
from judgekit.process.process_report import process_report
from judgekit.process.regression import regression
from judgekit.process.scored_set import RecordedSet, score_set
from judgekit.render.process_html import HEIGHT, LETTER, WIDTH, draw, place_labels, process_html

HOSTILE = "<img src=x onerror=alert(1)>\"'&</text><script>alert(2)</script>\x1b[31m\u202e"
VOID = {"meta", "line", "circle", "polyline"}


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def configuration(name: str, right: int, cost: float, tool: str = "find"):
    names = [f"c{i:02}" for i in range(40)]
    trials = tuple(
        trial(
            case,
            number,
            i < right,
            tool_calls=(ToolCall(name=tool, error=None if i < right else "500"),),
            model_calls=(call(10, cost=cost, model=name, finish_reason=name, step=name),),
        )
        for i, case in enumerate(names)
        for number in (0, 1)
    )
    return score_set(
        RecordedSet(name, "sha256:0", cases_of(names), trials, set_of(source="a", prompt=name)),
        CHECKS,
        no_prices,
    )


@pytest.fixture
def page() -> str:
    sides = [configuration("small", 20, 0.01), configuration(HOSTILE, 36, 0.05, HOSTILE)]
    gate = regression(sides[1], sides[0], declared=("prompt",), margin=0.05, ratio_margin=0.1)
    return process_html(process_report(sides, no_prices), [gate])


def test_the_page_is_well_formed_and_has_each_axis(page) -> None:
    assert _Page(page).open == []
    for title in ("Against the baseline: worse", "Quality", "Repeats", "Cost", "Tools",
                  "Routing: all cases", "Signals for escalation"):  # fmt: skip
        assert f">{title}<" in page


def test_the_page_fetches_and_runs_nothing_whatever_names_say(page) -> None:
    found = _Page(page)
    assert not {"script", "img", "link", "iframe", "object", "image", "use"} & set(found.tags)
    assert not {"src", "href", "srcset", "action", "style"} & set(found.attributes)
    assert not [name for name in found.attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import|https?://", page)
    assert "default-src 'none'" in page
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_a_hostile_name_is_shown_as_text(page) -> None:
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_labels_of_dots_in_one_place_do_not_overlap_and_stay_inside() -> None:
    dots = [(f"configuration-{i}", 300 + i, 120 + i / 2) for i in range(9)]
    dots += [("at the right edge of the drawing", WIDTH - 60, 60), ("left", 57, 250)]
    boxes = []
    for label in place_labels(dots):
        width = len(label.text) * LETTER
        left = label.x if label.anchor == "start" else label.x - width
        boxes.append((left, label.y - 11, left + width, label.y + 4))
    assert all(b[0] >= 0 and b[2] <= WIDTH and b[1] >= 0 and b[3] <= HEIGHT for b in boxes)
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert not (a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])


def test_cost_goes_from_left_to_right_and_quality_upwards() -> None:
    small, big = configuration("small", 20, 0.01), configuration("big", 36, 0.05)
    drawing = draw(process_report([big, small], no_prices).routing.overall)
    left, right = drawing.dots
    assert (left.label.text, right.label.text) == ("small", "big")
    assert left.x < right.x
    assert left.y > right.y
    assert left.low > left.y > left.high
    assert [text for _, text in drawing.costs] == ["$0.01", "$0.02", "$0.05"]
    assert drawing.line == f"{left.x:.1f},{left.y:.1f} {right.x:.1f},{right.y:.1f}"


def test_both_axes_say_what_they_measure() -> None:
    sides = [configuration("small", 20, 0.01), configuration("big", 36, 0.05)]
    page = process_html(process_report(sides, no_prices))
    assert "share of trials that are correct; the bars are 95 % intervals</text>" in page
    assert ">cost of a case (log scale)</text>" in page


def test_what_is_free_stands_at_the_left_and_is_named() -> None:
    sides = [configuration("none", 20, 0.0), configuration("big", 36, 0.05)]
    drawing = draw(process_report(sides, no_prices).routing.overall)
    assert drawing.costs[0] == (56.0, "free")
    assert drawing.dots[0].x == 56.0


def test_a_long_name_is_cut_in_the_drawing_and_whole_in_the_table() -> None:
    name = "a-configuration-with-a-name-that-goes-on-and-on"
    sides = [configuration("small", 20, 0.01), configuration(name, 36, 0.05)]
    page = process_html(process_report(sides, no_prices))
    assert f"{name[:25]}\N{HORIZONTAL ELLIPSIS}</text>" in page
    assert f'<th scope="row">{name}</th>' in page


def test_one_configuration_without_costs_has_a_page_too() -> None:
    page = process_html(process_report([scored_set(recorded("a", {"c": [True]}))], no_prices))
    assert _Page(page).open == []
    assert "<svg" not in page
