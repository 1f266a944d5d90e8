from __future__ import annotations

import numpy as np
import pytest
from trial_sets import CHECKS, case, cases_of, scored, trials_of

from judgekit.errors import InputError, UsageError
from judgekit.model.scoring import ScoringRules
from judgekit.process.differences import (
    Answered,
    grouped_ratio,
    paired_difference,
    pairs_by_group,
)
from judgekit.process.repeat_compare import compare_repeats, mean_for_variance
from judgekit.process.repeat_report import repeat_report
from judgekit.render.repeat_text import repeat_comparison_text
from judgekit.stats.estimate import Undefined


def sides(candidate, baseline, *, changed=(), declared=(), groups=None, rules=CHECKS):
    """Compare two synthetic sides, all trials paired by number."""
    reports = []
    for name, answers, under in (("new", candidate, rules), ("old", baseline, CHECKS)):
        cases = tuple(case(one, group=(groups or {}).get(one)) for one in answers)
        trials = trials_of(answers)
        reports.append(repeat_report(name, cases, trials, scored(cases, trials), under))
    pairs = {
        one: ([bool(x) for x in candidate[one]], [bool(x) for x in baseline[one]])
        for one in candidate
        if one in baseline
    }
    return compare_repeats(*reports, pairs, changed=changed, declared=declared)


def alike(n: int, right: int, k: int = 1) -> dict[str, list[bool]]:
    return {f"c{i:04}": [i < right] * k for i in range(n)}


def test_trials_are_paired_by_case_and_number_and_counted_by_group() -> None:
    one = Answered({("a", 0): True, ("a", 2): True, ("b", 0): True}, {"a": "g", "b": "g"})
    two = Answered({("a", 0): False, ("a", 1): True, ("b", 0): True}, {"a": "g", "b": "g"})
    found = pairs_by_group(one, two)
    assert found == ((1,), (0,), (2,))
    assert (found.n, found.gains) == (2, (1,))


def test_a_ratio_takes_the_cases_of_a_group_together() -> None:
    one, other = {"a": 2.0, "b": 4.0, "c": 3.0}, {"a": 1.0, "b": 1.0, "c": 1.0}
    found = grouped_ratio(one, other, {"a": "g", "b": "g", "c": "h"})
    assert (found.value, found.n) == (3.0, 2)
    assert grouped_ratio(one, dict.fromkeys(one, 0.0), {}) == Undefined(
        undefined="nothing known to be spent on the other side", n=3
    )


def test_the_difference_is_the_grouped_one_with_the_jackknife_error() -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(0, 2, size=(40, 3)).astype(bool)
    second = rng.integers(0, 2, size=(40, 3)).astype(bool)
    keys = [(f"c{i:02}", j) for i in range(40) for j in range(3)]
    sets = [Answered({k: bool(m[int(k[0][1:]), k[1]]) for k in keys}, {}) for m in (first, second)]
    found = paired_difference(*sets)
    # delete-one-group jackknife by hand
    d = (first.astype(int) - second.astype(int)).sum(axis=1)
    left = np.array([(d.sum() - d[i]) / (3 * 39) for i in range(40)])
    se = np.sqrt(39 / 40 * ((left - left.mean()) ** 2).sum())
    assert found.value == pytest.approx(d.sum() / 120)
    assert found.high - found.value == pytest.approx(2.0226909200367604 * se)  # t(39), 97.5 %


def test_a_candidate_that_is_right_far_more_often_is_better_and_the_other_way_worse() -> None:
    low, high = alike(40, 10, 2), alike(40, 30, 2)
    better = sides(high, low)
    assert (better.outcome, better.difference.value) == ("better", 0.5)
    assert sides(low, high).outcome == "worse"
    assert (better.n_cases, better.n_pairs) == (40, 80)


def test_two_equal_agents_are_not_distinguishable() -> None:
    found = sides(alike(40, 20), alike(40, 20))
    assert (found.outcome, found.p_value) == ("not_distinguishable", 1.0)


@pytest.mark.parametrize(
    ("changed", "declared", "outcome"),
    [
        ((), (), "better"),
        (None, (), "not_distinguishable"),
        (("python",), (), "not_distinguishable"),
        (("source",), ("source",), "better"),
        (("source", "python"), ("source",), "not_distinguishable"),
    ],
)
def test_under_three_points_only_matching_configurations_can_be_told_apart(
    changed, declared, outcome
) -> None:
    found = sides(alike(1000, 520), alike(1000, 495), changed=changed, declared=declared)
    assert found.difference.value == pytest.approx(0.025)
    assert found.difference.low > 0
    assert found.outcome == outcome
    if outcome == "not_distinguishable":
        assert "under three" in found.reasons[0]


def test_from_three_points_on_the_interval_decides() -> None:
    assert sides(alike(1000, 530), alike(1000, 495), changed=None).outcome == "better"


def test_cases_of_one_group_are_one_cluster() -> None:
    answers = alike(40, 30), alike(40, 10)
    apart = sides(*answers)
    groups = {f"c{i:04}": f"g{i % 3}" for i in range(40)}
    together = sides(*answers, groups=groups)
    assert together.p_value == pytest.approx(2 / 2**3)
    assert apart.p_value < 0.001
    assert together.outcome == "not_distinguishable"


def test_cases_come_worst_first_and_those_on_one_side_are_named() -> None:
    found = sides(
        {"a": [True, True], "b": [False, False], "c": [True, False], "x": [True, True]},
        {"a": [True, True], "b": [True, True], "c": [False, False], "y": [True, True]},
    )
    assert [row.case for row in found.cases] == ["b", "a", "c"]
    assert found.cases[0].difference == -1.0
    assert found.only_one_side == ("x", "y")
    assert "x, y" in repeat_comparison_text(found)


def test_cases_and_sides_that_are_not_shown_are_counted() -> None:
    one, other = alike(25, 9), {**alike(25, 9), **{f"y{n}": [True] for n in range(11)}}
    text = repeat_comparison_text(sides(one, other))
    assert "... and 5 more (--json has all)" in text
    assert "left out: 11 (y0, y1, " in text
    assert "and 3 more: --json has all)" in text


def test_a_mean_bought_with_variance_is_called_out() -> None:
    # before: half the cases always right; after: each case right in three of four trials
    steady = [True] * 4, [False] * 4
    flaky = [True, True, True, False]
    rows = [(flaky, steady[i % 2]) for i in range(40)]
    found = mean_for_variance(rows)
    assert found == (
        "mean bought with variance: pass@1 rose from 0.500 to 0.750, pass^4 fell from 0.500 to "
        "0.000"
    )
    assert mean_for_variance([(b, a) for a, b in rows]) is None
    assert mean_for_variance([([True], [False])]) is None


def test_a_fall_of_pass_hat_k_that_chance_could_make_is_said_to_be_one() -> None:
    flaky, steady = [True, True, True, False], [True] * 4
    rows = [(flaky, [False] * 4)] * 5 + [(flaky, steady)] + [([False] * 4, [False] * 4)] * 20
    assert mean_for_variance(rows).endswith("a fall that chance could make as well")


def test_sides_scored_under_different_rules_are_refused() -> None:
    other = ScoringRules.model_validate({"schema": 1, "name": "synthetic", "failing": []})
    with pytest.raises(UsageError, match="different rules"):
        sides(alike(3, 1), alike(3, 2), rules=other)


def test_sides_without_a_common_case_are_refused() -> None:
    with pytest.raises(InputError, match="no case in common"):
        sides({"a": [True]}, {"b": [True]})


def test_failures_of_the_infrastructure_are_said_and_count_as_not_correct() -> None:
    found = sides({"a": [None, True], "b": [True, True]}, {"a": [True, True], "b": [True, True]})
    assert found.difference.value == -0.25
    assert any("failed 1 trials of the candidate" in reason for reason in found.reasons)


def test_limits_that_differ_are_called_unequal_budgets_unless_they_were_meant_to() -> None:
    said = "the limits differ: the two did not have equal budgets (--changed limits: meant so)"
    assert said in sides(alike(20, 9), alike(20, 9), changed=["limits"]).reasons
    meant = sides(alike(20, 9), alike(20, 9), changed=["limits"], declared=["limits"])
    assert said not in meant.reasons


def test_trials_without_a_partner_are_left_out_and_counted() -> None:
    cases = cases_of(["a"])
    reports = []
    for n in (3, 2):
        trials = trials_of({"a": [True] * n})
        reports.append(repeat_report(str(n), cases, trials, scored(cases, trials), CHECKS))
    found = compare_repeats(*reports, {"a": ([True] * 2, [True] * 2)}, changed=())
    assert found.unpaired == 1
