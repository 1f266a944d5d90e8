"""The pass rate of a product, from a judge's verdicts and its calibration."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from judgekit.calibration.calibrate import CalibrationRequest, calibrate
from judgekit.calibration.compare import refuse_categories, refuse_strata
from judgekit.calibration.estimate_words import estimate_caveats, estimate_warnings
from judgekit.calibration.looks import LookLedger
from judgekit.calibration.pairing import judge_answer
from judgekit.calibration.report import CalibrationReport
from judgekit.calibration.same_items import request_pairs, request_references
from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.model.policy import Policy
from judgekit.model.verdict import Verdict
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.grouped_prevalence import (
    effective_calibration,
    grouped_ppi_pass_rate,
    grouped_rogan_gladen,
)
from judgekit.stats.intervals import GroupedCounts, rate_display
from judgekit.stats.ppi import ppi_pass_rate
from judgekit.stats.prevalence import Calibration, rogan_gladen, youden_j

Assumption = Literal["random", "label-shift"]
ESTIMATE_SCHEMA: Literal[1] = 1
REFUSED = 3


class EstimateRequest(Record):
    """What to estimate.

    `calibration` holds the labels and the judge's verdicts on them; its verdicts on unlabelled
    items are the outputs, unless `outputs` are given with their `output_items` (None = only ids
    are known, so nothing is known about groups). `assume` is how the labelled items relate to the
    outputs: `random` = drawn at random from the same outputs, `label-shift` = another mix of
    passes and fails, but the judge errs as often among each.
    """

    calibration: CalibrationRequest
    assume: Assumption
    outputs: tuple[Verdict, ...] | None = None
    output_items: tuple[Item, ...] | None = None


class EstimateReport(Record):
    """A corrected pass rate, or why there is none.

    The interval of `pass_rate` holds for the judged outputs themselves and for the product that
    made them; that of `at_large` (plain PPI++, only under `random`) for the product only, which
    is narrower where labels and outputs are about equally many. `judge_pass_rate` is
    what the judge says uncorrected, `labels_only` what the labels say without the judge (only
    under `random`). `refused` is the reason where no estimate may be given. `grouped` tells
    whether the interval respects groups; `unknown_groups` that the outputs' groups are not known.
    """

    schema_version: Literal[1] = ESTIMATE_SCHEMA
    judge: str
    unit: str
    assume: Assumption
    confidence: float
    pass_rate: Statistic
    at_large: Statistic
    judge_pass_rate: Statistic
    labels_only: Statistic
    youden_j: Statistic
    true_pass_rate: Statistic
    true_fail_rate: Statistic
    confusion: Confusion
    n_labelled: int
    n_labelled_groups: int
    n_outputs: int
    n_output_groups: int
    unscored_outputs: dict[str, int]
    grouped: bool
    unknown_groups: bool
    refused: str | None
    warnings: tuple[str, ...]
    caveats: tuple[str, ...]
    calibration: CalibrationReport

    @property
    def exit_code(self) -> int:
        """Return 0 with an estimate, 3 where it was refused."""
        return 0 if self.refused is None else REFUSED

    def to_json(self) -> dict[str, Any]:
        """Return one JSON object; `calibration` is that of `calibrate --json`."""
        data = self.model_dump(mode="json", exclude={"schema_version", "confusion", "calibration"})
        return {
            "schema": ESTIMATE_SCHEMA,
            **data,
            "confusion": self.confusion.as_json(),
            "calibration": self.calibration.to_json(),
        }


def estimate(
    request: EstimateRequest, *, ledger: LookLedger | None = None, now: datetime | None = None
) -> EstimateReport:
    """Return the corrected pass rate of a product, or the reason why these data give none.

    PPI++ under `random`, Rogan-Gladen with Lang and Reiczigel's interval under `label-shift`;
    where items are grouped the variants of `judgekit.stats.grouped_prevalence`. Refused unless
    the lower bound of Youden's J is above 0.

    Args:
        request: the judge, its labels and the outputs.
        ledger: the dataset's ledger; labels of the holdout spend a look.
        now: the time that the ledger records.

    Raises:
        UsageError: the labels declare a design that contradicts the assumption.
        InputError: there are no judged outputs, the outputs overlap the labelled items, or the
            labels are neither pass nor fail.
    """
    refuse_strata(request.calibration)
    report = calibrate(request.calibration, ledger=ledger, now=now or datetime.now(UTC))
    refuse_categories([report])
    return _Estimation(request, report).report()


class _Estimation:
    """The steps of one estimate."""

    def __init__(self, request: EstimateRequest, calibration: CalibrationReport) -> None:
        self.request, self.calibration = request, calibration
        policy = request.calibration.policy or Policy()
        self.tail = round(1 - policy.confidence, 12) / 2
        references = request_references(request.calibration)
        known = {r.item_id for r in references.references} | set(references.unresolved)
        self.scored = request_pairs(request.calibration, references).scored
        self.outputs, self.unscored = self._outputs(known)
        if not self.outputs:
            raise InputError(
                "there are no unlabelled outputs with a verdict of this judge",
                found=", ".join(f"{k}: {n}" for k, n in self.unscored.items()) or "none",
                mend="name them with --outputs, or let the verdicts hold items without labels",
            )
        self.groups = sorted({p.group for p in self.scored} | {g for g, _ in self.outputs})

    def _outputs(self, known: set[str]) -> tuple[list[tuple[str, bool]], dict[str, int]]:
        """Return (group, passed) of the outputs, and the number without an answer by status."""
        request = self.request
        given = request.outputs
        items = request.calibration.items if given is None else request.output_items
        groups = {item.id: item.group_key for item in items or ()}
        verdicts = request.calibration.verdicts if given is None else given
        if given is not None:
            _refuse_overlap(given, known)
        return _answers(
            [v for v in verdicts if v.item_id not in known and not v.regrade],
            groups,
            unit=self.calibration.unit,
            order=request.calibration.order,
            alias=request.calibration.verdict_criterion,
        )

    @property
    def unknown_groups(self) -> bool:
        """Tell whether nothing is known about the groups of the outputs."""
        given = self.request.outputs is not None
        items = self.request.output_items if given else self.request.calibration.items
        return items is None

    @property
    def grouped(self) -> bool:
        """Tell whether some group holds several items of one kind, or both kinds."""
        everything = [p.group for p in self.scored] + [g for g, _ in self.outputs]
        return len(set(everything)) < len(everything)

    def counts(self) -> tuple[Any, Any, Any]:
        """Return labelled tables, judge passes and judged outputs by group."""
        import numpy as np

        place = {group: g for g, group in enumerate(self.groups)}
        tables = np.zeros((len(place), 2, 2))
        passes, judged = np.zeros(len(place)), np.zeros(len(place))
        for own in self.scored:
            tables[place[own.group], int(own.human != "pass"), int(own.judge != "pass")] += 1
        for group, passed in self.outputs:
            judged[place[group]] += 1
            passes[place[group]] += passed
        return tables, passes, judged

    def corrected(self) -> Statistic:
        """Return the estimate under the stated assumption, for these outputs and for the product
        at large."""
        if self.request.assume == "random":
            return grouped_ppi_pass_rate(*self.counts(), self.tail, target="both")
        if self.grouped:
            return grouped_rogan_gladen(*self.counts(), self.tail)
        k, n = sum(passed for _, passed in self.outputs), len(self.outputs)
        found = rogan_gladen(k, n, _calibration(self.calibration.confusion), self.tail)
        if isinstance(found.estimate, Estimate) and found.status == "clipped":
            return found.estimate.model_copy(update={"status": "clipped"})
        return found.estimate

    def at_large(self) -> Statistic:
        """Return the estimate whose interval is for the product at large only."""
        if self.request.assume == "label-shift":
            return Undefined(undefined="under label-shift one interval serves both")
        if self.grouped:
            return grouped_ppi_pass_rate(*self.counts(), self.tail)
        k, n = sum(passed for _, passed in self.outputs), len(self.outputs)
        return ppi_pass_rate(self.calibration.confusion, k, n, tail=self.tail).estimate

    def youden(self) -> Statistic:
        """Return Youden's J, its interval on effective counts where labelled items are grouped."""
        confusion = self.calibration.confusion
        plain = youden_j(_calibration(confusion), self.tail)
        passes, fails = self._errors("pass"), self._errors("fail")
        if isinstance(plain, Undefined) or not (passes.grouped or fails.grouped):
            return plain
        found = youden_j(effective_calibration(passes, fails, self.tail), self.tail)
        if isinstance(found, Undefined):
            return Undefined(undefined="too few groups for an interval", n=plain.n)
        shift = plain.value - found.value  # what rounding the effective counts moved
        low, high = (None if b is None else b + shift for b in (found.low, found.high))
        method = f"{plain.method} on effective counts"
        return plain.model_copy(update={"low": low, "high": high, "method": method})

    def _errors(self, human: str) -> GroupedCounts:
        return GroupedCounts.of(
            (p.group, p.judge != p.human) for p in self.scored if p.human == human
        )

    def _share(self, rows: Sequence[tuple[str, bool]], none: str) -> Statistic:
        counts = GroupedCounts.of(rows)
        if not counts.n:
            return Undefined(undefined=none)
        shown, method = rate_display(counts, self.tail)
        return Estimate(
            value=counts.x / counts.n,
            low=shown.low if shown else None,
            high=shown.high if shown else None,
            n=counts.n,
            method=method,
        )

    def _labels_only(self) -> Statistic:
        if self.request.assume != "random":
            reason = "under label-shift the labels' own pass rate is not the product's"
            return Undefined(undefined=reason, n=len(self.scored))
        return self._share([(p.group, p.human == "pass") for p in self.scored], "no labels")

    def _right(self, human: str) -> Statistic:
        rows = [(p.group, p.judge == p.human) for p in self.scored if p.human == human]
        return self._share(rows, f"no human-{human} labels")

    def report(self) -> EstimateReport:
        """Assemble the record."""
        youden = self.youden()
        refused = refusal(youden)
        none = Undefined(undefined=refused or "", n=len(self.outputs))
        facts: dict[str, Any] = {
            "judge": self.calibration.judge,
            "unit": self.calibration.unit,
            "assume": self.request.assume,
            "confidence": round(1 - 2 * self.tail, 12),
            "pass_rate": self.corrected() if refused is None else none,
            "at_large": self.at_large() if refused is None else none,
            "judge_pass_rate": self._share(self.outputs, "no outputs"),
            "labels_only": self._labels_only(),
            "youden_j": youden,
            "true_pass_rate": self._right("pass"),
            "true_fail_rate": self._right("fail"),
            "confusion": self.calibration.confusion,
            "n_labelled": len(self.scored),
            "n_labelled_groups": len({p.group for p in self.scored}),
            "n_outputs": len(self.outputs),
            "n_output_groups": len({group for group, _ in self.outputs}),
            "unscored_outputs": self.unscored,
            "grouped": self.grouped,
            "unknown_groups": self.unknown_groups,
            "refused": refused,
            "calibration": self.calibration,
        }
        found = EstimateReport(**facts, warnings=(), caveats=())
        return found.model_copy(
            update={
                "warnings": estimate_warnings(found, self.scored, self.outputs),
                "caveats": estimate_caveats(found),
            }
        )


def refusal(youden: Statistic) -> str | None:
    """Return why no pass rate may be corrected with this judge, or None."""
    if isinstance(youden, Undefined):
        return f"Youden's J of the judge is undefined: {youden.undefined}"
    if youden.low is None or youden.low <= 0:
        low = "unknown" if youden.low is None else f"{youden.low:.3f}"
        return (
            f"the lower bound of the judge's Youden's J is {low} (J {youden.value:.3f},"
            f" n={youden.n}), not above 0: its verdicts may carry no information about what people"
            " would say"
        )
    return None


def _calibration(confusion: Confusion) -> Calibration:
    (a, b), (c, d) = confusion.rows
    return Calibration(true_passes=a, human_passes=a + b, true_fails=d, human_fails=c + d)


def _refuse_overlap(outputs: Sequence[Verdict], known: set[str]) -> None:
    both = sorted({v.item_id for v in outputs} & known)
    if both:
        raise InputError(
            "labelled items and outputs must not overlap: an item would count twice",
            found=f"{len(both)} items in both, such as {both[0]!r}",
            mend="leave the labelled items out of --outputs",
        )


def _answers(
    verdicts: Sequence[Verdict],
    groups: dict[str, str],
    *,
    unit: str,
    order: str | None,
    alias: str | None,
) -> tuple[list[tuple[str, bool]], dict[str, int]]:
    by_item: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        about = verdict.criterion in (None, alias or unit)
        if about and (order is None or verdict.order in (None, order)):
            by_item[verdict.item_id].append(verdict)
    found, unscored = [], Counter[str]()
    for item_id, own in by_item.items():
        answers = {judge_answer(verdict, unit) for verdict in own}
        if len(answers) > 1:
            unscored["conflicting_verdicts"] += 1
        elif None in answers:
            unscored[own[-1].status if own[-1].passed is None else "invalid"] += 1
        else:
            found.append((groups.get(item_id, item_id), "pass" in answers))
    return found, dict(sorted(unscored.items()))
