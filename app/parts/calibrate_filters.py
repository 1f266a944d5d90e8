"""The filters of Disagreements: all in the address, so that a pasted one shows the same case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from judgekit.calibration.cases import Case
from judgekit.cli.calibrate_inputs import Options
from judgekit.model.label import OVERALL
from parts.calibrate_load import Offer
from parts.settings import workspace

ANY = "any"
WRONG = "disagreements"
CELL_WORDS = {
    WRONG: "false passes and false fails",
    "false_pass": "false pass: people fail, the judge passes",
    "false_fail": "false fail: people pass, the judge fails",
    "both_pass": "both pass",
    "both_fail": "both fail",
    "no_answer": "no answer: the verdict is invalid, failed or missing",
    "unresolved": "people's answer does not stand (tie or unsure)",
    ANY: "all cases",
}
AGREEMENT_WORDS = {
    ANY: "any",
    "agree": "they agree",
    "disagree": "they disagree",
    "single": "one person only",
    "none": "nobody (settled otherwise)",
}
NO_JUDGE = "nobody"


@dataclass(frozen=True)
class Chosen:
    """Whose cases are read: the options of the calibration, the judge and the other judge."""

    options: Options
    judge: str
    against: str | None
    slice_value: str | None


@dataclass(frozen=True)
class Filters:
    """Which of these cases are listed."""

    cell: str
    mode: str
    agreement: str

    def keeps(self, case: Case) -> bool:
        """Tell whether a case is listed."""
        cells = ("false_pass", "false_fail") if self.cell == WRONG else (self.cell,)
        return (
            (self.cell == ANY or case.cell in cells)
            and self.mode in (ANY, case.failure_mode)
            and self.agreement in (ANY, case.agreement)
        )


def choose_judge(found: Offer) -> Chosen:
    """Draw whose cases are read."""
    first, second, third, fourth = st.columns([2, 2, 1, 1])
    judge = first.selectbox("Judge", found.judges, key="judge", bind="query-params")
    others = (NO_JUDGE, *(name for name in found.judges if name != judge))
    against = second.selectbox("Beside judge", others, key="against", bind="query-params")
    split = third.selectbox(
        "Items",
        found.splits,
        index=found.splits.index(found.default_split),
        key="split",
        bind="query-params",
    )
    units = (OVERALL, *found.criteria)
    criterion = fourth.selectbox(
        "Criterion",
        units,
        format_func=lambda name: "the whole" if name == OVERALL else name,
        key="criterion",
        bind="query-params",
    )
    options = Options(
        dataset=found.dataset,
        workspace=workspace().root,
        split=split,
        judges=(judge,) if against == NO_JUDGE else (judge, against),
        reference=_known("reference", found.references[1:]),
        criteria=() if criterion == OVERALL and not _asked_for_whole() else (criterion,),
        slice_by=_known("slice", found.slices),
        policy=_known("policy", found.policies) or found.default_policy,
    )
    value = st.query_params.get("value") if options.slice_by else None
    return Chosen(options, judge, None if against == NO_JUDGE else against, value)


def _asked_for_whole() -> bool:
    return st.query_params.get("criterion") == OVERALL


def _known(name: str, known: Sequence[str]) -> str | None:
    """Return what the address says, where it is one of the known words."""
    value = st.query_params.get(name)
    return value if value in known else None


def choose_cases(cases: Sequence[Case]) -> Filters:
    """Draw which cases are listed."""
    first, second, third = st.columns([2, 1, 1])
    cell = first.selectbox(
        "Cases",
        tuple(CELL_WORDS),
        format_func=lambda name: CELL_WORDS[name],
        key="cell",
        bind="query-params",
    )
    modes = sorted({case.failure_mode for case in cases if case.failure_mode})
    mode = second.selectbox("People's failure mode", (ANY, *modes), key="mode", bind="query-params")
    agreement = third.selectbox(
        "People among each other",
        tuple(AGREEMENT_WORDS),
        format_func=lambda name: AGREEMENT_WORDS[name],
        key="agreement",
        bind="query-params",
    )
    return Filters(cell, mode, agreement)
