"""Calibrations as one HTML file that opens from disk and asks nothing of the network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from judgekit.calibration.report import CalibrationReport, Disagreement
from judgekit.model.item import Item
from judgekit.render import words
from judgekit.render.evidence import Piece, is_quoted, mark_quotes, shown_text
from judgekit.render.page import page_environment
from judgekit.render.text import visible
from judgekit.stats.estimate import Estimate, Statistic

PLOT_WIDTH = 260
_FIELDS = ("input", "context", "output", "output_1", "output_2", "reference", "trial")


class Bar(NamedTuple):
    """The places of one interval in its plot, in SVG units."""

    low: float
    value: float
    high: float
    limit: float | None


class Shown(NamedTuple):
    """One field of an item with its quotes marked."""

    name: str
    pieces: tuple[Piece, ...]


class Case(NamedTuple):
    """One disagreement with the item it is about, where the item is known."""

    disagreement: Disagreement
    item: Item | None
    fields: tuple[Shown, ...]
    missing: tuple[str, ...]


class Slice(NamedTuple):
    """Disagreements among the items that share one value of a metadata key."""

    key: str
    value: str
    items: int
    false_passes: int
    false_fails: int


def html_report(
    reports: CalibrationReport | Sequence[CalibrationReport],
    *,
    items: Iterable[Item] | None = None,
    title: str = "Calibration",
) -> str:
    """Return one self-contained HTML page about one or several calibrations.

    Args:
        reports: the records, one section each.
        items: the items that were graded; without them texts and slices are left out.
        title: the page's heading.
    """
    several = (reports,) if isinstance(reports, CalibrationReport) else tuple(reports)
    by_id = {item.id: item for item in items or ()}
    sections = [_section(report, by_id) for report in several]
    page = _environment().get_template("calibration.html.j2")
    return visible(page.render(title=title, sections=sections, width=PLOT_WIDTH)) + "\n"


_environment = cache(page_environment)


def _section(report: CalibrationReport, by_id: dict[str, Item]) -> dict[str, Any]:
    shown = words.figures(report)
    return {
        "report": report,
        "headline": words.headline(report),
        "synthetic": words.is_synthetic(report),
        "figures": [(f, bar(f.statistic, limit=f.limit, low_end=f.low_end)) for f in shown],
        "modes": [(m, bar(m.false_pass_rate, limit=None)) for m in report.per_failure_mode],
        "slices": slices(report.disagreements, by_id),
        "conditions": [(words.MARKS[c.outcome], words.unmarked(c)) for c in report.conditions],
        "reasons": words.other_reasons(report),
        "needed": words.needed_text(report),
        "approvable": words.approvable_line(report),
        "caveats": words.caveats(report),
        "cases": [_case(d, by_id.get(d.item_id)) for d in report.disagreements],
    }


def bar(statistic: Statistic, *, limit: float | None, low_end: float = 0.0) -> Bar | None:
    """Return where the interval lies between `low_end` and 1; None where there is no value."""
    if not isinstance(statistic, Estimate):
        return None

    def place(value: float) -> float:
        share = (value - low_end) / (1.0 - low_end)
        return round(min(max(share, 0.0), 1.0) * PLOT_WIDTH, 1)

    low = statistic.value if statistic.low is None else statistic.low
    high = statistic.value if statistic.high is None else statistic.high
    return Bar(
        place(low), place(statistic.value), place(high), None if limit is None else place(limit)
    )


def slices(disagreements: Iterable[Disagreement], by_id: dict[str, Item]) -> tuple[Slice, ...]:
    """Count false passes and false fails per metadata value; long or unique values are left out."""
    totals = Counter(pair for item in by_id.values() for pair in _traits(item))
    wrong: Counter[tuple[tuple[str, str], str]] = Counter()
    for found in disagreements:
        item = by_id.get(found.item_id)
        for pair in _traits(item) if item else ():
            wrong[pair, found.judge] += 1
    values = Counter(key for key, _ in totals)
    return tuple(
        Slice(key, value, n, wrong[(key, value), "pass"], wrong[(key, value), "fail"])
        for (key, value), n in sorted(totals.items())
        if values[key] <= max(2, len(by_id) // 5)
    )


def _traits(item: Item) -> list[tuple[str, str]]:
    return [
        (key, str(value))
        for key, value in item.metadata.items()
        if isinstance(value, str | int | bool) and len(str(value)) <= 40
    ]


def _case(found: Disagreement, item: Item | None) -> Case:
    quotes = found.verdict.evidence if found.verdict else ()
    texts = _texts(item) if item else []
    fields = tuple(Shown(name, mark_quotes(text, quotes)) for name, text in texts)
    missing = (q for q in quotes if item and not any(is_quoted(text, q) for _, text in texts))
    return Case(found, item, fields, tuple(missing))


def _texts(item: Item) -> list[tuple[str, str]]:
    """Return the item's fields as (name, text), an object's keys apart as `input.customer`."""
    plain = item.model_dump(mode="json", include=set(_FIELDS), exclude_none=True)
    texts: list[tuple[str, str]] = []
    for name in (name for name in _FIELDS if name in plain):
        value = plain[name]
        if isinstance(value, dict):
            texts += [(f"{name}.{key}", shown_text(inner)) for key, inner in value.items()]
        else:
            texts.append((name, shown_text(value)))
    return texts
