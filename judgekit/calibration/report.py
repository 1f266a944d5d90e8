"""The record of one calibration: everything that was counted, decided and why."""

from __future__ import annotations

from typing import Any, Literal

from judgekit.calibration.conditions import Condition
from judgekit.calibration.design import Sampling
from judgekit.calibration.human import HumanPair
from judgekit.calibration.looks import LookState
from judgekit.calibration.needed import Infeasible, Needed
from judgekit.model.base import Record
from judgekit.model.policy import Policy
from judgekit.model.verdict import Verdict
from judgekit.stats.confusion import Confusion
from judgekit.stats.decision import Decision
from judgekit.stats.estimate import Statistic

REPORT_SCHEMA: Literal[1] = 1
EXIT_CODES: dict[Decision | None, int] = {
    None: 0,
    "approved": 0,
    "rejected": 1,
    "need_labels": 3,
}


class ModeRate(Record):
    """The false-pass rate among the human fails of one failure mode."""

    mode: str
    n: int
    false_pass_rate: Statistic


class Disagreement(Record):
    """One pair in which the human and the judge differ."""

    item_id: str
    human: str
    judge: str
    failure_mode: str | None
    verdict: Verdict | None


class CalibrationReport(Record):
    """What one judge is worth against one reference, and the decision.

    `decision` is None where no limit was set. `approvable` binds only `approve`; it is separate
    from the exit code. `needed` counts labels in all, the present ones included. The pessimistic
    rates count each `unresolved` item (judged, but a tie or unsure among people) as an error.
    `slice` is `key=value` where only these items were looked at.
    """

    schema_version: Literal[1] = REPORT_SCHEMA
    judge: str
    fingerprint: str
    unit: str
    slice: str | None = None
    reference: str
    sampling: Sampling = Sampling()
    split: str | None
    n_pairs: int
    n_groups: int
    dropped: dict[str, int]
    single: int
    origins: dict[str, int]
    labels_hash: str
    verdicts_hash: str
    confusion: Confusion
    kappa: Statistic
    false_pass_rate: Statistic
    false_fail_rate: Statistic
    accuracy: Statistic
    ac1: Statistic
    pabak: Statistic
    positive_agreement: Statistic
    negative_agreement: Statistic
    human_agreement: Statistic
    human_pairs: tuple[HumanPair, ...]
    worst_case_false_pass_rate: Statistic
    worst_case_false_fail_rate: Statistic
    pessimistic_false_pass_rate: Statistic
    pessimistic_false_fail_rate: Statistic
    unresolved: int = 0
    unsupported_evidence_rate: Statistic
    per_failure_mode: tuple[ModeRate, ...]
    unscored: dict[str, int]
    policy: Policy | None
    looks: LookState | None
    decision: Decision | None
    approvable: bool
    reasons: tuple[str, ...]
    conditions: tuple[Condition, ...]
    needed: Needed | Infeasible | None
    disagreements: tuple[Disagreement, ...]

    @property
    def exit_code(self) -> int:
        """Return the exit code that follows the decision."""
        return EXIT_CODES[self.decision]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of DESIGN section 6; an absent `status` is left out."""
        data = self.model_dump(mode="json", exclude={"schema_version", "confusion"})
        for name, value in data.items():
            if isinstance(value, dict) and "method" in value:
                data[name] = _statistic(value)
        for condition in data["conditions"]:
            if condition["pessimistic_bound"] is None:
                del condition["pessimistic_bound"]
        for row in data["per_failure_mode"]:
            row["false_pass_rate"] = _statistic(row["false_pass_rate"])
        return {"schema": REPORT_SCHEMA, **data, "confusion": self.confusion.as_json()}


def _statistic(value: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in value.items() if k != "status" or v is not None}


def worst_exit_code(reports: tuple[CalibrationReport, ...]) -> int:
    """Return 0 only if no judge is rejected or undecided, else the worst: 1 before 3."""
    codes = {report.exit_code for report in reports}
    return next((code for code in (1, 3) if code in codes), 0)
