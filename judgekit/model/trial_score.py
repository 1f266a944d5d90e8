"""What code said about one trial: the frozen records that scorers give out."""

from __future__ import annotations

from typing import Literal

from judgekit.model.base import Record
from judgekit.model.trial import Ending, SpanKind, TrialKey

Mode = Literal["exact", "in_order", "any_order"]
FieldDecision = Literal["match", "mismatch", "undecided", "unscored"]
ArgumentStatus = Literal["right", "wrong", "missing", "undecided", "not_called"]
DifferenceKind = Literal["wrong", "missing_row", "row_not_gone", "unexpected", "undecided"]
Severity = Literal["fault", "suspicion"]


class SequenceMatch(Record):
    """How called and expected sequences agree under one mode.

    `matched` calls are shared: under `exact` the leading equal ones, under `in_order` the longest
    common subsequence, under `any_order` the multiset intersection. `recall` = matched / expected
    and `precision` = matched / called, both in [0, 1]; None where the denominator is 0. `passed`:
    under `exact` the two sequences are equal, under the other modes nothing expected is missing
    (recall 1, or nothing was expected).
    """

    mode: Mode
    n_expected: int
    n_called: int
    matched: int
    passed: bool

    @property
    def recall(self) -> float | None:
        """Return the share of the expected calls that were made; None where none was expected."""
        return self.matched / self.n_expected if self.n_expected else None

    @property
    def precision(self) -> float | None:
        """Return the share of the calls that were expected; None where none was made."""
        return self.matched / self.n_called if self.n_called else None


class FieldOutcome(Record):
    """One field of one trial: what was decided, the credit in [0, 1] (None = none given) and why.

    `undecided` is neither right nor wrong: a value with two readings, or a trial that failed
    through no fault of the agent. `unscored` fields are those that experts disagreed on.
    """

    field: str
    decision: FieldDecision
    credit: float | None
    weight: float
    critical: bool
    expected: str
    found: str
    reason: str


class FieldScores(Record):
    """The fields of one trial."""

    outcomes: tuple[FieldOutcome, ...]

    @property
    def scored(self) -> tuple[FieldOutcome, ...]:
        """Return the outcomes that are right or wrong."""
        return tuple(one for one in self.outcomes if one.decision in ("match", "mismatch"))

    @property
    def accuracy(self) -> float | None:
        """Return the weighted share of credit in [0, 1]; None where no field was decided."""
        weight = sum(one.weight for one in self.scored)
        return (
            sum(one.weight * (one.credit or 0.0) for one in self.scored) / weight
            if weight
            else None
        )

    @property
    def all_correct(self) -> bool | None:
        """Tell whether every field matches; None where one is undecided and none is wrong."""
        return _all_correct(self.outcomes)

    @property
    def critical_correct(self) -> bool | None:
        """Tell whether every critical field matches; None without one, or where undecided."""
        return _all_correct(tuple(one for one in self.outcomes if one.critical))


class ModeMatches(Record):
    """One comparison of sequences under each of the three modes."""

    exact: SequenceMatch
    in_order: SequenceMatch
    any_order: SequenceMatch

    @property
    def same_calls(self) -> bool:
        """Tell whether the same calls were made, none left out and none added, in any order."""
        match = self.any_order
        return match.matched == match.n_expected == match.n_called


class PathMatch(Record):
    """The valid path that fits a trial best: its id, and how it matches under each mode.

    `calls` compares names and arguments, `names` only names, `writes` only the calls of tools that
    change the state (None where no tool is said to). `distance` is how many calls would have to be
    put in or left out to be on the path, by name. `mode` is the path's own, `passed` its answer.
    """

    path: str
    mode: Mode
    passed: bool
    calls: ModeMatches
    names: ModeMatches
    writes: ModeMatches | None
    distance: int

    @property
    def under(self) -> SequenceMatch:
        """Return the match of the calls under the path's own mode."""
        found: SequenceMatch = getattr(self.calls, self.mode)
        return found


class ArgumentFinding(Record):
    """One expected argument and what was found.

    `call` is the place of the expected call in its path, `made` that of the paired call in the
    trial (None = not called).
    """

    call: int
    made: int | None
    tool: str
    key: str
    status: ArgumentStatus
    reason: str


class ArgumentScore(Record):
    """The arguments of one trial against one expected path.

    `right`, `wrong` and `missing` are of calls that were made; the arguments of calls that were
    not made are `not_called`: an omitted call is counted where calls are counted. `extra` counts
    arguments that nobody expected.
    """

    right: int
    wrong: int
    missing: int
    undecided: int
    not_called: int
    extra: int
    findings: tuple[ArgumentFinding, ...]

    @property
    def n(self) -> int:
        """Return how many arguments the share is of."""
        return self.right + self.wrong + self.missing

    @property
    def correctness(self) -> float | None:
        """Return the share of right arguments in [0, 1]; None where there was none to compare."""
        return self.right / self.n if self.n else None


class StateDifference(Record):
    """One place where the final state is not the target.

    `unexpected` is a change against the state before that nobody asked for; `field` None is the
    whole row.
    """

    table: str
    key: str
    field: str | None
    kind: DifferenceKind
    expected: str
    found: str
    reason: str


class StateScore(Record):
    """The final state of one trial: what differs, out of `n` expected fields and rows.

    `passed` is None where the state was not recorded or a value is undecided.
    `untouched_passes` tells whether the state before would have passed as well: an agent doing
    nothing then passes this case. None where the state before is not known. `changes_checked`
    False: without the state before, changes that nobody asked for cannot be seen.
    """

    passed: bool | None
    n: int
    differences: tuple[StateDifference, ...]
    untouched_passes: bool | None
    changes_checked: bool


class Fault(Record):
    """One thing that went wrong in a trial.

    `kind` is the detector's name. `position` is the place of the call in the trial, from 0 (None
    = no one call). `expected_tool` is set where one tool was called in place of another. A
    `suspicion` goes to review and fails nothing.
    """

    kind: str
    tool: str | None = None
    position: int | None = None
    expected_tool: str | None = None
    severity: Severity = "fault"
    reason: str


class ListShares(Record):
    """Retrieval against annotated elements: recall and precision in [0, 1], None over 0."""

    field: str
    matched: int
    n_expected: int
    n_found: int

    @property
    def recall(self) -> float | None:
        """Return the share of the annotated elements that were found."""
        return self.matched / self.n_expected if self.n_expected else None

    @property
    def precision(self) -> float | None:
        """Return the share of the found elements that are annotated."""
        return self.matched / self.n_found if self.n_found else None


class StepOutcome(Record):
    """One span of a trial: whether its output was right (None = nothing is expected of it)."""

    span: str
    name: str
    kind: SpanKind = "other"
    step: str
    passed: bool | None
    outcomes: tuple[FieldOutcome, ...] = ()
    shares: tuple[ListShares, ...] = ()
    error: str | None = None
    latency_s: float | None = None


class Attribution(Record):
    """Where a failed trial went wrong first, and what followed from there to the visible error.

    `step` None: no span is known to be wrong; then `cause` is the first fault, or the visible
    error itself.
    """

    step: str | None
    span: str | None
    cause: str
    chain: tuple[str, ...]


class TrialScore(Record):
    """What code can say about one trial of a case.

    `checks_passed` is None where nothing could be decided: no checker, a value with two readings,
    a state that was not recorded, or a failure of the infrastructure. `outcome` is the
    environment's own answer. `expected_tools` are those of the path that fits best, in order;
    `called_tools` leave out the ignored ones. Which of the two makes the trial correct is the
    rules' `correct_by`, settled over the whole set (`correctness`). `distance` is how many calls,
    by name, would have to be put in or left out to be on the nearest valid path (None = there is
    none). `steps_not_run` are steps of which something is expected and that have no span.
    `idle_passes` tells whether an agent that does nothing and says nothing would pass the checks
    (None = not known). `plan_kept` tells whether the calls were those of the trial's own plan
    (None = it made none, or the infrastructure failed it).
    """

    case_id: str
    group: str
    number: int
    scenario: str | None
    split: str | None
    ending: Ending
    checked: bool
    expected_tools: tuple[str, ...]
    called_tools: tuple[str, ...]
    fields: FieldScores | None
    path: PathMatch | None
    arguments: ArgumentScore | None
    state: StateScore | None
    faults: tuple[Fault, ...]
    steps: tuple[StepOutcome, ...]
    steps_not_run: tuple[str, ...] = ()
    distance: int | None = None
    idle_passes: bool | None = None
    plan_kept: bool | None = None
    attribution: Attribution | None
    checks_passed: bool | None
    outcome: bool | None

    @property
    def key(self) -> TrialKey:
        """Return which trial it is of, as the trial itself says it."""
        return self.case_id, self.number


class Correctness(Record):
    """What makes a trial correct, and the answer for each trial (None = not known)."""

    by: Literal["outcome", "checks"]
    answers: tuple[bool | None, ...]


def _all_correct(outcomes: tuple[FieldOutcome, ...]) -> bool | None:
    decisions = [one.decision for one in outcomes if one.decision != "unscored"]
    if "mismatch" in decisions:
        return False
    return None if not decisions or "undecided" in decisions else True
