"""What a correct case costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.ratio import ratio_error
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np

DRAWS = 10_000
MOST_DISTINCT = 2_000
"""Above this many distinct (cost, correct) pairs the interval is the linearised one."""
Rows = list[tuple[float, float]]


class Cost(Record):
    """Costs of cases, in the unit given; every field is None without a case."""

    n: int
    n_missing: int
    median: float | None = None
    p95: float | None = None
    mean: float | None = None
    fraction_correct: float | None = None
    per_correct: Statistic
    se: float | None = None
    undefined_share: float | None = None


@statistic("cost_per_correct", kind="cost", needs=("cost", "correct"), laws=("item_order",))
def cost_per_correct(
    cost: Sequence[float | None],
    correct: Sequence[float | bool | None],
    *,
    tail: float = 0.025,
    rng: np.random.Generator | None = None,
) -> Cost:
    """Return the cost of a fully correct case: all money spent over the number of correct cases.

    Formula: r = sum a_i/sum b_i; se = sqrt(sum (a_i - r b_i)^2/(n(n-1)))/bbar (linearised); the
    quantiles are type 7.
    Shapes: (n,) each; a case with either value missing is left out and counted. `correct` is 0/1,
    costs are in one unit, at least 0. Undefined ("infinite") when no case is correct; `se` also
    with one case.
    Interval: t on the linearised error, or with `rng` the percentile bootstrap of whole cases with
    the ratio taken inside, resamples without a correct case left out and counted in
    `undefined_share`. Weakness: both are too short for a skewed cost with few correct cases.
    Source: Cochran 1977, Sampling Techniques, 3rd edition, section 6.

    Example:
        >>> found = cost_per_correct([0.01, 0.02, 0.03, 0.04], [1, 0, 1, 1])
        >>> round(found.per_correct.value, 6), round(found.se, 6)
        (0.033333, 0.012172)
    """
    rows = _known(cost, correct)
    missing = len(cost) - len(rows)
    if not rows:
        return Cost(n=0, n_missing=missing, per_correct=Undefined(undefined="no case has a cost"))
    return _cost_of(rows, missing, tail, rng)


def _cost_of(rows: Rows, missing: int, tail: float, rng: np.random.Generator | None) -> Cost:
    import numpy as np

    n, costs = len(rows), np.array([a for a, _ in rows])
    share = math.fsum(b for _, b in rows) / n
    estimate, se, lost = _ratio_estimate(rows, float(costs.mean()), share, tail, rng)
    return Cost(
        n=n,
        n_missing=missing,
        median=float(np.quantile(costs, 0.5)),
        p95=float(np.quantile(costs, 0.95)),
        mean=float(costs.mean()),
        fraction_correct=share,
        per_correct=estimate,
        se=se,
        undefined_share=lost,
    )


def _known(cost: Sequence[float | None], correct: Sequence[float | bool | None]) -> Rows:
    """Return the cases of which both values are known; NaN is missing as well."""
    pairs = zip(cost, correct, strict=True)
    rows = [(float(a), float(b)) for a, b in pairs if a is not None and b is not None]
    return [(a, b) for a, b in rows if not (math.isnan(a) or math.isnan(b))]


def _ratio_estimate(
    rows: Rows, mean: float, share: float, tail: float, rng: np.random.Generator | None
) -> tuple[Statistic, float | None, float | None]:
    from scipy.stats import t

    n, method = len(rows), "ratio of sums"
    if share == 0:
        return Undefined(undefined="no case was fully correct", n=n), None, None
    value = mean / share
    if n < 2:
        return Estimate(value=value, n=n, method=method, status="one_case"), None, None
    se = ratio_error([a for a, _ in rows], [b for _, b in rows], value)
    if se <= 1e-12 * value:
        return Estimate(value=value, n=n, method=method, status="no_variance"), se, None
    distinct = Counter(rows)
    if rng is not None and len(distinct) <= MOST_DISTINCT:
        low, high, lost = _bootstrap(distinct, tail, rng)
        bounds = {"low": min(low, value), "high": max(high, value)}
        method = f"{method}, bootstrap of cases"
        return Estimate(value=value, n=n, method=method, **bounds), se, lost
    half = float(t.ppf(1 - tail, n - 1)) * se
    low, high, method = max(0.0, value - half), value + half, f"{method}, linearised t"
    return Estimate(value=value, low=low, high=high, n=n, method=method), se, None


def _bootstrap(
    distinct: Counter[tuple[float, float]], tail: float, rng: np.random.Generator
) -> tuple[float, float, float]:
    import numpy as np

    kept = sorted(distinct)
    counts = np.array([distinct[row] for row in kept], dtype=float)
    draws = DRAWS if len(kept) <= MOST_DISTINCT // 2 else DRAWS // 2
    drawn = rng.multinomial(int(counts.sum()), counts / counts.sum(), size=draws)
    spent, right = (drawn @ np.array([row[i] for row in kept]) for i in (0, 1))
    usable = right > 0
    low, high = np.quantile(spent[usable] / right[usable], [tail, 1 - tail])
    return float(low), float(high), float(1 - usable.mean())
