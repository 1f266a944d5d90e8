from __future__ import annotations

import numpy as np
import pytest

from judgekit.stats.confusion import PASS_FAIL, Confusion
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.grouped_prevalence import (
    effective_calibration,
    grouped_ppi_pass_rate,
    grouped_rogan_gladen,
)
from judgekit.stats.intervals import GroupedCounts
from judgekit.stats.ppi import ppi_pass_rate
from judgekit.stats.prevalence import Calibration, rogan_gladen

CELLS = [(0, 0)] * 90 + [(0, 1)] * 10 + [(1, 0)] * 10 + [(1, 1)] * 40
JUDGED = [1] * 720 + [0] * 280


def arrays(repeat: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return every labelled and judged item as a group of `repeat` copies of itself."""
    n = len(CELLS)
    tables = np.zeros((n + len(JUDGED), 2, 2))
    for g, cell in enumerate(CELLS):
        tables[g][cell] = repeat
    passes = np.concatenate([np.zeros(n), repeat * np.array(JUDGED)])
    judged = np.concatenate([np.zeros(n), np.full(len(JUDGED), repeat)])
    return tables, passes, judged


def width(found: object) -> float:
    assert isinstance(found, Estimate)
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low


def test_ppi_on_groups_of_one_is_ppi_on_independent_items() -> None:
    plain = ppi_pass_rate(Confusion(labels=PASS_FAIL, rows=((90, 10), (10, 40))), 720, 1000)
    found = grouped_ppi_pass_rate(*arrays())
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(plain.estimate.value)
    assert width(found) == pytest.approx(width(plain.estimate), rel=0.02)


def test_copies_of_the_same_items_add_no_information() -> None:
    for way, close in ((grouped_ppi_pass_rate, 0.01), (grouped_rogan_gladen, 0.05)):
        once, five = way(*arrays()), way(*arrays(5))
        assert five.value == pytest.approx(once.value, abs=1e-3)
        assert width(five) == pytest.approx(width(once), rel=close)


def test_rogan_gladen_on_groups_is_never_shorter_than_on_independent_items() -> None:
    labels = Calibration(true_passes=90, human_passes=100, true_fails=40, human_fails=50)
    plain = rogan_gladen(720, 1000, labels).estimate
    assert width(grouped_rogan_gladen(*arrays())) >= width(plain) - 1e-9


def test_the_outputs_own_rate_is_less_certain_when_they_are_few() -> None:
    tables, passes, judged = arrays()
    few = np.arange(len(judged)) % 10 == 0
    passes, judged = passes * few, judged * few
    ends = {
        target: grouped_ppi_pass_rate(tables, passes, judged, target=target)
        for target in ("population", "outputs", "both")
    }
    assert width(ends["outputs"]) > width(ends["population"])
    assert width(ends["both"]) == pytest.approx(width(ends["outputs"]))


def test_without_groups_to_compare_there_is_no_value() -> None:
    one = [[[5, 1], [1, 5]]]
    for way in (grouped_ppi_pass_rate, grouped_rogan_gladen):
        assert isinstance(way(one, [3], [4]), Undefined)
    assert isinstance(grouped_ppi_pass_rate(np.zeros((0, 2, 2)), [], []), Undefined)
    with pytest.raises(ValueError, match="one entry per group"):
        grouped_ppi_pass_rate(one, [3, 1], [4, 1])


def test_few_groups_are_said_and_no_variance_is_not_certainty() -> None:
    some = [[[5, 1], [1, 5]]] * 4
    found = grouped_ppi_pass_rate(some, [3, 2, 4, 3], [6, 6, 6, 6])
    assert isinstance(found, Estimate)
    assert found.status == "few_groups"
    perfect = grouped_ppi_pass_rate([[[2, 0], [0, 0]]] * 12, [2] * 12, [2] * 12)
    assert isinstance(perfect, Estimate)
    assert (perfect.status, perfect.value, perfect.high) == ("few_labels", 1.0, 1.0)
    assert perfect.low < 0.9


def test_effective_counts_shrink_with_correlation_and_stay_without_it() -> None:
    alone = GroupedCounts(errors=(0, 1) * 20, sizes=(1,) * 40)
    fives = GroupedCounts(errors=(0, 5) * 20, sizes=(5,) * 40)
    found = effective_calibration(alone, fives)
    assert (found.human_passes, found.true_passes) == (40, 20)
    assert 35 <= found.human_fails <= 40
    assert found.true_fails * 2 == pytest.approx(found.human_fails, abs=1)


def grouped_sample(
    rng: np.random.Generator, labelled: int = 40, others: int = 100, size: int = 5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw groups with correlated human passes (rate .6, ICC .3) and a judge of TPR .85, TNR .8
    whose errors vary by group."""
    groups = labelled + others
    share = rng.beta(0.6 * 7 / 3, 0.4 * 7 / 3, groups)
    tpr, tnr = rng.beta(8.5, 1.5, groups), rng.beta(8, 2, groups)
    human = rng.binomial(size, share)
    right, caught = rng.binomial(human, tpr), rng.binomial(size - human, tnr)
    tables = np.stack(
        [right, human - right, size - human - caught, caught], axis=1
    ).reshape(-1, 2, 2)  # fmt: skip
    passes = tables[:, 0, 0] + tables[:, 1, 0]
    known = np.arange(groups) < labelled
    return tables * known[:, None, None], passes * ~known, np.full(groups, size) * ~known


@pytest.mark.parametrize("way", [grouped_ppi_pass_rate, grouped_rogan_gladen])
def test_the_grouped_interval_holds_a_known_rate(way: object) -> None:
    rng, held, replicates = np.random.default_rng(20261130), 0, 400
    for _ in range(replicates):
        found = way(*grouped_sample(rng))
        held += found.low <= 0.6 <= found.high
    # 372 is .95 of 400 less 1.84 standard errors.
    assert held >= 372


def test_the_linearised_error_agrees_with_a_bootstrap_of_groups() -> None:
    rng = np.random.default_rng(7)
    tables, passes, judged = grouped_sample(rng, labelled=150, others=300)
    labelled = np.flatnonzero(tables.sum(axis=(1, 2)))
    others = np.flatnonzero(judged)
    drawn = {grouped_ppi_pass_rate: [], grouped_rogan_gladen: []}
    for _ in range(400):
        chosen = np.concatenate(
            [rng.choice(labelled, len(labelled)), rng.choice(others, len(others))]
        )
        for way, values in drawn.items():
            values.append(way(tables[chosen], passes[chosen], judged[chosen]).value)
    for way, values in drawn.items():
        shown = width(way(tables, passes, judged)) / (2 * 1.976)
        assert shown == pytest.approx(np.std(values, ddof=1), rel=0.15)
