"""Ratios of sums over groups, and means of credits as one of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import LEAST_GROUPS
from judgekit.stats.registry import statistic

NO_SPREAD = 1e-12
"""A residual below this is rounding: all groups have the same mean."""


def ratio_error(numerators: Sequence[float], denominators: Sequence[float], value: float) -> float:
    """Return the linearised standard error of value = sum a/sum b, over at least two rows.

    Formula: sqrt(sum (a - r b)^2 n/(n-1))/sum b (Cochran 1977, section 6).
    """
    n = len(numerators)
    pairs = zip(numerators, denominators, strict=True)
    residual = math.fsum((a - value * b) ** 2 for a, b in pairs)
    return math.sqrt(residual * n / (n - 1)) / math.fsum(denominators)


@statistic(
    "ratio_of_sums",
    kind="ratio",
    needs=("numerators", "denominators"),
    laws=("group_order", "interval_holds_value", "empty_is_undefined"),
)
def ratio_of_sums(
    numerators: Sequence[float], denominators: Sequence[float], tail: float = 0.025
) -> Statistic:
    """Return the sum of one side over the sum of the other, over paired groups.

    Formula: r = sum a/sum b with se = sqrt(sum (a - r b)^2 n/(n-1))/sum b (linearised) and r +-
    t(n-1) se, at least 0.
    Shapes: (G,) each, one sum per group, at least 0; `tail` is the error in each tail. Range [0,
    infinity). Undefined without a group and where the denominators sum to 0; no interval with one
    group; `status` is `few_groups` below 10.
    Weakness: the interval is symmetric, so too short above for skewed values and few groups.
    Source: Cochran 1977, Sampling Techniques, 3rd edition, section 6.

    Example:
        >>> found = ratio_of_sums([2.0, 4.0, 9.0], [1.0, 2.0, 3.0])
        >>> found.value
        2.5
    """
    from scipy.stats import t

    n = len(numerators)
    below = math.fsum(denominators)
    if not n or below <= 0:
        return Undefined(undefined="the denominators sum to 0", n=n)
    value = math.fsum(numerators) / below
    method = "ratio of sums, linearised t"
    status = "few_groups" if n < LEAST_GROUPS else None
    if n < 2:
        return Estimate(value=value, n=n, method=method, status=status)
    half = float(t.ppf(1 - tail, n - 1)) * ratio_error(numerators, denominators, value)
    low, high = max(0.0, value - half), value + half
    return Estimate(value=value, low=low, high=high, n=n, method=method, status=status)


@statistic(
    "clustered_mean",
    kind="ratio",
    range=(0.0, 1.0),
    needs=("credits", "group_labels"),
    laws=("item_order", "label_renaming", "interval_holds_value", "empty_is_undefined"),
)
def clustered_mean(
    credits: Sequence[float], groups: Sequence[str], tail: float = 0.025
) -> Statistic:
    """Return the mean of credits in [0, 1] whose items come in groups.

    Formula: m = sum of credits/n, the ratio of the groups' sums to their sizes, with
    se = sqrt(G/(G-1) sum (s_g - m n_g)^2)/n (linearised) and m +- t(G-1) se, cut at 0 and 1.
    Shapes: (n,) each, a credit in [0, 1] and the group of each item. Range [0, 1]. Undefined
    without an item; no interval for one group (`few_groups`) or where every group has the same
    mean (`no_variance`). Credits that are all 0 or 1 are a share: `rate_bounds`.
    Weakness: symmetric, so rough near 0 and 1; too short for few groups.
    Source: Cochran 1977, Sampling Techniques, 3rd edition, section 6.6.

    Example:
        >>> found = clustered_mean([0.2, 0.4, 0.6, 0.8], ["a", "a", "b", "c"])
        >>> round(found.value, 3), found.n
        (0.5, 4)
    """
    from scipy.stats import t

    if any(not 0 <= credit <= 1 for credit in credits):
        raise ValueError("credits must lie in [0, 1]")
    n, method = len(credits), "mean over groups, t"
    if not n:
        return Undefined(undefined="no items")
    value = math.fsum(credits) / n
    sums, sizes = _by_group(credits, groups)
    residuals = [total - value * size for total, size in zip(sums, sizes, strict=True)]
    if len(sums) < 2 or all(abs(residual) < NO_SPREAD for residual in residuals):
        status = "few_groups" if len(sums) < 2 else "no_variance"
        return Estimate(value=value, n=n, method=method, status=status)
    half = float(t.ppf(1 - tail, len(sums) - 1)) * ratio_error(sums, sizes, value)
    low, high = max(0.0, value - half), min(1.0, value + half)
    return Estimate(value=value, low=low, high=high, n=n, method=method)


def _by_group(credits: Sequence[float], groups: Sequence[str]) -> tuple[list[float], list[int]]:
    """Return the sum and the size of each group."""
    found: dict[str, list[float]] = {}
    for group, credit in zip(groups, credits, strict=True):
        found.setdefault(group, []).append(credit)
    return [math.fsum(own) for own in found.values()], [len(own) for own in found.values()]
