"""A gate report with texts that try to break out of every format."""

from __future__ import annotations

from typing import Any

from judgekit.gate.report import GateCondition, GateReport, GraderResult, ItemResult


def gate_report(**changes: Any) -> GateReport:
    fields: dict[str, Any] = {
        "outcome": "failed",
        "exit_code": 1,
        "policy": "default",
        "n_items": 2,
        "n_scored": 2,
        "n_groups": 2,
        "pass_rate": 0.5,
        "conditions": (
            GateCondition(name="min_pass_rate", outcome="failed", limit=0.9, sentence="too low"),
        ),
        "graders": (
            GraderResult(name="judge", kind="judge", standing="approved", fingerprint="f",
                         counts={"not_passed": 1, "passed": 1}, reported_models=("m-1",)),
        ),
        "items": (
            ItemResult(item_id="good", group="good", outcome="passed"),
            ItemResult(item_id="a|b<img src=x>\n::error::x\x00", group="g", outcome="failed",
                       failed_by=("judge",), failure_modes=("wrong_amount",),
                       reasons=("50% @all",)),
        ),
        "reasons": ("too low",),
    }  # fmt: skip
    return GateReport(**(fields | changes))
