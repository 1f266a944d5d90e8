"""How many labels would decide."""

from __future__ import annotations

import math
from typing import Any

from judgekit.model.base import Record
from judgekit.stats.agreement import cohen_kappa
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Undefined
from judgekit.stats.intervals import clopper_pearson
from judgekit.stats.registry import statistic

POWER = 0.8
ASSURANCE = 0.9
_MOST_ITEMS = 1e12
LARGEST_N = 200_000


class LabelPlan(Record):
    """Sizes with the power asked for: `n_first` the smallest, `n_stable` the smallest such that
    every larger one has it too; with the most errors still approved and the exact power there."""

    n_first: int
    max_errors_first: int
    power_first: float
    n_stable: int
    max_errors_stable: int
    power_stable: float


class LeastLabels(Record):
    """The least n at which some errors are still approved, the upper bound there and one label
    earlier, and what the rule of three would say (no errors only)."""

    min_n: int
    upper_at_min_n: float
    upper_at_min_n_minus_1: float
    rule_of_three_n: int | None


class PowerPoint(Record):
    """One point of a power curve: n labels, the most errors approved (-1: none) and the power."""

    n: int
    max_errors: int
    power: float


def least_n_without_errors(limit: float, alpha: float) -> int:
    """Return the least n at which 0 errors have an upper Clopper-Pearson bound <= limit.

    Formula: ceil(ln(alpha) / ln(1 - limit)); `limit` and `alpha` in (0, 1).
    Source: Hanley & Lippman-Hand 1983, doi 10.1001/jama.1983.03330370053031 (there: 3/limit).

    Example:
        >>> least_n_without_errors(0.05, 0.05)
        59
    """
    return max(1, math.ceil(math.log(alpha) / math.log1p(-limit) - 1e-9))


@statistic("least_labels", kind="planning", needs=("limit",))
def least_labels(limit: float, *, alpha: float, errors: int = 0) -> LeastLabels:
    """Return the least number of labels of a class that approves with `errors` errors.

    Formula: the least n with P(Bin(n, limit) <= errors) <= alpha, which is the least n whose
    one-sided Clopper-Pearson upper bound at `alpha` is at most `limit`. Shapes: `limit` and
    `alpha` in (0, 1), `errors` >= 0; the unit is labels of one class (human fails for false
    passes), drawn independently. Never undefined. Weakness: says nothing of how probable
    so few errors are (see `plan_labels`).
    Source: Clopper & Pearson 1934, doi 10.1093/biomet/26.4.404; rule of three: Hanley &
    Lippman-Hand 1983, doi 10.1001/jama.1983.03330370053031.

    Example:
        >>> [least_labels(0.05, alpha=0.05, errors=e).min_n for e in range(4)]
        [59, 93, 124, 153]
    """
    n = _least_n(limit, alpha, errors)
    return LeastLabels(
        min_n=n,
        upper_at_min_n=clopper_pearson(errors, n, alpha).high,
        upper_at_min_n_minus_1=clopper_pearson(errors, n - 1, alpha).high,
        rule_of_three_n=math.ceil(3 / limit - 1e-9) if errors == 0 else None,
    )


def _least_n(limit: float, alpha: float, errors: int) -> int:
    if errors == 0:
        return least_n_without_errors(limit, alpha)
    low, high = errors, 2 * errors + 2
    while most_errors(high, limit, alpha) < errors:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if most_errors(middle, limit, alpha) >= errors:
            high = middle
        else:
            low = middle
    return high


def most_errors(n: Any, limit: Any, alpha: float) -> Any:
    """Return the largest number of errors still approved, -1 where none is; vectorised."""
    import numpy as np
    from scipy.stats import binom

    guess = binom.ppf(alpha, n, limit)
    return np.where(binom.cdf(guess, n, limit) <= alpha, guess, guess - 1)


@statistic("plan_labels", kind="planning", needs=("expected_rate", "limit"))
def plan_labels(
    expected_rate: float, limit: float, *, alpha: float, power: float = POWER
) -> LabelPlan | Undefined:
    """Return how many labels of the class decide, or why none would.

    Formula: exact power P(Bin(n, rate) <= c(n)), c(n) the most errors still approved by the
    one-sided Clopper-Pearson bound at `alpha`. Power is a saw-tooth in n, so both ends are
    reported. Shapes: labels of one class (human fails for false passes); all arguments lie
    in (0, 1), `expected_rate` may be 0. Undefined where the expected rate is not below the limit
    (nothing is searched) or where more labels are needed than the search covers. Weakness: exact
    for independent items only; groups are to be allowed for by a design effect.
    Source: Chernick & Liu 2002, The American Statistician 56:149 (the saw-tooth).

    Example:
        >>> plan_labels(0.01, 0.05, alpha=0.05).n_first
        124
    """
    if expected_rate >= limit:
        reason = f"the expected rate {expected_rate:g} is not below the limit {limit:g}"
        return Undefined(undefined=reason)
    size = 1_024
    while size <= LARGEST_N:
        plan = _search(expected_rate, limit, alpha, power, size)
        if plan is not None:
            return plan
        size *= 4
    reason = (
        f"more than {LARGEST_N // 4:,} labels: the expected rate {expected_rate:g} is too near "
        f"the limit {limit:g}, or the limit too near 0"
    )
    return Undefined(undefined=reason)


def _search(rate: float, limit: float, alpha: float, power: float, size: int) -> LabelPlan | None:
    import numpy as np
    from scipy.stats import binom

    n = np.arange(1, size + 1)
    errors = most_errors(n, limit, alpha)
    reached = binom.cdf(errors, n, rate) >= power
    if not reached[size // 2 :].all():
        return None
    missed = np.flatnonzero(~reached)
    first = int(reached.argmax())
    stable = int(missed[-1]) + 1 if len(missed) else 0
    return LabelPlan(
        n_first=first + 1,
        max_errors_first=int(errors[first]),
        power_first=float(binom.cdf(errors[first], first + 1, rate)),
        n_stable=stable + 1,
        max_errors_stable=int(errors[stable]),
        power_stable=float(binom.cdf(errors[stable], stable + 1, rate)),
    )


@statistic("power_curve", kind="planning", needs=("expected_rate", "limit"))
def power_curve(
    expected_rate: float, limit: float, *, alpha: float, until: int
) -> tuple[PowerPoint, ...]:
    """Return the power at every tooth of the saw: each n where one more error is approved, the n
    before it, and the last n, `until`.

    Formula: power P(Bin(n, rate) <= c(n)) as in `plan_labels`; between two points it only falls.
    Shapes: `until` in labels of one class. Undefined: nothing; empty where `until` is below 1. No
    interval, the power is exact. Weakness: for independent items only.
    Source: Chernick & Liu 2002, The American Statistician 56:149.

    Example:
        >>> [(p.n, p.max_errors) for p in power_curve(0.01, 0.05, alpha=0.05, until=60)]
        [(1, -1), (58, -1), (59, 0), (60, 0)]
    """
    import numpy as np
    from scipy.stats import binom

    n = np.arange(1, until + 1)
    if not n.size:
        return ()
    errors = most_errors(n, limit, alpha)
    rises = np.flatnonzero(np.diff(errors)) + 1
    kept = np.unique(np.concatenate(([0, until - 1], rises, rises - 1)))
    powers = binom.cdf(errors[kept], n[kept], expected_rate)
    points = zip(n[kept], errors[kept], powers, strict=True)
    return tuple(PowerPoint(n=int(a), max_errors=int(b), power=float(p)) for a, b, p in points)


@statistic("assured_items", kind="planning", needs=("wanted", "share"))
def assured_items(wanted: int, share: float, *, assurance: float = ASSURANCE) -> int:
    """Return how many items to label so that, with probability `assurance`, at least `wanted` of
    them are of a class that has the share `share`.

    Formula: wanted + the `assurance` quantile of the negative binomial number of items of the
    other class seen before the wanted-th one, found by bisection of the regularised incomplete
    beta function. Shapes: `wanted` from 0 up, `share` in (0, 1], `assurance` in
    (0, 1), unit items. Never undefined. No interval, a quantile is one bound.
    Weakness: takes `share` as known and items as drawn independently.
    Source: Johnson, Kemp & Kotz 2005, Univariate Discrete Distributions, ch. 5,
    doi 10.1002/0471715816.

    Example:
        >>> assured_items(59, 0.2)
        340
    """
    from scipy.special import betainc

    if not wanted or share >= 1:
        return wanted
    if wanted / share > _MOST_ITEMS:
        raise ValueError(f"wanted must be reached within {_MOST_ITEMS:.0e} items, got {wanted}")
    low, high = wanted - 1, 2 * wanted
    while betainc(wanted, high - wanted + 1, share) < assurance:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if betainc(wanted, middle - wanted + 1, share) < assurance:
            low = middle
        else:
            high = middle
    return high


def plan_kappa(
    confusion: Confusion, limit: float, *, alpha: float, power: float = POWER
) -> int | Undefined:
    """Return about how many items put the lower bound of kappa at the limit or above.

    Normal approximation from the Fleiss-Cohen-Everitt error of the table with half an item in
    each cell: ((z_alpha + z_power) sd / (kappa - limit))^2.
    """
    from scipy.special import ndtri

    doubled = tuple(tuple(2 * cell + 1 for cell in row) for row in confusion.rows)
    smooth = cohen_kappa(Confusion(labels=confusion.labels, rows=doubled))
    value = smooth.value or 0.0
    if value <= limit:
        return Undefined(undefined=f"the expected kappa {value:.3f} is not above {limit:g}")
    spread = (smooth.se or 0.0) * math.sqrt(smooth.n)
    z = float(ndtri(1 - alpha) + ndtri(power))
    return math.ceil((z * spread / (value - limit)) ** 2)
