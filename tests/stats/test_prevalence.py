"""The corrected pass rate: Rogan-Gladen, PPI, strata and labels chosen by verdict."""

from __future__ import annotations

import math

import numpy as np
import pytest

from judgekit.stats.agreement import cohen_kappa
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.intervals import wilson
from judgekit.stats.ppi import PpiMode, ppi_mean, ppi_pass_rate
from judgekit.stats.prevalence import Calibration, lang_reiczigel, rogan_gladen, youden_j
from judgekit.stats.strata import (
    Allocation,
    Strata,
    neyman_allocation,
    stratified_pass_rate,
)
from judgekit.stats.verification import (
    VerifiedCounts,
    begg_greenes,
    false_pass_bounds,
    kappa_by_verdict,
)

LABELS = Calibration(true_passes=90, human_passes=100, true_fails=40, human_fails=50)


def labelled(tp: int, n_p: int, tn: int, n_f: int) -> Calibration:
    return Calibration(true_passes=tp, human_passes=n_p, true_fails=tn, human_fails=n_f)


def table(a: int, b: int, c: int, d: int) -> Confusion:
    return Confusion(labels=("pass", "fail"), rows=((a, b), (c, d)))


def estimate(found: object) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def test_rogan_gladen_gives_what_the_formula_gives_by_hand() -> None:
    # (0.72 + 0.8 - 1)/0.7; interval as in an R re-implementation of Lang & Reiczigel 2014
    found = rogan_gladen(720, 1000, LABELS)
    assert estimate(found.estimate).value == pytest.approx(0.52 / 0.7)
    assert lang_reiczigel(720, 1000, LABELS) == pytest.approx((0.656997, 0.832928), abs=1e-6)
    assert found.status == "ok"
    assert found.reliable


def test_an_impossible_correction_is_clipped_and_flagged() -> None:
    found = rogan_gladen(20, 400, labelled(80, 100, 85, 100))
    assert (found.status, estimate(found.estimate).value) == ("clipped", 0.0)
    assert found.estimate_raw == pytest.approx(-0.1 / 0.65)


@pytest.mark.parametrize(
    ("calibration", "n_judged", "status"),
    [
        (labelled(40, 100, 45, 100), 500, "judge_not_informative"),
        (labelled(50, 100, 50, 100), 500, "judge_not_informative"),
        (labelled(0, 0, 5, 10), 500, "empty_class"),
        (labelled(5, 10, 0, 0), 500, "empty_class"),
        (labelled(9, 10, 9, 10), 0, "nothing_judged"),
    ],
)
def test_rogan_gladen_refuses_what_verdicts_cannot_tell(
    calibration: Calibration, n_judged: int, status: str
) -> None:
    found = rogan_gladen(n_judged // 2, n_judged, calibration)
    assert found.status == status
    assert isinstance(found.estimate, Undefined)
    assert found.se is None


def test_a_judge_whose_information_is_not_sure_is_not_reliable() -> None:
    found = rogan_gladen(250, 500, labelled(55, 100, 50, 100))
    assert found.status == "ok"
    assert not found.reliable
    assert lang_reiczigel(2, 5, labelled(1, 2, 0, 1)) == (0.0, 1.0)


def test_youden_takes_the_hybrid_interval_of_two_rates() -> None:
    found = estimate(youden_j(LABELS))
    passes, fails = wilson(90, 100, 0.025), wilson(40, 50, 0.025)
    assert passes is not None
    assert fails is not None
    assert found.low == pytest.approx(0.7 - math.hypot(0.9 - passes.low, 0.8 - fails.low))


def test_ppi_gives_what_the_formula_gives_by_hand() -> None:
    # 3/4 of the unlabelled pass and the judge errs nowhere: 0.75 +- sqrt(0.1875/4)
    found = ppi_mean([1, 0], [1, 0], [1, 1, 0, 1], mode="ppi")
    assert found.raw == 0.75
    assert found.se == pytest.approx(math.sqrt(0.1875 / 4))


@pytest.mark.parametrize("mode", ["ppi", "ppi_plus_plus", "labels_only"])
def test_counts_give_the_same_as_arrays(mode: PpiMode) -> None:
    y = [1] * 30 + [1] * 5 + [0] * 4 + [0] * 11
    f = [1] * 30 + [0] * 5 + [1] * 4 + [0] * 11
    arrays = ppi_mean(y, f, [1] * 70 + [0] * 50, mode=mode)
    counted = ppi_pass_rate(table(30, 5, 4, 11), 70, 120, mode=mode)
    assert counted.raw == pytest.approx(arrays.raw)
    assert counted.wald_low == pytest.approx(arrays.wald_low)
    assert estimate(counted.estimate).low == pytest.approx(estimate(arrays.estimate).low)


def test_labels_alone_give_wilsons_interval() -> None:
    found = estimate(ppi_pass_rate(table(30, 5, 4, 11), 70, 120, mode="labels_only").estimate)
    plain = wilson(35, 50, 0.025)
    assert plain is not None
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))


def test_a_constant_judge_has_no_weight_and_an_empty_pool_none_either() -> None:
    constant = ppi_mean([1, 0, 1], [1, 1, 1], [1, 1])
    assert (constant.lam, constant.raw) == (0.0, pytest.approx(2 / 3))
    assert ppi_mean([1, 0, 1], [1, 0, 1], []).lam == 0.0
    assert isinstance(ppi_mean([1, 0], [1, 0], [], mode="ppi").estimate, Undefined)
    assert isinstance(ppi_mean([], [], [1, 0]).estimate, Undefined)
    with pytest.raises(ValueError, match="same length"):
        ppi_mean([1], [1, 0], [1])


def test_pure_labels_are_not_taken_for_certainty() -> None:
    found = estimate(ppi_mean([1] * 20, [1] * 20, [1, 0] * 30).estimate)
    assert (found.value, found.high, found.status) == (1.0, 1.0, "few_labels")
    assert found.low is not None
    assert 0.75 < found.low < 0.95
    scores = estimate(ppi_mean([0.5, 0.5], [0.1, 0.1], [0.3, 0.3]).estimate)
    assert (scores.low, scores.status) == (None, "zero_variance")


@pytest.mark.parametrize("truth", [0.5, 0.8, 0.95])
def test_the_interval_of_the_pass_rate_holds_for_few_labels(truth: float) -> None:
    # judge with TPR .95 and TNR .8, 50 labels of 1,050; 300 data sets, error .013 at .95
    rng = np.random.default_rng(1)
    cells = [truth * 0.95, truth * 0.05, (1 - truth) * 0.2, (1 - truth) * 0.8]
    held = 0
    for _ in range(300):
        a, b, c, d = (int(x) for x in rng.multinomial(50, cells))
        passes = int(rng.binomial(1000, cells[0] + cells[2]))
        found = estimate(ppi_pass_rate(table(a, b, c, d), passes, 1000).estimate)
        held += (
            found.low is not None and found.high is not None and found.low <= truth <= found.high
        )
    assert held >= 276  # 92 %


def strata(*rows: tuple[int, int, int]) -> Strata:
    sizes, n, x = zip(*rows, strict=True)
    return Strata(sizes=sizes, labelled=n, passes=x)


def test_strata_are_weighted_by_size() -> None:
    found = stratified_pass_rate(strata((800, 40, 38), (200, 60, 12)))
    by_hand = 0.8**2 * 0.95 * 0.95 * 0.05 / 39 + 0.2**2 * 0.7 * 0.2 * 0.8 / 59
    assert estimate(found.estimate).value == pytest.approx(0.8 * 0.95 + 0.2 * 0.2)
    assert found.se == pytest.approx(math.sqrt(by_hand))
    sampled = stratified_pass_rate(strata((800, 40, 38), (200, 60, 12)), finite=False)
    assert sampled.se is not None
    assert sampled.se > math.sqrt(by_hand)


def test_pure_strata_keep_an_interval_and_a_census_needs_none() -> None:
    pure = stratified_pass_rate(strata((500, 20, 20), (500, 20, 0)))
    assert pure.se == 0.0
    assert estimate(pure.estimate).low == pytest.approx(0.4527, abs=1e-4)
    census = estimate(stratified_pass_rate(strata((10, 10, 7), (5, 5, 1))).estimate)
    assert (census.low, census.value, census.high) == (8 / 15, pytest.approx(8 / 15), 8 / 15)


def test_strata_without_enough_labels_say_so() -> None:
    assert stratified_pass_rate(strata((300, 20, 15), (50, 1, 0))).status == (
        "stratum_with_one_label"
    )
    missing = stratified_pass_rate(strata((300, 20, 15), (50, 0, 0)))
    assert missing.status == "stratum_without_labels"
    assert isinstance(missing.estimate, Undefined)
    assert stratified_pass_rate(strata((0, 0, 0))).status == "no_items"
    assert stratified_pass_rate(strata((300, 20, 15), (0, 0, 0))).status == "ok"
    assert isinstance(neyman_allocation(strata((300, 20, 15), (50, 0, 0)), 10), Undefined)
    assert isinstance(neyman_allocation(strata((0, 0, 0)), 10), Undefined)
    with pytest.raises(ValueError, match="passes <= labelled"):
        strata((10, 11, 3))
    with pytest.raises(ValueError, match="same length"):
        Strata(sizes=(1,), labelled=(), passes=())


def test_neyman_follows_size_times_spread_and_size_alone_when_nothing_varies() -> None:
    found = neyman_allocation(strata((800, 40, 38), (200, 60, 12)), 100)
    assert isinstance(found, Allocation)
    spread = 800 * math.sqrt(0.95 * 0.05)
    assert found.labels[0] == pytest.approx(100 * spread / (spread + 80))
    flat = neyman_allocation(strata((600, 5, 5), (200, 5, 0)), 80)
    assert flat == Allocation(status="zero_sd_proportional", labels=(60.0, 20.0))


FULL = VerifiedCounts(
    all_pass=60, all_fail=40, pass_pass=54, pass_fail=6, fail_pass=4, fail_fail=36
)
OVERSAMPLED = VerifiedCounts(
    all_pass=900, all_fail=100, pass_pass=60, pass_fail=6, fail_pass=8, fail_fail=62
)


def test_labels_of_everything_need_no_correction() -> None:
    found = begg_greenes(FULL)
    assert estimate(found.false_pass).value == pytest.approx(6 / 42)
    assert found.naive_false_pass_rate == pytest.approx(6 / 42)
    assert found.false_fail_rate == pytest.approx(4 / 58)


def test_oversampled_fails_are_weighted_back() -> None:
    # by hand: (6/66*.9)/(6/66*.9 + 62/70*.1)
    found = begg_greenes(OVERSAMPLED)
    bad = 6 / 66 * 0.9
    assert estimate(found.false_pass).value == pytest.approx(bad / (bad + 62 / 70 * 0.1))
    assert found.naive_false_pass_rate == pytest.approx(6 / 68)
    mirrored = begg_greenes(OVERSAMPLED.mirrored)
    assert estimate(mirrored.false_pass).value == pytest.approx(found.false_fail_rate)
    assert OVERSAMPLED.mirrored.mirrored == OVERSAMPLED


def test_the_always_valid_bound_exists_where_no_false_pass_was_seen() -> None:
    none = VerifiedCounts(
        all_pass=800, all_fail=200, pass_pass=50, pass_fail=0, fail_pass=10, fail_fail=40
    )
    found = begg_greenes(none)
    assert (estimate(found.false_pass).value, found.logit_se) == (0.0, None)
    known = false_pass_bounds(none, 0.05)
    assert known.low == 0.0
    assert 0.2 < known.high < false_pass_bounds(none, 0.05, w_known=False).high < 0.5
    unlabelled = VerifiedCounts(
        all_pass=5, all_fail=5, pass_pass=0, pass_fail=0, fail_pass=0, fail_fail=0
    )
    assert false_pass_bounds(unlabelled, 0.05).model_dump() == {"low": 0.0, "high": 1.0}


def test_the_always_valid_bound_misses_at_most_as_often_as_it_says() -> None:
    rng, bad1, bad0 = np.random.default_rng(2), 0.1, 0.9
    truth, missed = bad1 / (bad1 + bad0), 0
    for _ in range(2000):
        x, y = int(rng.binomial(50, bad1)), int(rng.binomial(50, bad0))
        counts = VerifiedCounts(
            all_pass=500, all_fail=500, pass_pass=50 - x, pass_fail=x, fail_pass=50 - y, fail_fail=y
        )
        missed += false_pass_bounds(counts, 0.05).high < truth
    assert missed <= 100


def test_rates_of_a_class_never_seen_are_undefined() -> None:
    one_sided = VerifiedCounts(
        all_pass=500, all_fail=0, pass_pass=60, pass_fail=9, fail_pass=0, fail_fail=0
    )
    assert begg_greenes(one_sided).status == "stratum_unverified"
    assert isinstance(kappa_by_verdict(one_sided, rng=np.random.default_rng(1)), Undefined)
    all_good = VerifiedCounts(
        all_pass=50, all_fail=50, pass_pass=20, pass_fail=0, fail_pass=20, fail_fail=0
    )
    found = begg_greenes(all_good)
    assert isinstance(found.false_pass, Undefined)
    assert (found.tnr, found.naive_false_pass_rate) == (None, None)
    same = VerifiedCounts(
        all_pass=50, all_fail=0, pass_pass=20, pass_fail=0, fail_pass=0, fail_fail=0
    )
    assert isinstance(kappa_by_verdict(same, rng=np.random.default_rng(1)), Undefined)


def test_kappa_of_everything_labelled_is_cohens() -> None:
    found = estimate(kappa_by_verdict(FULL, rng=np.random.default_rng(3)))
    assert found.value == pytest.approx(cohen_kappa(table(54, 4, 6, 36)).value)
    assert found.low is not None
    assert found.high is not None
    assert 0.6 < found.low < found.value < found.high < 0.95
