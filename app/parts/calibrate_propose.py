"""Propose a judge for approval: a lead who is not the proposer decides it in Approvals."""

from __future__ import annotations

from typing import Any

import streamlit as st

from judgekit.calibration.report import CalibrationReport
from judgekit.errors import JudgekitError
from judgekit.model.label import OVERALL
from judgekit.render import words
from judgekit.store.label_store import AlreadyProposed
from parts.acting import acting_user
from parts.calibrate_load import Asked
from parts.page import OpenPage
from parts.store import label_store

_SAID = "_proposed"


def show_proposing(page: OpenPage, asked: Asked, report: CalibrationReport, *, key: str) -> None:
    """Draw whether this calibration could be signed, and where it could, the proposal."""
    st.text(words.approvable_line(report))
    said: dict[str, str] = st.session_state.get(_SAID, {})
    if key in said:
        st.text(said[key])
    if not report.approvable or asked.options.policy is None or asked.options.release is not None:
        return
    st.text_input(
        "Why this judge may be trusted (the approver and the lock file see it)", key=f"why-{key}"
    )
    st.button(
        "Propose for approval",
        key=f"propose-{key}",
        on_click=_propose,
        args=(page.project.name if page.project else None, asked, report, key),
    )


def approval_payload(asked: Asked, report: CalibrationReport) -> dict[str, Any]:
    """Return what is proposed: enough to compute the evidence again and to see that it is the
    same."""
    return {
        "judge": report.judge,
        "dataset": asked.options.dataset,
        "policy": asked.options.policy,
        "reference": report.reference,
        "criterion": None if report.unit == OVERALL else report.unit,
        "fingerprint": report.fingerprint,
        "labels_hash": report.labels_hash,
        "verdicts_hash": report.verdicts_hash,
        "limits": report.policy.model_dump(mode="json") if report.policy else None,
    }


def _propose(project: str | None, asked: Asked, report: CalibrationReport, key: str) -> None:
    user = acting_user("calibrate")
    # What stands in the box now: a callback's arguments are those of the run before.
    reason = str(st.session_state.get(f"why-{key}", ""))
    said = st.session_state.setdefault(_SAID, {})
    if not reason.strip():
        said[key] = "Not proposed: say why this judge may be trusted."
        return
    try:
        result = label_store().proposals.propose(
            "approval",
            report.judge if report.unit == OVERALL else f"{report.judge} {report.unit}",
            approval_payload(asked, report),
            proposer=user.alias,
            project=project,
            note=reason.strip(),
        )
    except JudgekitError as error:
        said[key] = f"Error: {error}"
        return
    if isinstance(result, AlreadyProposed):
        said[key] = f"Already proposed by {result.existing.proposer}: it waits in Approvals."
    else:
        said[key] = "Proposed: it waits in Approvals for a lead who is not you."
