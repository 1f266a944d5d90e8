"""What the gate says: one record that the console, JUnit, Markdown and CI are drawn from."""

from __future__ import annotations

from typing import Any, Literal

from judgekit.model.base import Record

GATE_SCHEMA = 1
Outcome = Literal["passed", "failed", "inconclusive", "not_approved", "outage"]
ItemOutcome = Literal["passed", "failed", "review", "outage"]
EXIT_CODES: dict[Outcome, int] = {
    "passed": 0,
    "failed": 1,
    "inconclusive": 3,
    "not_approved": 4,
    "outage": 5,
}


class GraderResult(Record):
    """One grader's counts over the items; `reported_models` are those the provider named."""

    name: str
    kind: str
    standing: str
    fingerprint: str
    counts: dict[str, int]
    cost_usd: float | None = None
    reported_models: tuple[str, ...] = ()
    sentence: str = ""
    mend: str | None = None


class ItemResult(Record):
    """What became of one item, and why."""

    item_id: str
    group: str
    outcome: ItemOutcome
    reasons: tuple[str, ...] = ()
    failed_by: tuple[str, ...] = ()
    failure_modes: tuple[str, ...] = ()
    consequential: bool = False


class GateCondition(Record):
    """One rule of the policy: its limit, the observed value, its bounds and the outcome."""

    name: str
    outcome: Literal["passed", "failed", "inconclusive"]
    limit: float | None = None
    value: float | None = None
    bound_low: float | None = None
    bound_high: float | None = None
    level: float | None = None
    sentence: str = ""


class GateReport(Record):
    """The gate's answer. `pass_rate` is None when no item got an answer."""

    outcome: Outcome
    exit_code: int
    warning: bool = False
    policy: str
    n_items: int
    n_scored: int
    n_groups: int
    pass_rate: float | None
    conditions: tuple[GateCondition, ...]
    graders: tuple[GraderResult, ...]
    items: tuple[ItemResult, ...]
    reasons: tuple[str, ...]

    @property
    def review(self) -> tuple[ItemResult, ...]:
        """Return the items that people should look at."""
        return tuple(i for i in self.items if i.outcome == "review")

    def to_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints and `--baseline` reads back."""
        return {"schema": GATE_SCHEMA, **self.model_dump(mode="json"), "review": len(self.review)}
