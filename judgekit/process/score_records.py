"""What `judgekit score` reports."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from judgekit.model.base import Record
from judgekit.model.tool_spec import LintFinding
from judgekit.stats.estimate import Statistic

HEADLINE = (
    "correct",
    "all_fields_correct",
    "critical_fields_correct",
    "weighted_credit",
    "state_correct",
)
"""The figures of a report that two reports are compared by."""


class FieldRow(Record):
    """One field over all trials. `accuracy` is the share of matches among decided values, `credit`
    the mean credit in [0, 1], partial credit included."""

    field: str
    critical: bool
    weight: float
    accuracy: Statistic
    credit: Statistic
    undecided: int
    unscored: int


class FieldScenarioRow(Record):
    """The accuracy of one field in one scenario class (None = in no class)."""

    field: str
    scenario: str | None
    accuracy: Statistic


class ScenarioRow(Record):
    """One scenario class (None = in no class): its cases, trials and headline shares."""

    scenario: str | None
    n_cases: int
    n_trials: int
    correct: Statistic
    all_fields_correct: Statistic
    critical_fields_correct: Statistic
    omissions: Statistic


class ToolRow(Record):
    """One tool over all trials.

    `omission` is the share of its expected calls that were not made, `wrong` of its calls that
    stood in for another tool, `malformed` of its calls with unusable arguments, `arguments` the
    share of its expected arguments that were right. `faults` counts the faults and suspicions that
    name the tool, by kind, the most frequent first.
    """

    tool: str
    n_expected: int
    n_called: int
    omission: Statistic
    wrong: Statistic
    malformed: Statistic
    arguments: Statistic
    faults: dict[str, int] = Field(default_factory=dict)


class OmissionRow(Record):
    """How often one tool was left out in one scenario class."""

    tool: str
    scenario: str | None
    omission: Statistic


class ArgumentRow(Record):
    """One argument of a tool's expected calls: `right` is the share of those that can be told.

    `wrong`, `missing` and `undecided` count arguments of calls that were made, `not_called` those
    of calls that were not, which are in no share.
    """

    tool: str
    key: str
    right: Statistic
    wrong: int
    missing: int
    undecided: int
    not_called: int


class ModeRow(Record):
    """One way of matching: the share of trials that pass, and recall and precision over calls.

    `what` is `calls` (names and arguments), `names`, or `writes` (calls that change the state).
    """

    what: str
    mode: str
    passed: Statistic
    recall: Statistic
    precision: Statistic


class Swap(Record):
    """How often `called` was called where `expected` was expected (None = nothing was called)."""

    expected: str
    called: str | None
    n: int


class Distance(Record):
    """How many calls, by name, trials are from the nearest valid path: put in or left out.

    `on_path` is the share at distance 0; `median` and `worst` are over the trials with a path.
    """

    on_path: Statistic
    median: float | None
    worst: int | None


class FaultRow(Record):
    """One kind of fault: the share of trials with at least one, and how many there were."""

    kind: str
    severity: Literal["fault", "suspicion"]
    n: int
    trials: Statistic


class StateRow(Record):
    """One column of the state: how often it differed from the target, by kind."""

    table: str
    field: str | None
    kind: str
    n: int


class StepRow(Record):
    """One step of the agent over all trials: its pass rate, errors, and how long it took.

    `recall` and `precision` are of the elements of its list fields; `latency_s` is the median.
    `not_run` counts trials in which something is expected of the step and no span is of it: they
    are no part of `passed`.
    """

    step: str
    n: int
    passed: Statistic
    errors: Statistic
    recall: Statistic
    precision: Statistic
    latency_s: float | None
    not_run: int
    causes: int = Field(description="failed trials that went wrong here first")


class Excluded(Record):
    """A part that is not scored because experts disagreed or excluded it."""

    case: str
    part: str
    reason: str


class Suite(Record):
    """What the suite itself is worth: cases that say little about an agent.

    `untouched_pass`: an agent that does nothing and says nothing passes; `untouched_state`: its
    state would be right, and only fields or calls tell. `everyone_passes`: every trial of the case
    is correct; `nobody_passes`: none is. Known only for cases with a trial.
    """

    without_checker: tuple[str, ...]
    untouched_pass: tuple[str, ...]
    untouched_state: tuple[str, ...]
    everyone_passes: tuple[str, ...]
    nobody_passes: tuple[str, ...]
    without_trial: tuple[str, ...]
    excluded: tuple[Excluded, ...]


class Anomaly(Record):
    """One size of one trial that is unusual for its case: for review, never a fault."""

    case: str
    number: int
    size: str
    value: float
    usual: float
    score: float


class AnomalyReport(Record):
    """What is unusual, and the cases without enough history to say."""

    anomalies: tuple[Anomaly, ...]
    without_history: tuple[str, ...]


class ScoreReport(Record):
    """The scores of a set of trials under one set of rules.

    `weighted_credit` is the mean over trials of the credit of their fields, each with its weight,
    in [0, 1]. `plan_kept` is the share of the trials with a plan that made just the planned calls.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    rules: str
    rules_hash: str
    rules_body: dict[str, Any]
    cases_hash: str
    correct_by: Literal["outcome", "checks"]
    n_cases: int
    n_trials: int
    endings: dict[str, int]
    undecided: int
    correct: Statistic
    all_fields_correct: Statistic
    critical_fields_correct: Statistic
    state_correct: Statistic
    weighted_credit: Statistic
    plan_kept: Statistic
    scenarios: tuple[ScenarioRow, ...]
    fields: tuple[FieldRow, ...]
    fields_by_scenario: tuple[FieldScenarioRow, ...]
    modes: tuple[ModeRow, ...]
    tools: tuple[ToolRow, ...]
    arguments: tuple[ArgumentRow, ...]
    omissions: tuple[OmissionRow, ...]
    swaps: tuple[Swap, ...]
    distance: Distance
    faults: tuple[FaultRow, ...]
    state: tuple[StateRow, ...]
    steps: tuple[StepRow, ...]
    suite: Suite
    lint: tuple[LintFinding, ...] = ()
    shapes: AnomalyReport | None = None
    notes: tuple[str, ...] = ()


class BaselineReport(Record):
    """What is used of an older report; the rest of it is not read."""

    model_config = ConfigDict(extra="ignore")

    rules_body: dict[str, Any]
    cases_hash: str
    correct_by: Literal["outcome", "checks"]
    n_trials: int
    correct: Statistic
    all_fields_correct: Statistic
    critical_fields_correct: Statistic
    state_correct: Statistic
    weighted_credit: Statistic | None = None
