"""List prices beside measured costs: where the list says another model is cheaper than it is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from judgekit.model.verdict import Usage
from judgekit.process.cost_report import Prices, costs_by_case
from judgekit.process.differences import grouped_ratio
from judgekit.process.process_records import PricePair
from judgekit.process.scored_set import ScoredSet
from judgekit.stats.estimate import Statistic, Undefined, bounds_of

PROBE = Usage(input_tokens=8_000, output_tokens=2_000)
"""The mix of tokens at which list prices are compared: too few for the price of long prompts."""


def price_pairs(sets: Sequence[ScoredSet], prices: Prices) -> tuple[PricePair, ...]:
    """Return the listed and the measured ratio of each two configurations with a list price."""
    found = (_pair(one, other, prices) for one, other in combinations(sets, 2))
    return tuple(pair for pair in found if pair.listed_ratio is not None)


def _pair(one: ScoredSet, other: ScoredSet, prices: Prices) -> PricePair:
    first, second = _list_price(one, prices), _list_price(other, prices)
    listed = None if first is None or not second else first / second
    measured = cost_ratio(one, other)
    return PricePair(
        first=one.name,
        second=other.name,
        listed_ratio=listed,
        measured=measured,
        inverted=_inverted(listed, measured),
    )


def cost_ratio(one: ScoredSet, other: ScoredSet) -> Statistic:
    """Return what one spends against the other, on the cases whose cost is known on both sides."""
    mine, its = costs_by_case(one.trials), costs_by_case(other.trials)
    shared = sorted(mine.keys() & its.keys())
    if not shared:
        return Undefined(undefined="no case has a known cost on both sides")
    return grouped_ratio({case: mine[case] for case in shared}, its, one.groups)


def _inverted(listed: float | None, measured: Statistic) -> bool:
    bounds = bounds_of(measured)
    if listed is None or bounds is None:
        return False
    return (listed > 1 and bounds.high < 1) or (listed < 1 and bounds.low > 1)


def _list_price(one: ScoredSet, prices: Prices) -> float | None:
    """Return the list price of a fixed mix of tokens for the one model of the agent's calls."""
    calls = [call for trial in one.trials for call in trial.model_calls or ()]
    models = {(c.model, c.provider or "") for c in calls if c.role == "agent" and c.model}
    if len(models) != 1:
        return None
    model, provider = models.pop()
    price = prices(model or "", provider)
    return None if price is None else price(PROBE)
