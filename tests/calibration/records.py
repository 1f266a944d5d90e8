"""Small builders of labels and verdicts."""

from __future__ import annotations

from typing import Any

from judgekit.calibration.calibrate import CalibrationRequest
from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.model.policy import Policy
from judgekit.model.verdict import Verdict

LIMITS = Policy(max_false_pass_rate=0.10, max_false_fail_rate=0.25, min_kappa=0.55)


def label(item: str, answer: Any, annotator: str = "ann", **more: Any) -> Label:
    return Label(item_id=item, annotator=annotator, label=answer, **more)


def verdict(item: str, passed: bool | None, **more: Any) -> Verdict:
    given: dict[str, Any] = {"item_hash": "", "status": "scored", **more}
    if passed is None and given["status"] == "scored":
        given |= {"status": "invalid", "reason": "broken"}
    return Verdict(item_id=item, grader="j", fingerprint="f", passed=passed, **given)


def request(
    cells: dict[tuple[str, str], int], policy: Policy | None = LIMITS, **more: Any
) -> CalibrationRequest:
    """Build a request from counts of (human, judge); judge `none` is an invalid verdict."""
    labels, verdicts, items = [], [], []
    number = 0
    for (human, judge), n in cells.items():
        for _ in range(n):
            number += 1
            name = f"i{number:04}"
            items.append(Item(id=name, input="q", output=f"answer {number}"))
            labels.append(label(name, human))
            verdicts.append(verdict(name, None if judge == "none" else judge == "pass"))
    given: dict[str, Any] = {
        "judge": "j",
        "fingerprint": "f",
        "labels": tuple(labels),
        "verdicts": tuple(verdicts),
        "items": tuple(items),
        "policy": policy,
    }
    return CalibrationRequest(**{**given, **more})
