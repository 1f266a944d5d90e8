"""How many items to label before a judge can be approved: the plan and its words."""

from __future__ import annotations

import math

from pydantic import Field

from judgekit.model.base import Record
from judgekit.model.policy import ConfidenceLevel
from judgekit.stats.allocation import StratifiedPlan, plan_stratified, verdict_strata
from judgekit.stats.estimate import Undefined
from judgekit.stats.grouped_planning import (
    GroupedPlan,
    assumed_effect,
    grouped_power,
    least_grouped_labels,
    plan_grouped_labels,
)
from judgekit.stats.intervals import DEFAULT_ICC, FEW_ERROR_GROUPS, LEAST_GROUPS
from judgekit.stats.planning import (
    ASSURANCE,
    POWER,
    LabelPlan,
    PowerPoint,
    assured_items,
    least_labels,
    plan_labels,
    power_curve,
)

MOST_ERRORS = 3
CURVE_BEYOND = 1.25
_FEW_CURVE_LABELS = 20
_SEARCHED = 4
"""A stratified sample of more than 4 times the random one is not looked for."""


class PlanRequest(Record):
    """What is asked. Shares and rates lie in [0, 1].

    `limit` is on the false-pass rate; for the false-fail rate, pass and fail change places.
    `group_size` is the mean number of human-fail items in a group, `rho` their intraclass
    correlation. `fail_share` None = the share of human fails is not known.
    """

    limit: float = Field(gt=0, lt=1)
    expected_rate: float = Field(ge=0, le=1)
    power: float = Field(default=POWER, gt=0, lt=1)
    confidence: ConfidenceLevel = 0.95
    looks: int = Field(default=1, ge=1, le=1_000)
    fail_share: float | None = Field(default=None, gt=0, le=1)
    false_fail_rate: float = Field(default=0.1, ge=0, le=1)
    group_size: float = Field(default=1.0, ge=1, le=1_000)
    rho: float = Field(default=DEFAULT_ICC, ge=0, le=1)
    assurance: float = Field(default=ASSURANCE, gt=0, lt=1)

    @property
    def level(self) -> float:
        """Return the error of one look: (1 - confidence) / looks."""
        return round(1 - self.confidence, 12) / self.looks


class Size(Record):
    """One size: human-fail labels, errors still approved, power at the expected rate, items to
    label at the fail share, and items that hold the labels with the assurance asked for."""

    human_fail: int
    max_errors: int
    power: float
    items: int | None = None
    items_assured: int | None = None


class Oversampling(Record):
    """The fewest items when they are drawn by the judge's verdict, against the random draw.

    `saves` is negative where drawing by verdict costs more.
    """

    judge_passes: int
    judge_fails: int
    items: int
    items_at_random: int
    saves: int
    power: float


class Plan(Record):
    """The answer. `infeasible` holds the reason why no number of labels would do.

    `n_first` and `n_stable` are human-fail labels, groups allowed for; `least` holds the minimum
    for 0, 1, 2 and 3 errors; `n_groups` is the number of groups behind `n_first`, None without
    groups. In `power_curve` n is human-fail labels; between two points the power only falls.
    """

    request: PlanRequest
    level: float
    rho_used: float | None
    design_effect: float
    n_groups: int | None
    n_first: int | None
    n_stable: int | None
    infeasible: str | None
    first: Size | None
    stable: Size | None
    least: tuple[Size, ...]
    oversampling: Oversampling | Undefined
    power_curve: tuple[PowerPoint, ...]
    notes: tuple[str, ...]


def make_plan(request: PlanRequest) -> Plan:
    """Return how many items to label.

    Exact for independent items; in groups the errors are taken as beta-binomial.

    Example:
        >>> plan = make_plan(PlanRequest(limit=0.05, expected_rate=0.01, fail_share=0.2))
        >>> plan.n_first, plan.first.items, [size.human_fail for size in plan.least]
        (124, 620, [59, 93, 124, 153])
    """
    return _Planning(request).plan()


class _Planning:
    def __init__(self, request: PlanRequest) -> None:
        self.request = request
        self.grouped = request.group_size > 1
        self.effect = assumed_effect(request.group_size, request.rho)
        self.found, self.curve = _searched(request)

    def plan(self) -> Plan:
        request, found = self.request, self.found
        first = stable = None
        if isinstance(found, LabelPlan):
            first = self._size(found.n_first, found.max_errors_first, found.power_first)
            stable = self._size(found.n_stable, found.max_errors_stable, found.power_stable)
        return Plan(
            request=request,
            level=request.level,
            rho_used=max(request.rho, DEFAULT_ICC) if self.grouped else None,
            design_effect=self.effect,
            n_groups=self._groups(first.human_fail) if self.grouped and first else None,
            n_first=first.human_fail if first else None,
            n_stable=stable.human_fail if stable else None,
            infeasible=found.undefined if isinstance(found, Undefined) else None,
            first=first,
            stable=stable,
            least=tuple(self._least(errors) for errors in range(MOST_ERRORS + 1)),
            oversampling=self._oversampling(first),
            power_curve=self.curve,
            notes=tuple(self._notes()),
        )

    def _size(self, labels: int, errors: int, power: float) -> Size:
        share, assurance = self.request.fail_share, self.request.assurance
        if share is None:
            return Size(human_fail=labels, max_errors=errors, power=power)
        return Size(
            human_fail=labels,
            max_errors=errors,
            power=power,
            items=_items(labels, share),
            items_assured=assured_items(labels, share, assurance=assurance),
        )

    def _groups(self, labels: int) -> int:
        return max(LEAST_GROUPS, math.ceil(labels / self.request.group_size - 1e-9))

    def _least(self, errors: int) -> Size:
        from scipy.stats import binom

        asked, size = self.request, self.request.group_size
        if not self.grouped:
            n = least_labels(asked.limit, alpha=asked.level, errors=errors).min_n
            return self._size(n, errors, float(binom.cdf(errors, n, asked.expected_rate)))
        n = least_grouped_labels(asked.limit, size, rho=asked.rho, alpha=asked.level, errors=errors)
        power = grouped_power(
            asked.expected_rate, size, rho=asked.rho, groups=self._groups(n), errors=errors
        )
        return self._size(n, errors, power)

    def _oversampling(self, first: Size | None) -> Oversampling | Undefined:
        request = self.request
        if first is None or not isinstance(self.found, LabelPlan):
            return Undefined(undefined="no number of labels decides")
        if request.fail_share is None or first.items is None:
            return Undefined(undefined="the share of human fails is not given")
        if self.grouped:
            return Undefined(undefined="its bound is known for independent items only")
        strata = verdict_strata(request.expected_rate, request.false_fail_rate, request.fail_share)
        found = plan_stratified(
            strata,
            request.limit,
            alpha=request.level,
            power=request.power,
            most=_SEARCHED * first.items,
        )
        return found if isinstance(found, Undefined) else _drawn(found, first.items)

    def _notes(self) -> list[str]:
        request, notes = self.request, []
        if request.looks > 1:
            notes.append(
                f"{request.looks} planned looks share the error: each look is taken at "
                f"{request.level:.4g}. Set max_looks: {request.looks} in the policy."
            )
        if self.grouped:
            notes.append(
                f"Groups: {self.effect:.3g} labels count as one independent label, as the "
                f"decision assumes at least rho {DEFAULT_ICC:g} while fewer than "
                f"{FEW_ERROR_GROUPS} groups hold an error; under {LEAST_GROUPS} groups nothing "
                "is approved. The decision estimates this from the labels, so the power may be "
                "0.1 to 0.2 lower: treat these sizes as the least."
            )
        return notes


def _searched(request: PlanRequest) -> tuple[LabelPlan | Undefined, tuple[PowerPoint, ...]]:
    rate, limit, alpha, power = (
        request.expected_rate, request.limit, request.level, request.power
    )  # fmt: skip
    if request.group_size > 1:
        grouped = plan_grouped_labels(
            rate, limit, request.group_size, rho=request.rho, alpha=alpha, power=power
        )
        return (grouped.plan, _near(grouped)) if isinstance(grouped, GroupedPlan) else (grouped, ())
    found = plan_labels(rate, limit, alpha=alpha, power=power)
    if isinstance(found, Undefined):
        return found, ()
    until = math.ceil(max(found.n_stable * CURVE_BEYOND, _FEW_CURVE_LABELS))
    return found, power_curve(rate, limit, alpha=alpha, until=until)


def _near(grouped: GroupedPlan) -> tuple[PowerPoint, ...]:
    until = math.ceil(grouped.plan.n_stable * CURVE_BEYOND)
    return tuple(point for point in grouped.curve if point.n <= until)


def _items(labels: int, share: float) -> int:
    return math.ceil(labels / share - 1e-9)


def _drawn(found: StratifiedPlan, at_random: int) -> Oversampling:
    return Oversampling(
        judge_passes=found.passes,
        judge_fails=found.fails,
        items=found.total,
        items_at_random=at_random,
        saves=at_random - found.total,
        power=found.power,
    )
