"""PPI++ against its formula written out, on random inputs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from judgekit.stats.ppi import ppi_mean


@pytest.mark.parametrize("seed", range(40))
def test_ppi_plus_plus_is_the_papers_formula_with_divisor_n(seed: int) -> None:
    """Angelopoulos, Duchi & Zrnic 2023, arXiv 2311.01453, example 6.1 for a mean: lambda is
    cov_n(Y, F)/((1 + n/N) var_{n+N}(F)), var pooled with divisor n+N-1; the errors have divisor
    n and N."""
    rng = np.random.default_rng(seed)
    n, more = int(rng.integers(8, 60)), int(rng.integers(20, 300))
    y = rng.normal(size=n)
    f = y * rng.uniform(-0.2, 1.2) + rng.normal(size=n)
    u = rng.normal(0.3, 1.4, size=more)
    cov = sum((a - y.mean()) * (b - f.mean()) for a, b in zip(y, f, strict=True)) / n
    both = [*f, *u]
    centre = sum(both) / len(both)
    spread = sum((x - centre) ** 2 for x in both) / (len(both) - 1)
    lam = min(1.0, max(0.0, cov / ((1 + n / more) * spread)))
    rest = [a - lam * b for a, b in zip(y, f, strict=True)]
    value = lam * sum(u) / more + sum(rest) / n
    own = sum((x - sum(rest) / n) ** 2 for x in rest) / n
    other = lam**2 * sum((x - sum(u) / more) ** 2 for x in u) / more
    found = ppi_mean(y, f, u)
    assert found.lam == pytest.approx(lam)
    assert found.raw == pytest.approx(value)
    assert found.se == pytest.approx(math.sqrt(own / n + other / more))
