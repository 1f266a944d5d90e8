"""How far the two experts agree, field by field, over the finished cases."""

from __future__ import annotations

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.goldens.expert_agreement import FinishedPair, expert_agreement
from judgekit.render.words import figure_text
from parts.calibrate_figures import FEW
from parts.counts import counted
from parts.golden_desk import GoldenDesk, desk_of, golden_probe
from parts.golden_settle import finished_case
from parts.messages import show_error
from parts.page import OpenPage
from parts.plain_words import PlainTable, show_table


def agreement(page: OpenPage) -> None:
    """Draw the table; a case counts once both entries are done."""
    desk = desk_of(page)
    golden_probe(desk)
    pairs = _pairs(desk)
    st.text(
        "Share of cases (for arguments and rows: of places) in which both experts gave the same "
        "value before anything was settled, with 95 % intervals that respect groups."
    )
    if not pairs:
        st.text("No case is finished by two experts yet.")
        return
    rows = tuple(
        (
            one.name,
            str(one.n_cases),
            figure_text(one.share) + (" - too few" if one.n_cases < FEW else ""),
            figure_text(one.kappa),
        )
        for one in expert_agreement(pairs)
    )
    head = ("Field", "Cases", "Same value", "Cohen's kappa")
    show_table(PlainTable(f"Agreement of the experts, {counted(len(pairs), 'case')}", head, rows),
               key="golden-agreement")  # fmt: skip


def _pairs(desk: GoldenDesk) -> list[FinishedPair]:
    found = []
    for case in desk.store.goldens.cases(desk.project.name, desk.alias):
        if not case.both_done:
            continue
        try:
            group = desk.item(case.case_id).group_key
            found.append(finished_case(desk, case.case_id).pair(group))
        except JudgekitError as error:
            show_error(error, key=f"golden-unread-{case.case_id}")
    return found
