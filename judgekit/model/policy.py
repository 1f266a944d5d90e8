"""The policy: the limits a judge must keep and the rules of the gate."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from judgekit.model.base import Record

Rate = float


class GatePolicy(Record):
    """When the gate says yes. `max_drop` compares with a baseline pass rate."""

    min_pass_rate: float | None = Field(default=None, ge=0, le=1)
    max_drop: float | None = Field(default=None, ge=0, le=1)
    must_pass: tuple[str, ...] = ()
    max_unscored_rate: float | None = Field(default=None, ge=0, le=1)
    on_inconclusive: Literal["fail", "pass_with_warning"] = "fail"


class MinHumanAgreement(Record):
    """The least human-human agreement, and the statistic it is stated in."""

    statistic: Literal["kappa", "ac1", "agreement"]
    limit: float = Field(ge=-1, le=1)


MOST_CONFIDENCE = 1 - 1e-9
"""Beyond this the error of a bound is lost in rounding."""


def _below_rounding(confidence: float) -> float:
    if confidence > MOST_CONFIDENCE:
        raise ValueError(f"at most {MOST_CONFIDENCE}: the error would be lost in rounding")
    return confidence


ConfidenceLevel = Annotated[float, Field(gt=0.5, lt=1), AfterValidator(_below_rounding)]


class Policy(Record):
    """Limits of a calibration. Only limits that are set are conditions (DESIGN section 5)."""

    max_false_pass_rate: float | None = Field(default=None, gt=0, lt=1)
    max_false_fail_rate: float | None = Field(default=None, gt=0, lt=1)
    min_kappa: float | None = Field(default=None, ge=-1, le=1)
    confidence: ConfidenceLevel = 0.95
    min_human_fail: int | None = Field(default=None, ge=1)
    min_human_pass: int | None = Field(default=None, ge=1)
    max_unscored_rate: float | None = Field(default=None, ge=0, le=1)
    max_unsupported_evidence_rate: float | None = Field(default=None, ge=0, le=1)
    min_human_agreement: MinHumanAgreement | None = None
    min_per_failure_mode: int | None = Field(default=None, ge=1)
    min_annotators: int | None = Field(default=None, ge=1)
    split: str = "holdout"
    max_looks: int = Field(default=3, ge=1)
    expires_after_days: int | None = Field(default=None, ge=1)
    on_undefined_kappa: Literal["need_labels", "reject"] = "need_labels"
    allow_synthetic: bool = False
    allow_self_approval: bool = True
    sequential: Literal["planned", "anytime"] = "planned"
    gate: GatePolicy = GatePolicy()
