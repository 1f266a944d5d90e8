"""Anchors with a published or hand-checked value, so that nothing outside is needed."""

from __future__ import annotations

import numpy as np
import pytest

from judgekit.stats.agreement import (
    ac1_of_shares,
    cohen_kappa,
    dirichlet_interval,
    disagreement_effect,
    group_tables,
    gwet_ac1,
    jackknife_kappa,
    kappa_interval,
    pabak,
    specific_agreement,
)
from judgekit.stats.confusion import Confusion
from judgekit.stats.decision import ceiling_outcome, floor_outcome, three_way
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.intervals import (
    GroupedCounts,
    clopper_pearson,
    decision_n,
    rate_bounds,
    rate_display,
    wilson,
)
from judgekit.stats.planning import least_n_without_errors, plan_kappa, plan_labels


def table(a: int, b: int, c: int, d: int) -> Confusion:
    return Confusion(labels=("pass", "fail"), rows=((a, b), (c, d)))


def test_wilson_gives_the_textbook_value_for_8_of_10() -> None:
    # Wilson 1927; same in R prop.test(8, 10, correct = FALSE)
    found = wilson(8, 10, 0.025)
    assert found is not None
    assert (round(found.low, 6), round(found.high, 6)) == (0.490162, 0.943318)


def test_rule_of_three_is_exact_at_the_published_sizes() -> None:
    # ln(0.05)/ln(1-limit), see Hanley & Lippman-Hand 1983
    limits = (0.01, 0.02, 0.05, 0.10, 0.20)
    assert [least_n_without_errors(x, 0.05) for x in limits] == [299, 149, 59, 29, 14]


def test_clopper_pearson_takes_fractional_counts_and_the_ends() -> None:
    # between its integer neighbours, since the beta quantile is smooth in both
    middle = clopper_pearson(2.5, 10.5, 0.05).high
    assert clopper_pearson(2, 10, 0.05).high < middle < clopper_pearson(3, 10, 0.05).high
    assert clopper_pearson(0, 0, 0.05).model_dump() == {"low": 0.0, "high": 1.0}
    assert clopper_pearson(3, 3, 0.05).high == 1.0
    assert wilson(0, 0, 0.05) is None


def test_imbalance_makes_kappa_vanish_while_ac1_looks_good() -> None:
    # the paradox of Feinstein & Cicchetti 1990 on 118/5/2/0
    paradox = table(118, 5, 2, 0)
    ac1, negative = gwet_ac1(paradox), specific_agreement(paradox, "fail")
    assert isinstance(ac1, Estimate)
    assert isinstance(negative, Estimate)
    assert cohen_kappa(paradox).value == pytest.approx(-0.0229, abs=1e-3)
    assert ac1.value == pytest.approx(0.94, abs=0.005)
    assert negative.value == 0.0


def test_degenerate_tables_are_undefined_or_marked_never_guessed() -> None:
    assert cohen_kappa(table(0, 0, 0, 0)).undefined == "no pairs"
    assert cohen_kappa(table(7, 0, 0, 0)).undefined == "both raters gave one and the same answer"
    one = cohen_kappa(table(0, 5, 0, 5))
    assert (one.value, one.status, one.se) == (0.0, "one_rater_constant", None)
    both_constant_differently = cohen_kappa(table(0, 5, 0, 0))
    assert both_constant_differently.value == 0.0
    assert both_constant_differently.status == "one_rater_constant"
    assert isinstance(gwet_ac1(table(0, 0, 0, 0)), Undefined)
    assert isinstance(pabak(table(0, 0, 0, 0)), Undefined)
    assert isinstance(specific_agreement(table(5, 0, 0, 0), "fail"), Undefined)
    assert isinstance(specific_agreement(table(5, 0, 0, 0), "other"), Undefined)


def test_a_confusion_refuses_what_is_not_a_table() -> None:
    with pytest.raises(ValueError, match="two different"):
        Confusion(labels=("pass",), rows=((1,),))
    with pytest.raises(ValueError, match="2 x 2"):
        Confusion(labels=("pass", "fail"), rows=((1, 2),))
    with pytest.raises(ValueError, match="negative"):
        table(1, -1, 0, 0)


def test_confusions_with_other_labels_are_written_as_rows() -> None:
    three = Confusion.of([("1", "2"), ("tie", "tie")], ("1", "2", "tie"))
    assert three.as_json() == {
        "labels": ["1", "2", "tie"],
        "rows": [[0, 1, 0], [0, 0, 0], [0, 0, 1]],
    }
    assert not three.is_pass_fail
    assert table(1, 2, 3, 4).as_json()["human_fail_judge_pass"] == 3


def test_effective_n_follows_the_stricter_rule_below_15_error_groups() -> None:
    # one error in each of three groups of 5: Korn-Graubard alone would keep nearly all 40
    few = GroupedCounts(errors=(1, 1, 1, 0, 0, 0, 0, 0), sizes=(5,) * 8)
    assert decision_n(few, 0.05).n == pytest.approx(40 / (1 + 4 * 0.3))
    none = GroupedCounts(errors=(0,) * 8, sizes=(5,) * 8)
    assert decision_n(none, 0.05).n == pytest.approx(40 / 2.2)
    single = GroupedCounts(errors=(0, 1), sizes=(1, 1))
    assert decision_n(single, 0.05).n == 2
    many = GroupedCounts(errors=(2, 0) * 20, sizes=(5,) * 40)
    assert decision_n(many, 0.05).method == "Korn-Graubard"


def test_one_group_gives_no_interval() -> None:
    one = GroupedCounts(errors=(1,), sizes=(5,))
    assert rate_bounds(one, 0.05).model_dump() == {"low": 0.0, "high": 1.0}
    assert rate_display(one, 0.05) == (None, "one group only: no interval")
    lone = kappa_interval(group_tables(["g", "g"], [(0, 0), (1, 0)], 2), 0.05)
    assert (lone.low, lone.high) == (-1.0, 1.0)


def test_grouped_kappa_bounds_are_wider_than_ungrouped_ones() -> None:
    pairs = [(0, 0), (0, 0), (1, 1), (1, 0), (0, 0), (1, 1)] * 20
    alone = kappa_interval(group_tables([f"{i:03}" for i in range(120)], pairs, 2), 0.05)
    together = kappa_interval(group_tables([f"{i // 6:03}" for i in range(120)], pairs, 2), 0.05)
    assert together.low <= alone.low + 0.01
    perfect = group_tables([f"{i // 2:03}" for i in range(40)], [(0, 0), (1, 1)] * 20, 2)
    assert kappa_interval(perfect, 0.05).method == "Dirichlet (counts/design effect)"
    assert disagreement_effect(perfect) == pytest.approx(1.3)


def test_the_three_way_rule() -> None:
    assert ceiling_outcome(0.1, high=0.1, reject_low=0.0) == "safe"
    assert ceiling_outcome(0.1, high=0.2, reject_low=0.05) == "undecided"
    assert ceiling_outcome(0.1, high=0.9, reject_low=0.11) == "past_limit"
    assert floor_outcome(0.5, low=0.5, reject_high=0.9) == "safe"
    assert floor_outcome(0.5, low=0.4, reject_high=0.9) == "undecided"
    assert floor_outcome(0.5, low=0.1, reject_high=0.4) == "past_limit"
    assert three_way([]) == "need_labels"
    assert three_way(["safe", "safe"]) == "approved"
    assert three_way(["safe", "undecided"]) == "need_labels"
    assert three_way(["safe", "past_limit"]) == "rejected"


def test_plans_are_infeasible_rather_than_endless() -> None:
    assert isinstance(plan_labels(0.1, 0.1, alpha=0.05), Undefined)
    assert isinstance(plan_labels(0.0999, 0.1, alpha=0.05), Undefined)
    assert isinstance(plan_kappa(table(10, 10, 10, 10), 0.5, alpha=0.05), Undefined)
    wanted = plan_kappa(table(45, 5, 8, 42), 0.6, alpha=0.05)
    # ((1.645 + 0.842) * 0.67 / 0.13)^2 is about 165
    assert isinstance(wanted, int)
    assert 120 < wanted < 260


def test_what_cannot_be_estimated_says_so() -> None:
    empty = jackknife_kappa([[[0, 0], [0, 0]]])
    assert (empty.value, empty.undefined) == (None, "no pairs")
    lopsided = jackknife_kappa([[[3, 1], [0, 2]], [[0, 0], [0, 0]]])
    assert (lopsided.se, lopsided.undefined) == (None, "one group holds all")
    needed = jackknife_kappa([[[3, 0], [0, 0]], [[1, 0], [0, 1]]])
    assert needed.undefined == "kappa is undefined without one of the groups"
    assert dirichlet_interval(np.array([[[3, 0], [0, 2]]]), 0.05, ac1_of_shares) is None
