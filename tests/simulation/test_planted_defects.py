"""Synthetic judges with known error rates are found again; nothing here is about a real judge."""

from __future__ import annotations

import pytest

from judgekit.stats.estimate import Estimate, Undefined
from simulations.planted import JUDGES, LEAST_HITS, Planted, contains, records, simulate


@pytest.mark.parametrize("planted", [JUDGES[1], JUDGES[5]], ids=lambda judge: judge.name)
def test_the_intervals_of_a_planted_judge_contain_its_true_rates(planted: Planted) -> None:
    rows = simulate(planted)
    assert {row[3] for row in rows} >= {"false_pass_rate", "false_fail_rate", "kappa"}
    for row in rows:
        assert row[6] == 200
        assert row[7] >= LEAST_HITS, row


def test_every_planted_label_is_marked_synthetic() -> None:
    request = records(JUDGES[0], 0)
    assert request.synthetic
    assert {label.origin for label in request.labels} == {"synthetic"}


def test_a_missing_interval_counts_as_a_miss() -> None:
    assert not contains(Undefined(undefined="no labels"), 0.5)
    assert not contains(Estimate(value=0.5, n=3, method="m"), 0.5)
    assert contains(Estimate(value=0.5, low=0.4, high=0.6, n=3, method="m"), 0.4)
