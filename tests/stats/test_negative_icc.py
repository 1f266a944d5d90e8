"""ICC(1) below zero, against the mean squares written out."""

from __future__ import annotations

import numpy as np
import pytest

from judgekit.stats.estimate import Estimate
from judgekit.stats.repeats import repeat_stability


@pytest.mark.parametrize("seed", range(20))
def test_an_icc_below_zero_is_not_cut_and_is_that_of_the_mean_squares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    items, k = int(rng.integers(3, 30)), 2 * int(rng.integers(1, 4))
    rows = [list(rng.permutation([0, 1] * (k // 2))) for _ in range(items)]
    rows[0] = [0] * (k // 2 - 1) + [1] * (k // 2 + 1)
    scores = np.array(rows, dtype=float)
    means = scores.mean(axis=1)
    between = k * sum((m - scores.mean()) ** 2 for m in means) / (items - 1)
    within = sum((x - m) ** 2 for row, m in zip(scores, means, strict=True) for x in row)
    within /= items * (k - 1)
    found = repeat_stability(scores.tolist()).icc1
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx((between - within) / (between + (k - 1) * within))
    assert -1 / (k - 1) <= found.value < 0
