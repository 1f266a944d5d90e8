"""Cluster replicates from group counts have the law of drawing group indices."""

from __future__ import annotations

import numpy as np
import pytest

from judgekit.stats.agreement import kappa_of_shares
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.resample import cluster_bootstrap, cluster_replicates


def tables(n_groups: int, kinds: int, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    known = rng.integers(0, 6, size=(kinds, 2, 2))
    return known[rng.integers(0, kinds, n_groups)]


@pytest.mark.parametrize(
    ("n", "kinds"), [(160, 4), (60, 60)], ids=["few kinds of group", "many kinds of group"]
)
def test_replicates_have_the_mean_and_the_spread_of_an_index_loop(n: int, kinds: int) -> None:
    groups = tables(n, kinds)
    quick = cluster_replicates(groups, 40_000, rng=np.random.default_rng(1))
    rng = np.random.default_rng(2)
    slow = np.stack([groups[rng.integers(0, n, n)].sum(axis=0) for _ in range(20_000)])
    assert quick.mean(axis=0) == pytest.approx(slow.mean(axis=0), rel=0.01)
    assert quick.std(axis=0) == pytest.approx(slow.std(axis=0), rel=0.03)
    first, second = quick.reshape(-1, 4).T, slow.reshape(-1, 4).T
    assert np.corrcoef(first) == pytest.approx(np.corrcoef(second), abs=0.03)


def test_the_interval_agrees_with_an_index_loop() -> None:
    groups = tables(80, 9)
    found = cluster_bootstrap(groups, rng=np.random.default_rng(1), draws=20_000)
    assert isinstance(found, Estimate)
    rng = np.random.default_rng(2)
    sums = np.stack([groups[rng.integers(0, 80, 80)].sum(axis=0) for _ in range(20_000)])
    slow = kappa_of_shares(sums / sums.sum(axis=(1, 2), keepdims=True))
    low, high = np.quantile(slow, [0.025, 0.975])
    assert (found.low, found.high) == (pytest.approx(low, abs=5e-3), pytest.approx(high, abs=5e-3))


def test_one_group_and_no_pairs_have_no_interval() -> None:
    rng = np.random.default_rng(1)
    assert isinstance(cluster_bootstrap(np.zeros((3, 2, 2)), rng=rng), Undefined)
    assert isinstance(cluster_bootstrap(np.ones((1, 2, 2)), rng=rng), Undefined)
    constant = np.array([[[5, 0], [0, 0]]] * 4)
    assert isinstance(cluster_bootstrap(constant, rng=rng), Undefined)
    assert cluster_replicates(np.zeros((0, 2, 2)), 3, rng=rng).shape == (3, 2, 2)


def test_replicates_without_a_value_are_counted() -> None:
    groups = np.array([[[4, 0], [0, 0]]] * 3 + [[[0, 0], [0, 4]]])
    found = cluster_bootstrap(groups, rng=np.random.default_rng(1), draws=1000)
    assert isinstance(found, Estimate)
    assert found.status is not None
    assert found.status.endswith("of 1000 replicates undefined")


def test_large_counts_and_many_labels_are_added_up_without_loss() -> None:
    rng = np.random.default_rng(4)
    groups = rng.integers(0, 2**40, size=(30, 5, 5))
    groups[0] += 2**41
    sums = cluster_replicates(groups, 4, rng=np.random.default_rng(1))
    index = np.random.default_rng(1).integers(0, 30, size=(4, 30))
    assert sums.tolist() == groups[index].sum(axis=1).astype(float).tolist()
