"""The modified z score by hand and against scipy's median absolute deviation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import median_abs_deviation

from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.outliers import modified_z


def test_the_modified_z_score_is_that_of_iglewicz_and_hoaglin() -> None:
    # By hand: median 3, deviations 2 1 0 1 2, MAD 1: 0.6745 * (10 - 3) / 1 = 4.7215.
    found = modified_z(10, [1, 2, 3, 4, 5])
    assert isinstance(found, Estimate)
    assert (found.value, found.n) == (pytest.approx(4.7215, abs=1e-12), 5)


def test_the_score_agrees_with_scipys_median_absolute_deviation() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(5, 2, 30)
    found = modified_z(1.0, list(values))
    assert isinstance(found, Estimate)
    wanted = (1.0 - np.median(values)) / median_abs_deviation(values, scale=0.6745)
    assert found.value == pytest.approx(wanted)


def test_without_an_earlier_value_or_spread_there_is_no_score() -> None:
    assert modified_z(1, []) == Undefined(undefined="no earlier value")
    assert modified_z(9, [4, 4, 4, 5]) == Undefined(
        undefined="the earlier values have no spread", n=4
    )
