"""How often the displayed and the decision intervals contain the truth."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom

from judgekit.stats.intervals import Interval, clopper_pearson, wilson
from simulations.bounds import Sums, bounds, effective_n
from simulations.draw import draw_one_class
from simulations.grid import CHUNK, REPLICATES, SIZES, Truth

TAIL = 0.025
EXACT_RATES = (0.01, 0.02, 0.05, 0.10, 0.20, 0.35, 0.50)
GROUPED = tuple(
    Truth(n, rate, 1.0, icc, size)
    for n, rate, icc, size in product(
        (50, 100, 200, 500), (0.05, 0.10, 0.20), (0.0, 0.1, 0.3), (5, 10)
    )
    if n // size >= 10
)
HEADER = (
    "method", "n", "rate", "icc", "group_size", "how", "covered95", "missed_low", "missed_high",
)  # fmt: skip
Bounds = Callable[[float, float, float], Interval | None]


def exact(method: str, interval: Bounds, n: int) -> list[tuple[Any, ...]]:
    """Return the exact coverage of a two-sided 95 % interval of n independent items."""
    found = [interval(x, n, TAIL) for x in range(n + 1)]
    low = np.array([i.low if i else 0.0 for i in found])
    high = np.array([i.high if i else 1.0 for i in found])
    rows = []
    for rate in EXACT_RATES:
        weight = binom.pmf(np.arange(n + 1), n, rate)
        above, below = (float(weight[where].sum()) for where in (low > rate, high < rate))
        rows.append(
            (method, n, rate, 0.0, 1, "exact", round(1 - above - below, 4), round(above, 4),
             round(below, 4))
        )  # fmt: skip
    return rows


def simulate_exact(n: int) -> list[tuple[Any, ...]]:
    """Return the exact rows of Wilson and Clopper-Pearson at one n."""
    return exact("Wilson", wilson, n) + exact("Clopper-Pearson", clopper_pearson, n)


def wilson_bounds(sums: Sums, tail: float) -> Any:
    """Return the displayed interval of `rate_display` over arrays."""
    n, z = effective_n(sums, tail), float(ndtri(1 - tail))
    share = sums.x / np.maximum(sums.m, 1)
    used = np.maximum(n, 1e-300)
    centre = share + z * z / (2 * used)
    half = z * np.sqrt(share * (1 - share) / used + z * z / (4 * used * used))
    scale = 1 + z * z / used
    low = np.where(sums.x <= 0, 0.0, np.maximum(0.0, (centre - half) / scale))
    return low, np.where(sums.x >= sums.m, 1.0, np.minimum(1.0, (centre + half) / scale))


def simulate_grouped(truth: Truth, replicates: int = REPLICATES) -> list[tuple[Any, ...]]:
    """Return the simulated coverage of both intervals with the n* of the decision."""
    rng = truth.rng("one class")
    missed = {name: np.zeros(2, dtype=int) for name in ("Wilson n*", "Korn-Graubard n*")}
    for start in range(0, replicates, CHUNK):
        drawn = draw_one_class(rng, truth, min(CHUNK, replicates - start))["false pass"]
        last = drawn.take((slice(None), -1))
        pairs = zip(missed, (wilson_bounds(last, TAIL), bounds(last, TAIL)), strict=True)
        for name, (low, high) in pairs:
            missed[name] += (int((low > truth.rate).sum()), int((high < truth.rate).sum()))
    rows = []
    for name, counts in missed.items():
        above, below = (int(count) for count in counts)
        rows.append(
            (name, truth.n, truth.rate, truth.icc, truth.size, "simulated",
             round(1 - (above + below) / replicates, 4), round(above / replicates, 4),
             round(below / replicates, 4))
        )  # fmt: skip
    return rows


def simulate(what: int | Truth) -> list[tuple[Any, ...]]:
    """Return the rows of one n (exact) or of one grouped truth."""
    return simulate_exact(what) if isinstance(what, int) else simulate_grouped(what)


EVERYTHING: tuple[int | Truth, ...] = (*SIZES, *GROUPED)
