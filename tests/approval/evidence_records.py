"""Evidence built in code: a judge that met its limits on a holdout."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from judgekit.approval.evidence import Evidence
from judgekit.model.fingerprint import Fingerprint
from judgekit.model.item import Item
from judgekit.model.policy import GatePolicy, Policy
from judgekit.model.verdict import Verdict

NOW = datetime(2026, 11, 30, 12, 0, 0, 250, tzinfo=UTC)
FINGERPRINT = Fingerprint(components={"request": "sha256:aa", "rubric": "sha256:bb"})
POLICY = Policy(max_false_pass_rate=0.1, expires_after_days=90, gate=GatePolicy(min_pass_rate=0.8))


def report(**changes: Any) -> dict[str, Any]:
    rate = {"value": 0.0, "low": 0.0, "high": 0.05, "n": 60, "method": "Wilson", "status": None}
    base: dict[str, Any] = {
        "judge": "reply",
        "unit": "refund_reply",
        "reference": "auto",
        "n_pairs": 100,
        "n_groups": 100,
        "confusion": {"human_pass_judge_pass": 40, "human_fail_judge_fail": 60},
        "false_pass_rate": rate,
        "kappa": {"undefined": "one class", "n": 100},
        "unscored": {"invalid": 2},
        "decision": "approved",
        "approvable": True,
        "reasons": [],
        "conditions": [
            {
                "name": "false_pass_rate",
                "limit": 0.1,
                "value": 0.0,
                "bound_high": 0.0487,
                "bound_low": 0.0,
                "level": 0.05,
                "outcome": "safe",
                "sentence": "It holds.",
            }
        ],
    }
    return base | changes


def evidence(judge: str = "reply", **changes: Any) -> Evidence:
    verdicts = tuple(
        Verdict(
            item_id=name,
            grader=judge,
            fingerprint=FINGERPRINT.value,
            item_hash="h",
            status="scored",
            passed=name != "b",
            model="m-2026-01-01",
            latency_s=0.5,
        )
        for name in ("b", "a")
    )
    fields: dict[str, Any] = {
        "kind": "judge",
        "fingerprint": FINGERPRINT,
        "report": report(judge=judge),
        "policy": POLICY,
        "items": (Item(id="a", output="x"), Item(id="b", output="y")),
        "verdicts": verdicts,
        "dataset": "desk",
        "split": "holdout",
        "rubric": "refund_reply",
        "looks": 1,
        "labels_hash": "sha256:l",
        "verdicts_hash": "sha256:v",
        "origins": {"human": 100},
        "annotators": ("ana", "ben"),
    }
    return Evidence(**(fields | changes))
