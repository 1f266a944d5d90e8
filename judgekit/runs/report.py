"""What a run reports: counts per grader while it goes on and when it ends."""

from __future__ import annotations

from collections import Counter

from pydantic import Field

from judgekit.model.base import Record
from judgekit.model.verdict import Verdict


class GraderReport(Record):
    """What became of every verdict asked of one grader.

    n = scored + abstained + invalid + all of `failed`; `cached` of them were read from the
    journal. `cost_usd` is what this run paid, failed attempts included; None where attempts were
    made and none had a known price. `unpriced_attempts` were made but have no known cost.
    `reasons` holds the first reason of each kind of failure, and of `invalid`.
    """

    grader: str
    fingerprint: str
    n: int = Field(ge=0)
    scored: int = Field(default=0, ge=0)
    abstained: int = Field(default=0, ge=0)
    invalid: int = Field(default=0, ge=0)
    failed: dict[str, int] = Field(default_factory=dict)
    reasons: dict[str, str] = Field(default_factory=dict)
    cached: int = Field(default=0, ge=0)
    attempts: int = Field(default=0, ge=0)
    unpriced_attempts: int = Field(default=0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost_usd: float | None = Field(default=0.0, ge=0)
    wall_s: float = Field(default=0.0, ge=0)

    @property
    def n_failed(self) -> int:
        """Return how many verdicts failed, of any kind."""
        return sum(self.failed.values())


class RunReport(Record):
    """A run's outcome. `stopped` is "budget" where the budget ended it early."""

    graders: tuple[GraderReport, ...]
    wall_s: float = Field(ge=0)
    stopped: str | None = None

    @property
    def n_failed(self) -> int:
        """Return how many verdicts failed over all graders."""
        return sum(g.n_failed for g in self.graders)

    @property
    def n_scored(self) -> int:
        """Return how many verdicts were scored over all graders."""
        return sum(g.scored for g in self.graders)


class Progress(Record):
    """One moment of a run. `total` and `eta_s` are None where the end is not known."""

    done: int
    total: int | None
    cached: int
    failed: int
    cost_usd: float
    per_second: float
    eta_s: float | None


class Tally:
    """Count one grader's verdicts as they come."""

    def __init__(self, grader: str, fingerprint: str) -> None:
        self.grader = grader
        self.fingerprint = fingerprint
        self.statuses: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.reasons: dict[str, str] = {}
        self.numbers: Counter[str] = Counter()
        self.cost_usd = 0.0
        self.last_s = 0.0

    def add_cached(self, status: str) -> None:
        """Count a verdict that the journal already held."""
        self.statuses[status] += 1
        self.numbers["cached"] += 1

    def add_failed(self, kind: str) -> None:
        """Count an item that was never sent."""
        self.failed[kind] += 1

    def add(self, verdict: Verdict, at_s: float) -> None:
        """Count a fresh verdict, finished `at_s` seconds into the run."""
        if verdict.kind is not None:
            self.failed[verdict.kind] += 1
        else:
            self.statuses[verdict.status] += 1
        if verdict.reason and verdict.status in ("failed", "invalid"):
            text = f"{verdict.item_id}: {verdict.reason}"
            self.reasons.setdefault(verdict.kind or verdict.status, text[:300])
        self.last_s = at_s
        self._add_attempts(verdict)

    def _add_attempts(self, verdict: Verdict) -> None:
        for attempt in verdict.attempts:
            self.numbers["attempts"] += 1
            self.numbers["unpriced"] += attempt.cost_usd is None
            self.numbers["input"] += attempt.usage.input_tokens or 0
            self.numbers["output"] += attempt.usage.output_tokens or 0
            self.cost_usd += attempt.cost_usd or 0.0
        if not verdict.attempts:
            self.cost_usd += verdict.cost_usd or 0.0

    def report(self) -> GraderReport:
        """Return the counts as a record."""
        numbers = self.numbers
        unknown = numbers["attempts"] > 0 and numbers["unpriced"] == numbers["attempts"]
        return GraderReport(
            grader=self.grader,
            fingerprint=self.fingerprint,
            n=self.statuses.total() + self.failed.total(),
            scored=self.statuses["scored"],
            abstained=self.statuses["abstained"],
            invalid=self.statuses["invalid"],
            failed=dict(sorted(self.failed.items())),
            reasons=self.reasons,
            cached=numbers["cached"],
            attempts=numbers["attempts"],
            unpriced_attempts=numbers["unpriced"],
            input_tokens=numbers["input"],
            output_tokens=numbers["output"],
            cost_usd=None if unknown else self.cost_usd,
            wall_s=self.last_s,
        )
