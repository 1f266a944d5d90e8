"""The 2 x 2 table of one judge: rows people, columns the judge, each cell a link to its cases."""

from __future__ import annotations

import streamlit as st

from judgekit.calibration.report import CalibrationReport
from judgekit.cli.calibrate_inputs import Options
from judgekit.model.label import OVERALL
from parts.pages import page_entry
from parts.plain_words import PlainTable, show_table

WORDS = {
    ("pass", "pass"): "both pass",
    ("pass", "fail"): "false fail",
    ("fail", "pass"): "false pass",
    ("fail", "fail"): "both fail",
}


def show_matrix(report: CalibrationReport, options: Options, *, key: str) -> None:
    """Draw the cells, each with its words in full; another table is shown as it is."""
    if not report.confusion.is_pass_fail:
        show_table(_other(report), key=f"matrix-{key}")
        return
    with st.container(key=f"matrix-{key}"):
        _row(("", "Judge pass", "Judge fail"))
        for human, counts in zip(report.confusion.labels, report.confusion.rows, strict=True):
            columns = st.columns([2, 3, 3], wrap=False, vertical_alignment="center")
            columns[0].text(f"Human {human}")
            for column, judge, n in zip(columns[1:], ("pass", "fail"), counts, strict=True):
                tint = f"tint-{WORDS[human, judge].replace(' ', '-')}-{key}"
                with column.container(key=f"cell-{key}-{human}-{judge}"), st.container(key=tint):
                    _cell(report, options, (human, judge), n)


def _row(words: tuple[str, str, str]) -> None:
    for column, word in zip(st.columns([2, 3, 3], wrap=False), words, strict=True):
        column.text(word)


def _cell(report: CalibrationReport, options: Options, cell: tuple[str, str], n: int) -> None:
    st.page_link(
        page_entry("disagreements").file,
        label=f"**{n}** {WORDS[cell]}",
        query_params=case_query(report, options, WORDS[cell]),
        width="stretch",
    )


def case_query(report: CalibrationReport, options: Options, cell: str) -> dict[str, str]:
    """Return the address of the cases of one cell of one report."""
    query = {
        "judge": report.judge,
        "cell": cell,
        "split": options.split or "all",
        "reference": options.reference or "auto",
    }
    if report.unit != OVERALL:
        query["criterion"] = report.unit
    if options.slice_by is not None and report.slice is not None:
        query |= {"slice": options.slice_by, "value": report.slice}
    query |= {name: value for name in ("policy", "release") if (value := getattr(options, name))}
    if "project" in st.query_params:
        query["project"] = st.query_params["project"]
    return query


def _other(report: CalibrationReport) -> PlainTable:
    labels = report.confusion.labels
    rows = zip(labels, report.confusion.rows, strict=True)
    return PlainTable(
        "Rows people, columns the judge",
        ("", *labels),
        tuple((label, *map(str, counts)) for label, counts in rows),
    )
