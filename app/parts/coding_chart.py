"""The chart of failure modes: share of all notes with its interval, the list's numbers again."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import streamlit as st

from judgekit.goldens.coding import ModeShare
from judgekit.stats.estimate import Estimate
from parts.chart_data import chart_of_rows
from parts.coding_desk import percent

ROW_HEIGHT = 30
AXIS_HEIGHT = 56
_INK = {"light": "#1B2430", "dark": "#E6EAF0"}


def share_chart(rows: Sequence[ModeShare], *, n_unassigned: int) -> None:
    """Draw one line per mode. Names are plain chart text; there is no tooltip."""
    told = "; ".join(f"{_one_line(row.name)}: {row.count}, {percent(row.share)}" for row in rows)
    words = f"Share of all notes by failure mode: {told}. {n_unassigned} unassigned."
    height = ROW_HEIGHT * len(rows) + AXIS_HEIGHT
    ink = _INK["dark" if st.context.theme.type == "dark" else "light"]
    chart = chart_of(rows, ink=ink)
    st.altair_chart(chart, width="stretch", height=height, key="shares", alt=words)


def chart_of(rows: Sequence[ModeShare], *, ink: str) -> alt.LayerChart | alt.FacetChart:
    """Return one line and point per mode, drawn in the colour `ink`."""
    values = [_values(row, row.share) for row in rows if isinstance(row.share, Estimate)]
    base = chart_of_rows(values).encode(
        y=alt.Y(
            "mode:N",
            sort=None,
            title=None,
            axis=alt.Axis(labelLimit=180, labelColor=ink, labelFontSize=13),
        ),
        tooltip=alt.value(None),
    )
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", tickCount=5, labelColor=ink, titleColor=ink)
    line = base.mark_rule(strokeWidth=2, color=ink).encode(
        x=alt.X("low:Q", scale=scale, axis=axis, title="share of all notes, 95 % interval"),
        x2="high:Q",
    )
    point = base.mark_point(filled=True, size=80, opacity=1).encode(x=alt.X("value:Q", scale=scale))
    return alt.layer(line, point)


def _values(row: ModeShare, share: Estimate) -> dict[str, object]:
    return {
        "mode": _one_line(row.name),
        "value": share.value,
        "low": share.low,
        "high": share.high,
    }


def _one_line(text: str) -> str:
    return " ".join(text.split())
