"""The filters of Disagreements: all in the address, so that a pasted one shows the same case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import streamlit as st

from judgekit.calibration.cases import Agreement, Case, Cell
from judgekit.cli.calibrate_inputs import Options
from parts.calibrate_load import Offer
from parts.settings import workspace

ANY = "any"
DISAGREEMENTS = "disagreements"
# The words are the address's too, so they are the options themselves.
CELLS: dict[str, frozenset[Cell]] = {
    DISAGREEMENTS: frozenset({"false_pass", "false_fail"}),
    "false pass": frozenset({"false_pass"}),
    "false fail": frozenset({"false_fail"}),
    "both pass": frozenset({"both_pass"}),
    "both fail": frozenset({"both_fail"}),
    "no answer": frozenset({"no_answer"}),
    "no standing label": frozenset({"unresolved"}),
    "all cases": frozenset(get_args(Cell)),
}
AGREEMENTS: dict[str, frozenset[Agreement]] = {
    ANY: frozenset(get_args(Agreement)),
    "agree": frozenset({"agree"}),
    "disagree": frozenset({"disagree"}),
    "one person": frozenset({"single"}),
    "nobody": frozenset({"none"}),
}
NO_JUDGE = "no other"
WHOLE = "whole"


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
        return (
            case.cell in CELLS[self.cell]
            and self.mode in (ANY, case.failure_mode)
            and case.agreement in AGREEMENTS[self.agreement]
        )


def words_of(chosen: Chosen, filters: Filters) -> str:
    """Return which filters are set, in one line: judge, items and cases always are."""
    asked = chosen.options
    rest = {
        "beside": chosen.against,
        "criterion": ", ".join(asked.criteria),
        "failure mode": filters.mode if filters.mode != ANY else None,
        "people": filters.agreement if filters.agreement != ANY else None,
    }
    words = [f"judge {chosen.judge}", f"items {asked.split}", filters.cell]
    return " · ".join([*words, *(f"{name} {value}" for name, value in rest.items() if value)])


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
    criterion = fourth.selectbox(
        "Criterion", (WHOLE, *found.criteria), key="criterion", bind="query-params"
    )
    options = Options(
        dataset=found.dataset,
        workspace=workspace().root,
        split=split,
        judges=(judge,) if against == NO_JUDGE else (judge, against),
        reference=_known("reference", found.references[1:]),
        criteria=() if criterion == WHOLE else (criterion,),
        slice_by=_known("slice", found.slices),
        release=_known("release", [release.version for release in found.releases]),
        policy=_known("policy", found.policies) or found.default_policy,
    )
    value = st.query_params.get("value") if options.slice_by else None
    return Chosen(options, judge, None if against == NO_JUDGE else against, value)


def _known(name: str, known: Sequence[str]) -> str | None:
    """Return what the address says, where it is one of the known words."""
    value = st.query_params.get(name)
    return value if value in known else None


def choose_cases(cases: Sequence[Case]) -> Filters:
    """Draw which cases are listed."""
    first, second, third = st.columns([2, 1, 1])
    cell = first.selectbox("Cases", tuple(CELLS), key="cell", bind="query-params")
    modes = sorted({case.failure_mode for case in cases if case.failure_mode})
    mode = second.selectbox("People's failure mode", (ANY, *modes), key="mode", bind="query-params")
    agreement = third.selectbox(
        "People among each other", tuple(AGREEMENTS), key="agreement", bind="query-params"
    )
    return Filters(cell, mode, agreement)
