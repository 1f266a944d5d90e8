"""How many labels: published sizes, exact definitions, and what is never searched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom

from judgekit.stats import planning
from judgekit.stats.estimate import Undefined
from judgekit.stats.planning import (
    LabelPlan,
    PowerPoint,
    assured_items,
    least_labels,
    plan_labels,
    power_curve,
)

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "vectors"


def cases(name: str) -> list[Any]:
    path = VECTORS / f"{name}.json"
    if not path.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="../shared/vectors is absent"))]
    return [pytest.param(c, id=c["id"]) for c in json.loads(path.read_text())["cases"]]


@pytest.mark.shared
@pytest.mark.parametrize("case", cases("label_planner"))
def test_the_planner_gives_sizes_errors_and_power_of_the_vectors(case: dict[str, Any]) -> None:
    given = case["input"]
    alpha = round(1 - given["confidence"], 12)
    plan = plan_labels(given["expected_rate"], given["limit"], alpha=alpha, power=given["power"])
    assert isinstance(plan, LabelPlan)
    assert plan.model_dump() == pytest.approx(case["expected"], abs=case["tolerance"])


@pytest.mark.shared
@pytest.mark.parametrize("case", cases("gate_min_labels"))
def test_the_least_labels_are_those_of_the_vectors(case: dict[str, Any]) -> None:
    given = case["input"]
    alpha = round(1 - given["confidence"], 12)
    found = least_labels(given["limit"], alpha=alpha, errors=given["errors"]).model_dump()
    for name, value in case["expected"].items():
        if value is None:
            assert found[name] is None, name
        else:
            assert found[name] == pytest.approx(value, abs=case["tolerance"]), name


def test_the_sizes_for_a_limit_of_5_percent_are_the_known_ones() -> None:
    # rule of three and its continuation; computed independently for the reference vectors too
    assert [least_labels(0.05, alpha=0.05, errors=e).min_n for e in range(4)] == [59, 93, 124, 153]
    plan = plan_labels(0.01, 0.05, alpha=0.05, power=0.8)
    assert isinstance(plan, LabelPlan)
    assert (plan.n_first, plan.n_stable, plan.max_errors_first) == (124, 124, 2)
    assert plan.power_first == pytest.approx(0.871553509746)  # label_planner r1_l5


def test_planned_looks_share_the_error_and_cost_labels() -> None:
    # by hand: ln(0.05 / looks) / ln(0.9) = 28.4, 38.9, 43.7, 50.3
    found = [least_labels(0.10, alpha=0.05 / looks).min_n for looks in (1, 3, 5, 10)]
    assert found == [29, 39, 44, 51]


@pytest.mark.parametrize("limit", [0.003, 0.05, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("errors", [0, 1, 3, 7])
def test_one_label_less_would_not_approve(limit: float, errors: int) -> None:
    n = least_labels(limit, alpha=0.05, errors=errors).min_n
    assert binom.cdf(errors, n, limit) <= 0.05 < binom.cdf(errors, n - 1, limit)


@pytest.mark.parametrize("rate", [0.05, 0.2, 1.0])
def test_a_rate_at_or_above_the_limit_is_said_and_never_searched(
    rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "_search", lambda *_: pytest.fail("it was searched"))
    found = plan_labels(rate, 0.05, alpha=0.05)
    assert found == Undefined(
        undefined=f"the expected rate {rate:g} is not below the limit 0.05", n=0
    )


def test_a_rate_too_near_the_limit_is_undefined_with_the_size_that_was_searched() -> None:
    found = plan_labels(0.0499, 0.05, alpha=0.05)
    assert isinstance(found, Undefined)
    assert found.undefined.startswith("more than 50,000 labels")


def test_power_falls_between_the_teeth_that_the_curve_shows() -> None:
    points = power_curve(0.05, 0.10, alpha=0.05, until=250)
    by_n = {p.n: p for p in points}
    assert by_n[179].power == pytest.approx(0.812940653347)  # label_planner r5_l10
    assert by_n[203].power == pytest.approx(0.858891357248)
    assert by_n[178].power < 0.8 < by_n[179].power
    assert points[-1].n == 250
    assert power_curve(0.05, 0.10, alpha=0.05, until=0) == ()
    assert power_curve(0.0, 0.5, alpha=0.05, until=1) == (PowerPoint(n=1, max_errors=-1, power=0),)


@pytest.mark.parametrize(("wanted", "share"), [(59, 0.2), (124, 0.05), (10, 0.5), (7, 1.0)])
def test_assured_items_are_the_least_that_hold_the_wanted_number(wanted: int, share: float) -> None:
    n = assured_items(wanted, share, assurance=0.9)
    assert binom.sf(wanted - 1, n, share) >= 0.9
    assert n == wanted or binom.sf(wanted - 1, n - 1, share) < 0.9
