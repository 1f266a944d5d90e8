from __future__ import annotations

import numpy as np
import pytest
from trial_sets import call, trial

from judgekit.model.verdict import Usage
from judgekit.process.cost_report import cost_report, costs_by_case, priced, turns_of
from judgekit.stats.estimate import Estimate, Undefined


def paid(case: str, number: int, cost: float | None, **more):
    return trial(case, number, cost_usd=cost, **more)


def test_the_cost_of_a_correct_case_is_all_money_over_all_correct_trials() -> None:
    # by hand: (0.10 + 0.30) + (0.20 + 0.20 + 0.60) = 1.40 over 3 correct trials; trials unequal
    trials = [
        paid("a", 0, 0.10), paid("a", 1, 0.30),
        paid("b", 0, 0.20), paid("b", 1, 0.20), paid("b", 2, 0.60),
    ]  # fmt: skip
    found = cost_report(trials, [True, False, True, True, None])
    assert found.per_correct.value == pytest.approx(1.40 / 3)
    assert found.total_usd == found.known_usd == pytest.approx(1.40)


def test_median_and_p95_are_over_cases_with_type_7_quantiles() -> None:
    costs = [0.04, 0.01, 0.02, 0.08, 0.16]
    found = cost_report([paid(f"c{i}", 0, cost) for i, cost in enumerate(costs)], [True] * 5)
    # type 7 by hand: h = 4 * 0.95 = 3.8 -> 0.08 + 0.8 * 0.08
    assert (found.median_usd, found.p95_usd) == (0.04, pytest.approx(0.144))
    assert found.p95_usd == pytest.approx(np.quantile(costs, 0.95, method="linear"))


def test_a_case_costs_the_mean_of_its_trials() -> None:
    found = cost_report([paid("a", 0, 0.1), paid("a", 1, 0.3), paid("b", 0, 0.6)], [True] * 3)
    assert (found.median_usd, found.mean_usd) == (pytest.approx(0.4), pytest.approx(0.4))


def test_the_interval_draws_whole_groups_again() -> None:
    trials = [paid(f"c{i}", 0, 0.01 * (i + 1)) for i in range(12)]
    right = [i % 2 == 0 for i in range(12)]
    apart = cost_report(trials, right).per_correct
    pairs = cost_report(trials, right, [f"g{i // 6}" for i in range(12)]).per_correct
    assert [apart.value, pairs.value] == pytest.approx([0.78 / 6] * 2)
    # two groups: the ratio is that of the first (0.21/3), of the second (0.57/3) or of both
    assert (pairs.low, pairs.high) == (pytest.approx(0.07), pytest.approx(0.19))
    assert apart.n == 12
    assert pairs.n == 2


def test_without_a_correct_trial_the_cost_of_one_is_undefined_not_0() -> None:
    found = cost_report([paid("a", 0, 0.1)], [False])
    assert isinstance(found.per_correct, Undefined)
    assert found.median_usd == 0.1


def test_an_unknown_cost_is_never_0_and_takes_its_case_out() -> None:
    trials = [paid("a", 0, 0.1), paid("a", 1, None), paid("b", 0, 0.5)]
    found = cost_report(trials, [True] * 3)
    assert (found.n_unknown, found.cases_unknown) == (1, 1)
    assert (found.mean_usd, found.total_usd, found.known_usd) == (0.5, None, 0.6)
    assert costs_by_case(trials) == {"b": 0.5}


def test_nothing_known_leaves_every_figure_empty() -> None:
    found = cost_report([paid("a", 0, None)], [True])
    assert (found.median_usd, found.p95_usd, found.mean_usd, found.total_usd) == (None,) * 4
    assert isinstance(found.per_correct, Undefined)


def test_every_call_is_paid_retries_and_auxiliary_calls_too() -> None:
    calls = (
        call(100, cost=0.01),
        call(100, cost=0.01, retry=1),
        call(50, cost=0.02, role="auxiliary", model="guard-1"),
    )
    one = priced(trial("a", 0, model_calls=calls), lambda model, provider: None)
    assert one.cost_usd == pytest.approx(0.04)
    found = cost_report([one], [True])
    assert found.auxiliary_share == pytest.approx(0.5)
    assert found.retries == 1
    assert [(m.model, m.calls, m.auxiliary, m.retries) for m in found.models] == [
        ("guard-1", 1, 1, 0),
        ("tiny-1", 2, 0, 1),
    ]


def test_tokens_are_priced_once_per_call_and_recorded_costs_win() -> None:
    calls = (call(1_000), call(1_000, cost=0.5))

    def prices(model: str, provider: str):
        assert (model, provider) == ("tiny-1", "made-up")
        return lambda usage: usage.input_tokens * 2e-6 + usage.output_tokens * 1e-5

    one = priced(trial("a", 0, model_calls=calls), prices)
    assert one.model_calls[0].cost_usd == pytest.approx(0.0021)
    assert one.cost_usd == pytest.approx(0.5021)


def test_one_call_without_a_price_leaves_the_whole_unknown() -> None:
    one = trial("a", 0, model_calls=(call(10, cost=0.1), call(10)))
    assert priced(one, lambda model, provider: None).cost_usd is None


def test_no_model_call_recorded_as_such_cost_nothing_and_none_recorded_is_unknown() -> None:
    none = lambda model, provider: None  # noqa: E731
    assert priced(trial("a", 0, model_calls=()), none).cost_usd == 0.0
    assert priced(trial("a", 0), none).cost_usd is None


def test_a_whole_that_is_less_than_its_calls_left_some_out() -> None:
    calls = (call(1, cost=0.3), call(1, cost=0.2, role="auxiliary"))
    none = lambda model, provider: None  # noqa: E731
    assert priced(trial("a", 0, cost_usd=0.3, model_calls=calls), none).cost_usd == 0.5
    assert priced(trial("a", 0, cost_usd=0.7, model_calls=calls), none).cost_usd == 0.7


def test_input_growth_is_by_turn_and_a_retry_is_no_turn() -> None:
    calls = (
        call(None, error="429"),
        call(100, retry=1),
        call(900, role="auxiliary"),
        call(160),
        call(250),
    )
    one = trial("a", 0, model_calls=calls)
    assert [turn.usage.input_tokens for turn in turns_of(one)] == [100, 160, 250]
    found = cost_report([one, trial("b", 0, model_calls=(call(70),))], [True, True])
    assert found.input_growth == 2.5
    assert found.input_growth_per_turn == 75
    assert (found.iterations_median, found.iterations_max) == (2, 3)


def test_finish_reasons_of_the_agents_calls_are_counted() -> None:
    calls = (
        call(1, finish_reason="tool_calls"),
        call(1, finish_reason="length"),
        call(1),
        call(1, role="auxiliary", finish_reason="stop"),
    )
    found = cost_report([trial("a", 0, model_calls=calls)], [True])
    assert found.finish_reasons == {"length": 1, "not recorded": 1, "tool_calls": 1}


def test_unknown_tokens_are_not_summed_as_0() -> None:
    calls = (call(5), call(None, usage=Usage()))
    found = cost_report([trial("a", 0, model_calls=calls)], [True])
    assert (found.models[0].input_tokens, found.models[0].output_tokens) == (None, None)


def test_the_interval_of_the_cost_of_a_correct_case_covers_at_about_its_rate() -> None:
    # synthetic: cost ~ gamma(4)/400 (mean 0.01), right with probability 0.7: truth 0.01/0.7
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(40):
        costs, right = rng.gamma(4, 1 / 400, 80), rng.random(80) < 0.7
        trials = [paid(f"c{i}", 0, float(c)) for i, c in enumerate(costs)]
        found = cost_report(trials, [bool(r) for r in right]).per_correct
        assert isinstance(found, Estimate)
        held += found.low <= 0.01 / 0.7 <= found.high
    assert held >= 35
