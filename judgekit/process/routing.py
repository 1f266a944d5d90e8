"""Which tier of model a case, or a step, is worth: cost against quality, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from judgekit.process.differences import Answered, paired_difference
from judgekit.process.process_records import Curve, Point, Shape
from judgekit.process.rates import TAIL
from judgekit.stats.estimate import Bounds, Estimate, Statistic, Undefined, bounds_of
from judgekit.stats.independent import independent_difference, interval_at_tail
from judgekit.stats.ratio import ratio_of_sums

UNKNOWN_SHARE = Bounds(0.0, 1.0)
UNKNOWN_DIFFERENCE = Bounds(-1.0, 1.0)
DEFAULT_MARGIN = 0.05
"""How much worse than the best a cheaper tier may be before it is inferior."""


class Tier(NamedTuple):
    """One choice: what it costs and how good it is.

    `answered` are its trials and `costs` its costs by case; with them tiers are compared on the
    same cases, without them by their intervals alone.
    """

    name: str
    cost_usd: float | None
    quality: Statistic
    n_trials: int
    answered: Answered | None = None
    costs: Mapping[str, float] | None = None


class _Step(NamedTuple):
    """A dearer tier against a cheaper one: by how much its quality is above."""

    cheaper: Tier
    dearer: Tier
    difference: Statistic

    @property
    def low(self) -> float:
        return _bounds(self.difference).low

    @property
    def high(self) -> float:
        return _bounds(self.difference).high

    @property
    def names(self) -> str:
        return f"{self.dearer.name} against {self.cheaper.name}"


def curve(of: str, tiers: Sequence[Tier], *, margin: float = DEFAULT_MARGIN) -> Curve | None:
    """Return cost against quality, cheapest first; None without two tiers of known cost.

    The shape is named where intervals of the difference to the next cheaper tier, or for `flat` to
    the cheapest, support it; each error has at most 2.5 % for all tiers together:

    - `no_model_needed`: every tier was always right, and all lower bounds are within `margin` of 1.
    - `flat`: no tier differs from the cheapest by `margin` or more.
    - `cliff`: a tier is better than the next cheaper one by more than `margin`.
    - `pay_for_nothing`: a tier costs more than the next cheaper one and is not better by `margin`.
    - `unclear`: none of these, or under 10 groups of cases.

    Example:
        >>> from judgekit.stats.estimate import Estimate
        >>> def tier(name, cost, value, low, high):
        ...     share = Estimate(value=value, low=low, high=high, n=100, method="Wilson")
        ...     return Tier(name, cost, share, 100)
        >>> found = curve("all", [tier("small", 1, 0.5, 0.4, 0.6), tier("big", 9, 0.9, 0.8, 0.95)])
        >>> found.shape, found.cheapest
        ('cliff', 'big')
    """
    usable = [
        one for one in tiers if one.cost_usd is not None and bounds_of(one.quality) is not None
    ]
    usable.sort(key=lambda one: (one.cost_usd or 0.0, one.name))
    if len(usable) < 2:
        return None
    shape, sentence = _shape(usable, margin)
    return Curve(
        of=of,
        points=tuple(_point(one, usable) for one in usable),
        shape=shape,
        sentence=sentence,
        margin=margin,
        cheapest=_cheapest(usable, margin),
        left_out=tuple(one.name for one in tiers if one not in usable),
    )


def _value(tier: Tier) -> float:
    return tier.quality.value if isinstance(tier.quality, Estimate) else 0.0


def _point(tier: Tier, tiers: Sequence[Tier]) -> Point:
    value, (low, high) = _value(tier), bounds_of(tier.quality) or UNKNOWN_SHARE
    before = tiers[: tiers.index(tier)]
    return Point(
        name=tier.name,
        cost_usd=tier.cost_usd or 0.0,
        quality=value,
        quality_low=low,
        quality_high=high,
        n_trials=tier.n_trials,
        on_frontier=all(_value(other) < value for other in before),
    )


def _shape(tiers: Sequence[Tier], margin: float) -> tuple[Shape, str]:
    if all(_value(tier) == 1.0 for tier in tiers):
        return _always_right(tiers, margin)
    cheapest = tiers[0]
    against = [_Step(cheapest, tier, _difference(tier, cheapest, TAIL)) for tier in tiers[1:]]
    if all(one.low > -margin and one.high < margin for one in against):
        return "flat", f"no tier differs from {cheapest.name} by {margin:g} or more"
    tail = TAIL / (len(tiers) - 1)
    steps = [_Step(a, b, _difference(b, a, tail)) for a, b in pairwise(tiers)]
    cliffs = [one for one in steps if one.low > margin]
    idle = [one for one in steps if one.high < margin and _costs_more(one, tail)]
    words = [f"{one.names} is better by more than {margin:g}" for one in cliffs]
    words += [
        f"{one.names} costs more and is "
        + ("worse" if one.high < 0 else f"not better by {margin:g}")
        for one in idle
    ]
    if words:
        return ("cliff" if cliffs else "pay_for_nothing"), "; ".join(words)
    return "unclear", _unclear(against)


def _always_right(tiers: Sequence[Tier], margin: float) -> tuple[Shape, str]:
    if all((bounds_of(tier.quality) or UNKNOWN_SHARE).low >= 1 - margin for tier in tiers):
        return "no_model_needed", "every tier was right in every trial: code may do as well"
    return "unclear", (
        "every tier was right in every trial, and these are too few to say that it stays so"
    )


def _unclear(against: Sequence[_Step]) -> str:
    better = [one for one in against if one.low > 0]
    if better:
        return f"{better[-1].names} is better, but where the quality rises cannot be told"
    return "the intervals are too wide to tell the tiers apart, or to say that they are alike"


def _difference(one: Tier, other: Tier, tail: float) -> Statistic:
    """Return one minus other: paired where both tried the same cases, else from their intervals."""
    if one.answered is not None and other.answered is not None:
        found = paired_difference(one.answered, other.answered, tail)
        if isinstance(found, Estimate):
            few = found.status == "few_groups"
            return Undefined(undefined="under 10 groups of cases") if few else found
    apart = independent_difference(one.quality, other.quality)
    return interval_at_tail(apart, tail, known_tail=TAIL)


def _bounds(difference: Statistic) -> Bounds:
    return bounds_of(difference) or UNKNOWN_DIFFERENCE


def _costs_more(step: _Step, tail: float) -> bool:
    mine, its = step.dearer.costs, step.cheaper.costs
    shared = sorted(mine.keys() & its.keys()) if mine and its else []
    if not mine or not its or not shared:
        return (step.dearer.cost_usd or 0.0) > (step.cheaper.cost_usd or 0.0)
    ratio = ratio_of_sums([mine[c] for c in shared], [its[c] for c in shared], tail)
    if not isinstance(ratio, Estimate):
        return (step.dearer.cost_usd or 0.0) > 0
    return ratio.low is not None and ratio.low > 1


def _cheapest(tiers: Sequence[Tier], margin: float) -> str:
    """Return the cheapest tier shown to be within the margin of the best; else the best itself."""
    best = max(tiers, key=_value)
    cheaper = tiers[: tiers.index(best)]
    for tier in cheaper:
        if _bounds(_difference(tier, best, TAIL / len(cheaper))).low > -margin:
            return tier.name
    return best.name
