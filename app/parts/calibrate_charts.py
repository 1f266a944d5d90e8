"""Charts of the Calibrate page: the same values as its tables, drawn with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import streamlit as st

from judgekit.stats.estimate import Estimate, Statistic
from parts.calibrate_figures import Named, figure_words
from parts.chart_data import chart_of_rows

ROW_HEIGHT = 32
AROUND = 78
CEILING = "Upright bars: people with each other on the same items; no judge is held to more."


@dataclass(frozen=True)
class Panel:
    """One figure of all reports; `limit` None where the policy sets none.

    `ceilings` holds people's own figure on the items of each row, where there is one.
    """

    name: str
    title: str
    low_end: float
    limit: float | None
    rows: tuple[tuple[str, Statistic], ...]
    ceilings: tuple[tuple[str, Statistic], ...] = ()

    @property
    def alt(self) -> str:
        """Return the chart in words: the same values as the table."""
        told = "; ".join(f"{name} {figure_words(statistic)}" for name, statistic in self.rows)
        limit = f" Limit {self.limit:g}." if self.limit is not None else ""
        people = "; ".join(f"{name} {figure_words(found)}" for name, found in self.ceilings)
        ceiling = f" People with each other on the same items: {people}." if people else ""
        return f"{self.title}, point and interval: {told}.{limit}{ceiling}"


def panels(reports: Sequence[Named]) -> tuple[Panel, ...]:
    """Return false passes, false fails and kappa; people stand in the last as the ceiling."""
    limits = {c.name: c.limit for one in reports for c in one.report.conditions}
    found = []
    for name, title in (
        ("false_pass_rate", "False passes (lower is better)"),
        ("false_fail_rate", "False fails (lower is better)"),
        ("kappa", "Kappa (higher is better)"),
    ):
        rows = tuple((one.title, getattr(one.report, name)) for one in reports)
        ceilings = tuple((one.title, one.report.human_agreement) for one in reports)
        ceilings = ceilings if name == "kappa" else ()
        low_end = -1.0 if any(_below_zero(value) for _, value in (*rows, *ceilings)) else 0.0
        found.append(Panel(name, title, low_end, limits.get(name), rows, ceilings))
    return tuple(found)


def _below_zero(statistic: Statistic) -> bool:
    if not isinstance(statistic, Estimate):
        return False
    return min(statistic.value, statistic.low or 0.0) < 0


def show_panels(reports: Sequence[Named], *, key: str) -> None:
    """Draw the panels beside each other, under each other on a narrow screen."""
    shown = panels(reports)
    ink = Ink.of_theme()
    for column, panel in zip(st.columns(len(shown), gap="medium"), shown, strict=True):
        with column:
            st.altair_chart(
                _chart(panel, ink),
                width="stretch",
                height=ROW_HEIGHT * len(panel.rows) + AROUND,
                key=f"{key}-{panel.name}",
                alt=panel.alt,
            )
    st.text(f"Points with their intervals. Dashed line: the policy's limit. {CEILING}")


@dataclass(frozen=True)
class Ink:
    """The colours of the theme that is shown: they keep their contrast in light and dark."""

    text: str
    point: str
    people: str

    @classmethod
    def of_theme(cls) -> Ink:
        """Return the colours of the reader's theme."""
        if st.context.theme.type == "dark":
            return cls(text="#E6EAF0", point="#8CC2FF", people="#FFB27A")
        return cls(text="#1B2430", point="#0B5CAD", people="#9A3B00")


def _chart(panel: Panel, ink: Ink) -> alt.LayerChart | alt.FacetChart:
    names = [name for name, _ in panel.rows]
    axis = alt.Axis(labelLimit=130, labelOverlap=False, labelColor=ink.text)
    y = alt.Y("judge:N", sort=names, scale=alt.Scale(domain=names), title=None, axis=axis)
    scale = alt.Scale(domain=[panel.low_end, 1.0])
    numbers = alt.Axis(labelColor=ink.text, tickCount=5, labelAlign="center", labelFlush=True)
    x = alt.X("value:Q", scale=scale, title=None, axis=numbers)
    tooltip = [alt.Tooltip("judge:N", title="judge"), alt.Tooltip("told:N", title=panel.title)]
    base = _layer(panel.rows).encode(y=y, tooltip=tooltip)
    layers = [
        _layer(panel.ceilings)
        .mark_tick(thickness=3, size=18, opacity=1, color=ink.people)
        .encode(x=x, y=y),
        base.mark_rule(strokeWidth=2, color=ink.point).encode(x=alt.X("low:Q"), x2="high:Q"),
        base.mark_point(filled=True, size=80, opacity=1, color=ink.point).encode(x=x),
    ]
    if panel.limit is not None:
        limit = chart_of_rows([{"limit": panel.limit}])
        layers.append(limit.mark_rule(strokeDash=[4, 4], color=ink.text).encode(x="limit:Q"))
    title = alt.TitleParams(panel.title, anchor="start", fontSize=14, color=ink.text)
    around = {"left": 0, "right": 12, "top": 4, "bottom": 4}  # the last number is not cut
    return alt.layer(*layers).properties(title=title, padding=around)


def _layer(rows: Sequence[tuple[str, Statistic]]) -> alt.Chart:
    return chart_of_rows([_row(name, statistic) for name, statistic in rows])


def _row(name: str, statistic: Statistic) -> dict[str, object]:
    known = statistic if isinstance(statistic, Estimate) else None
    return {
        "judge": name,
        "value": known.value if known else None,
        "low": known.low if known else None,
        "high": known.high if known else None,
        "told": figure_words(statistic),
    }
