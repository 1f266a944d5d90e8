"""Random data beyond the vectors: statsmodels and scikit-learn give the same."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from judgekit.stats.agreement import cohen_kappa
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate
from judgekit.stats.intervals import clopper_pearson, jeffreys, wilson
from judgekit.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm
from judgekit.stats.raters import fleiss_kappa

WEIGHTS = (None, "linear", "quadratic")


def tables(k: int, how_many: int = 60) -> list[Any]:
    rng = np.random.default_rng(k)
    return [rng.integers(0, 15, (k, k)) for _ in range(how_many)]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_kappa_and_its_errors_are_those_of_statsmodels(k: int, weights: Any) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    compared = 0
    for counts in tables(k):
        labels = tuple(f"label {i}" for i in range(k))
        table = Confusion(labels=labels, rows=tuple(tuple(map(int, row)) for row in counts))
        other = cohens_kappa(counts, wt=weights)
        found = cohen_kappa(table, weights=weights)
        assert found.value == pytest.approx(other.kappa, abs=1e-10)
        if found.status != "ok":  # statsmodels gives an error of 0 there
            continue
        assert found.se == pytest.approx(other.std_kappa, abs=1e-10)
        assert found.se0 == pytest.approx(other.std_kappa0, abs=1e-10)
        compared += 1
    assert compared >= 55


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_is_that_of_scikit_learn(weights: Any) -> None:
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(3)
    for _ in range(20):
        human, judge = rng.integers(0, 4, 50), rng.integers(0, 4, 50)
        pairs = [(str(h), str(j)) for h, j in zip(human, judge, strict=True)]
        found = cohen_kappa(Confusion.of(pairs, ("0", "1", "2", "3")), weights=weights)
        other = cohen_kappa_score(human, judge, labels=[0, 1, 2, 3], weights=weights)
        assert found.value == pytest.approx(other, abs=1e-10)


def test_fleiss_kappa_is_that_of_statsmodels() -> None:
    from statsmodels.stats.inter_rater import fleiss_kappa as other

    rng = np.random.default_rng(5)
    for _ in range(40):
        counts = rng.multinomial(4, [0.5, 0.3, 0.2], size=15).astype(float)
        found = fleiss_kappa(counts).estimate
        assert isinstance(found, Estimate)
        assert found.value == pytest.approx(float(other(counts)), abs=1e-10)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(wilson, "wilson"), (clopper_pearson, "beta"), (jeffreys, "jeffreys")],
    ids=["wilson", "clopper_pearson", "jeffreys"],
)
def test_intervals_are_those_of_statsmodels_within_the_ends(ours: Any, theirs: str) -> None:
    # at 0 and n statsmodels leaves out the end points of Jeffreys
    from statsmodels.stats.proportion import proportion_confint

    for n in (2, 7, 20, 300):
        for x in range(1, n):
            low, high = proportion_confint(x, n, alpha=0.1, method=theirs)
            found = ours(x, n, 0.05)
            assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(holm, "holm"), (benjamini_hochberg, "fdr_bh"), (benjamini_yekutieli, "fdr_by")],
    ids=["holm", "benjamini_hochberg", "benjamini_yekutieli"],
)
def test_adjusted_p_values_are_those_of_statsmodels(ours: Any, theirs: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(8)
    for m in (1, 2, 5, 20):
        p = np.round(rng.random(m) ** 3, 3)
        assert ours(p.tolist()) == pytest.approx(multipletests(p, method=theirs)[1], abs=1e-12)
