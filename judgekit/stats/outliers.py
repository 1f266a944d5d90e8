"""Is a value unusual against what was seen before?"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.registry import statistic

SCALE = 0.6745
"""Makes the score one of standard deviations for normal values."""


@statistic(
    "modified_z",
    kind="outliers",
    needs=("value", "values"),
    laws=("item_order", "empty_is_undefined"),
)
def modified_z(value: float, values: Sequence[float]) -> Statistic:
    """Return the modified z score of a value against earlier ones.

    Formula: 0.6745 (x - median)/MAD, MAD the median of |x_i - median|. Shapes: one number and (n,)
    earlier ones. Range: any number; beyond 3.5 on either side the authors call a value an outlier.
    Undefined without an earlier value, and where more than half of them are alike (MAD 0). No
    interval. Weakness: needs some eight values; for skewed ones it names too many on the long side.
    Source: Iglewicz & Hoaglin 1993, How to Detect and Handle Outliers, isbn 9780873892476.

    Example:
        >>> round(modified_z(10, [1, 2, 3, 4, 5]).value, 4)
        4.7215
    """
    n = len(values)
    if not n:
        return Undefined(undefined="no earlier value")
    middle = median(values)
    spread = median([abs(one - middle) for one in values])
    if spread == 0:
        return Undefined(undefined="the earlier values have no spread", n=n)
    return Estimate(value=SCALE * (value - middle) / spread, n=n, method="modified z")
