"""How much of the variance over trials is the agent's own, and how much comes from its tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined

_DRAWS = 4_000
_SEED = 20261130
TAIL = 0.025
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


def variance_share(
    live: Mapping[str, Sequence[bool]], replayed: Mapping[str, Sequence[bool]]
) -> VarianceShare | Undefined:
    """Return the agent's share of the variance over cases that have two trials on both sides.

    Formula: mean over cases of p(1-p)n/(n-1) on each side (unbiased), and their ratio, at most 1.
    By the law of total variance Var(Y) = E[Var(Y | tools)] + Var(E[Y | tools]); trials whose tools
    all answer as in one recorded trial estimate the first term, which is the agent's.
    Interval: percentile bootstrap of cases, both sides together; resamples without live variance
    are left out; None below five cases. Weakness: short for few cases, biased towards 1 by the cut
    where the agent's share is large, and blind to what the agent does with other tool results than
    those recorded.

    Example:
        >>> found = variance_share({"a": [True, False]}, {"a": [True, True]})
        >>> found.agent_share.value
        0.0
    """
    shared = [c for c in live if len(live[c]) > 1 and len(replayed.get(c, ())) > 1]
    if not shared:
        return Undefined(undefined="no case has two trials on both sides")
    one = np.array([_variance(live[case]) for case in shared])
    other = np.array([_variance(replayed[case]) for case in shared])
    return VarianceShare(
        n_cases=len(shared),
        live=float(one.mean()),
        replayed=float(other.mean()),
        agent_share=_ratio(one, other),
    )


def _variance(answers: Sequence[bool]) -> float:
    n = len(answers)
    p = sum(answers) / n
    return p * (1 - p) * n / (n - 1)


def _ratio(live: np.ndarray, replayed: np.ndarray) -> Statistic:
    n = len(live)
    if not live.sum():
        return Undefined(undefined="correctness does not vary within any case", n=n)
    value = min(1.0, float(replayed.sum() / live.sum()))
    rng = np.random.default_rng(_SEED)
    places = rng.integers(0, n, size=(_DRAWS, n))
    below = live[places].sum(axis=1)
    usable = below > 0
    drawn = np.minimum(1.0, replayed[places].sum(axis=1)[usable] / below[usable])
    low, high = (float(one) for one in np.quantile(drawn, [TAIL, 1 - TAIL]))
    shown = n >= LEAST_CASES
    return Estimate(
        value=value,
        low=min(low, value) if shown else None,
        high=max(high, value) if shown else None,
        n=n,
        method="ratio of variances, bootstrap of cases",
        status="few_cases" if n < FEW_CASES else None,
    )
