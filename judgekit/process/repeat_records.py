"""What k trials of each case say: availability, correctness, consistency, reliability."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from judgekit.model.agent import TrialSet
from judgekit.model.base import Record
from judgekit.stats.estimate import Statistic

Compared = Literal["better", "worse", "not_distinguishable"]


class CaseRow(Record):
    """One case: its trials, how many were correct, and how they ended.

    `group` is its cluster key: cases of one group are not independent.
    """

    case: str
    group: str
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
    """How often a step was right, over the trials in which it ran and was decided.

    A step that was tried again counts by its last decided span. `not_run` trials ended before it.
    """

    step: str
    passed: Statistic
    not_run: int


class RepeatReport(Record):
    """The reliability of one agent over a set of trials.

    Cases and trials are counted apart. Every trial of a case that code can check is in the
    denominators: one that the infrastructure failed, or that could not be decided, is not correct,
    and is counted where it belongs (`availability`, `undecided`). `correct_when_available` leaves
    out the former. Cases of which nothing is expected are `unchecked`: they are in `availability`
    and `consistency`, and in no rate of correctness.
    `pass_at_1` is over trials with Wilson's interval (cases or their groups as clusters); `at_k`
    are means over cases with a bootstrap of cases, for every k to 8, then for doubled k. Where
    cases differ in their number of trials the two can differ at k = 1.
    `consistency` is the share of pairs of finished trials of a case that ended in equal fields.
    `steps_product` multiplies the pass rates of the steps (None where one is unknown): what a chain
    of independent steps would reach. `steps_together` is what was reached: the share of trials in
    which every step of which something is expected ran and was right. `worst` lists the cases with
    the fewest correct trials.
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
    steps_together: Statistic
    unchecked: tuple[str, ...]
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

    `difference` is candidate minus baseline over trials paired by case and number; cases of one
    group are one cluster. `p_value` is of the sign-flip test over these groups. `outcome`: better
    or worse where the interval excludes 0 and p is below 0.05, else not_distinguishable; a
    difference under three points is not_distinguishable unless the recorded configurations differ
    in nothing but the declared components. `unpaired` trials are on one side only and left
    out. `mean_for_variance` marks a better mean (pass@1) that came with a lower pass^k.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    candidate: str
    baseline: str
    n_cases: int
    n_pairs: int
    difference: Statistic
    p_value: float | None
    outcome: Compared
    changed: tuple[str, ...]
    unpaired: int = 0
    mean_for_variance: str | None
    cases: tuple[CaseDifference, ...]
    only_one_side: tuple[str, ...]
    reasons: tuple[str, ...]
