from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t
from trial_sets import (
    CHECKS,
    case,
    cases_of,
    no_prices,
    recorded,
    scored_set,
    set_of,
    trial,
    trials_of,
)

from judgekit.errors import UsageError
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import ToolCall
from judgekit.process.regression import metric_names, regression
from judgekit.process.scored_set import RecordedSet, ScoredSet, score_set
from judgekit.render.process_text import regression_text

SET = set_of(source="a", prompt="p1", lock_file="l")


def share_right(right: int, n: int = 80, k: int = 2) -> dict[str, list[bool]]:
    return {f"c{i:03}": [i < right] * k for i in range(n)}


def side(name: str, answers, made_of=SET, **more):
    return scored_set(recorded(name, answers, made_of=made_of, **more))


def gate(candidate, baseline, declared=(), margin=0.05, ratio_margin=0.1, without=()):
    return regression(
        candidate,
        baseline,
        declared=declared,
        margin=margin,
        ratio_margin=ratio_margin,
        without=without,
    )


def outcomes(found) -> dict[str, str]:
    return {one.metric: one.outcome for one in found.metrics}


def test_unlike_configurations_are_refused_and_the_stray_component_is_named() -> None:
    other = side("new", share_right(40), set_of(source="b", prompt="p2", lock_file="l"))
    with pytest.raises(UsageError) as refused:
        gate(other, side("old", share_right(40)), declared=("prompt",))
    assert refused.value.found == "source"
    assert refused.value.mend == "--changed source"


def test_a_named_change_gates_and_is_named_in_the_answer() -> None:
    other = side("new", share_right(40), set_of(source="a", prompt="p2", lock_file="l"))
    found = gate(other, side("old", share_right(40)), declared=("prompt",))
    assert found.changed == ("prompt",)
    assert "changed: prompt" in regression_text(found)


def test_a_change_that_was_named_and_did_not_happen_is_refused() -> None:
    with pytest.raises(UsageError, match="prompt did not change"):
        gate(side("new", share_right(40)), side("old", share_right(40)), declared=("prompt",))


def test_what_is_not_recorded_is_refused_unless_said() -> None:
    one, other = side("new", share_right(40), None), side("old", share_right(40))
    with pytest.raises(UsageError, match="not recorded"):
        gate(one, other)
    assert gate(one, other, declared=("unrecorded",)).changed == ("unrecorded",)


def test_equal_sides_pass_and_a_fall_beyond_the_margin_fails() -> None:
    same = gate(side("new", share_right(200, 250)), side("old", share_right(200, 250)))
    assert outcomes(same)["pass@1"] == "same"
    assert same.exit_code == 0
    worse = gate(side("new", share_right(30)), side("old", share_right(70)))
    assert outcomes(worse)["pass@1"] == "worse"
    assert worse.exit_code == 1
    better = gate(side("new", share_right(70)), side("old", share_right(30)))
    assert outcomes(better)["pass@1"] == "better"


def test_too_few_cases_are_unclear_and_never_pass() -> None:
    few = gate(side("new", share_right(8, 8)), side("old", share_right(8, 8)))
    assert outcomes(few)["pass@1"] == "unclear"
    assert few.exit_code == 3
    small = gate(side("new", share_right(20, 20)), side("old", share_right(20, 20)))
    assert outcomes(small)["pass@1"] == "unclear"
    assert "reaches beyond the margin" in regression_text(small)


def test_trials_are_paired_by_number_and_missing_ones_keep_the_gate_from_passing() -> None:
    answers = share_right(250, 250)
    old = side("old", answers)
    kept = [one for one in recorded("new", answers, made_of=SET).trials if one.number == 1]
    new = scored_set(RecordedSet("new", "sha256:0", cases_of(answers), tuple(kept), SET))
    found = gate(new, old)
    assert (found.missing, found.extra) == (250, 0)
    assert found.metrics[0].change.n == 250
    assert found.exit_code == 3
    assert "250 trials of the baseline were not made by the candidate" in regression_text(found)
    assert gate(old, new).exit_code == 0
    assert gate(old, new).extra == 250


def test_pairs_are_of_one_number_and_not_of_one_place() -> None:
    cases = cases_of([f"c{i}" for i in range(12)])
    old = tuple(trial(c.id, n, n == 0) for c in cases for n in (0, 1))
    new = tuple(trial(c.id, n, False) for c in cases for n in (1, 2))
    sides = [
        score_set(RecordedSet(name, "x", cases, those, SET), CHECKS, no_prices)
        for name, those in (("new", new), ("old", old))
    ]
    change = gate(*sides).metrics[0].change
    assert (change.value, change.n) == (0.0, 12)


def test_a_cost_that_neither_side_recorded_is_named_and_does_not_block() -> None:
    found = gate(side("new", share_right(200, 250)), side("old", share_right(200, 250)))
    assert outcomes(found)["cost"] == "not_recorded"
    assert found.exit_code == 0
    assert "not recorded" in regression_text(found)


def test_a_cost_that_the_candidate_lost_is_unclear_until_it_is_left_out_on_request() -> None:
    one = side("new", share_right(200, 250))
    other = side("old", share_right(200, 250), cost=0.1)
    found = gate(one, other)
    assert outcomes(found)["cost"] == "unclear"
    assert "the baseline recorded it, the candidate did not" in regression_text(found)
    assert found.exit_code == 3
    left = gate(one, other, without=("cost",))
    assert outcomes(left)["cost"] == "not_gated"
    assert left.exit_code == 0


def test_a_cost_that_is_known_of_some_cases_only_is_unclear() -> None:
    answers = share_right(200, 250)
    old = recorded("old", answers, cost=0.1, made_of=SET)
    new = [
        one.model_copy(update={"cost_usd": None if one.case_id < "c020" else 0.1})
        for one in old.trials
    ]
    found = gate(scored_set(old._replace(name="new", trials=tuple(new))), scored_set(old))
    cost = found.metrics[4]
    assert (cost.metric, cost.outcome, cost.left_out) == ("cost", "unclear", 20)
    assert cost.reason == "20 of 250 are not known on both sides"


def critical_side(name: str, right: int) -> ScoredSet:
    """Synthetic: 250 cases of two trials; `right` of them have the critical field right."""
    rules = ScoringRules.model_validate(
        {
            "schema": 1,
            "name": "x",
            "correct_by": "outcome",
            "fields": {"answer": {"critical": True}},
        }
    )
    answers = share_right(right, 250)
    trials = tuple(one.model_copy(update={"outcome": True}) for one in trials_of(answers))
    made = RecordedSet(name, "sha256:0", cases_of(answers), trials, SET)
    return score_set(made, rules, no_prices)


def test_critical_fields_gate_on_their_own_where_pass_at_1_stays() -> None:
    found = gate(critical_side("new", 200), critical_side("old", 250))
    assert outcomes(found)["pass@1"] == "same"
    assert outcomes(found)["critical fields"] == "worse"
    assert found.exit_code == 1
    none = gate(side("new", share_right(200, 250)), side("old", share_right(200, 250)))
    assert outcomes(none)["critical fields"] == "not_recorded"


def test_a_mean_that_was_bought_with_variance_is_said_at_the_gate() -> None:
    # By hand: pass@1 rises from 1/2 to 3/4, pass^4 falls from 1/2 to 0.
    before = share_right(40, 80, k=4)
    after = {name: [True, True, True, False] for name in before}
    found = gate(side("new", after), side("old", before))
    words = "mean bought with variance: pass@1 rose from 0.500 to 0.750, pass^4 fell from 0.500 to"
    assert words in regression_text(found)
    assert gate(side("new", before), side("old", before)).mean_for_variance is None


def test_nothing_that_gates_is_not_a_pass() -> None:
    one, other = side("new", share_right(200, 250)), side("old", share_right(200, 250))
    assert gate(one, other, without=metric_names()).exit_code == 3


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(UsageError, match="no metric 'costs'"):
        gate(side("n", share_right(4)), side("o", share_right(4)), without=("costs",))


@pytest.mark.parametrize(
    ("factor", "outcome"), [(1.0, "same"), (1.05, "same"), (1.3, "worse"), (0.8, "better")]
)
def test_the_growth_of_cost_is_held_against_its_own_margin(factor, outcome) -> None:
    answers = share_right(200, 250)
    found = gate(side("new", answers, cost=0.1 * factor), side("old", answers, cost=0.1))
    assert outcomes(found)["cost"] == outcome
    assert found.metrics[4].change.value == pytest.approx(factor)


def test_the_interval_of_the_cost_ratio_is_the_linearised_one() -> None:
    rng = np.random.default_rng(11)
    a, b = rng.gamma(4, 0.01, 40), rng.gamma(4, 0.01, 40)
    cases = cases_of([f"c{i:02}" for i in range(40)])
    sides = [
        scored_set(
            RecordedSet(
                name,
                "x",
                cases,
                tuple(trial(f"c{i:02}", 0, cost_usd=float(x)) for i, x in enumerate(costs)),
                SET,
            )
        )
        for name, costs in (("new", a), ("old", b))
    ]
    found = gate(*sides).metrics[4].change
    r = a.sum() / b.sum()
    se = math.sqrt(((a - r * b) ** 2).sum() / (40 * 39)) / b.mean()
    assert found.value == pytest.approx(r)
    assert found.low == pytest.approx(r - t.ppf(0.95, 39) * se)


def test_what_was_free_and_is_no_more_is_worse_and_what_stays_free_is_the_same() -> None:
    answers = share_right(200, 250)
    free = side("old", answers, cost=0.0)
    assert outcomes(gate(side("new", answers, cost=0.0), free))["cost"] == "same"
    assert outcomes(gate(side("new", answers, cost=0.2), free))["cost"] == "worse"
    assert (
        outcomes(gate(side("new", answers, cost=0.0), side("o", answers, cost=0.2)))["cost"]
        == "better"
    )


def test_tool_errors_are_seen_in_the_list_of_calls_and_inside_messages() -> None:
    answers = share_right(250, 250, 1)
    right = ToolCall(name="find", result="ok")
    wrong = ToolCall(name="find", error="500")
    old = side("old", answers, tool_calls=(right,))
    listed = gate(side("new", answers, tool_calls=(wrong,)), old)
    assert outcomes(listed)["no tool error"] == "worse"
    inside = side("new", answers, messages=({"role": "assistant", "tool_calls": [wrong]},))
    assert outcomes(gate(inside, old))["no tool error"] == "worse"
    assert outcomes(gate(old, side("o", answers)))["no tool error"] == "not_recorded"


def test_infrastructure_failures_count_against_availability_and_pass_at_1() -> None:
    answers = share_right(250, 250, 1)
    lost = {case: [None] if case < "c050" else [True] for case in answers}
    found = outcomes(gate(side("new", lost), side("old", answers)))
    assert (found["availability"], found["pass@1"]) == ("worse", "worse")


def test_undecided_trials_are_left_out_and_many_of_them_are_unclear() -> None:
    answers = share_right(250, 250, 1)
    old = recorded("old", answers, made_of=SET)
    state = {"tables": {"t": {"k": {"fields": {"x": {"value": 1}}}}}}  # no trial records a state
    rows = tuple(case(name, state=state) if name < "c030" else case(name) for name in answers)
    found = gate(
        scored_set(old._replace(name="new", cases=rows)), scored_set(old._replace(cases=rows))
    )
    first = found.metrics[0]
    assert (first.left_out, first.outcome) == (30, "unclear")
    assert first.change.n == 220


def test_a_true_loss_of_the_margin_passes_in_about_one_run_of_twenty() -> None:
    # synthetic: 200 cases, 0.90 against 0.80 and a margin of 0.10
    rng = np.random.default_rng(21)
    passed = 0
    for _ in range(30):
        sides = [
            side(name, {f"c{i:03}": [bool(rng.random() < p)] for i in range(200)})
            for name, p in (("new", 0.80), ("old", 0.90))
        ]
        passed += outcomes(gate(*sides, margin=0.10))["pass@1"] in ("same", "better")
    assert passed <= 5


@pytest.mark.parametrize(("before", "after", "outcome"), [(0.02, 0.06, "same"), (2, 6, "worse")])
def test_a_growth_of_milliseconds_is_no_slower_agent(before, after, outcome) -> None:
    answers = share_right(200, 250)
    found = gate(side("new", answers, latency_s=after), side("old", answers, latency_s=before))
    assert outcomes(found)["latency"] == outcome
