"""How many labels would decide."""

from __future__ import annotations

import math
from typing import Any

from judgekit.model.base import Record
from judgekit.stats.agreement import cohen_kappa
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Undefined

POWER = 0.8
LARGEST_N = 200_000


class LabelPlan(Record):
    """`n_first`: the smallest n with the power; `n_stable`: every larger n has it too."""

    n_first: int
    n_stable: int


def least_n_without_errors(limit: float, alpha: float) -> int:
    """Return the least n at which 0 errors have an upper Clopper-Pearson bound <= limit.

    Example:
        >>> least_n_without_errors(0.05, 0.05)
        59
    """
    return math.ceil(math.log(alpha) / math.log1p(-limit) - 1e-9)


def most_errors(n: Any, limit: float, alpha: float) -> Any:
    """Return the largest number of errors still approved, -1 where none is; vectorised over n."""
    import numpy as np
    from scipy.stats import binom

    guess = binom.ppf(alpha, n, limit)
    return np.where(binom.cdf(guess, n, limit) <= alpha, guess, guess - 1)


def plan_labels(
    expected_rate: float, limit: float, *, alpha: float, power: float = POWER
) -> LabelPlan | Undefined:
    """Return how many items of the class decide, or why none would.

    Exact power P(Bin(n, rate) <= c(n)), c(n) the most errors still approved by the one-sided
    Clopper-Pearson bound. Power is a saw-tooth, so both ends are reported.

    Example:
        >>> plan_labels(0.01, 0.05, alpha=0.05).n_first
        124
    """
    if expected_rate >= limit:
        reason = f"the expected rate {expected_rate:.3f} is not below the limit {limit:g}"
        return Undefined(undefined=reason)
    size = 1_024
    while size <= LARGEST_N:
        plan = _search(expected_rate, limit, alpha, power, size)
        if plan is not None:
            return plan
        size *= 4
    reason = f"more than {LARGEST_N // 4} labels: {expected_rate:.3f} is too near {limit:g}"
    return Undefined(undefined=reason)


def _search(rate: float, limit: float, alpha: float, power: float, size: int) -> LabelPlan | None:
    import numpy as np
    from scipy.stats import binom

    n = np.arange(1, size + 1)
    reached = binom.cdf(most_errors(n, limit, alpha), n, rate) >= power
    if not reached[size // 2 :].all():
        return None
    missed = np.flatnonzero(~reached)
    return LabelPlan(
        n_first=int(n[reached.argmax()]), n_stable=int(missed[-1]) + 2 if len(missed) else 1
    )


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
