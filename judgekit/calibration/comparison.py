"""The record of one comparison of judges, and what follows from it."""

from __future__ import annotations

from typing import Any, Literal

from judgekit.calibration.report import CalibrationReport
from judgekit.model.base import Record
from judgekit.stats.estimate import Statistic

COMPARISON_SCHEMA: Literal[1] = 1
RateName = Literal["false_pass_rate", "false_fail_rate"]
ChoiceRule = Literal["youden", "false_pass_rate", "false_fail_rate", "cost"]
Inferiority = Literal["non_inferior", "inferior", "not_shown"]
INFERIORITY_CODES: dict[Inferiority, int] = {"non_inferior": 0, "inferior": 1, "not_shown": 3}


class PairedDifference(Record):
    """One error rate of two judges on the same items.

    `difference` is the rate of `first` minus that of `second`: below 0 `first` errs less.
    `p_value` tests no difference, `p_holm` is it adjusted over all differences of the stage;
    `test` names the test. `mcnemar_p` is exact and counts items as independent, so it is not used
    where they are grouped.
    """

    rate: RateName
    first: str
    second: str
    n: int
    n_groups: int
    only_first_wrong: int
    only_second_wrong: int
    both_wrong: int
    difference: Statistic
    test: str
    p_value: float | None
    p_holm: float | None = None
    mcnemar_p: float | None


class NonInferiority(Record):
    """Whether the false-pass rate of `candidate` is less than `margin` above that of `baseline`.

    `p_value` is one-sided, `p_holm` is it adjusted over the candidates, `level` what it must not
    exceed. `not_shown` means neither shown nor refuted.
    """

    candidate: str
    baseline: str
    margin: float
    difference: Statistic
    method: str
    z: float | None
    p_value: float | None
    p_holm: float | None
    level: float
    outcome: Inferiority
    sentence: str


class Ceiling(Record):
    """The alternative-annotator test of one judge; `passes` None = not testable, see `reason`."""

    judge: str
    epsilon: float
    annotators: tuple[str, ...]
    winning_rate: Statistic
    average_advantage: Statistic
    passes: bool | None
    reason: str | None


class Candidate(Record):
    """One judge of a stage. `biased` = it was chosen on these very items, so its figures flatter.

    `usd_per_1000` is the cost of 1,000 items. Item ids are those that it alone gets wrong, among
    `alone_of` items that every judge answered.
    """

    judge: str
    biased: bool = False
    figures: CalibrationReport
    usd_per_1000: Statistic
    ceiling: Ceiling
    alone_of: int
    alone_false_passes: tuple[str, ...]
    alone_false_fails: tuple[str, ...]


class Stage(Record):
    """Judges on the items of one split; `split` None = all items."""

    split: str | None
    n_shared: int
    candidates: tuple[Candidate, ...]
    differences: tuple[PairedDifference, ...]
    non_inferiority: tuple[NonInferiority, ...]

    def candidate(self, judge: str) -> Candidate:
        """Return one judge's part.

        Raises:
            KeyError: it is not in this stage.
        """
        return {one.judge: one for one in self.candidates}[judge]


class Choice(Record):
    """Which judge was chosen on the selection split and by which rule; None = none could be."""

    rule: ChoiceRule
    winner: str | None
    sentence: str


class ComparisonReport(Record):
    """What several judges are worth on the same items.

    Without `choice` only `measured` is there: numbers, and no winner. With it, `measured` is the
    selection split and `confirmed` holds the winner's figures on a split that had no part in the
    choice.
    """

    schema_version: Literal[1] = COMPARISON_SCHEMA
    unit: str
    reference: str
    confidence: float
    baseline: str | None
    margin: float | None
    measured: Stage
    choice: Choice | None
    confirmed: Stage | None
    reasons: tuple[str, ...]
    caveats: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """Return 0, or the worst that was asked for: 1 (refuted) before 3 (not shown)."""
        if self.choice is not None and self.choice.winner is None:
            return 3
        asked = self.measured if self.choice is None else self.confirmed
        tests = asked.non_inferiority if asked is not None else ()
        found = {INFERIORITY_CODES[test.outcome] for test in tests}
        if self.untested:
            found.add(3)
        if self.confirmed is not None:
            found |= {one.figures.exit_code for one in self.confirmed.candidates}
        return next((code for code in (1, 3) if code in found), 0)

    @property
    def untested(self) -> bool:
        """Tell whether a margin was asked about and the looks did not allow to test it."""
        if self.margin is None or self.choice is None or self.confirmed is None:
            return False
        return self.choice.winner != self.baseline and not self.confirmed.non_inferiority

    def to_json(self) -> dict[str, Any]:
        """Return one JSON object; each judge's figures are those of `calibrate --json`."""
        data = self.model_dump(mode="json", exclude={"schema_version", "measured", "confirmed"})
        stages = {"measured": self.measured, "confirmed": self.confirmed}
        shown = {k: _stage_json(stage) if stage else None for k, stage in stages.items()}
        return {"schema": COMPARISON_SCHEMA, **data, **shown}


def _stage_json(stage: Stage) -> dict[str, Any]:
    data = stage.model_dump(mode="json", exclude={"candidates"})
    data["candidates"] = [
        {
            **one.model_dump(mode="json", exclude={"figures"}),
            "figures": one.figures.to_json(),
        }
        for one in stage.candidates
    ]
    return data
