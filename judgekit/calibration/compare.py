"""Compare judges on the same items; choose on one split and confirm once on another."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import combinations

from pydantic import Field

from judgekit.calibration.calibrate import CalibrationRequest, calibrate
from judgekit.calibration.ceiling import ceiling
from judgekit.calibration.comparison import (
    Candidate,
    Choice,
    ChoiceRule,
    ComparisonReport,
    NonInferiority,
    PairedDifference,
    Stage,
)
from judgekit.calibration.looks import LookLedger, LookState, look_key
from judgekit.calibration.paired_figures import non_inferiority, paired_difference, with_holm
from judgekit.calibration.report import CalibrationReport
from judgekit.calibration.same_items import SharedItems, shared_items, wrong_alone
from judgekit.errors import InputError, UsageError
from judgekit.model.base import Record
from judgekit.model.policy import Policy
from judgekit.stats.estimate import Estimate, Statistic, Undefined

LEAST_JUDGES = 2


class ComparisonRequest(Record):
    """What to compare.

    `requests` are the judges on the items that are measured (the selection split, where
    `confirm_on` is given), `confirm_on` the same judges on the split that confirms. `margin` is
    how much higher than `baseline`'s a judge's false-pass rate may be; `baseline` None = the
    judge with the highest known cost. `costs` are stated USD per 1,000 items and win over what
    the verdicts say. `epsilon` is the allowance of the alternative-annotator test.
    """

    requests: tuple[CalibrationRequest, ...]
    confirm_on: tuple[CalibrationRequest, ...] | None = None
    choose_by: ChoiceRule = "youden"
    baseline: str | None = None
    margin: float | None = Field(default=None, gt=0, lt=1)
    epsilon: float = Field(default=0.1, ge=0, lt=1)
    costs: dict[str, float] = Field(default_factory=dict)


def compare(
    request: ComparisonRequest, *, ledger: LookLedger | None = None, now: datetime | None = None
) -> ComparisonReport:
    """Return per-judge figures, paired differences and, where a split confirms, the winner.

    Args:
        request: the judges and what is asked about them.
        ledger: the dataset's ledger; whatever is calibrated on the holdout spends a look.
        now: the time that the ledger records.

    Raises:
        UsageError: fewer than two judges, a name that is not among them, or a margin without a
            baseline.
        InputError: a judge has no verdict on any labelled item.
        CriterionMismatch: labels and verdicts are about different criteria.
    """
    return _Comparison(request, ledger, now or datetime.now(UTC)).report()


class _Comparison:
    """The steps of one comparison."""

    def __init__(
        self, request: ComparisonRequest, ledger: LookLedger | None, now: datetime
    ) -> None:
        self.request, self.ledger, self.now = request, ledger, now
        self.names = tuple(one.judge for one in request.requests)
        policy = request.requests[0].policy if request.requests else None
        self.alpha = round(1 - (policy or Policy()).confidence, 12)
        self.costs = {one.judge: _cost(one, request.costs) for one in request.requests}
        _check(request, self.names)
        self.baseline = self._baseline()

    def _baseline(self) -> str | None:
        given = self.request.baseline
        needed = self.request.margin is not None or self.request.choose_by == "cost"
        if given is not None or not needed:
            return given
        known = {k: c.value for k, c in self.costs.items() if isinstance(c, Estimate)}
        if len(known) < len(self.names):
            raise UsageError(
                "a margin needs to know which judge the others are measured against",
                found="the cost of " + ", ".join(n for n in self.names if n not in known)
                + " is unknown",
                mend="name it with --baseline, or state costs with --cost JUDGE=USD",
            )  # fmt: skip
        return max(known, key=lambda name: known[name])

    def report(self) -> ComparisonReport:
        """Assemble the record."""
        from judgekit.calibration.compare_words import comparison_caveats, comparison_reasons

        request = self.request
        confirming = request.confirm_on is not None
        measured = self._stage(request.requests, ledger=self.ledger, alpha=self.alpha)
        choice = self._choose(measured) if confirming else None
        if choice is not None and choice.winner is not None:
            measured = _marked(measured, choice.winner)
        confirmed = self._confirm(choice.winner) if choice is not None else None
        first = measured.candidates[0].figures
        found = ComparisonReport(
            unit=first.unit,
            reference=first.reference,
            confidence=round(1 - self.alpha, 12),
            baseline=self.baseline,
            margin=request.margin,
            measured=measured,
            choice=choice,
            confirmed=confirmed,
            reasons=(),
            caveats=comparison_caveats(measured, confirmed),
        )
        reasons = comparison_reasons(found, ledger=self.ledger is not None)
        return found.model_copy(update={"reasons": reasons})

    def _stage(
        self, requests: Sequence[CalibrationRequest], *, ledger: LookLedger | None, alpha: float,
    ) -> Stage:  # fmt: skip
        shared = shared_items(requests)
        reports = [calibrate(one, ledger=ledger, now=self.now) for one in requests]
        refuse_categories(reports)
        return Stage(
            split=requests[0].split,
            n_shared=len(shared.by_all),
            candidates=self._candidates(requests, reports, shared),
            differences=self._differences(shared),
            non_inferiority=self._tests(shared, alpha),
        )

    def _candidates(
        self,
        requests: Sequence[CalibrationRequest],
        reports: Sequence[CalibrationReport],
        shared: SharedItems,
    ) -> tuple[Candidate, ...]:
        alone = {one.judge: one for one in wrong_alone(shared)}
        return tuple(
            Candidate(
                judge=one.judge,
                figures=report,
                usd_per_1000=self.costs[one.judge],
                ceiling=ceiling(one, self.request.epsilon),
                alone_of=alone[one.judge].of,
                alone_false_passes=alone[one.judge].false_passes,
                alone_false_fails=alone[one.judge].false_fails,
            )
            for one, report in zip(requests, reports, strict=True)
        )

    def _differences(self, shared: SharedItems) -> tuple[PairedDifference, ...]:
        pairs = [
            (a, b)
            for a, b in combinations(_baseline_last(shared.judges, self.baseline), 2)
            if self.baseline is None or b == self.baseline
        ]
        tail = self.alpha / 2
        return with_holm(
            [paired_difference(shared, a, b, human, tail) for a, b in pairs for human in HUMANS]
        )

    def _tests(self, shared: SharedItems, alpha: float) -> tuple[NonInferiority, ...]:
        margin, baseline = self.request.margin, self.baseline
        if margin is None or baseline is None:
            return ()
        others = tuple(name for name in shared.judges if name != baseline)
        return non_inferiority(shared, others, baseline, margin=margin, alpha=alpha)

    def _choose(self, stage: Stage) -> Choice:
        from judgekit.calibration.choice import choose

        return choose(
            stage, self.request.choose_by, baseline=self.baseline, margin=self.request.margin
        )

    def _confirm(self, winner: str | None) -> Stage | None:
        """Return the winner's stage: alone, or beside the baseline it must not fall behind."""
        if winner is None:
            return None
        requests = {one.judge: one for one in self.request.confirm_on or ()}
        chosen = requests[winner]
        report = calibrate(chosen, ledger=self.ledger, now=self.now)
        rival = self.baseline if self.baseline not in (None, winner) else None
        shared = shared_items([chosen] if rival is None else [chosen, requests[rival]])
        alone = SharedItems(judges=(winner,), items=shared.items)
        candidates = self._candidates([chosen], [report], alone)
        look = self._look_at_pair(chosen, report, rival, shared) if rival is not None else None
        exhausted = look is not None and look.exhausted
        alpha = self.alpha / (look.max_looks if look is not None else 1)
        return Stage(
            split=chosen.split,
            n_shared=len(shared.by_all),
            candidates=_without_alone(candidates),
            differences=() if rival is None or exhausted else self._differences(shared),
            non_inferiority=() if rival is None or exhausted else self._tests(shared, alpha),
        )

    def _look_at_pair(
        self,
        chosen: CalibrationRequest,
        report: CalibrationReport,
        rival: str,
        shared: SharedItems,
    ) -> LookState | None:
        """Spend a look for the difference to the baseline: it is a second question."""
        if self.ledger is None or chosen.split != "holdout":
            return None
        policy = chosen.policy or Policy()
        answers = [[i.item_id, i.human, sorted(i.answers.items())] for i in shared.items]
        question = {"against": rival, "margin": self.request.margin}
        return self.ledger.spend(
            key=look_key(
                fingerprint=chosen.fingerprint,
                unit=report.unit,
                limits=question,
                labels=report.labels_hash,
                verdicts=str(sorted(map(str, answers))),
            ),
            judge=chosen.judge,
            fingerprint=chosen.fingerprint,
            unit=report.unit,
            items={item.item_id for item in shared.items},
            max_looks=policy.max_looks,
            now=self.now,
        )


HUMANS = ("fail", "pass")


def _check(request: ComparisonRequest, names: Sequence[str]) -> None:
    if len(names) < LEAST_JUDGES:
        raise UsageError(
            "a comparison needs two judges or more", found=", ".join(names) or "no judge",
            mend="judgekit calibrate looks at one judge alone",
        )  # fmt: skip
    for one in request.requests:
        refuse_strata(one)
    strange = [n for n in (request.baseline, *request.costs) if n is not None and n not in names]
    if strange:
        raise UsageError(
            f"there is no judge {strange[0]!r} in this comparison", expected=", ".join(names)
        )
    if request.choose_by == "cost" and request.margin is None:
        raise UsageError(
            "choosing by cost needs a margin on the false-pass rate", mend="add --margin 0.05"
        )


def refuse_strata(request: CalibrationRequest) -> None:
    """Refuse labels drawn by stratum: a rate or a difference would need their weights.

    Raises:
        UsageError: some label declares the design.
    """
    drawn = [label.design or request.design or "" for label in request.labels]
    found = sum(design.startswith("stratified") for design in drawn)
    if found:
        raise UsageError(
            "labels drawn by stratum need weights that this command does not use",
            found=f"{found} of {len(drawn)} labels with design: stratified",
            mend="label a random sample; judgekit calibrate looks at each judge with weights",
        )


def refuse_categories(reports: Sequence[CalibrationReport]) -> None:
    """Refuse labels that are neither pass nor fail.

    Raises:
        InputError: no category was said to be the one that passes.
    """
    for report in reports:
        if not report.confusion.is_pass_fail:
            raise InputError(
                "error rates need to know which category passes",
                found=", ".join(report.confusion.labels[:10]),
                mend="name it with --positive, or say which numbers pass with --pass-if",
            )


def _cost(request: CalibrationRequest, stated: dict[str, float]) -> Statistic:
    """Return USD per 1,000 items; undefined where any verdict does not say what it cost."""
    if request.judge in stated:
        return Estimate(value=stated[request.judge], n=0, method="as stated")
    costs = [verdict.cost_usd for verdict in request.verdicts if verdict.regrade == 0]
    known = [cost for cost in costs if cost is not None]
    if not known or len(known) < len(costs):
        reason = f"{len(costs) - len(known)} of {len(costs)} verdicts do not say what they cost"
        return Undefined(undefined=reason, n=len(known))
    return Estimate(value=1000 * sum(known) / len(known), n=len(known), method="mean of verdicts")


def _baseline_last(names: Sequence[str], baseline: str | None) -> tuple[str, ...]:
    return (*(n for n in names if n != baseline), *(n for n in names if n == baseline))


def _marked(stage: Stage, winner: str) -> Stage:
    candidates = tuple(
        one.model_copy(update={"biased": one.judge == winner}) for one in stage.candidates
    )
    return stage.model_copy(update={"candidates": candidates})


def _without_alone(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Drop what a judge gets wrong alone: with one judge every error is its own."""
    none = {"alone_of": 0, "alone_false_passes": (), "alone_false_fails": ()}
    return tuple(one.model_copy(update=none) for one in candidates)
