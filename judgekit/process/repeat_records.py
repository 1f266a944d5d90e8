"""What k trials of each case say: availability, correctness, consistency, reliability."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from judgekit.model.agent import TrialSet
from judgekit.model.base import Record
from judgekit.stats.estimate import Statistic


class CaseRow(Record):
    """One case: its trials, how many were correct, and how they ended."""

    case: str
    scenario: str | None
    n: int
    correct: int
    undecided: int
    endings: dict[str, int]


class AtK(Record):
    """pass@k (at least one of k) and pass^k (all of k) for one k; None where not every case has
    k trials."""

    k: int
    pass_at: Statistic
    pass_hat: Statistic


class StepReliability(Record):
    """How often a step was right, over trials in which something was expected of it."""

    step: str
    passed: Statistic


class RepeatReport(Record):
    """The reliability of one agent over a set of trials.

    Cases and trials are counted apart. Every trial is in the denominators: one that the
    infrastructure failed, or that could not be decided, is not correct, and is counted where it
    belongs (`availability`, `undecided`). `correct_when_available` leaves out the former.
    `consistency` is the share of pairs of finished trials of a case that ended in equal fields.
    `steps_product` multiplies the pass rates of the steps (None without steps): what a chain of
    independent steps would reach. `worst` lists the cases with the fewest correct trials.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    agent: str
    made_of: TrialSet | None
    rules: str
    rules_hash: str
    correct_by: Literal["outcome", "checks"]
    n_cases: int
    n_trials: int
    endings: dict[str, int]
    undecided: int
    availability: Statistic
    pass_at_1: Statistic
    correct_when_available: Statistic
    consistency: Statistic
    at_k: tuple[AtK, ...]
    steps: tuple[StepReliability, ...]
    steps_product: float | None
    worst: tuple[CaseRow, ...]
    cases: tuple[CaseRow, ...]
    notes: tuple[str, ...] = ()


class CaseDifference(Record):
    """One case on both sides: correct trials of all, candidate and baseline."""

    case: str
    candidate: int
    n_candidate: int
    baseline: int
    n_baseline: int

    @property
    def difference(self) -> float:
        """Return the candidate's share of correct trials minus the baseline's."""
        return self.candidate / self.n_candidate - self.baseline / self.n_baseline


class RepeatComparison(Record):
    """Candidate against baseline on the same cases, worst case first.

    `difference` is candidate minus baseline over trials paired by case and number, with the case
    as the group. `outcome`: better or worse where its interval excludes 0, else
    not_distinguishable; a difference under three points is not_distinguishable unless the recorded
    configurations differ in nothing but the `declared` components. `mean_for_variance` marks a
    better mean (pass@1) that came with a lower pass^k.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    candidate: str
    baseline: str
    n_cases: int
    n_pairs: int
    difference: Statistic
    p_value: float | None
    outcome: Literal["better", "worse", "not_distinguishable"]
    changed: tuple[str, ...]
    mean_for_variance: str | None
    cases: tuple[CaseDifference, ...]
    only_one_side: tuple[str, ...]
    reasons: tuple[str, ...]
