"""Which tier of model a case, or a step, is worth: cost against quality, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from judgekit.process.process_records import Configuration, Curve, Point, Routing
from judgekit.stats.estimate import Estimate, Statistic

DEFAULT_MARGIN = 0.05
"""How much worse than the best a cheaper tier may be before it is inferior."""
Shape = Literal["flat", "cliff", "pay_for_nothing", "unclear", "no_model_needed"]


class Tier(NamedTuple):
    """One choice: what it costs and how good it is."""

    name: str
    cost_usd: float | None
    quality: Statistic
    n_trials: int


class _Seen(NamedTuple):
    name: str
    value: float
    low: float
    high: float


def routing(
    configurations: Sequence[Configuration],
    steps: Mapping[str, Sequence[Tier]] | None = None,
    *,
    margin: float = DEFAULT_MARGIN,
) -> Routing | None:
    """Return the curves over configurations and over steps; None without two tiers."""
    overall = curve("all cases", [_tier(one) for one in configurations], margin=margin)
    found = [curve(step, tiers, margin=margin) for step, tiers in (steps or {}).items()]
    kept = tuple(one for one in found if one is not None)
    if overall is None and not kept:
        return None
    return Routing(
        overall=overall,
        steps=kept,
        escalation=_escalation(configurations),
        expected_cost_usd=_expected(steps or {}, kept),
    )


def curve(of: str, tiers: Sequence[Tier], *, margin: float = DEFAULT_MARGIN) -> Curve | None:
    """Return cost against quality, cheapest first; None without two tiers of known cost.

    Example:
        >>> from judgekit.stats.estimate import Estimate
        >>> def tier(name, cost, value, low, high):
        ...     share = Estimate(value=value, low=low, high=high, n=100, method="Wilson")
        ...     return Tier(name, cost, share, 100)
        >>> found = curve("all", [tier("small", 1, 0.5, 0.4, 0.6), tier("big", 9, 0.9, 0.8, 1.0)])
        >>> found.shape, found.cheapest
        ('cliff', 'big')
    """
    usable = [one for one in tiers if one.cost_usd is not None and _bounds(one) is not None]
    usable.sort(key=lambda one: (one.cost_usd or 0.0, one.name))
    if len(usable) < 2:
        return None
    shape, sentence = _shape(usable)
    return Curve(
        of=of,
        points=tuple(_point(one, usable) for one in usable),
        shape=shape,
        sentence=sentence,
        margin=margin,
        cheapest=_cheapest(usable, margin),
    )


def _tier(one: Configuration) -> Tier:
    return Tier(one.name, one.cost.mean_usd, one.repeat.pass_at_1, one.repeat.n_trials)


def _bounds(tier: Tier) -> tuple[float, float, float] | None:
    found = tier.quality
    if not isinstance(found, Estimate) or found.low is None or found.high is None:
        return None
    return found.value, found.low, found.high


def _point(tier: Tier, tiers: Sequence[Tier]) -> Point:
    value, low, high = _bounds(tier) or (0.0, 0.0, 1.0)
    cheaper_as_good = any(
        (other.cost_usd or 0.0) <= (tier.cost_usd or 0.0)
        and other is not tier
        and (_bounds(other) or (0.0,))[0] >= value
        for other in tiers
    )
    return Point(
        name=tier.name,
        cost_usd=tier.cost_usd or 0.0,
        quality=value,
        quality_low=low,
        quality_high=high,
        n_trials=tier.n_trials,
        on_frontier=not cheaper_as_good,
    )


def _shape(tiers: Sequence[Tier]) -> tuple[Shape, str]:
    """Name the shape only where intervals support it: they must not overlap."""
    rows = [_Seen(one.name, *(_bounds(one) or (0.0, 0.0, 1.0))) for one in tiers]
    if all(row.value == 1.0 for row in rows):
        return "no_model_needed", "every tier is right throughout: no model is needed to tell them"
    for cheaper, dearer in combinations(rows, 2):
        if dearer.high < cheaper.low:
            words = f"{dearer.name} costs more than {cheaper.name} and is worse"
            return "pay_for_nothing", words
    for cheaper, dearer in pairwise(rows):
        if dearer.low > cheaper.high:
            return "cliff", f"{dearer.name} is better than {cheaper.name}, which is cheaper"
    widest = max(row.high - row.low for row in rows)
    if widest <= 2 * DEFAULT_MARGIN:
        return "flat", "no tier can be told from the cheapest, and the intervals are narrow"
    return "unclear", "the intervals are too wide to tell the tiers apart"


def _cheapest(tiers: Sequence[Tier], margin: float) -> str | None:
    """Return the cheapest tier whose lower bound is within the margin of the best tier's value."""
    best = max((_bounds(one) or (0.0,))[0] for one in tiers)
    for one in tiers:
        value, low, _ = _bounds(one) or (0.0, 0.0, 1.0)
        if low >= best - margin or value == best == 1.0:
            return one.name
    return next((one.name for one in reversed(tiers) if (_bounds(one) or (0.0,))[0] == best), None)


def _escalation(configurations: Sequence[Configuration]) -> tuple[str, ...]:
    """Return the signals after which a cheap tier's trial is most often wrong."""
    lines = []
    for one in configurations:
        for row in one.score.faults:
            if row.severity == "suspicion" and isinstance(row.trials, Estimate):
                lines.append(
                    f"{one.name}: {row.kind} occurs in {row.trials.value:.0%} of trials; "
                    "escalate those and look"
                )
    return tuple(lines)


def _expected(steps: Mapping[str, Sequence[Tier]], curves: Sequence[Curve]) -> Statistic | None:
    """Return the cost of a process whose steps each use their cheapest tier that is good enough."""
    total = 0.0
    n = 0
    for one in curves:
        chosen = next((tier for tier in steps[one.of] if tier.name == one.cheapest), None)
        if chosen is None or chosen.cost_usd is None:
            return None
        total += chosen.cost_usd
        n = max(n, chosen.n_trials)
    return Estimate(value=total, n=n, method="sum over steps") if curves else None
