"""Arguments that no data can give are refused in plain words, and extreme ones are answered."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest
from pydantic import ValidationError

from judgekit.model.label import Label
from judgekit.model.policy import Policy
from judgekit.stats.confusion import Confusion
from judgekit.stats.control_charts import ewma
from judgekit.stats.cost import cost_per_correct
from judgekit.stats.drift import newcombe_difference, two_proportion
from judgekit.stats.intervals import GroupedCounts, clopper_pearson, jeffreys, wilson
from judgekit.stats.ppi import ppi_mean, ppi_pass_rate
from judgekit.stats.prevalence import Calibration, rogan_gladen
from judgekit.stats.registry import statistics
from judgekit.stats.sequential import (
    alpha_spending,
    anytime_evidence,
    anytime_path,
    confidence_sequence,
)


@pytest.mark.parametrize("bad", [0.0, 1.0, -0.1, 1.5, math.nan, math.inf])
@pytest.mark.parametrize(
    "ask",
    [
        lambda bad: anytime_evidence(1, 10, bad),
        lambda bad: anytime_evidence(1, 10, 0.1, alpha=bad),
        lambda bad: anytime_path([0, 1], bad),
        lambda bad: anytime_path([0, 1], 0.1, alpha=bad),
        lambda bad: confidence_sequence(1, 10, alpha=bad),
        lambda bad: alpha_spending([0.5, 1], alpha=bad),
    ],
)
def test_a_level_or_limit_outside_0_to_1_is_refused(
    ask: Callable[[float], Any], bad: float
) -> None:
    with pytest.raises(ValueError, match="must lie between 0 and 1"):
        ask(bad)


@pytest.mark.parametrize(("x", "n"), [(3, 2), (-1, 5), (0, 2.5), (math.nan, 5)])
def test_more_errors_than_labels_and_half_labels_are_refused(x: Any, n: Any) -> None:
    for ask in (lambda: anytime_evidence(x, n, 0.1), lambda: confidence_sequence(x, n)):
        with pytest.raises(ValueError, match="whole numbers with 0 <= x <= n"):
            ask()


@pytest.mark.parametrize("errors", [[2, 0], [-1, 1], [math.nan], [None, 1], [0.5], 5])
def test_an_error_sequence_holds_only_0_and_1(errors: Any) -> None:
    with pytest.raises(ValueError, match="a sequence of 0 and 1"):
        anytime_path(errors, 0.1)


def test_fractions_that_are_no_numbers_do_not_spend_alpha() -> None:
    for fractions in ([math.nan, 1.0], [0.5, math.nan]):
        with pytest.raises(ValueError, match=r"must rise within|must hold finite numbers"):
            alpha_spending(fractions)


def test_one_error_among_a_billion_labels_has_a_sequence_that_holds_its_rate() -> None:
    for x in (1, 10**9 - 1):
        found = confidence_sequence(x, 10**9)
        assert 0 <= found.low <= x / 10**9 <= found.high <= 1
        assert found.high - found.low < 1e-7


def test_a_judge_is_never_right_on_more_items_than_a_class_has() -> None:
    with pytest.raises(ValidationError, match="right on more items"):
        Calibration(true_passes=9, human_passes=5, true_fails=4, human_fails=5)


@pytest.mark.parametrize("weight", [1e308, 1e-300, 0, -1, math.nan, math.inf])
def test_a_weight_whose_sum_would_overflow_is_refused(weight: float) -> None:
    with pytest.raises(ValidationError, match="weight"):
        Label(item_id="i", annotator="a", label="pass", weight=weight)


def test_a_confidence_whose_error_is_lost_in_rounding_is_refused() -> None:
    with pytest.raises(ValidationError, match="confidence"):
        Policy(confidence=1 - 1e-16)
    assert Policy(confidence=0.999999).confidence == 0.999999


def levels() -> list[tuple[str, str]]:
    return [
        (name, level)
        for name, entry in statistics().items()
        for level in ("tail", "alpha", "power")
        if level in signature(entry.function).parameters and entry.kind != "interval"
    ]


@pytest.mark.parametrize(("name", "level"), levels())
def test_every_statistic_refuses_an_error_level_that_is_none(name: str, level: str) -> None:
    function = statistics()[name].function
    others = {
        key: None
        for key, parameter in signature(function).parameters.items()
        if parameter.default is parameter.empty and key != level
    }
    for bad in (0.0, -0.1, 1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match=f"{level} must lie between 0 and 1"):
            function(**others, **{level: bad})


@pytest.mark.parametrize(("x", "n"), [(2, 1), (-1, 5), (1, 2.5), (math.nan, 5), (1, math.inf)])
def test_more_cases_than_there_are_is_refused(x: Any, n: Any) -> None:
    known = Calibration(true_passes=9, human_passes=10, true_fails=9, human_fails=10)
    table = Confusion(labels=("pass", "fail"), rows=((9, 1), (1, 9)))
    for ask in (
        lambda: newcombe_difference(x, n, 1, 2),
        lambda: two_proportion(1, 2, x, n),
        lambda: rogan_gladen(x, n, known),
        lambda: ppi_pass_rate(table, x, n),
    ):
        with pytest.raises(ValueError, match="must be whole numbers with 0 <="):
            ask()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_data_that_are_no_numbers_give_no_number(bad: float) -> None:
    with pytest.raises(ValueError, match="finite numbers"):
        ppi_mean([1.0, bad], [1.0, 0.0], [1.0])
    with pytest.raises(ValueError, match="finite numbers"):
        ewma([0.0, bad], 0.1)


def test_an_infinite_cost_is_refused() -> None:
    with pytest.raises(ValueError, match="cost must hold finite numbers"):
        cost_per_correct([1.0, math.inf], [True, True])


@pytest.mark.parametrize(
    ("x", "n", "tail"),
    [
        (3, 2, 0.05),
        (-1, 5, 0.05),
        (math.nan, 5, 0.05),
        (1, math.nan, 0.05),
        (0, -3, 0.05),
        (1, 5, math.nan),
        (1, 5, 1.5),
        (1, 5, -0.1),
    ],
)
def test_an_interval_of_what_cannot_be_is_refused_and_never_0_to_1(
    x: float, n: float, tail: float
) -> None:
    for interval in (clopper_pearson, jeffreys, wilson):
        with pytest.raises(ValueError, match="0 <= x <= n and a tail between 0 and 1"):
            interval(x, n, tail)


@pytest.mark.parametrize(
    ("errors", "sizes"), [((2,), (1,)), ((-1,), (5,)), ((0, 0), (1,)), ((0,), (-1,))]
)
def test_groups_never_hold_more_errors_than_items(errors: Any, sizes: Any) -> None:
    with pytest.raises(ValidationError, match=r"errors <= sizes|same length"):
        GroupedCounts(errors=errors, sizes=sizes)
