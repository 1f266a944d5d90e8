"""Calibrate one judge against human labels: pair, measure, decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from pydantic import Field

from judgekit.calibration.answers import Reading
from judgekit.calibration.arrival import Arrivals, arrivals
from judgekit.calibration.assemble import judge_all
from judgekit.calibration.design import Sampling, labels_compared, sampling_of
from judgekit.calibration.human import Answers, HumanAgreement, human_agreement, human_answers
from judgekit.calibration.looks import LookLedger
from judgekit.calibration.measures import mode_counts, unscored_counts, unsupported_counts
from judgekit.calibration.pairing import Pair, Pairing, pair
from judgekit.calibration.reference import ReferenceSet, reference_labels
from judgekit.calibration.report import CalibrationReport, Disagreement
from judgekit.calibration.subject import Heading, Subject
from judgekit.calibration.tables import Tables, tables_of_pairs
from judgekit.errors import NoVerdicts, UsageError
from judgekit.model.base import Record
from judgekit.model.canonical import content_hash
from judgekit.model.grader import GraderKind
from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.model.policy import Policy
from judgekit.model.rubric import Rubric
from judgekit.model.verdict import Verdict


class CalibrationRequest(Record):
    """What to calibrate: one judge's verdicts, the labels, the rule and the limits.

    `items` None = only ids are known. `within` are the ids of the split that is looked at, None =
    all. `policy` None = no limits: numbers only. `verdict_criterion` is the name under which the
    verdicts carry the unit, where a mapping joins two names. `categories` is the judge's category
    by item where more than pass and fail are compared. `dropped_before` counts rows that the
    reader left out, by reason. `design` is what the dataset declares for labels that say nothing.
    `slice` names the part of the items that `within` holds, as key=value. `filling`: verdicts are
    still being written, so no look is spent and nothing is decided.
    """

    judge: str
    fingerprint: str
    labels: tuple[Label, ...]
    verdicts: tuple[Verdict, ...]
    items: tuple[Item, ...] | None = None
    kind: GraderKind = "judge"
    rule: str = "auto"
    criterion: str | None = None
    rubric: Rubric | None = None
    reading: Reading = Reading()
    policy: Policy | None = None
    split: str | None = None
    within: frozenset[str] | None = None
    order: str | None = None
    verdict_criterion: str | None = None
    categories: dict[str, str] | None = None
    synthetic: bool = False
    design: str | None = None
    slice: str | None = None
    filling: bool = False
    dropped_before: dict[str, int] = Field(default_factory=dict)


def calibrate(
    request: CalibrationRequest, *, ledger: LookLedger | None = None, now: datetime | None = None
) -> CalibrationReport:
    """Return the report of one judge against one reference (DESIGN sections 5 and 6).

    Args:
        request: the judge, labels, verdicts and limits.
        ledger: the dataset's ledger of looks; used only on the holdout and with limits.
        now: the time that the ledger records.

    Raises:
        CriterionMismatch: labels and verdicts are about different criteria.
        InputError: nothing can be paired, a label cannot be read, or the labels' sampling design
            gives no rate (targeted, mixed, strata that cannot be reweighted).
    """
    return calibrate_family((request,), ledger=ledger, now=now)[0]


def calibrate_family(
    requests: Sequence[CalibrationRequest],
    *,
    ledger: LookLedger | None = None,
    now: datetime | None = None,
) -> tuple[CalibrationReport, ...]:
    """Return one report for each unit or slice of one judge, each of which may be approved.

    Approval goes by Holm's rule over the family, and all of it is one look.

    Args:
        requests: the judge's units or slices; no two the same.
        ledger: as for `calibrate`.
        now: as for `calibrate`.

    Raises:
        CriterionMismatch: as `calibrate`.
        InputError: as `calibrate`.
        UsageError: the requests are about several judges, or there is none.
    """
    if len({(request.judge, request.fingerprint) for request in requests}) != 1:
        raise UsageError("a family of units or slices belongs to one judge")
    subjects = tuple(_Pairs(request).subject() for request in requests)
    return judge_all(subjects, ledger, now or datetime.now(UTC))


class _Pairs:
    """Pair one request's labels and verdicts; each step reads what the ones before it found."""

    def __init__(self, request: CalibrationRequest) -> None:
        self.request = request
        self.items = None if request.items is None else {item.id: item for item in request.items}
        self.references = self._references()
        self.pairing = self._pairing()
        self.pairs = (*self.pairing.scored, *self.pairing.unscored)
        self.labels = labels_compared(
            request.labels,
            unit=self.references.unit,
            rubric=request.rubric,
            items={p.item_id for p in (*self.pairs, *self.pairing.unresolved)},
        )
        self.groups = {p.item_id: p.group for p in self.pairs}

    def _references(self) -> ReferenceSet:
        request = self.request
        least = request.policy.min_annotators if request.policy else None
        return reference_labels(
            request.labels,
            rule=request.rule,
            rubric=request.rubric,
            criterion=request.criterion,
            reading=request.reading,
            min_annotators=least,
        )

    def _pairing(self) -> Pairing:
        request = self.request
        pairing = pair(
            self.references,
            request.verdicts,
            items=self.items,
            within=request.within,
            order=request.order,
            labels_criterion=request.verdict_criterion,
            categories=request.categories,
        )
        if not pairing.verdicts_used:
            raise NoVerdicts(
                f"judge {request.judge!r} has no verdict on any labelled item",
                found=", ".join(f"{k}: {n}" for k, n in pairing.dropped.items()) or "no labels",
                mend="run the judge on these items, or check that the item ids agree",
            )
        return pairing

    def subject(self) -> Subject:
        """Return what is to be judged."""
        request, pairing = self.request, self.pairing
        known = request.rubric.failure_mode_ids if request.rubric else ()
        tables = tables_of_pairs(pairing.scored, pairing.unscored, pairing.unresolved)
        sampling = self._sampling()
        return Subject(
            heading=heading_of(request, self.references.unit),
            tables=tables,
            sampling=sampling,
            humans=_humans(self._answers(), tables, pairing.scored, self.groups),
            hashes=self._hashes,
            items=lambda: set(self.groups),
            arrivals=lambda: self._arrivals(sampling),
            modes=mode_counts(pairing.scored, known),
            unsupported=unsupported_counts(pairing.judged),
            without_answer=lambda: unscored_counts(pairing.judged, pairing.unscored),
            all_verdicts=request.within is not None or pairing.beyond_labels,
            dropped=dict(Counter(pairing.dropped) + Counter(request.dropped_before)),
            unscored=pairing.unscored_counts,
            origins=self.references.origins,
            single=self.references.single,
            disagreements=lambda: _disagreements(pairing),
        )

    def _sampling(self) -> Sampling:
        pairs = (*self.pairing.scored, *self.pairing.unresolved)
        return sampling_of(
            self.labels,
            self.request.design,
            pairs,
            self.pairing.pool,
            whole_frame=self.request.within is not None,
        )

    def _answers(self) -> Answers:
        request = self.request
        return human_answers(
            request.labels,
            unit=self.references.unit,
            rubric=request.rubric,
            reading=request.reading,
        )

    def _arrivals(self, sampling: Sampling) -> Arrivals:
        shown = {p.item_id for p in self.pairing.scored}
        labels = tuple(label for label in self.labels if label.item_id in shown)
        return arrivals(self.pairing.scored, labels, sampling, self.request.policy)

    def _hashes(self) -> tuple[str, str]:
        """Return the hashes of the reference labels and of the verdicts compared, by item."""
        kept = {"item_id", "status", "passed", "passed_criteria", "failed_criteria", "unsupported"}
        used = self.pairing.verdicts_used
        return (
            content_hash(sorted([p.item_id, p.human, p.failure_mode or ""] for p in self.pairs)),
            content_hash([v.model_dump(mode="json", include=kept) for v in used]),
        )


def _humans(
    answers: Answers, tables: Tables, scored: Sequence[Pair], groups: Mapping[str, str]
) -> Callable[[float], HumanAgreement]:
    shown = {p.item_id for p in scored}
    words = {answer for i in shown for answer in answers.get(i, {}).values()}
    labels = tables.labels
    if not words <= set(labels):
        labels = tuple(sorted(words | set(labels)))

    def at(tail: float) -> HumanAgreement:
        return human_agreement(answers, groups=groups, items=shown, labels=labels, tail=tail)

    return at


def heading_of(request: CalibrationRequest, unit: str) -> Heading:
    """Return who is judged, on what and under which limits."""
    policy = request.policy or Policy()
    return Heading(
        judge=request.judge,
        fingerprint=request.fingerprint,
        unit=unit,
        rule=request.rule,
        kind=request.kind,
        split=request.split,
        slice=request.slice,
        policy=policy if has_limits(policy) and request.policy else None,
        confidence=policy.confidence,
        max_looks=policy.max_looks,
        allow_synthetic=policy.allow_synthetic,
        synthetic=request.synthetic,
        filling=request.filling,
    )


def has_limits(policy: Policy) -> bool:
    """Tell whether a policy sets any limit."""
    names = (
        "max_false_pass_rate", "max_false_fail_rate", "min_kappa", "min_human_agreement",
        "min_human_fail", "min_human_pass", "max_unscored_rate", "max_unsupported_evidence_rate",
        "min_per_failure_mode",
    )  # fmt: skip
    return any(getattr(policy, name) is not None for name in names)


def _disagreements(pairing: Pairing) -> tuple[Disagreement, ...]:
    return tuple(
        Disagreement(
            item_id=p.item_id,
            human=p.human,
            judge=p.judge,
            failure_mode=p.failure_mode,
            verdict=p.verdict,
        )
        for p in pairing.scored
        if p.judge is not None and p.judge != p.human
    )
