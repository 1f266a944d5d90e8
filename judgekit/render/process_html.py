"""The four axes as one HTML file that opens from disk and asks nothing of the network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from judgekit.process.process_records import Curve, Point, ProcessReport
from judgekit.process.regression_records import Regression
from judgekit.render import process_text
from judgekit.render.page import page_environment
from judgekit.render.process_text import money
from judgekit.render.score_text import brief
from judgekit.render.text import visible
from judgekit.render.tool_axis import tool_rows

WIDTH, HEIGHT, EDGE = 640, 320, 56
LETTER, LINE = 7.2, 16
"""Width of a letter and height of a line of the labels, in SVG units (13 px text)."""
LONGEST = 26
"""Letters of a label; the table below the drawing has the whole name."""


class Label(NamedTuple):
    """Where a name is written, and where its line to the dot ends (None = it stands beside it)."""

    text: str
    x: float
    y: float
    anchor: str
    far: bool


class Dot(NamedTuple):
    """One tier in the drawing, in SVG units."""

    x: float
    y: float
    low: float
    high: float
    frontier: bool
    label: Label


class Drawing(NamedTuple):
    """One curve: its tiers, the line through the frontier, and the marks of the axes."""

    curve: Curve
    dots: tuple[Dot, ...]
    line: str
    costs: tuple[tuple[float, str], ...]
    shares: tuple[tuple[float, str], ...]


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        """Tell whether two boxes share some area."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def process_html(report: ProcessReport, gates: Sequence[Regression] = ()) -> str:
    """Return the report as HTML. Names and notes are escaped; nothing is fetched or run."""
    routing = report.routing
    curves = [] if routing is None else [routing.overall, *routing.steps]
    page = _environment().get_template("process.html.j2")
    return visible(
        page.render(
            report=report,
            tool_rows=tool_rows,
            gates=gates,
            drawings=[draw(curve) for curve in curves if curve is not None],
            width=WIDTH,
            height=HEIGHT,
            edge=EDGE,
        )
    )


def draw(curve: Curve) -> Drawing:
    """Return where each tier is drawn: cost from left to right (log scale), quality upwards."""
    low, high = _range([point.cost_usd for point in curve.points])
    places = [(_x(p.cost_usd, low, high), _y(p.quality)) for p in curve.points]
    labels = place_labels([(p.name, x, y) for p, (x, y) in zip(curve.points, places, strict=True)])
    dots = tuple(
        _dot(point, x, y, label)
        for point, (x, y), label in zip(curve.points, places, labels, strict=True)
    )
    front = sorted((dot for dot in dots if dot.frontier), key=lambda dot: dot.x)
    return Drawing(
        curve=curve,
        dots=dots,
        line=" ".join(f"{dot.x:.1f},{dot.y:.1f}" for dot in front),
        costs=_cost_marks(curve, low, high),
        shares=tuple((_y(share), f"{share:g}") for share in (0.0, 0.25, 0.5, 0.75, 1.0)),
    )


def place_labels(dots: Sequence[tuple[str, float, float]]) -> list[Label]:
    """Return where the names of dots are written: none over another, over a dot, or outside.

    Each name takes the first free place beside its dot, then further up or down.
    """
    taken = [_Box(x - 6, y - 6, x + 6, y + 6) for _, x, y in dots]
    found = []
    for name, x, y in dots:
        text = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
        label, box = _free_place(text, x, y, taken)
        taken.append(box)
        found.append(label)
    return found


def _free_place(text: str, x: float, y: float, taken: Sequence[_Box]) -> tuple[Label, _Box]:
    width = len(text) * LETTER
    best: tuple[Label, _Box] | None = None
    for step in range(40):
        away = (step + 1) // 2 * LINE * (-1 if step % 2 else 1)
        for anchor, at in (("start", x + 10), ("end", x - 10)):
            left = at if anchor == "start" else at - width
            box = _Box(left, y + away - 11, left + width, y + away + 4)
            if left < 2 or box.right > WIDTH - 2 or box.top < 2 or box.bottom > HEIGHT - EDGE + 4:
                continue
            label = Label(text, round(at, 1), round(y + away, 1), anchor, abs(away) > LINE)
            best = best or (label, box)
            if not any(box.meets(other) for other in taken):
                return label, box
    if best is not None:
        return best
    return Label(text, 4, round(y, 1), "start", True), _Box(4, y - 11, 4 + width, y + 4)


def _dot(point: Point, x: float, y: float, label: Label) -> Dot:
    return Dot(
        x=round(x, 1),
        y=round(y, 1),
        low=round(_y(point.quality_low), 1),
        high=round(_y(point.quality_high), 1),
        frontier=point.on_frontier,
        label=label,
    )


def _range(costs: list[float]) -> tuple[float, float]:
    """Return the ends of the cost axis, a little beyond the tiers; what is free is at the left."""
    paid = [cost for cost in costs if cost > 0]
    if not paid:
        return 0.0, 1.0
    return min(paid) / 1.5, max(paid) * 1.5


def _cost_marks(curve: Curve, low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Return round costs within the axis, and what is free; at most eight."""
    free = any(point.cost_usd <= 0 for point in curve.points)
    marks = [(float(EDGE), "free")] if free else []
    if low > 0:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        each = (1, 2, 5) if len(powers) <= 3 else (1,)
        rounds = [step * 10.0**power for power in powers for step in each]
        inside = [cost for cost in rounds if low <= cost <= high]
        thin = inside[:: max(1, math.ceil(len(inside) / 7))]
        marks += [(round(_x(cost, low, high), 1), money(cost)) for cost in thin]
    return tuple(marks)


def _x(cost: float, low: float, high: float) -> float:
    if cost <= 0 or low <= 0:
        return float(EDGE)
    share = math.log(cost / low) / math.log(high / low)
    return EDGE + share * (WIDTH - 2 * EDGE)


def _y(share: float) -> float:
    return HEIGHT - EDGE + share * (2 * EDGE - HEIGHT)


@cache
def _environment() -> Any:
    environment = page_environment()
    environment.filters["brief"] = brief
    environment.filters["money"] = money
    environment.filters["money_figure"] = process_text.money_figure
    environment.filters["change"] = process_text.change_text
    environment.filters["gate_word"] = process_text.gate_word
    environment.filters["ends"] = process_text.ends_text
    environment.filters["total"] = process_text.total_text
    environment.filters["advice"] = process_text.advisory_words
    return environment
