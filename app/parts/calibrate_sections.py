"""The Calibrate page from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgekit.calibration.comparison import ComparisonReport
from judgekit.errors import JudgekitError
from judgekit.render import words
from parts import calibrate_figures as figures
from parts.calibrate_charts import show_panels
from parts.calibrate_choice import choose
from parts.calibrate_load import Asked, Offer, ask, compared, offer
from parts.calibrate_looks import look_is_free, look_line
from parts.calibrate_matrix import show_matrix
from parts.calibrate_propose import show_proposing
from parts.calibrate_rests import show_rests
from parts.counts import counted
from parts.messages import errors_shown, show_notice
from parts.page import OpenPage
from parts.plain_words import PlainTable, apply_styles, heading, show_table

MOST_SHOWN = 6


def show_calibration(page: OpenPage) -> None:
    """Draw the page; every figure comes from the functions behind `judgekit calibrate`."""
    apply_styles()
    with errors_shown():
        found = offer(page.project.dataset if page.project else None)
        if found.lacks is not None:
            show_notice(found.lacks, key="nothing-to-compare")
            return
        asked = ask(choose(found))
        _told(asked)
        if not look_is_free(asked):
            return
        _figures(page, found, asked)


def _told(asked: Asked) -> None:
    for number, sentence in enumerate(asked.told):
        with st.container(key=f"told-{number}"):
            st.text(sentence)


def _figures(page: OpenPage, found: Offer, asked: Asked) -> None:
    reports = asked.foresight.reports
    st.text(look_line(asked))
    heading("Judges beside each other")
    shown = figures.named(reports)
    show_panels(shown, key="chart")
    with st.container(key="overview"):
        show_table(figures.overview(shown), key="overview-table")
    _differences(asked)
    _people(shown)
    for one in _chosen(shown):
        _one(page, asked, one)
    show_rests(found, asked)


def _differences(asked: Asked) -> None:
    comparison = compared(asked)
    if comparison is None:
        return
    with st.container(key="differences"):
        if isinstance(comparison, JudgekitError):
            st.text(f"Judges are not compared with each other: {comparison}")
            return
        table = figures.differences_table(comparison.measured)
        if table is not None:
            show_table(table, key="differences-table")
        _about(comparison)


def _about(comparison: ComparisonReport) -> None:
    st.text("\n".join(comparison.reasons))
    with st.expander("What this comparison cannot support"):
        st.text(_bullets(comparison.caveats))


def _bullets(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _people(reports: Sequence[figures.Named]) -> None:
    with st.container(key="people"):
        table = figures.people_table(reports)
        if table is not None:
            show_table(table, key="people-table")
        else:
            agreement = reports[0].report.human_agreement
            st.text(f"People with each other: {figures.figure_words(agreement)}")


def _chosen(reports: Sequence[figures.Named]) -> Sequence[figures.Named]:
    """Return the reports to show in full: all of a few, else the one that is picked."""
    if len(reports) <= MOST_SHOWN:
        return reports
    titles = [one.title for one in reports]
    picked = st.selectbox("Show in full", titles, key="full", bind="query-params")
    return [one for one in reports if one.title == picked]


def _one(page: OpenPage, asked: Asked, one: figures.Named) -> None:
    report, key = one.report, one.key
    with st.container(border=True, key=f"judge-{key}"):
        heading(one.title)
        st.text(figures.verdict_line(report))
        few = figures.few_words(report)
        if few:
            st.text(few)
        left, right = st.columns(2, gap="medium")
        with left:
            show_matrix(report, asked.options, key=key)
            groups = counted(report.n_groups, "group")
            st.text(f"n = {counted(report.n_pairs, 'item')} in the cells, {groups}")
            _table(figures.outside_table(report), key=f"outside-{key}")
        with right:
            _table(figures.conditions_table(report), key=f"limits-{key}")
            needed = words.needed_text(report)
            st.text(_bullets((*words.other_reasons(report), *([needed] if needed else []))))
        with st.expander("All figures, failure modes and what these data cannot support"):
            show_table(figures.figures_table(one), key=f"figures-{key}")
            _table(figures.modes_table(report), key=f"modes-{key}")
            st.text(_bullets(words.caveats(report)))
        show_proposing(page, asked, report, key=key)


def _table(table: PlainTable | None, *, key: str) -> None:
    if table is not None:
        show_table(table, key=key)
