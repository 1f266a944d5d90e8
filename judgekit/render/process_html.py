"""The four axes as one HTML file that opens from disk and asks nothing of the network."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

from judgekit.process.process_records import Curve, Point, ProcessReport
from judgekit.render import words
from judgekit.render.process_text import money
from judgekit.render.text import visible

WIDTH, HEIGHT, EDGE = 640, 300, 56


class Dot(NamedTuple):
    """One tier in the drawing, in SVG units."""

    name: str
    x: float
    y: float
    low: float
    high: float
    frontier: bool


class Drawing(NamedTuple):
    """One curve: its tiers, the line through the frontier, and the marks of the axes."""

    curve: Curve
    dots: tuple[Dot, ...]
    line: str
    costs: tuple[tuple[float, str], ...]
    shares: tuple[tuple[float, str], ...]


def process_html(report: ProcessReport) -> str:
    """Return the report as HTML. Names and notes are escaped; nothing is fetched or run."""
    routing = report.routing
    curves = [] if routing is None else [routing.overall, *routing.steps]
    page = _environment().get_template("process.html.j2")
    return visible(
        page.render(
            report=report,
            drawings=[draw(curve) for curve in curves if curve is not None],
            width=WIDTH,
            height=HEIGHT,
            edge=EDGE,
        )
    )


def draw(curve: Curve) -> Drawing:
    """Return where each tier is drawn: cost from left to right (log scale), quality upwards."""
    low, high = _range([point.cost_usd for point in curve.points])
    dots = tuple(_dot(point, low, high) for point in curve.points)
    front = sorted((dot for dot in dots if dot.frontier), key=lambda dot: dot.x)
    return Drawing(
        curve=curve,
        dots=dots,
        line=" ".join(f"{dot.x:.1f},{dot.y:.1f}" for dot in front),
        costs=tuple((_x(cost, low, high), money(cost)) for cost in (low, high)),
        shares=tuple((_y(share), f"{share:g}") for share in (0.0, 0.25, 0.5, 0.75, 1.0)),
    )


def _dot(point: Point, low: float, high: float) -> Dot:
    return Dot(
        name=point.name,
        x=round(_x(point.cost_usd, low, high), 1),
        y=round(_y(point.quality), 1),
        low=round(_y(point.quality_low), 1),
        high=round(_y(point.quality_high), 1),
        frontier=point.on_frontier,
    )


def _range(costs: list[float]) -> tuple[float, float]:
    """Return the ends of the cost axis, a little beyond the tiers; what is free is at the left."""
    paid = [cost for cost in costs if cost > 0]
    if not paid:
        return 0.0, 1.0
    return min(paid) / 1.5, max(paid) * 1.5


def _x(cost: float, low: float, high: float) -> float:
    if cost <= 0 or low <= 0:
        return float(EDGE)
    share = math.log(cost / low) / math.log(high / low)
    return EDGE + share * (WIDTH - 2 * EDGE)


def _y(share: float) -> float:
    return HEIGHT - EDGE + share * (2 * EDGE - HEIGHT)


@cache
def _environment() -> Any:
    from jinja2 import PackageLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        loader=PackageLoader("judgekit.render", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["figure"] = words.figure_text
    environment.filters["money"] = money
    return environment
