"""A short simulation of the decision: `make simulate` runs the whole grid."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from judgekit.stats.intervals import clopper_pearson
from simulations.bounds import Sums, approved
from simulations.draw import cuts_of, draw_one_class
from simulations.grid import ALPHA, DESIGNS, SHARES, Truth
from simulations.rates import HEADER, simulate

REPLICATES = 3_000
SHORT = [
    Truth(n, rate, SHARES[0], icc, size)
    for n in (100, 500)
    for rate in (0.05, 0.10)
    for icc, size in ((0.0, 1), (0.1, 10), (0.3, 5))
]


@pytest.mark.parametrize("design", DESIGNS)
def test_no_cell_of_a_short_grid_is_falsely_approved_more_often_than_alpha(design: str) -> None:
    rows = [dict(zip(HEADER, row, strict=True)) for t in SHORT for row in simulate(design, t, 3000)]
    false = [row for row in rows if row["rate"] >= row["limit"]]
    assert len(false) > 50
    assert max(row["approved_low99"] for row in false) <= ALPHA
    assert all(row["replicates"] == REPLICATES for row in false)


def test_the_simulation_agrees_with_the_exact_binomial_probability() -> None:
    truth = Truth(n=200, rate=0.05, share=1.0, icc=0.0, size=1)
    rows = [dict(zip(HEADER, row, strict=True)) for row in simulate("one class", truth)]
    at = next(r for r in rows if r["limit"] == 0.05 and r["looks"] == 1 and r["icc"] == 0.0)
    most = max(x for x in range(200) if clopper_pearson(x, 200, ALPHA).high <= 0.05)
    exact = float(binom.cdf(most, 200, 0.05))
    spread = (exact * (1 - exact) / at["replicates"]) ** 0.5
    assert at["approved"] / at["replicates"] == pytest.approx(exact, abs=4 * spread)


def test_a_rule_that_forgets_the_groups_is_caught() -> None:
    truth = Truth(n=200, rate=0.05, share=1.0, icc=0.3, size=10)
    drawn = draw_one_class(np.random.default_rng(1), truth, 4_000)["false pass"]
    last = drawn.take((slice(None), -1))
    careless = approved(Sums.independent(last.x, last.m), 0.05, ALPHA).mean()
    assert clopper_pearson(careless * 4_000, 4_000, 0.01).low > 0.10
    assert approved(last, 0.05, ALPHA).mean() <= ALPHA


def test_a_rule_that_forgets_its_looks_is_caught() -> None:
    truth = Truth(n=500, rate=0.05, share=1.0, icc=0.0, size=1)
    drawn = draw_one_class(np.random.default_rng(2), truth, 4_000)["false pass"]
    assert drawn.x.shape[1] >= 10
    careless = approved(drawn, 0.05, ALPHA).any(axis=1).mean()
    spending = approved(drawn, 0.05, ALPHA / 10).any(axis=1).mean()
    assert careless > 0.08
    assert spending <= ALPHA


def test_approval_is_withheld_under_ten_groups_and_rejection_is_not() -> None:
    truth = Truth(n=50, rate=0.20, share=1.0, icc=0.1, size=10)
    rows = [dict(zip(HEADER, row, strict=True)) for row in simulate("one class", truth, 3000)]
    assert {row["withheld"] for row in rows} == {3000}
    assert {row["approved"] for row in rows} == {0}
    assert max(row["rejected"] for row in rows) > 0


def test_looks_come_at_growing_prefixes_and_end_with_all_groups() -> None:
    assert cuts_of(50, 10) == (5, 10, 15, 20, 25, 30, 35, 40, 45, 50)
    assert cuts_of(4, 10) == (1, 2, 3, 4)
    assert cuts_of(20, 3) == (7, 14, 20)


def test_the_same_cell_gives_the_same_counts_again() -> None:
    truth = Truth(n=100, rate=0.05, share=0.2, icc=0.1, size=5)
    assert simulate("random", truth, 500) == simulate("random", truth, 500)
