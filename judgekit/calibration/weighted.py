"""Agreement from labels that were drawn by verdict: each cell weighs what its stratum weighs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from judgekit.calibration.tables import Tables
from judgekit.stats.agreement import DRAWS, SEED, disagreement_effect
from judgekit.stats.estimate import Estimate, Statistic, Undefined

METHOD = "weighted cells, Dirichlet within verdict strata"


def accuracy_of_shares(p: Any) -> Any:
    """Return the share of agreement along the last two axes."""
    return p[..., 0, 0] + p[..., 1, 1]


def weighted_statistic(
    tables: Tables, tail: float, judge_pass_share: float, statistic: Callable[[Any], Any]
) -> Statistic:
    """Return a statistic of the reweighted 2 x 2 shares with quantiles at `tail` and 1 - `tail`.

    Each stratum's human pass share is drawn from Beta(counts/deff + 1/2), seeded; deff is that of
    the disagreement indicator where items are grouped. The strata's sizes are taken as known.
    """
    import numpy as np

    counts = tables.cells.sum(axis=0)
    n = int(counts.sum())
    if not (counts.sum(axis=0) > 0).all():
        return Undefined(undefined="a verdict stratum holds no label", n=n)
    weights = np.array([judge_pass_share, 1 - judge_pass_share])
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(statistic(counts / counts.sum(axis=0) * weights))
    if math.isnan(value):
        return Undefined(undefined="undefined on the reweighted shares", n=n)
    grouped = bool((tables.by_group.sum(axis=(1, 2)) > 1).any())
    effect = disagreement_effect(tables.by_group) if grouped else 1.0
    drawn = statistic(_draws(counts / effect, weights))
    low, high = np.nanquantile(drawn, [tail, 1 - tail])
    return Estimate(value=value, low=float(low), high=float(high), n=n, method=METHOD)


def _draws(counts: Any, weights: Any) -> Any:
    """Return (D, 2, 2) shares, human by judge."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    passes = rng.beta(counts[0] + 0.5, counts[1] + 0.5, size=(DRAWS, 2))
    return np.stack([passes, 1 - passes], axis=1) * weights
