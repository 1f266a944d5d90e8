"""Published or hand-checked values of raters, looks and several tests."""

from __future__ import annotations

import math

import numpy as np
import pytest

from judgekit.stats.agreement import cohen_kappa, kappa_quantiles
from judgekit.stats.agreement_bootstrap import bootstrap_kappa
from judgekit.stats.agreement_chance import bias_index, prevalence_index
from judgekit.stats.alt_test import NOT_TESTABLE, alternative_annotator_test
from judgekit.stats.clustered import clustered_proportion
from judgekit.stats.confusion import Confusion, count_pairs
from judgekit.stats.dawid_skene import DawidSkene, dawid_skene
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.intervals import GroupedCounts, clopper_pearson, jeffreys
from judgekit.stats.majority import majority_vote
from judgekit.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm
from judgekit.stats.raters import fleiss_kappa, gwet_ac, krippendorff_alpha, label_counts
from judgekit.stats.raters_bootstrap import bootstrap_raters
from judgekit.stats.registry import LAWS, statistic, statistics
from judgekit.stats.sequential import (
    alpha_spending,
    anytime_evidence,
    anytime_path,
    log_beta_cdf,
    mean_at_limit,
    planned_alpha,
    unplanned_alpha,
)

# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section D: 4 raters, 12 units
KRIPPENDORFF = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, 3, None, None],
]
# Fleiss 1971, table 1 as in Wikipedia's worked example: 10 subjects, 14 raters, 5 categories
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def value(found: object) -> float:
    assert isinstance(found, Estimate)
    return found.value


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_gives_krippendorffs_published_example(level, published) -> None:
    counts = label_counts(KRIPPENDORFF, [1, 2, 3, 4, 5])
    found = krippendorff_alpha(counts, level=level)
    assert value(found.estimate) == pytest.approx(published, abs=0.0005)
    assert found.n_labels == 40


def test_gwets_ac1_gives_the_value_of_krippendorffs_example_in_gwets_handbook() -> None:
    # Gwet, Handbook of Inter-Rater Reliability: AC1 0.77544 with error 0.14295, also irrCAC
    found = gwet_ac(label_counts(KRIPPENDORFF, [1, 2, 3, 4, 5]))
    assert value(found.estimate) == pytest.approx(0.77544, abs=0.00001)
    assert found.se == pytest.approx(0.14295, abs=0.00001)


def test_fleiss_kappa_gives_the_textbook_value() -> None:
    found = fleiss_kappa(np.asarray(FLEISS, dtype=float))
    assert found.observed == pytest.approx(0.378, abs=0.0005)
    assert value(found.estimate) == pytest.approx(0.210, abs=0.0005)


def test_no_variation_and_no_pairs_are_undefined_never_one() -> None:
    one_label = label_counts([["a", "a"], ["a", "a"]], ["a", "b"])
    alone = label_counts([["a", None], [None, "b"]], ["a", "b"])
    none = label_counts([], ["a", "b"])
    for found in (
        krippendorff_alpha(one_label),
        krippendorff_alpha(alone),
        krippendorff_alpha(none),
        fleiss_kappa(one_label),
        fleiss_kappa(alone),
        gwet_ac(alone),
        gwet_ac(none),
    ):
        assert isinstance(found.estimate, Undefined)


def test_the_bootstrap_of_items_covers_alpha_and_says_when_there_are_few() -> None:
    counts = label_counts([[1, 1, 1], [2, 2, 2], [1, 2, 2], [1, 1, 2]] * 15, [1, 2])
    found = bootstrap_raters(counts, "krippendorff_alpha", np.random.default_rng(3))
    assert isinstance(found.estimate, Estimate)
    assert found.estimate.status is None
    assert found.estimate.low < found.estimate.value < found.estimate.high
    few = bootstrap_raters(counts[:8], "gwet_ac", np.random.default_rng(3))
    assert isinstance(few.estimate, Estimate)
    assert few.estimate.status == "few_items"


def test_whole_groups_are_drawn_where_items_come_in_groups() -> None:
    rows = [[1, 1, 1], [2, 2, 2], [1, 2, 2], [1, 1, 2]]
    counts = label_counts([row for row in rows for _ in range(10)] * 2, [1, 2])
    groups = [i // 10 for i in range(80)]
    plain = bootstrap_raters(counts, "fleiss_kappa", np.random.default_rng(3)).estimate
    grouped = bootstrap_raters(counts, "fleiss_kappa", np.random.default_rng(3), groups=groups)
    assert isinstance(plain, Estimate)
    assert isinstance(grouped.estimate, Estimate)
    assert grouped.estimate.value == plain.value
    assert grouped.estimate.high - grouped.estimate.low > 1.5 * (plain.high - plain.low)


def test_a_tie_is_never_broken_by_the_order_of_labels() -> None:
    found = majority_vote([["b", "a"], ["a", "b"], ["a", "b", "b"], [None, None]])
    assert found.labels == (None, None, "b", None)
    assert (found.n_ties, found.n_unlabelled) == (2, 1)
    assert value(found.tie_share) == pytest.approx(2 / 3)


def test_dawid_and_skene_find_the_error_rates_of_raters_that_are_simulated() -> None:
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 2, 3_000)
    right = (0.95, 0.85, 0.7, 0.9)
    votes = [[int(t) if rng.random() < p else 1 - int(t) for p in right] for t in truth]
    found = dawid_skene(votes, [0, 1])
    assert isinstance(found, DawidSkene)
    assert found.converged
    assert not found.few_raters
    for rater, p in zip(found.confusion, right, strict=True):
        assert rater[0][0] == pytest.approx(p, abs=0.03)
        assert rater[1][1] == pytest.approx(p, abs=0.03)


def test_two_raters_leave_dawid_and_skene_unidentified_and_it_says_so() -> None:
    found = dawid_skene([[0, 1], [1, 1], [0, 0]], [0, 1])
    assert isinstance(found, DawidSkene)
    assert found.few_raters


def test_an_annotator_whose_differences_are_all_equal_is_not_testable() -> None:
    # scipy's t test would say p = 0 or 1 here
    found = alternative_annotator_test([[1, 1]] * 40, [1] * 40)
    assert found.p_values == (None, None)
    assert found.winning_rate == Undefined(undefined=NOT_TESTABLE, n=40)
    assert found.passes is None
    assert value(found.average_advantage) == 1.0


def test_holm_hochberg_and_yekutieli_adjust_as_r_does() -> None:
    # R: p.adjust(c(.01,.02,.03,.04), "holm" / "BH" / "BY"); BY multiplies BH by 25/12
    p = [0.01, 0.02, 0.03, 0.04]
    assert holm(p) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert benjamini_hochberg(p) == pytest.approx([0.04] * 4)
    assert benjamini_yekutieli(p) == pytest.approx([0.04 * 25 / 12] * 4)
    assert holm([]) == ()
    with pytest.raises(ValueError, match="must lie in"):
        holm([1.2])


def test_zero_errors_are_approved_at_any_time_from_72_labels_on() -> None:
    # STATISTICS section 3: 72 where one fixed look takes 59, limit 5 %
    assert anytime_evidence(0, 71, 0.05).decision == "need_labels"
    assert anytime_evidence(0, 72, 0.05).decision == "approved"
    assert mean_at_limit(0.05) == (0.5, 9.5)


def test_what_was_decided_on_the_way_stays_decided() -> None:
    late_errors = [0] * 80 + [1] * 6
    assert anytime_evidence(6, 86, 0.05).decision != "approved"
    found = anytime_path(late_errors, 0.05)
    assert (found.decision, found.looked_at) == ("approved", 72)
    assert anytime_path([1] * 12, 0.05).decision == "rejected"
    assert anytime_path([], 0.05).decision == "need_labels"


def test_a_judge_at_the_limit_is_approved_at_any_time_in_at_most_5_percent_of_sequences() -> None:
    # Ville: P(ever ln E >= ln 20 | rate = limit) <= .05; 2,000 sequences of 300 labels
    rng = np.random.default_rng(5)
    approved = sum(
        anytime_path((rng.random(300) < 0.05).astype(int).tolist(), 0.05).decision == "approved"
        for _ in range(2_000)
    )
    assert approved / 2_000 <= 0.05 + 2.33 * math.sqrt(0.05 * 0.95 / 2_000)
    assert approved > 20


def test_the_log_of_a_beta_probability_is_finite_where_the_probability_is_not() -> None:
    from scipy.special import betainc

    assert float(betainc(2_000.5, 9.5, 0.05)) == 0.0
    found = float(log_beta_cdf(0.05, 2_000.5, 9.5))
    assert -6_100 < found < -5_900
    # both formulas agree where both can be had: DLMF 8.17.8
    edge = float(log_beta_cdf(0.05, 235.5, 300.0))
    assert edge == pytest.approx(math.log(float(betainc(235.5, 300.0, 0.05))), rel=1e-9)


def test_alpha_is_spent_as_lan_and_demets_say() -> None:
    # Lan & DeMets 1983; rpact 3.3 gives the same for three equal looks, one-sided .05
    obf = alpha_spending([1 / 3, 2 / 3, 1.0])
    pocock = alpha_spending([1 / 3, 2 / 3, 1.0], function="pocock")
    assert obf.cumulative == pytest.approx([0.000687, 0.016375, 0.05], abs=5e-7)
    assert pocock.cumulative == pytest.approx([0.022642, 0.038169, 0.05], abs=5e-7)
    assert sum(obf.increments) == pytest.approx(0.05)
    with pytest.raises(ValueError, match="rise"):
        alpha_spending([0.5, 0.4])


def test_planned_and_unplanned_looks_spend_alpha_in_all() -> None:
    assert [planned_alpha(k, 5) for k in (1, 5)] == [0.01, 0.01]
    assert isinstance(planned_alpha(6, 5), Undefined)
    spent = sum(float(unplanned_alpha(k)) for k in range(1, 2_000))
    assert 0.0499 < spent < 0.05
    assert isinstance(unplanned_alpha(0), Undefined)


def test_jeffreys_has_its_end_points_and_lies_within_clopper_pearson() -> None:
    # Brown, Cai & DasGupta 2001
    assert jeffreys(0, 20, 0.025).low == 0.0
    assert jeffreys(20, 20, 0.025).high == 1.0
    assert jeffreys(8, 10, 0.025).low == pytest.approx(0.497226, abs=1e-6)
    exact, shorter = clopper_pearson(3, 20, 0.025), jeffreys(3, 20, 0.025)
    assert exact.low < shorter.low < shorter.high < exact.high


def test_items_that_are_all_alike_within_groups_are_worth_one_each() -> None:
    # complete correlation, groups of 5: deff = m G/(G-1) = 5 * 10/9, as R survey gives
    counts = GroupedCounts(errors=(5, 5, 5) + (0,) * 7, sizes=(5,) * 10)
    found = clustered_proportion(counts)
    assert found.icc == pytest.approx(1.0)
    assert found.design_effect == pytest.approx(50 / 9)
    assert found.n_effective == pytest.approx(9.0)


def test_weighted_kappa_counts_an_unused_label_and_has_its_dirichlet_interval() -> None:
    # R vcd 1.4.11 and statsmodels 0.15 give .4737 (linear) for this table
    rows = ((44, 5, 1), (7, 20, 3), (9, 5, 6))
    found = cohen_kappa(Confusion(labels=("1", "2", "3"), rows=rows), weights="linear")
    assert found.value == pytest.approx(0.473684, abs=1e-6)
    low, high = kappa_quantiles(rows, (0.025, 0.975), weights="linear")
    assert low < found.value < high
    wider = (*((*row, 0) for row in rows), (0, 0, 0, 0))
    more = cohen_kappa(Confusion(labels=("1", "2", "3", "4"), rows=wider), weights="linear")
    assert more.value != found.value


def test_the_bootstrap_of_kappa_counts_its_undefined_resamples() -> None:
    table = Confusion(labels=("pass", "fail"), rows=((18, 1), (1, 0)))
    found = bootstrap_kappa(table, np.random.default_rng(2))
    # a resample is undefined where no cell but (pass, pass) is drawn: .9^20
    assert found.undefined_share == pytest.approx(0.9**20, abs=0.01)


def test_prevalence_and_bias_index_are_those_of_byrt() -> None:
    table = Confusion(labels=("pass", "fail"), rows=((40, 9), (6, 45)))
    assert value(prevalence_index(table)) == pytest.approx(-0.05)
    assert value(bias_index(table)) == pytest.approx(0.03)
    three = Confusion(labels=("a", "b", "c"), rows=((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    assert isinstance(bias_index(three), Undefined)


def test_pairs_without_a_label_are_dropped_and_counted() -> None:
    found = count_pairs(["pass", None, "fail", "pass"], ["pass", "fail", None, "fail"])
    assert found.n_dropped == 2
    assert found.confusion.rows == ((1, 1), (0, 0))


def test_a_name_is_registered_once_and_a_law_must_be_known() -> None:
    with pytest.raises(ValueError, match="registered by"):
        statistic("holm", kind="multiplicity")(lambda p: p)
    with pytest.raises(ValueError, match="no law"):
        statistic("new", kind="x", laws=("made_up",))(lambda p: p)  # type: ignore[arg-type]
    assert "new" not in statistics()
    assert set(statistics()["tango"].laws) <= set(LAWS)
