"""Rows as the data of an altair chart."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt


def chart_of_rows(rows: Sequence[dict[str, object]]) -> alt.Chart:
    """Return a chart whose data is these rows."""
    return alt.Chart(alt.Data(values=rows))  # type: ignore[no-untyped-call] # it has no types
