"""How much trials of one task differ: the variance within a task, and its change."""

from __future__ import annotations

import math
from collections.abc import Sequence

from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import LEAST_GROUPS
from judgekit.stats.registry import statistic

NO_REPEAT = Undefined(undefined="no case has two trials")


@statistic(
    "student_mean",
    kind="repeats",
    needs=("values",),
    laws=("item_order", "interval_holds_value", "empty_is_undefined"),
)
def student_mean(values: Sequence[float], tail: float = 0.025) -> Statistic:
    """Return the mean of independent values with Student's t interval.

    Formula: m +- t(n-1) s/sqrt(n), s with n - 1. Shapes: (n,) numbers; `tail` is the error in each
    tail. Range: any number, the bounds are not cut. Undefined without a value; no interval with
    one value or where all are alike; `status` is `few_groups` below 10, `no_variance` where all
    are alike. Weakness: short for few skewed values; the values must be independent.
    Source: Student 1908, Biometrika 6:1, doi 10.1093/biomet/6.1.1.

    Example:
        >>> found = student_mean([1.0, 2.0, 3.0, 4.0])
        >>> found.value, round(found.low, 4), found.status
        (2.5, 0.4457, 'few_groups')
    """
    from scipy.stats import t

    n = len(values)
    if not n:
        return Undefined(undefined="no values")
    value = math.fsum(values) / n
    method = "mean over cases, t"
    if n < 2:
        return Estimate(value=value, n=n, method=method, status="few_groups")
    se = math.sqrt(math.fsum((one - value) ** 2 for one in values) / (n * (n - 1)))
    if se == 0:
        return Estimate(value=value, n=n, method=method, status="no_variance")
    half = float(t.ppf(1 - tail, n - 1)) * se
    status = "few_groups" if n < LEAST_GROUPS else None
    low, high = value - half, value + half
    return Estimate(value=value, low=low, high=high, n=n, method=method, status=status)


@statistic(
    "within_task_variance",
    kind="repeats",
    needs=("trials", "successes"),
    laws=("item_order", "interval_holds_value", "empty_is_undefined"),
)
def within_task_variance(
    trials: Sequence[int], successes: Sequence[int], tail: float = 0.025
) -> Statistic:
    """Return the mean over tasks of the variance of one trial's success.

    Formula: the mean of p(1-p)n/(n-1), p = c/n, which is unbiased (the variance with n - 1).
    Shapes: one count per task, 0 <= c <= n; tasks with one trial are left out. Range of the value
    [0, 1/2]. Undefined without a task of two trials. Interval: `student_mean` over tasks, at least
    0. Weakness: short for few tasks.
    Source: the variance within groups of a one-way layout, Fisher 1925, Statistical Methods for
    Research Workers, section 40; for 0/1 answers Fleiss 1981, isbn 9780471064282, section 13.2.

    Example:
        >>> round(within_task_variance([4, 4, 3], [1, 4, 2]).value, 4)
        0.1944
    """
    rows = zip(trials, successes, strict=True)
    found = student_mean([unbiased_variance(n, c) for n, c in rows if n > 1], tail)
    if isinstance(found, Undefined):
        return NO_REPEAT
    return found if found.low is None else found.model_copy(update={"low": max(0.0, found.low)})


@statistic(
    "within_task_variance_difference",
    kind="repeats",
    symmetric=False,
    needs=("trials", "successes", "other_trials", "other_successes"),
    laws=("item_order", "swap_negates", "interval_holds_value", "empty_is_undefined"),
)
def within_task_variance_difference(
    trials: Sequence[int],
    successes: Sequence[int],
    other_trials: Sequence[int],
    other_successes: Sequence[int],
    tail: float = 0.025,
) -> Statistic:
    """Return one side's variance within a task minus the other's, over the same tasks.

    Formula: the mean over tasks of the difference of p(1-p)n/(n-1), each side with its own p and n.
    Shapes: one count per task on each side, in the same order of tasks; tasks with one trial on a
    side are left out. Range of the value [-1/2, 1/2]. Undefined without a task that has two trials
    on both sides. Interval: `student_mean` of the differences. Weakness: short for few tasks.
    Source: Student 1908, Biometrika 6:1 (paired differences), doi 10.1093/biomet/6.1.1.

    Example:
        >>> within_task_variance_difference([4, 4], [2, 2], [4, 4], [4, 4]).value
        0.3333333333333333
    """
    rows = zip(trials, successes, other_trials, other_successes, strict=True)
    differences = [
        unbiased_variance(n, c) - unbiased_variance(m, d) for n, c, m, d in rows if min(n, m) > 1
    ]
    found = student_mean(differences, tail)
    return NO_REPEAT if isinstance(found, Undefined) else found


def unbiased_variance(n: int, successes: int) -> float:
    """Return p(1-p)n/(n-1), the variance with n - 1 of n answers of 0 and 1."""
    p = successes / n
    return p * (1 - p) * n / (n - 1)
