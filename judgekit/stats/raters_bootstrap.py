"""Intervals of the many-rater coefficients: items or groups resampled by their counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from judgekit.model.base import Record
from judgekit.stats import raters
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Coefficient = Literal["fleiss_kappa", "krippendorff_alpha", "gwet_ac"]
DRAWS = 2_000
FEW_ITEMS = 30
BLOCK = 4_000_000


class BootstrapInterval(Record):
    """The estimate with its percentile interval and the share of resamples without a value.

    `estimate.status` is "few_items" below 30 items (or groups): the interval means little.
    """

    estimate: Statistic
    undefined_share: float | None = None
    draws: int = 0


@statistic(
    "bootstrap_raters",
    kind="many raters",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("label_counts", "coefficient", "rng"),
    laws=("empty_is_undefined",),
)
def bootstrap_raters(
    counts: Floats,
    coefficient: Coefficient,
    rng: np.random.Generator,
    *,
    groups: Sequence[int] | None = None,
    level: raters.Level = "nominal",
    values: Sequence[float] | None = None,
    weights: raters.Weights | None = None,
    tail: float = 0.025,
    draws: int = DRAWS,
) -> BootstrapInterval:
    """Return a coefficient of many raters with its percentile bootstrap interval.

    Formula: each coefficient is a function of sums over items; equal items (or the sums of each
    group) are drawn with multinomial counts, so a resample is one product of counts and sums.
    Shapes: counts (N, K); `groups` holds one group position per item, and then whole groups are
    drawn. `tail` is the error in each tail. Range [-1, 1].
    Undefined: whatever the coefficient does not define; fewer than two items or groups give the
    value without an interval. Resamples without a value are left out and their share is reported.
    Interval: percentile. Weakness: too short below 30 items or groups (status few_items).
    Source: Efron 1979, Annals of Statistics 7:1, doi 10.1214/aos/1176344552.

    Example:
        >>> import numpy as np
        >>> counts = raters.label_counts([[1, 1], [2, 2], [1, 2]] * 20, [1, 2])
        >>> found = bootstrap_raters(counts, "krippendorff_alpha", np.random.default_rng(1))
        >>> found.estimate.low < found.estimate.value < found.estimate.high
        True
    """
    plain, of_sums, sums = _parts(counts, coefficient, level, values, weights)
    if isinstance(plain, Undefined):
        return BootstrapInterval(estimate=plain)
    units = sums if groups is None else _by_group(sums, groups)
    if len(units) < 2:
        bare = Estimate(value=plain.value, n=plain.n, method=plain.method, status="no_interval")
        return BootstrapInterval(estimate=bare)
    found = resampled(units, of_sums, rng, draws=draws)
    return _interval(plain, found, len(units), tail, groups is not None)


def _parts(
    counts: Floats,
    coefficient: Coefficient,
    level: raters.Level,
    values: Sequence[float] | None,
    weights: raters.Weights | None,
) -> tuple[Statistic, Callable[[Floats], Floats], Floats]:
    """Return the estimate, the function of sums and the sums per item."""
    if coefficient == "fleiss_kappa":
        plain = raters.fleiss_kappa(counts).estimate
        sums = counts if isinstance(plain, Undefined) else raters.fleiss_sums(counts)
        return plain, raters.fleiss_of_sums, sums
    if coefficient == "krippendorff_alpha":
        of_sums = partial(raters.alpha_of_sums, level=level, values=values)
        plain = raters.krippendorff_alpha(counts, level=level, values=values).estimate
        return plain, of_sums, raters.alpha_sums(counts)
    plain = raters.gwet_ac(counts, weights=weights).estimate
    of_gwet = partial(raters.gwet_of_sums, weights=weights)
    return plain, of_gwet, raters.gwet_sums(counts, weights=weights)


def _by_group(sums: Floats, groups: Sequence[int]) -> Floats:
    """Add up the sums of each group."""
    import numpy as np

    names, position = np.unique(np.asarray(groups), return_inverse=True)
    added = np.zeros((len(names), sums.shape[1]))
    np.add.at(added, position, sums)
    return added


def resampled(
    units: Floats,
    of_sums: Callable[[Floats], Floats],
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
) -> Floats:
    """Return `of_sums` of `draws` resamples of the rows of `units`; equal rows are counted once."""
    import numpy as np

    kinds, times = np.unique(units, axis=0, return_counts=True)
    block = max(1, BLOCK // len(kinds))
    found = []
    for start in range(0, draws, block):
        size = min(block, draws - start)
        found.append(of_sums(rng.multinomial(len(units), times / len(units), size=size) @ kinds))
    return np.concatenate(found)


def _interval(
    plain: Estimate, found: Floats, n_units: int, tail: float, grouped: bool
) -> BootstrapInterval:
    import numpy as np

    kept = found[~np.isnan(found)]
    low, high = np.quantile(kept, [tail, 1 - tail]) if len(kept) else (None, None)
    return BootstrapInterval(
        estimate=Estimate(
            value=plain.value,
            low=None if low is None else float(low),
            high=None if high is None else float(high),
            n=plain.n,
            method=f"{plain.method}, percentile bootstrap of {'groups' if grouped else 'items'}",
            status="few_items" if n_units < FEW_ITEMS else None,
        ),
        undefined_share=1 - len(kept) / len(found),
        draws=len(found),
    )
