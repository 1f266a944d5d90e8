"""How much of the variance within a task is left when one cause of it is held still."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.registry import statistic
from judgekit.stats.within_task import unbiased_variance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS = 4_000
LEAST_CASES = 5
FEW_CASES = 20


class VarianceShare(Record):
    """Variance of correctness within a case, live and with replayed tools: unbiased, in [0, 0.5].

    `agent_share` = replayed / live, in [0, 1]: what is left when tools answer alike is the agent's.
    Undefined where nothing varies live.
    """

    n_cases: int
    live: float
    replayed: float
    agent_share: Statistic


@statistic(
    "variance_share",
    kind="repeats",
    range=(0.0, 1.0),
    needs=("trials", "successes", "other_trials", "other_successes"),
    laws=("item_order", "empty_is_undefined"),
)
def variance_share(
    live_trials: Sequence[int],
    live_successes: Sequence[int],
    replayed_trials: Sequence[int],
    replayed_successes: Sequence[int],
    *,
    tail: float = 0.025,
    rng: np.random.Generator | None = None,
) -> VarianceShare | Undefined:
    """Return the agent's share of the variance over tasks that have two trials on both sides.

    Formula: mean over tasks of p(1-p)n/(n-1) on each side (unbiased), and their ratio, at most 1.
    By the law of total variance Var(Y) = E[Var(Y | tools)] + Var(E[Y | tools]); trials whose tools
    all answer as in one recorded trial estimate the first term, which is the agent's.
    Shapes: one count per task on each side, in the same order of tasks; tasks with one trial on a
    side are left out. Range of the share [0, 1]. Undefined without a task that has two trials on
    both sides; the share also where nothing varies live.
    Interval: percentile bootstrap of tasks, both sides together, with `rng` only; resamples without
    live variance are left out; None below five tasks; `status` is `few_cases` below 20. Weakness:
    short for few tasks, biased towards 1 by the cut where the agent's share is large, and blind to
    what the agent does with other tool results than those recorded.
    Source: the law of total variance, no single paper; the bootstrap Efron 1979, Annals of
    Statistics 7:1, doi 10.1214/aos/1176344552.

    Example:
        >>> round(variance_share([2, 4], [1, 2], [2, 4], [2, 3]).agent_share.value, 6)
        0.3
    """
    import numpy as np

    counts = zip(live_trials, live_successes, replayed_trials, replayed_successes, strict=True)
    kept = [row for row in counts if min(row[0], row[2]) > 1]
    if not kept:
        return Undefined(undefined="no case has two trials on both sides")
    live = np.array([unbiased_variance(n, c) for n, c, _, _ in kept])
    replayed = np.array([unbiased_variance(n, c) for _, _, n, c in kept])
    means = {"live": float(live.mean()), "replayed": float(replayed.mean())}
    share = _share(live, replayed, tail, rng)
    return VarianceShare(n_cases=len(kept), agent_share=share, **means)


def _share(
    live: Floats, replayed: Floats, tail: float, rng: np.random.Generator | None
) -> Statistic:
    n = len(live)
    if not live.sum():
        return Undefined(undefined="correctness does not vary within any case", n=n)
    value = min(1.0, float(replayed.sum() / live.sum()))
    status = "few_cases" if n < FEW_CASES else None
    method = "ratio of variances, bootstrap of cases"
    if rng is None or n < LEAST_CASES:
        return Estimate(value=value, n=n, method=method, status=status)
    low, high = _bootstrap(live, replayed, tail, rng)
    low, high = min(low, value), max(high, value)
    return Estimate(value=value, low=low, high=high, n=n, method=method, status=status)


def _bootstrap(
    live: Floats, replayed: Floats, tail: float, rng: np.random.Generator
) -> tuple[float, float]:
    import numpy as np

    places = rng.integers(0, len(live), size=(DRAWS, len(live)))
    below = live[places].sum(axis=1)
    usable = below > 0
    drawn = np.minimum(1.0, replayed[places].sum(axis=1)[usable] / below[usable])
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)
