"""The statistics against values computed elsewhere (each case names its source)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.stats.agreement import (
    cohen_kappa,
    gwet_ac1,
    jackknife_kappa,
    kappa_quantiles,
    pabak,
    specific_agreement,
)
from judgekit.stats.confusion import Confusion
from judgekit.stats.decision import ceiling_outcome
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import GroupedCounts, clopper_pearson, korn_graubard_n, wilson
from judgekit.stats.planning import least_n_without_errors, most_errors, plan_labels

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "vectors"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not VECTORS.exists(), reason="../shared/vectors is absent"),
]


def cases(name: str) -> list[Any]:
    path = VECTORS / f"{name}.json"
    if not path.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="vectors absent"))]
    return [pytest.param(c, id=c["id"]) for c in json.loads(path.read_text())["cases"]]


def same(found: float | None, case: dict[str, Any], key: str) -> None:
    wanted = case["expected"][key]
    if wanted is None:
        assert found is None, key
    else:
        assert found == pytest.approx(wanted, abs=case["tolerance"]), key


def value_of(statistic: Statistic) -> float | None:
    return statistic.value if isinstance(statistic, Estimate) else None


def two_by_two(given: dict[str, Any]) -> Confusion:
    a, b = given["human_pass_judge_pass"], given["human_pass_judge_fail"]
    c, d = given["human_fail_judge_pass"], given["human_fail_judge_fail"]
    return Confusion(labels=("pass", "fail"), rows=((a, b), (c, d)))


def table(given: dict[str, Any]) -> Confusion:
    labels = tuple(str(x) for x in given.get("labels", ("pass", "fail")))
    if "confusion" not in given:
        pairs = zip(given["human"], given["judge"], strict=True)
        return Confusion.of([p for p in pairs if None not in p], labels)
    return Confusion(labels=labels, rows=tuple(map(tuple, given["confusion"])))


@pytest.mark.parametrize("case", cases("agreement_2x2"))
def test_two_by_two_companions_match(case: dict[str, Any]) -> None:
    t = two_by_two(case["input"])
    same(value_of(pabak(t)), case, "pabak")
    same(value_of(gwet_ac1(t)), case, "gwet_ac1")
    same(value_of(specific_agreement(t, "pass")), case, "positive_agreement")
    same(value_of(specific_agreement(t, "fail")), case, "negative_agreement")
    same(cohen_kappa(t).value, case, "kappa")


@pytest.mark.parametrize("case", cases("cohen_kappa") + cases("weighted_kappa"))
def test_kappa_and_its_errors_match(case: dict[str, Any]) -> None:
    found = cohen_kappa(table(case["input"]), weights=case["input"]["weights"])
    same(found.value, case, "kappa")
    same(found.se0, case, "se0") if found.value is not None else None
    status = case["expected"]["status"]
    if status == "ok":
        same(found.se, case, "se")
    assert (found.status or "undefined_both_constant") == status


@pytest.mark.parametrize("case", cases("kappa_small_sample_ci"))
def test_dirichlet_quantiles_of_kappa_match(case: dict[str, Any]) -> None:
    low, one_sided, high = kappa_quantiles(
        case["input"]["confusion"], (0.025, 0.05, 0.975), draws=100_000
    )
    same(low, case, "dirichlet_low")
    same(one_sided, case, "dirichlet_lower_one_sided_95")
    same(high, case, "dirichlet_high")


@pytest.mark.parametrize("case", cases("kappa_grouped_ci"))
def test_grouped_jackknife_matches(case: dict[str, Any]) -> None:
    found = jackknife_kappa(case["input"]["group_confusions"])
    same(found.value, case, "kappa")
    same(found.se, case, "jackknife_se")
    low, high = found.fisher_z(0.025) or (None, None)
    same(low, case, "fisher_z_low")
    same(high, case, "fisher_z_high")


@pytest.mark.parametrize("case", cases("binomial_interval"))
def test_wilson_and_clopper_pearson_match(case: dict[str, Any]) -> None:
    given = case["input"]
    x, n, alpha = given["successes"], given["n"], 1 - given["confidence"]
    score = wilson(x, n, alpha / 2)
    same(score.low if score else None, case, "wilson_low")
    same(score.high if score else None, case, "wilson_high")
    same(clopper_pearson(x, n, alpha / 2).low, case, "clopper_pearson_low")
    same(clopper_pearson(x, n, alpha / 2).high, case, "clopper_pearson_high")
    same(clopper_pearson(x, n, alpha).high, case, "cp_upper_one_sided")
    same(clopper_pearson(x, n, alpha).low, case, "cp_lower_one_sided")


@pytest.mark.parametrize("case", cases("clustered_proportion"))
def test_korn_graubard_matches(case: dict[str, Any]) -> None:
    given, wanted = case["input"], case["expected"]
    counts = GroupedCounts(
        errors=tuple(given["cluster_errors"]), sizes=tuple(given["cluster_sizes"])
    )
    alpha = 1 - given["confidence"]
    if wanted["status"] != "ok":
        assert korn_graubard_n(counts, alpha) is None
        return
    same(counts.design_effect, case, "deff")
    n_two = korn_graubard_n(counts, alpha / 2)
    n_one = korn_graubard_n(counts, alpha)
    assert n_two is not None
    assert n_one is not None
    share = counts.x / counts.n
    two = clopper_pearson(share * n_two, n_two, alpha / 2)
    same(two.low, case, "kg_ci_low")
    same(two.high, case, "kg_ci_high")
    same(clopper_pearson(share * n_one, n_one, alpha).high, case, "kg_upper_one_sided")


@pytest.mark.parametrize("case", cases("gate_min_labels"))
def test_least_number_of_labels_matches(case: dict[str, Any]) -> None:
    given, wanted = case["input"], case["expected"]
    alpha, errors = 1 - given["confidence"], given["errors"]
    n = wanted["min_n"]
    assert (
        most_errors(n, given["limit"], alpha) >= errors > most_errors(n - 1, given["limit"], alpha)
    )
    same(clopper_pearson(errors, n, alpha).high, case, "upper_at_min_n")
    if errors == 0:
        assert least_n_without_errors(given["limit"], alpha) == n


@pytest.mark.parametrize("case", cases("label_planner"))
def test_planner_matches(case: dict[str, Any]) -> None:
    given, wanted = case["input"], case["expected"]
    plan = plan_labels(
        given["expected_rate"], given["limit"], alpha=1 - given["confidence"], power=given["power"]
    )
    assert not isinstance(plan, Undefined)
    assert (plan.n_first, plan.n_stable) == (wanted["n_first"], wanted["n_stable"])


@pytest.mark.parametrize("case", cases("three_way_decision_fixed_n"))
def test_three_way_rule_matches(case: dict[str, Any]) -> None:
    given = case["input"]
    bounds = clopper_pearson(given["false_passes"], given["human_fails"], 1 - given["confidence"])
    same(bounds.high, case, "upper")
    same(bounds.low, case, "lower")
    words = {"safe": "approve", "past_limit": "reject", "undecided": "need_more"}
    outcome = ceiling_outcome(given["limit"], high=bounds.high, reject_low=bounds.low)
    assert words[outcome] == case["expected"]["decision"]
