"""Calibrations made by the real `calibrate` from a few items in code."""

from __future__ import annotations

from typing import Any

from judgekit.calibration.calibrate import CalibrationRequest, calibrate
from judgekit.calibration.report import CalibrationReport
from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.model.policy import Policy
from judgekit.model.verdict import Verdict

FINGERPRINT = "sha256:" + "a" * 64
LIMITS = Policy(max_false_pass_rate=0.2, max_false_fail_rate=0.3)


def item(number: int, **fields: Any) -> Item:
    base = {
        "id": f"case-{number}",
        "input": {"customer": "Refund please"},
        "output": f"We refund ${number}.00 today.",
        "metadata": {"language": "en" if number % 2 else "de"},
    }
    return Item(**{**base, **fields})


def label(number: int, answer: str, **fields: Any) -> Label:
    mode = "wrong_amount" if answer == "fail" else None
    return Label(
        item_id=f"case-{number}", annotator="ana", label=answer, failure_mode=mode, **fields
    )


def verdict(number: int, passed: bool, **fields: Any) -> Verdict:
    return Verdict(
        item_id=f"case-{number}",
        grader="reply",
        fingerprint=FINGERPRINT,
        item_hash=item(number).content_hash,
        status="scored",
        passed=passed,
        **{"evidence": ("we  REFUND $1.00",), **fields},
    )


def calibration(
    *, wrong: int = 1, n: int = 20, policy: Policy | None = LIMITS, **changes: Any
) -> CalibrationReport:
    """Return a report over `n` items, half of them human fails, of which `wrong` are passed."""
    human = ["fail" if i < n // 2 else "pass" for i in range(n)]
    judged = [answer == "pass" or i < wrong for i, answer in enumerate(human)]
    request: dict[str, Any] = {
        "judge": "reply",
        "fingerprint": FINGERPRINT,
        "labels": tuple(label(i, answer) for i, answer in enumerate(human)),
        "verdicts": tuple(verdict(i, passed) for i, passed in enumerate(judged)),
        "items": tuple(item(i) for i in range(n)),
        "policy": policy,
    }
    return calibrate(CalibrationRequest(**{**request, **changes}))
