"""The multinomial bootstrap of kappa: shown beside other tools, never used by a decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judgekit.model.base import Record
from judgekit.stats.agreement import DRAWS, Weights, cohen_kappa, kappa_of_shares
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np


class KappaBootstrap(Record):
    """Kappa with its percentile interval and the share of resamples where it is undefined."""

    estimate: Statistic
    undefined_share: float | None


@statistic(
    "bootstrap_kappa",
    kind="agreement",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("confusion", "rng"),
    laws=("empty_is_undefined",),
)
def bootstrap_kappa(
    confusion: Confusion,
    rng: np.random.Generator,
    *,
    weights: Weights | None = None,
    tail: float = 0.025,
    draws: int = DRAWS,
) -> KappaBootstrap:
    """Return kappa with the percentile interval of a multinomial bootstrap of the cells.

    Formula: counts* ~ Multinomial(n, counts/n); kappa of each; quantiles `tail` and 1 - `tail` of
    those that are defined. Cells are drawn, never rows, so the cost does not grow with n.
    Shapes: K x K counts. Range [-1, 1]. Undefined: as `cohen_kappa`; where its error is zero or
    one rater is constant, a value without an interval.
    Interval: percentile. Weakness: at n = 20 it covers .35 to .65, and its lower side misses .64;
    use `kappa_quantiles`. Independent items only.
    Source: Efron 1979, Annals of Statistics 7:1, doi 10.1214/aos/1176344552.

    Example:
        >>> import numpy as np
        >>> table = Confusion(labels=("pass", "fail"), rows=((13, 1), (2, 4)))
        >>> round(bootstrap_kappa(table, np.random.default_rng(1)).estimate.value, 3)
        0.625
    """
    import numpy as np

    kappa, n, k = cohen_kappa(confusion, weights=weights), confusion.n, len(confusion.labels)
    if n == 0:
        return KappaBootstrap(estimate=Undefined(undefined="no pairs"), undefined_share=None)
    p = np.asarray(confusion.rows, dtype=float).ravel() / n
    drawn = rng.multinomial(n, p, size=draws).reshape(draws, k, k) / n
    found = kappa_of_shares(drawn, weights)
    share = float(np.isnan(found).mean())
    if kappa.value is None:
        reason = kappa.undefined or "kappa is undefined"
        return KappaBootstrap(estimate=Undefined(undefined=reason, n=n), undefined_share=share)
    low, high = _bounds(found, tail) if kappa.status == "ok" else (None, None)
    method, status = "kappa, percentile bootstrap of the cells", kappa.status
    estimate = Estimate(value=kappa.value, low=low, high=high, n=n, method=method, status=status)
    return KappaBootstrap(estimate=estimate, undefined_share=share)


def _bounds(found: Sequence[float], tail: float) -> tuple[float, float]:
    import numpy as np

    low, high = np.nanquantile(found, [tail, 1 - tail])
    return float(low), float(high)
