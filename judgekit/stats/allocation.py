"""Labels drawn by the judge's verdict: how many would decide, and how to divide the next ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pydantic import Field

from judgekit.model.base import Record
from judgekit.stats.estimate import Undefined
from judgekit.stats.planning import POWER, most_errors
from judgekit.stats.registry import statistic

FLOOR = 10
_SHARES = (*(round(0.05 * k, 2) for k in range(2, 20)), 0.98)
_NEGLIGIBLE = 1e-9


class VerdictStrata(Record):
    """The two strata: `pass_share` of the items the judge passes; the human-fail share among
    those and among the ones it fails. All in [0, 1]."""

    pass_share: float = Field(ge=0, le=1)
    fails_among_passes: float = Field(ge=0, le=1)
    fails_among_fails: float = Field(ge=0, le=1)

    @property
    def false_pass_rate(self) -> float | None:
        """Return P(judge pass given human fail), or None where there are no human fails."""
        missed = self.fails_among_passes * self.pass_share
        caught = self.fails_among_fails * (1 - self.pass_share)
        return missed / (missed + caught) if missed + caught > 0 else None


class StratifiedPlan(Record):
    """About the fewest labels on judge passes and on judge fails that decide, and the power."""

    passes: int
    fails: int
    power: float

    @property
    def total(self) -> int:
        """Return the items to label."""
        return self.passes + self.fails


def verdict_strata(
    false_pass_rate: float, false_fail_rate: float, fail_share: float
) -> VerdictStrata:
    """Return the strata of a judge with these error rates where `fail_share` of items are human
    fails.

    Formula: w = f r + (1-f)(1-s); P(fail | judge pass) = f r / w; P(fail | judge fail) =
    f (1-r) / (1-w), 0 where the stratum is empty.
    Source: Bayes' rule.

    Example:
        >>> round(verdict_strata(0.01, 0.1, 0.2).pass_share, 3)
        0.722
    """
    missed, caught = fail_share * false_pass_rate, fail_share * (1 - false_pass_rate)
    share = missed + (1 - fail_share) * (1 - false_fail_rate)
    return VerdictStrata(
        pass_share=share,
        fails_among_passes=min(1.0, missed / share) if share > 0 else 0.0,
        fails_among_fails=min(1.0, caught / (1 - share)) if share < 1 else 0.0,
    )


@statistic("stratified_power", kind="planning", needs=("strata", "limit"))
def stratified_power(
    strata: VerdictStrata, limit: float, *, passes: int, fails: int, alpha: float
) -> float:
    """Return the power to approve a false-pass rate from labels drawn by verdict, in [0, 1].

    Formula: approve where U w / (U w + L (1-w)) <= limit, U the upper Clopper-Pearson bound of
    the human-fail share among `passes` judge passes and L the lower one among `fails` judge
    fails, each at alpha/2; summed exactly over both binomials. w (`pass_share`) counts as known.
    Shapes: labels per stratum, shares in [0, 1]. Undefined: nothing; 0 where a stratum has no
    label. Weakness: always valid, hence wide; independent items only.
    Source: Begg & Greenes 1983, doi 10.2307/2530820, for the rate; Clopper & Pearson 1934 with
    Bonferroni's inequality for the bound.

    Example:
        >>> strata = verdict_strata(0.01, 0.1, 0.2)
        >>> 0.5 < stratified_power(strata, 0.05, passes=600, fails=80, alpha=0.05) < 0.9
        True
    """
    import numpy as np
    from scipy.special import betaincinv
    from scipy.stats import binom

    w = strata.pass_share
    if not passes or not fails or not 0 < w < 1:
        return 0.0
    rate = strata.fails_among_fails
    first, last = binom.ppf((_NEGLIGIBLE, 1 - _NEGLIGIBLE), fails, rate)
    x = np.arange(max(1, first), last + 1)
    low = betaincinv(x, fails - x + 1, alpha / 2)
    ceiling = np.minimum(low * limit * (1 - w) / ((1 - limit) * w), 1.0)
    errors = most_errors(passes, ceiling, alpha / 2)
    approved = binom.cdf(errors, passes, strata.fails_among_passes)
    return float(min(1.0, (binom.pmf(x, fails, rate) * approved).sum()))


@statistic("plan_stratified", kind="planning", needs=("strata", "limit"))
def plan_stratified(
    strata: VerdictStrata, limit: float, *, alpha: float, most: int, power: float = POWER
) -> StratifiedPlan | Undefined:
    """Return about the fewest labels, divided between judge passes and fails, that decide.

    Formula: the least total over shares of judge passes from 0.1 to 0.98 at which
    `stratified_power` reaches `power`, by bisection. Shapes: items. No interval.
    Undefined where the expected rate is not below the limit, where a stratum is empty, or where
    more than `most` items are needed. Weakness: power is a saw-tooth, so the total may be a
    few labels above the least.
    Source: as `stratified_power`.

    Example:
        >>> plan = plan_stratified(verdict_strata(0.0, 0.1, 0.3), 0.1, alpha=0.05, most=2_000)
        >>> plan.passes > plan.fails
        True
    """
    rate = strata.false_pass_rate
    if rate is None or not 0 < strata.pass_share < 1:
        return Undefined(undefined="the judge is expected to give one and the same verdict")
    if rate >= limit:
        return Undefined(undefined=f"the expected rate {rate:g} is not below the limit {limit:g}")
    best: StratifiedPlan | None = None
    for share in _SHARES:
        found = _least_total(strata, limit, share, alpha, power, best.total - 1 if best else most)
        best = found or best
    if best is None:
        return Undefined(undefined=f"more than {most} labels would be needed")
    return best


def _least_total(
    strata: VerdictStrata, limit: float, share: float, alpha: float, power: float, most: int
) -> StratifiedPlan | None:
    def at(total: int) -> StratifiedPlan:
        passes = round(share * total)
        got = stratified_power(strata, limit, passes=passes, fails=total - passes, alpha=alpha)
        return StratifiedPlan(passes=passes, fails=total - passes, power=got)

    low, high = 0, most
    best = at(high) if high > 0 else None
    if best is None or best.power < power:
        return None
    while high - low > 1:
        middle = at((low + high) // 2)
        if middle.power >= power:
            high, best = middle.total, middle
        else:
            low = middle.total
    return best


def rate_spreads(strata: VerdictStrata) -> tuple[float, float]:
    """Return how much one label of each stratum (judge pass, judge fail) tells of the false-pass
    rate F: w_h |dF/dp_h| sqrt(p_h(1-p_h)), up to a common factor.

    Formula: w (1-F) sqrt(a(1-a)) and (1-w) F sqrt(b(1-b)), a and b the human-fail shares.
    Source: Begg & Greenes 1983, doi 10.2307/2530820 (the delta method's variance).

    Example:
        >>> passes, fails = rate_spreads(verdict_strata(0.01, 0.1, 0.2))
        >>> passes > 10 * fails
        True
    """
    rate, w = strata.false_pass_rate or 0.0, strata.pass_share
    a, b = strata.fails_among_passes, strata.fails_among_fails
    return w * (1 - rate) * math.sqrt(a * (1 - a)), (1 - w) * rate * math.sqrt(b * (1 - b))


@statistic("neyman_by_spread", kind="planning", needs=("spreads", "sizes"))
def neyman_allocation(
    spreads: Sequence[float],
    sizes: Sequence[int],
    labelled: Sequence[int],
    more: int,
    *,
    floor: int = FLOOR,
) -> tuple[int, ...]:
    """Return how many of `more` labels each stratum gets.

    Formula: totals (labelled ones included) proportional to `spreads`, each at least
    min(floor, size) and never above the size; rounded by largest remainder. The result sums to
    `more`, or to what is left where that is less. Where `more` does not fill every floor, it is
    divided by what each lacks. Shapes: one number a stratum. Never undefined. No interval.
    Weakness: the spreads are taken as known.
    Source: Neyman 1934, doi 10.2307/2342192.

    Example:
        >>> neyman_allocation((3.0, 1.0), (500, 200), (10, 10), 60)
        (50, 10)
    """
    rows = list(zip(spreads, sizes, labelled, strict=True))
    left = [size - done for _, size, done in rows]
    more = min(more, sum(left))
    lacking = [max(0, min(floor, size) - done) for _, size, done in rows]
    if sum(lacking) >= more:
        part = more / sum(lacking) if sum(lacking) else 0.0
        return _whole([part * one for one in lacking], left, more)
    lows = [done + lack for (_, _, done), lack in zip(rows, lacking, strict=True)]
    totals = _scaled(spreads, lows, sizes, sum(labelled) + more)
    wanted = [total - done for total, done in zip(totals, labelled, strict=True)]
    return _whole(wanted, left, more)


def _scaled(
    spreads: Sequence[float], lows: Sequence[int], highs: Sequence[int], total: int
) -> list[float]:
    def at(scale: float) -> list[float]:
        rows = zip(spreads, lows, highs, strict=True)
        return [min(float(high), max(float(low), scale * s)) for s, low, high in rows]

    low, high = 0.0, 1.0
    while sum(at(high)) < total and high < 1e18:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(at(middle)) < total else (low, middle)
    return at(high)


def _whole(wanted: Sequence[float], left: Sequence[int], more: int) -> tuple[int, ...]:
    counts = [min(int(w + 1e-9), most) for w, most in zip(wanted, left, strict=True)]
    order = sorted(range(len(counts)), key=lambda h: (counts[h] - wanted[h], h))
    while sum(counts) < more:
        for h in order:
            if sum(counts) < more and counts[h] < left[h]:
                counts[h] += 1
    return tuple(counts)


@statistic("worth_at_random", kind="planning", needs=("spreads", "sizes"))
def worth_at_random(
    spreads: Sequence[float],
    sizes: Sequence[int],
    labelled: Sequence[int],
    new: Sequence[int],
) -> float | Undefined:
    """Return how many further labels drawn at random would tell as much as the `new` ones.

    Formula: the m that solves sum s_h^2/(n_h + m R_h) = sum s_h^2/(n_h + new_h), R_h the share of
    stratum h among the items not labelled yet. Shapes: one number a stratum; unit: labels. Less
    than the sum of `new` means that random labels would have been better. Undefined where a
    stratum would stay without a label, where every item is labelled, or where no spread is above
    0.
    Weakness: by variance; the bound of a stratified sample, which spends its error on two
    strata, may cost more than this gains.
    Source: Cochran 1977, Sampling Techniques, sections 5.5 and 5A.

    Example:
        >>> worth_at_random((1.0, 1.0), (500, 500), (0, 0), (50, 50))
        100.0
    """
    rest = [size - done for size, done in zip(sizes, labelled, strict=True)]
    after = [done + got for done, got in zip(labelled, new, strict=True)]
    if not sum(rest):
        return Undefined(undefined="every item is labelled already")
    if not any(spreads):
        return Undefined(undefined="no label of these strata bears on the aim")
    if any(n == 0 and s > 0 for n, s in zip(after, spreads, strict=True)):
        return Undefined(undefined="a stratum stays without a label")
    shares = [one / sum(rest) for one in rest]

    def at_random(m: float) -> float:
        drawn = [done + m * share for done, share in zip(labelled, shares, strict=True)]
        return _variance(spreads, drawn)

    return round(_least_labels(at_random, _variance(spreads, after)), 6)


def _variance(spreads: Sequence[float], counts: Sequence[float]) -> float:
    rows = zip(spreads, counts, strict=True)
    return sum(s * s / n if n > 0 else math.inf for s, n in rows if s > 0)


def _least_labels(variance: Callable[[float], float], target: float) -> float:
    """Return the least number of labels whose (falling) variance is at most the target."""
    low, high = 0.0, 1.0
    while variance(high) > target * (1 + 1e-12):
        high *= 2  # ends: every stratum with new labels still has items to draw from
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if variance(middle) <= target else (middle, high)
    return high


def smoothed_rate(x: int, n: int) -> float:
    """Return (x + 0.5)/(n + 1): never 0 or 1, and 0.5 without data.

    Source: Krichevsky & Trofimov 1981, doi 10.1109/TIT.1981.1056331.

    Example:
        >>> smoothed_rate(0, 9)
        0.05
    """
    return (x + 0.5) / (n + 1)
