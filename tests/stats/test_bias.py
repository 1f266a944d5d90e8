"""Position, length, family and slice."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from judgekit.stats.bias import (
    least_detectable_share,
    mantel_haenszel,
    position_bias,
    slice_screen,
)
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.verbosity import verbosity_logit

BERKELEY = [
    [[512, 313], [89, 19]],
    [[353, 207], [17, 8]],
    [[120, 205], [202, 391]],
    [[138, 279], [131, 244]],
    [[53, 138], [94, 299]],
    [[22, 351], [24, 317]],
]
"""Admissions to Berkeley in 1973: rows men and women, columns admitted and not, by department."""


def estimate(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def test_berkeley_has_the_common_odds_ratio_that_r_prints() -> None:
    # R mantelhaen.test(UCBAdmissions, correct = FALSE): X2 1.5246, p .2169; OR .9046968,
    # 95 % .7719074 to 1.0603298
    found = mantel_haenszel(BERKELEY)
    ratio = estimate(found.odds_ratio)
    assert ratio.value == pytest.approx(0.9046968, abs=1e-6)
    assert (ratio.low, ratio.high) == pytest.approx((0.7719074, 1.0603298), abs=1e-6)
    assert found.statistic == pytest.approx(1.5246, abs=1e-4)
    assert found.p == pytest.approx(0.2169, abs=1e-4)
    # one department differs
    assert found.p_homogeneity is not None
    assert found.p_homogeneity < 0.01


def test_the_second_opinion_of_statsmodels_is_the_same() -> None:
    from statsmodels.stats.contingency_tables import StratifiedTable

    theirs = StratifiedTable([np.array(t) for t in BERKELEY])
    ours = mantel_haenszel(BERKELEY)
    assert ours.statistic == pytest.approx(float(theirs.test_null_odds().statistic))
    assert ours.p_homogeneity == pytest.approx(float(theirs.test_equal_odds().pvalue))


def test_one_stratum_gives_the_plain_difference_and_its_usual_error() -> None:
    found = estimate(mantel_haenszel([[[12, 8], [7, 13]]]).risk_difference)
    se = math.sqrt(0.6 * 0.4 / 20 + 0.35 * 0.65 / 20)
    assert found.value == pytest.approx(0.25)
    assert found.high is not None
    assert found.high - found.value == pytest.approx(1.96 * se, rel=0.01)


def test_strata_without_variation_test_nothing() -> None:
    passed = mantel_haenszel([[[10, 0], [10, 0]], [[0, 0], [0, 0]]])
    assert (passed.status, passed.p, passed.p_homogeneity) == ("no_variation", None, None)
    assert isinstance(passed.odds_ratio, Undefined)
    assert estimate(passed.risk_difference).value == 0.0
    own_only = mantel_haenszel([[[10, 3], [0, 0]]])
    assert isinstance(own_only.risk_difference, Undefined)
    assert own_only.status == "no_variation"
    assert mantel_haenszel([]).status == "no_variation"
    never = mantel_haenszel([[[0, 5], [3, 2]]])
    assert (estimate(never.odds_ratio).value, estimate(never.odds_ratio).high) == (0.0, None)
    assert never.status == "ok"


def test_position_is_judged_among_inconsistent_pairs() -> None:
    found = position_bias(30, 28, 14, 6, n_ties=3)
    assert (found.n_pairs, found.n_ties) == (78, 3)
    assert found.first_rate_overall == pytest.approx((58 + 28) / 156)
    assert estimate(found.first_rate).value == 0.7
    # 2 P(Bin(20, 1/2) >= 14)
    assert found.p_exact == pytest.approx(2 * binom.sf(13, 20, 0.5))


def test_without_an_inconsistent_pair_there_is_no_preference_to_test() -> None:
    found = position_bias(10, 5, 0, 0)
    assert isinstance(found.first_rate, Undefined)
    assert found.p_exact is None
    assert estimate(found.consistency).value == 1.0
    assert isinstance(position_bias(0, 0, 0, 0, n_ties=4).consistency, Undefined)


@pytest.mark.parametrize("n", [6, 20, 21, 50, 200])
def test_the_least_detectable_share_has_the_power_it_says(n: int) -> None:
    share = estimate(least_detectable_share(n)).value
    significant = [x for x in range(n // 2, n + 1) if 2 * binom.sf(x - 1, n, 0.5) <= 0.05]
    assert binom.sf(significant[0] - 1, n, share) == pytest.approx(0.8)


def test_too_few_pairs_can_reveal_nothing() -> None:
    # 2 * (1/2)^5 > .05
    assert isinstance(least_detectable_share(5), Undefined)
    assert isinstance(least_detectable_share(0), Undefined)


def test_slices_are_compared_with_the_rest_unless_too_few() -> None:
    # Fisher's tea tasting: 3 of 4 against 1 of 4 gives .4857
    one, other = slice_screen([3, 1], [4, 4], least=1)
    assert one.p_rest == other.p_rest == pytest.approx(0.4857, abs=5e-5)
    few, empty, large = slice_screen([1, 0, 5], [3, 0, 40])
    assert (few.too_few, few.p_rest) == (True, None)
    assert isinstance(empty.rate, Undefined)
    assert not large.too_few
    assert slice_screen([2], [20])[0].p_rest is None


def doubling(passes_short: int, passes_long: int) -> tuple[list[int], list[int], list[int]]:
    """Return four short and four long answers for each human verdict."""
    judge, human, length = [], [], []
    for verdict in (0, 1):
        for passes, size in ((passes_short, 10), (passes_long, 20)):
            judge += [1] * passes + [0] * (4 - passes)
            human += [verdict] * 4
            length += [size] * 4
    return judge, human, length


def test_the_odds_ratio_per_doubling_is_that_of_a_balanced_table() -> None:
    # 1 of 4 against 3 of 4 in both human classes: odds 1/3 and 3
    found = verbosity_logit(*doubling(1, 3))
    assert found.status == "ok"
    assert found.odds_ratio_per_doubling == pytest.approx(9.0)
    assert found.coef_human == pytest.approx(0.0, abs=1e-9)
    # error of a log odds ratio in a 2x2 table of 2, 6, 6, 2, over ln 2
    assert found.se_log_length == pytest.approx(math.sqrt(4 / 3) / math.log(2), rel=1e-6)


def test_what_has_no_finite_estimate_says_which_kind_it_is() -> None:
    judge, human, length = doubling(1, 3)
    assert verbosity_logit([1] * 16, human, length).status == "constant_outcome"
    assert verbosity_logit(judge, [1] * 16, length).status == "collinear"
    assert verbosity_logit(judge, human, [10] * 16).status == "collinear"
    assert verbosity_logit([], [], []).status == "no_items"
    assert verbosity_logit([1], [1], [5]).status == "constant_outcome"
    complete = verbosity_logit(human, human, list(range(1, 17)))
    assert (complete.status, complete.coef_log_length, complete.p) == ("separation", None, None)
    with pytest.raises(ValueError, match="above 0"):
        verbosity_logit(judge, human, [0] * 16)
    with pytest.raises(ValueError, match="same length"):
        verbosity_logit(judge, human, length[1:])


def test_an_empty_cell_is_separation_too() -> None:
    # no human fail ever passes: quasi-complete separation
    rng = np.random.default_rng(4)
    human = np.repeat([0, 1], 40)
    judge = np.where(human == 1, rng.integers(0, 2, 80), 0)
    assert verbosity_logit(judge, human, rng.integers(50, 500, 80)).status == "separation"


def test_errors_by_group_are_the_sandwich_of_statsmodels() -> None:
    from statsmodels.api import Logit

    rng = np.random.default_rng(9)
    human, length = rng.integers(0, 2, 120), rng.integers(20, 400, 120)
    judge = rng.random(120) < 0.3 + 0.3 * human + 0.0005 * length
    groups = np.repeat(np.arange(30), 4)
    x = np.column_stack([np.ones(120), human, np.log(length)])
    theirs = Logit(judge.astype(float), x).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": groups}
    )
    ours = verbosity_logit(judge, human, length, groups=[str(g) for g in groups])
    assert ours.coef_log_length == pytest.approx(theirs.params[2], rel=1e-6)
    assert ours.se_log_length == pytest.approx(theirs.bse[2], rel=1e-6)
    assert ours.loglik == pytest.approx(theirs.llf)
    one = verbosity_logit(judge, human, length, groups=["g"] * 120)
    assert (one.status, one.se_log_length) == ("few_groups", None)
    assert one.odds_ratio_per_doubling == pytest.approx(ours.odds_ratio_per_doubling)
