"""Several p values at once: Holm, Benjamini-Hochberg and Benjamini-Yekutieli."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PValues = Sequence[float | None]


@statistic(
    "holm",
    kind="multiplicity",
    range=(0.0, 1.0),
    needs=("p_values",),
    laws=("item_order", "monotone"),
)
def holm(p_values: PValues) -> tuple[float | None, ...]:
    """Return p values adjusted by Holm's step-down rule, in the order given.

    Formula: sorted p_(1) <= ... <= p_(m); adjusted p_(i) = max over j <= i of
    min(1, (m-j+1) p_(j)). Rejecting where adjusted <= alpha keeps the chance of any false
    rejection at alpha under any dependence.
    Shapes: m p values in [0, 1]; None is left out of the family and stays None. Undefined:
    nothing; an empty family gives an empty tuple. No interval.
    Weakness: power falls with every hypothesis added.
    Source: Holm 1979, Scandinavian Journal of Statistics 6:65, jstor 4615733.

    Raises:
        ValueError: a p value lies outside [0, 1].

    Example:
        >>> [round(p, 2) for p in holm([0.01, 0.04, 0.03])]
        [0.03, 0.06, 0.06]
    """
    return _adjusted(p_values, _step_down)


@statistic(
    "benjamini_hochberg",
    kind="multiplicity",
    range=(0.0, 1.0),
    needs=("p_values",),
    laws=("item_order", "monotone"),
)
def benjamini_hochberg(p_values: PValues) -> tuple[float | None, ...]:
    """Return p values adjusted by Benjamini and Hochberg's step-up rule, in the order given.

    Formula: adjusted p_(i) = min over j >= i of min(1, m p_(j)/j). Rejecting where
    adjusted <= q keeps the expected share of false rejections at q for independent or positively
    dependent tests: a screen, not a confirmation.
    Shapes: m p values in [0, 1]; None is left out of the family and stays None. Undefined:
    nothing; an empty family gives an empty tuple. No interval.
    Weakness: no promise under arbitrary dependence (see `benjamini_yekutieli`).
    Source: Benjamini & Hochberg 1995, JRSS B 57:289, doi 10.1111/j.2517-6161.1995.tb02031.x.

    Example:
        >>> [round(p, 2) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
        [0.03, 0.04, 0.04]
    """
    return _adjusted(p_values, _step_up)


@statistic(
    "benjamini_yekutieli",
    kind="multiplicity",
    range=(0.0, 1.0),
    needs=("p_values",),
    laws=("item_order", "monotone"),
)
def benjamini_yekutieli(p_values: PValues) -> tuple[float | None, ...]:
    """Return p values adjusted by Benjamini and Yekutieli's rule, in the order given.

    Formula: Benjamini-Hochberg with m replaced by m (1 + 1/2 + ... + 1/m). Holds the false
    discovery rate under any dependence.
    Shapes: m p values in [0, 1]; None is left out of the family and stays None. Undefined:
    nothing; an empty family gives an empty tuple. No interval.
    Weakness: much less power than Benjamini-Hochberg for many tests.
    Source: Benjamini & Yekutieli 2001, Annals of Statistics 29:1165, doi 10.1214/aos/1013699998.

    Example:
        >>> [round(p, 3) for p in benjamini_yekutieli([0.01, 0.04])]
        [0.03, 0.06]
    """
    return _adjusted(p_values, _step_up_any_dependence)


def _adjusted(p_values: PValues, rule: Callable[[Floats], Floats]) -> tuple[float | None, ...]:
    """Apply a rule for sorted p values to those that are there."""
    import numpy as np

    kept = [i for i, p in enumerate(p_values) if p is not None]
    p = np.array([p_values[i] for i in kept], dtype=float)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p values must lie in [0, 1]")
    found: list[float | None] = [None] * len(p_values)
    order = np.argsort(p, kind="stable")
    for position, value in zip(order, rule(p[order]), strict=True):
        found[kept[position]] = min(1.0, float(value))
    return tuple(found)


def _step_down(p: Floats) -> Floats:
    import numpy as np

    return np.maximum.accumulate(np.arange(len(p), 0, -1) * p)


def _step_up(p: Floats) -> Floats:
    import numpy as np

    m = len(p)
    return np.minimum.accumulate((m / np.arange(1, m + 1) * p)[::-1])[::-1]


def _step_up_any_dependence(p: Floats) -> Floats:
    import numpy as np

    return _step_up(p) * float((1 / np.arange(1, len(p) + 1)).sum())
