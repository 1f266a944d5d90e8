"""Beyond the grid: more labels and larger groups than it asks for. Shown, not a claim."""

from __future__ import annotations

from itertools import product
from typing import Any

from simulations import rates
from simulations.grid import Truth

SAMPLES = ((500, 20), (1_000, 5), (1_000, 10), (1_000, 20), (2_000, 5), (2_000, 10), (2_000, 20))


def truths() -> tuple[Truth, ...]:
    """Return the truths: labels of one class in equal groups."""
    grid = product(SAMPLES, (0.05, 0.10), (0.1, 0.3))
    return tuple(Truth(n, rate, 1.0, icc, size) for (n, size), rate, icc in grid)


def simulate(truth: Truth) -> list[tuple[Any, ...]]:
    """Return the rows in which the rate is exactly at its limit."""
    return [row for row in rates.simulate("one class", truth) if row[3] == row[4]]
