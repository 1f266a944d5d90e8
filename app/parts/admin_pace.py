"""Admin, Pace: very fast labels and self-agreement; a reason to look, never to drop."""

from __future__ import annotations

import streamlit as st

from judgekit.calibration.self_agreement import Relabel, self_agreement
from judgekit.stats.estimate import Estimate
from judgekit.store.label_store import Pace
from parts.admin_table import show_rows
from parts.calibrate_figures import FEW
from parts.page import OpenPage

VERY_FAST_MS = 1000


def pace_section(page: OpenPage) -> None:
    """Show the lead each annotator's pace and self-agreement in the chosen project."""
    st.header("Pace and self-agreement", anchor=False)
    if page.project is None:
        st.text("There is no project yet.")
        return
    name = page.project.name
    st.text(
        f"Project {name}. A label counts as very fast when it came within "
        f"{VERY_FAST_MS / 1000:g} s of the item. Look at the items before you judge the person; "
        "nothing is dropped."
    )
    rows = page.store.ratings.pace(name, very_fast_ms=VERY_FAST_MS)
    if not rows:
        st.text("Nobody has labelled yet.")
        return
    twice = self_agreement(
        Relabel(annotator=pair.annotator, first=pair.first, repeat=pair.repeat)
        for pair in page.store.ratings.repeat_pairs(name)
    )
    shown = [_row(pace, twice.get(pace.annotator)) for pace in rows]
    show_rows("Pace and self-agreement by annotator", shown, key="pace-table")


def _row(pace: Pace, twice: Estimate | None) -> dict[str, str]:
    return {
        "Annotator": pace.annotator,
        "Labels": f"{pace.n_labels:,}",
        "Very fast": f"{pace.n_very_fast:,}",
        "Refused as too fast": f"{pace.n_too_fast:,}",
        "Median seconds": _seconds(pace.median_dwell_ms),
        "Same answer on hidden repeats": _share(twice),
    }


def _seconds(median_ms: int | None) -> str:
    return "" if median_ms is None else f"{median_ms / 1000:.1f}"


def _share(twice: Estimate | None) -> str:
    if twice is None or twice.low is None or twice.high is None:
        return "no repeats yet"
    few = "; too few" if twice.n < FEW else ""
    return f"{twice.value:.0%} ({twice.low:.0%} to {twice.high:.0%}, n = {twice.n}{few})"
