"""How many labels would decide where they come in groups whose errors go together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from judgekit.model.base import Record
from judgekit.stats.estimate import Undefined
from judgekit.stats.intervals import DEFAULT_ICC, LEAST_GROUPS
from judgekit.stats.planning import POWER, LabelPlan, PowerPoint, least_labels
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LARGEST_LABELS = 50_000
_FIRST_GROUPS = 32


class GroupedPlan(Record):
    """The sizes in labels, and the power at every number of groups that was looked at."""

    plan: LabelPlan
    curve: tuple[PowerPoint, ...]


def assumed_effect(group_size: float, rho: float) -> float:
    """Return 1 + (group_size - 1) max(rho, 0.3), the design effect that the decision applies
    while few groups hold an error.

    Source: Kish 1965, Survey Sampling, section 5.4.

    Example:
        >>> assumed_effect(5, 0.1)
        2.2
    """
    return 1 + (group_size - 1) * max(rho, DEFAULT_ICC)


def approves(errors: int, labels: float, limit: float, *, effect: float, alpha: float) -> bool:
    """Tell whether the Clopper-Pearson bound on counts divided by `effect` keeps the limit.

    Source: Korn & Graubard 1998, Survey Methodology 24:193 (effective counts).

    Example:
        >>> approves(0, 130, 0.05, effect=2.2, alpha=0.05)
        True
    """
    from scipy.special import betaincc

    x, n = errors / effect, labels / effect
    return x < n and float(betaincc(x + 1, n - x, limit)) <= alpha + 1e-12


@statistic("least_grouped_labels", kind="planning", needs=("limit", "group_size"))
def least_grouped_labels(
    limit: float, group_size: float, *, rho: float, alpha: float, errors: int = 0
) -> int:
    """Return the least number of labels in groups that approves with `errors` errors.

    Formula: the least M, in at least 10 groups, at which the Clopper-Pearson bound of
    errors/deff among M/deff is at most `limit`; deff = 1 + (group_size-1) max(rho, 0.3).
    Shapes: `group_size` the mean number of labels of the class in a group, `rho` in [0, 1]. Never
    undefined. Weakness: where the errors lie in few groups, the decision may apply a larger
    design effect.
    Source: Korn & Graubard 1998, Survey Methodology 24:193; Kish 1965, Survey Sampling.

    Example:
        >>> least_grouped_labels(0.05, 5, rho=0.3, alpha=0.05)
        129
    """
    effect = assumed_effect(group_size, rho)
    high = math.ceil(least_labels(limit, alpha=alpha, errors=errors).min_n * effect)
    low = errors
    while high - low > 1:
        middle = (low + high) // 2
        if approves(errors, middle, limit, effect=effect, alpha=alpha):
            high = middle
        else:
            low = middle
    return max(high, math.ceil(LEAST_GROUPS * group_size))


@statistic("plan_grouped_labels", kind="planning", needs=("expected_rate", "limit", "group_size"))
def plan_grouped_labels(
    expected_rate: float,
    limit: float,
    group_size: float,
    *,
    rho: float,
    alpha: float,
    power: float = POWER,
) -> GroupedPlan | Undefined:
    """Return how many labels in groups decide, or why none would.

    Formula: the errors of a group are beta-binomial with mean `expected_rate` and intraclass
    correlation `rho`, groups independent; power(G) = P(errors <= c(G)), summed exactly by
    convolution; c(G) the most errors approved by the Clopper-Pearson bound on counts divided by
    1 + (group_size-1) max(rho, 0.3), none under 10 groups. A fractional `group_size` is a mixture
    of the two integers around it. Shapes: labels of one class. Undefined where the expected rate is
    not below the limit (nothing is searched) or where more than 50,000 labels are needed.
    Weakness: the decision estimates the design effect from the labels. Simulated with that
    estimate (limits 5 to 20 %, groups of 2, 5 and 10, power about 0.8 to 0.88), power was 0.02 to
    0.18 lower at `rho` 0.3, and between 0.04 lower and 0.13 higher at 0.1.
    Source: Williams 1975, doi 10.2307/2529820 (beta-binomial); Korn & Graubard 1998.

    Example:
        >>> found = plan_grouped_labels(0.0, 0.05, 5, rho=0.3, alpha=0.05)
        >>> found.plan.n_first
        130
    """
    if expected_rate >= limit:
        reason = f"the expected rate {expected_rate:g} is not below the limit {limit:g}"
        return Undefined(undefined=reason)
    groups = _FIRST_GROUPS
    while groups * group_size <= 2 * LARGEST_LABELS:
        curve = grouped_curve(expected_rate, limit, group_size, rho=rho, alpha=alpha, groups=groups)
        plan = _plan_of(curve, power)
        if plan is not None:
            return GroupedPlan(plan=plan, curve=curve)
        groups *= 2
    near = f"the expected rate {expected_rate:g} is too near the limit {limit:g}"
    return Undefined(undefined=f"more than {LARGEST_LABELS:,} labels: {near}, or groups too large")


def grouped_power(
    expected_rate: float, group_size: float, *, rho: float, groups: int, errors: int
) -> float:
    """Return P(at most `errors` errors in `groups` groups), errors beta-binomial in each.

    Source: Williams 1975, doi 10.2307/2529820.

    Example:
        >>> round(grouped_power(0.01, 5, rho=0.0, groups=20, errors=1), 4)  # Bin(100, 0.01)
        0.7358
    """
    import numpy as np

    power = _group_errors(expected_rate, group_size, rho)[: errors + 1]
    total = np.ones(1)
    while groups:
        if groups % 2:
            total = np.convolve(total, power)[: errors + 1]
        power = np.convolve(power, power)[: errors + 1]
        groups //= 2
    return min(1.0, float(total.sum()))


def _plan_of(curve: tuple[PowerPoint, ...], power: float) -> LabelPlan | None:
    reached = [point.power >= power for point in curve]
    if not all(reached[len(curve) // 2 :]):
        return None
    stable = curve[len(reached) - 1 - reached[::-1].index(False) + 1 if False in reached else 0]
    first = curve[reached.index(True)]
    return LabelPlan(
        n_first=first.n,
        max_errors_first=first.max_errors,
        power_first=first.power,
        n_stable=stable.n,
        max_errors_stable=stable.max_errors,
        power_stable=stable.power,
    )


def grouped_curve(
    expected_rate: float,
    limit: float,
    group_size: float,
    *,
    rho: float,
    alpha: float,
    groups: int,
) -> tuple[PowerPoint, ...]:
    """Return the power at 1, 2, ... `groups` groups (formula and source: `plan_grouped_labels`).

    Example:
        >>> grouped_curve(0.0, 0.5, 2, rho=0.3, alpha=0.05, groups=10)[-1].power
        1.0
    """
    effect = assumed_effect(group_size, rho)
    sizes = [math.ceil(count * group_size - 1e-9) for count in range(1, groups + 1)]
    allowed = _allowed(sizes, limit, effect, alpha)
    powers = _powers(_group_errors(expected_rate, group_size, rho), allowed)
    return tuple(
        PowerPoint(n=n, max_errors=most, power=got)
        for n, most, got in zip(sizes, allowed, powers, strict=True)
    )


def _allowed(sizes: list[int], limit: float, effect: float, alpha: float) -> list[int]:
    most, found = -1, []
    for groups, labels in enumerate(sizes, 1):
        while approves(most + 1, labels, limit, effect=effect, alpha=alpha):
            most += 1
        found.append(most if groups >= LEAST_GROUPS else -1)
    return found


def _powers(one: Floats, allowed: list[int]) -> list[float]:
    import numpy as np

    keep = max(allowed) + 1
    total, found = np.ones(1), []
    for most in allowed:
        total = np.convolve(total, one)[: max(keep, 1)]
        found.append(min(1.0, float(total[: most + 1].sum())) if most >= 0 else 0.0)
    return found


def _group_errors(rate: float, size: float, rho: float) -> Floats:
    """Return P(0, 1, ... errors in one group); a fractional size is a mixture of two."""
    import numpy as np

    small = math.floor(size)
    part, longest = size - small, math.ceil(size)
    mixed = np.zeros(longest + 1)
    for labels, weight in ((small, 1 - part), (longest, part)):
        mixed[: labels + 1] += weight * _beta_binomial(labels, rate, rho)
    return mixed


def _beta_binomial(labels: int, rate: float, rho: float) -> Any:
    import numpy as np
    from scipy.stats import betabinom, binom

    x = np.arange(labels + 1)
    if rate in (0.0, 1.0) or rho == 0:
        return binom.pmf(x, labels, rate)
    if rho == 1:
        return np.where(x == labels, rate, np.where(x == 0, 1 - rate, 0.0))
    spread = (1 - rho) / rho
    return betabinom.pmf(x, labels, rate * spread, (1 - rate) * spread)
