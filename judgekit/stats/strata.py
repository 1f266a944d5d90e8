"""Labels drawn by stratum: what they estimate, and where the next ones are worth most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, Self

from pydantic import model_validator

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import wilson
from judgekit.stats.registry import statistic


class Strata(Record):
    """Strata (judge verdict, slice): all items, labelled ones and human passes of each.

    Example:
        >>> Strata(sizes=(800, 200), labelled=(40, 60), passes=(38, 12)).population
        1000
    """

    sizes: tuple[int, ...]
    labelled: tuple[int, ...]
    passes: tuple[int, ...]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not len(self.sizes) == len(self.labelled) == len(self.passes):
            raise ValueError("sizes, labelled and passes must have the same length")
        for size, labelled, passes in self.rows:
            if not 0 <= passes <= labelled <= size:
                raise ValueError("passes <= labelled <= size must hold in every stratum")
        return self

    @property
    def rows(self) -> list[tuple[int, int, int]]:
        """Return (size, labelled, passes) of each stratum."""
        return list(zip(self.sizes, self.labelled, self.passes, strict=True))

    @property
    def population(self) -> int:
        """Return the number of items."""
        return sum(self.sizes)


class Stratified(Record):
    """A stratified share; `se` is None when a stratum has a single label, 0 is no certainty."""

    status: Literal["ok", "stratum_with_one_label", "stratum_without_labels", "no_items"]
    estimate: Statistic
    se: float | None = None


@statistic("stratified_pass_rate", kind="prevalence", needs=("strata",), laws=("group_order",))
def stratified_pass_rate(strata: Strata, *, finite: bool = True, tail: float = 0.025) -> Stratified:
    """Return the share of passes when labels were drawn at random within strata.

    Formula: p = sum W_h p_h, W_h = N_h/N; var = sum W_h^2 (1 - n_h/N_h) p_h (1-p_h)/(n_h - 1),
    without the factor 1 - n_h/N_h when `finite` is False (the items are themselves a sample).
    Shapes: one count per stratum; empty strata carry no weight. Undefined when a stratum has no
    label; `se` is undefined when one has a single label.
    Interval: Wilson on an effective n from p_h smoothed to (x+.5)/(n+1), so that a pure stratum is
    not taken for certain. Weakness: approximate; independent items within strata only.
    Source: Cochran 1977, Sampling Techniques, 3rd edition, section 5.

    Example:
        >>> found = stratified_pass_rate(
        ...     Strata(sizes=(800, 200), labelled=(40, 60), passes=(38, 12))
        ... )
        >>> round(found.estimate.value, 6), round(found.se, 4)
        (0.8, 0.0286)
    """
    rows, n = [row for row in strata.rows if row[0]], sum(strata.labelled)
    if not rows:
        return Stratified(status="no_items", estimate=Undefined(undefined="no items"))
    if any(labelled == 0 for _, labelled, _ in rows):
        reason = Undefined(undefined="a stratum has no label", n=n)
        return Stratified(status="stratum_without_labels", estimate=reason)
    total = strata.population
    value = sum(size / total * passes / labelled for size, labelled, passes in rows)
    if any(labelled == 1 for _, labelled, _ in rows):
        lone = Estimate(value=value, n=n, method="stratified")
        return Stratified(status="stratum_with_one_label", estimate=lone)
    shares = [passes / labelled for _, labelled, passes in rows]
    se = math.sqrt(_variance(rows, shares, total, finite))
    interval = _smoothed_interval(rows, value, total, finite, tail)
    low, high = interval or (None, None)
    method = "stratified, Wilson on effective n"
    estimate = Estimate(value=value, low=low, high=high, n=n, method=method)
    return Stratified(status="ok", estimate=estimate, se=se)


def _variance(
    rows: list[tuple[int, int, int]], shares: list[float], total: int, finite: bool
) -> float:
    found = 0.0
    for (size, labelled, _), p in zip(rows, shares, strict=True):
        left = 1 - labelled / size if finite else 1.0
        found += (size / total) ** 2 * left * p * (1 - p) / (labelled - 1)
    return found


def _smoothed_interval(
    rows: list[tuple[int, int, int]], value: float, total: int, finite: bool, tail: float
) -> tuple[float, float] | None:
    smooth = [(passes + 0.5) / (labelled + 1) for _, labelled, passes in rows]
    variance = _variance(rows, smooth, total, finite)
    if variance <= 0:
        return value, value
    centre = sum(row[0] / total * p for row, p in zip(rows, smooth, strict=True))
    effective = centre * (1 - centre) / variance
    bounds = wilson(value * effective, effective, tail)
    return (bounds.low, bounds.high) if bounds else None


class Allocation(Record):
    """Labels per stratum, not rounded; proportional to size where no stratum varies."""

    status: Literal["ok", "zero_sd_proportional"]
    labels: tuple[float, ...]


@statistic("neyman_allocation", kind="plan", needs=("strata", "total"), laws=("group_order",))
def neyman_allocation(strata: Strata, total: float) -> Allocation | Undefined:
    """Return how a number of labels is split over strata for the least variance of the pass rate.

    Formula: n_h = total N_h s_h/sum N_h s_h, s_h = sqrt(p_h (1 - p_h)) of the labels so far;
    N_h/N where all s_h are 0. Not rounded, no floor: `allocation.neyman_allocation` for use.
    Shapes: one count per stratum. Undefined when a stratum with items has no label yet. No
    interval.
    Weakness: a pure stratum gets nothing although its share is not known to be pure.
    Source: Neyman 1934, Journal of the Royal Statistical Society 97:558, doi 10.2307/2342192.

    Example:
        >>> strata = Strata(sizes=(800, 200), labelled=(40, 60), passes=(38, 12))
        >>> [round(x, 2) for x in neyman_allocation(strata, 100).labels]
        [68.55, 31.45]
    """
    if not strata.population:
        return Undefined(undefined="no items")
    if any(size and not labelled for size, labelled, _ in strata.rows):
        return Undefined(undefined="a stratum has no label", n=sum(strata.labelled))
    shares = [passes / labelled if labelled else 0.0 for _, labelled, passes in strata.rows]
    weights = _neyman_weights(strata.sizes, shares)
    status: Literal["ok", "zero_sd_proportional"] = "ok"
    if sum(weights) <= 0:
        weights, status = [float(size) for size in strata.sizes], "zero_sd_proportional"
    return Allocation(status=status, labels=tuple(total * w / sum(weights) for w in weights))


def _neyman_weights(sizes: Sequence[int], shares: Sequence[float]) -> list[float]:
    pairs = zip(sizes, shares, strict=True)
    return [size * math.sqrt(p * (1 - p)) for size, p in pairs]
