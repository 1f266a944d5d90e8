"""A judge as it would be approved: its figures and limits beside those of its last approval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgekit.approval.decide import check_same
from judgekit.approval.evidence import Evidence, figures_of
from judgekit.approval.lockfile import read_lock
from judgekit.approval.record import Approval
from judgekit.approval.standing import changed_limits
from judgekit.errors import ApprovalError
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.store.label_store import Proposal
from parts.approval_decision import gather_evidence
from parts.calibrate_figures import figure_words
from parts.messages import show_error
from parts.plain_words import PlainTable, show_table
from parts.settings import workspace

NONE = "not approved before"


def show_judge(proposal: Proposal) -> None:
    """Draw what the lock file would hold, where it is still what was proposed."""
    evidence = gather_evidence(proposal.payload, record_look=False)
    try:
        check_same(proposal, evidence)
    except ApprovalError as error:
        show_error(error, key="changed")
        return
    last = _last(evidence)
    st.text(
        "Checked: judge, labels, verdicts and limits are those that were proposed.\n"
        f"Decision of the calibration: {evidence.report['decision']}. "
        f"Looks used at this holdout: {evidence.looks} of {evidence.policy.max_looks}."
    )
    show_table(_figures(evidence, last), key="judge-figures")
    show_table(_limits(evidence, last), key="judge-limits")
    show_table(_hashes(evidence, last), key="judge-hashes")
    for condition in evidence.report["conditions"]:
        st.text(f"- {condition['sentence']}")


def _last(evidence: Evidence) -> Approval | None:
    lock = read_lock(workspace().lock_path)
    found = lock.find(evidence.judge, str(evidence.report["unit"]))
    return found[0] if found else None


def _figures(evidence: Evidence, last: Approval | None) -> PlainTable:
    before = last.figures if last else {}
    rows = tuple(
        (name.replace("_", " "), _words(before.get(name)) if last else NONE, _words(figure))
        for name, figure in figures_of(evidence.report).items()
    )
    return PlainTable("Figures", ("figure", "approved last", "proposed"), rows)


def _words(figure: Mapping[str, Any] | None) -> str:
    if figure is None:
        return "-"
    if "value" in figure:
        return figure_words(Estimate.model_validate(dict(figure)))
    if "undefined" in figure:
        return figure_words(Undefined.model_validate(dict(figure)))
    return ", ".join(f"{name}: {n}" for name, n in figure.items())


def _limits(evidence: Evidence, last: Approval | None) -> PlainTable:
    now = evidence.policy.model_dump(mode="json")
    before = last.policy.model_dump(mode="json") if last else {}
    changed = changed_limits(last.policy, evidence.policy) if last else ()
    rows = tuple(
        (
            name.replace("_", " "),
            str(before.get(name, "-")) if last else NONE,
            str(value),
            "changed" if name in changed else "-",
        )
        for name, value in now.items()
        if value is not None or name in changed
    )
    return PlainTable("Limits", ("limit", "approved last", "proposed", "change"), rows)


def _hashes(evidence: Evidence, last: Approval | None) -> PlainTable:
    rows = (
        ("fingerprint", last.fingerprint if last else NONE, evidence.fingerprint.value),
        ("labels compared", last.labels_hash if last else NONE, evidence.labels_hash),
        ("verdicts compared", last.verdicts_hash if last else NONE, evidence.verdicts_hash),
    )
    return PlainTable("What it rests on", ("what", "approved last", "proposed"), rows)
