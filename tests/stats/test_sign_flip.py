"""The sign-flip test against Fisher's own example, scipy and a count of all patterns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from scipy.stats import permutation_test

from judgekit.stats.sign_flip import sign_flip_test

DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Crossed minus self-fertilised maize, in eighths of an inch (Fisher 1935, section 17)."""


def p_of(gains: Sequence[int]) -> float:
    return sign_flip_test(gains, rng=np.random.default_rng(20261130))


@pytest.mark.parametrize("gains", [[1, 1, 1, 1, 1], [3, -1, 2, 0, 2, -2], [1], [2, -2], [4, 1, 1]])
def test_p_is_the_share_of_sign_patterns_at_least_as_extreme(gains: list[int]) -> None:
    held = [g for g in gains if g]
    sums = [
        abs(sum(s * g for s, g in zip(signs, held, strict=True)))
        for signs in product([1, -1], repeat=len(held))
    ]
    expected = sum(s >= abs(sum(held)) for s in sums) / len(sums)
    assert p_of(gains) == pytest.approx(expected, abs=1e-15)


def test_p_agrees_with_scipys_permutation_test() -> None:
    gains = np.array([2, -1, 3, 1, 1, -1, 2, 1, 0, 4])
    found = permutation_test(
        (gains,), lambda x: x.mean(), permutation_type="samples", n_resamples=np.inf
    )
    assert p_of(list(gains)) == pytest.approx(found.pvalue, abs=1e-12)


def test_p_of_darwins_maize_is_fishers() -> None:
    # Fisher 1935, section 21: 1,726 of the 32,768 patterns, 5.267 %; drawn here, as there are 15
    assert p_of(DARWIN) == pytest.approx(1726 / 32768, abs=0.005)


def test_above_14_groups_p_is_drawn_close_to_the_binomial_tail_and_never_0() -> None:
    # 16 equal gains, 13 up and 3 down: P(Bin(16, 1/2) >= 13 or <= 3) = 1394/65536
    assert p_of([1] * 13 + [-1] * 3) == pytest.approx(1394 / 65536, abs=0.004)
    assert p_of([1] * 60) == pytest.approx(1 / 20_001)
    assert p_of([0] * 5) == 1.0


def test_p_of_many_thousand_cases_needs_little_memory_and_time() -> None:
    assert p_of([1, -1] * 5_000) == 1.0


@pytest.mark.parametrize("gains", [[0.5, 1], [1e300], ["a"], [1, None]])
def test_gains_are_whole_numbers(gains) -> None:
    with pytest.raises(ValueError, match="gains must"):
        p_of(gains)
