from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy.stats import t
from trial_sets import CHECKS, call, case, cases_of, no_prices, recorded, scored_set, trial

from judgekit.errors import InputError, UsageError
from judgekit.model.trial import Span, ToolCall
from judgekit.model.verdict import Verdict
from judgekit.process.advisory import advisory, same_family
from judgekit.process.escalation import escalation
from judgekit.process.price_pairs import PROBE, price_pairs
from judgekit.process.process_records import Escalation, Routing
from judgekit.process.process_report import process_report
from judgekit.process.reliability import latency_report, tool_errors, tool_reliability
from judgekit.process.scored_set import RecordedSet, score_set
from judgekit.process.step_tiers import routing
from judgekit.render.process_text import process_text
from judgekit.scorers.faults.base import detectors, kinds_against_expected
from judgekit.stats.estimate import Undefined


def halves(n: int, right: int) -> dict[str, list[bool]]:
    return {f"c{i:03}": [i < right] for i in range(n)}


def report_of(*those: RecordedSet):
    return process_report([scored_set(one) for one in those], no_prices)


def test_under_100_cases_the_report_ranks_and_does_not_certify() -> None:
    small = report_of(recorded("a", halves(99, 50)))
    assert small.ranks_only
    assert "this ranks configurations and certifies none" in process_text(small)
    assert not report_of(recorded("a", halves(100, 50))).ranks_only


def test_every_k_to_8_is_shown_with_pass_at_k_beside_pass_hat_k() -> None:
    answers = {f"c{i}": [j <= i for j in range(8)] for i in range(8)}
    text = process_text(report_of(recorded("a", answers)))
    rows = [line.split() for line in text.splitlines() if line.startswith("a  ")]
    assert [row[1] for row in rows if row[1:2] and row[1] in "12345678"][-8:] == list("12345678")


def test_two_configurations_of_one_name_are_refused_with_the_way_to_name_them() -> None:
    with pytest.raises(UsageError) as refused:
        report_of(recorded("a", halves(2, 1)), recorded("a", halves(2, 1)))
    assert "NAME=FILE" in refused.value.mend


def test_a_trial_of_an_unknown_case_is_refused() -> None:
    with pytest.raises(InputError, match="'other', which is not among the cases"):
        score_set(RecordedSet("a", "x", cases_of(["c"]), (trial("other", 0),)), CHECKS, no_prices)


def split_set(development: float, holdout: float, n: int = 60) -> RecordedSet:
    names = [("development", development), ("holdout", holdout)]
    cases = tuple(case(f"{s[:1]}{i}", split=s) for s, _ in names for i in range(n))
    trials = tuple(trial(f"{s[:1]}{i}", 0, i < n * p) for s, p in names for i in range(n))
    return RecordedSet("a", "x", cases, trials)


def test_a_development_set_that_looks_better_than_the_holdout_is_said() -> None:
    found = report_of(split_set(0.9, 0.5)).splits[0]
    assert found.difference.value == pytest.approx(0.4)
    assert found.difference.low > 0
    assert "read the holdout" in found.divergence
    assert report_of(split_set(0.7, 0.65)).splits[0].divergence is None
    assert report_of(split_set(0.5, 0.9)).splits[0].divergence is None
    assert report_of(recorded("a", halves(4, 2))).splits == ()


def priced_set(name: str, model: str, costs: list[float]) -> RecordedSet:
    cases = cases_of([f"c{i:02}" for i in range(len(costs))])
    trials = tuple(
        trial(f"c{i:02}", 0, model_calls=(call(10, model=model, cost=cost),))
        for i, cost in enumerate(costs)
    )
    return RecordedSet(name, "x", cases, trials)


def listed(model: str, provider: str):
    prices = {"cheap": 1.0, "dear": 5.0}
    return lambda usage: prices[model] * (usage.input_tokens + usage.output_tokens) / 1e6


def test_a_list_price_that_misleads_is_named_an_inversion() -> None:
    # the cheap model needs ten times the tokens: 0.02 against 0.01 a case, though listed at a fifth
    sides = [
        score_set(
            priced_set(name, name, [cost + 0.001 * (i % 3) for i in range(20)]), CHECKS, listed
        )
        for name, cost in (("cheap", 0.02), ("dear", 0.01))
    ]
    (pair,) = price_pairs(sides, listed)
    assert pair.listed_ratio == pytest.approx(0.2)
    spent = [0.001 * (i % 3) for i in range(20)]
    ratio = (20 * 0.02 + math.fsum(spent)) / (20 * 0.01 + math.fsum(spent))
    assert pair.measured.value == pytest.approx(ratio)
    assert pair.inverted


@pytest.mark.parametrize("order", [("cheap", "dear"), ("dear", "cheap")])
def test_an_inversion_within_the_noise_is_not_named(order) -> None:
    # the cheap model spent a fifth more, on cases that hardly go together
    costs = {"cheap": [0.01, 0.05] * 6, "dear": [0.04, 0.01] * 6}
    sides = [score_set(priced_set(name, name, costs[name]), CHECKS, listed) for name in order]
    (pair,) = price_pairs(sides, listed)
    assert (pair.listed_ratio - 1) * (pair.measured.value - 1) < 0
    assert pair.measured.low < 1 < pair.measured.high
    assert not pair.inverted


def test_list_prices_are_compared_below_the_price_of_long_prompts() -> None:
    assert PROBE.input_tokens <= 32_000


def test_a_measured_ratio_is_of_the_cases_known_on_both_sides() -> None:
    one, other = priced_set("a", "cheap", [0.1, 0.3]), priced_set("b", "dear", [0.2])
    (pair,) = price_pairs([score_set(x, CHECKS, listed) for x in (one, other)], listed)
    assert (pair.measured.value, pair.measured.n) == (0.5, 1)


def signalled(n: int, wrong_with: int, with_signal: int, wrong_without: int) -> RecordedSet:
    """Trials of which some have a tool error; so many of both kinds are wrong."""
    broken = ToolCall(name="find", error="500")
    fine = ToolCall(name="find", result="ok")
    trials = tuple(
        trial(
            f"c{i:03}",
            0,
            i >= wrong_with if i < with_signal else i - with_signal >= wrong_without,
            tool_calls=(broken if i < with_signal else fine,),
        )
        for i in range(n)
    )
    return RecordedSet("a", "x", cases_of([f"c{i:03}" for i in range(n)]), trials)


def test_a_signal_says_how_many_of_the_wrong_trials_carry_it() -> None:
    (row,) = escalation(scored_set(signalled(100, 18, 20, 6)))
    assert (row.signal, row.n_with, row.n) == ("tool error", 20, 100)
    assert (row.wrong_with.value, row.wrong_without.value) == (0.9, 0.075)
    assert row.caught.value == pytest.approx(18 / 24)
    assert row.worth


def test_a_signal_that_parts_nothing_is_not_worth_escalating() -> None:
    (row,) = escalation(scored_set(signalled(100, 4, 20, 16)))
    assert not row.worth


def test_a_signal_of_every_trial_tells_nothing_and_is_left_out() -> None:
    assert escalation(scored_set(signalled(20, 5, 20, 0))) == ()


def test_no_signal_is_named_by_chance() -> None:
    # synthetic: twelve signals without any bearing on the answer, 200 trials, 40 sets
    rng = np.random.default_rng(8)
    named = 0
    for _ in range(40):
        trials = tuple(
            trial(
                f"c{i:03}",
                0,
                bool(rng.random() < 0.7),
                model_calls=(call(1, finish_reason=f"end{rng.integers(12)}"),),
            )
            for i in range(200)
        )
        one = RecordedSet("a", "x", cases_of([f"c{i:03}" for i in range(200)]), trials)
        named += any(row.worth for row in escalation(scored_set(one)))
    assert named <= 4


def test_faults_that_need_the_expected_results_are_no_signals() -> None:
    # a new one belongs here, unless it looks at paths or forbidden calls of the case and says so
    seen_without = {
        "false_claim", "loop", "malformed_arguments", "off_plan", "over_cap", "premature_answer",
        "repeated_call", "unchecked_change", "unknown_tool", "untraceable_argument",
    }  # fmt: skip
    assert set(detectors()) - kinds_against_expected() == seen_without


def stepped(name: str, costs: dict[str, float], right: int, n: int = 40) -> RecordedSet:
    """Two steps: `find` is called twice a trial; `write` is expected and right in some cases."""
    expected = {"answer": {"value": "right"}, "steps.write.value": {"value": "ok"}}
    cases = tuple(case(f"c{i:02}", fields=expected) for i in range(n))
    trials = tuple(
        trial(
            f"c{i:02}",
            0,
            i < right,
            model_calls=(
                call(1, step="find", cost=costs["find"] * (1 + i % 2)),
                call(1, step="find", cost=costs["find"]),
                call(1, step="write", cost=costs["write"]),
            ),
            spans=(Span(id="1", name="write", output={"value": "ok" if i < right else "no"}),),
        )
        for i in range(n)
    )
    return RecordedSet(name, "x", cases, trials)


def test_the_process_costs_the_weighted_sum_over_its_steps_with_an_interval() -> None:
    small, big = (
        stepped("small", {"find": 0.01, "write": 0.02}, 10),
        stepped("big", {"find": 0.10, "write": 0.30}, 38),
    )
    found = routing([scored_set(small), scored_set(big)])
    cost = found.process_cost
    # write: big is better by far; find: nothing is expected, so the tier chosen over all is taken
    assert [(row.step, row.tier, row.why) for row in cost.steps] == [
        ("find", "big", "overall"),
        ("write", "big", "curve"),
    ]
    assert [row.calls_per_trial for row in cost.steps] == [2, 1]
    each = np.array([0.10 * (1 + i % 2) + 0.10 + 0.30 for i in range(40)])
    half = t.ppf(0.975, 39) * each.std(ddof=1) / math.sqrt(40)
    assert cost.total.value == pytest.approx(each.mean())
    assert cost.total.high - cost.total.value == pytest.approx(half)
    assert math.fsum(r.usd_per_trial for r in cost.steps) == pytest.approx(each.mean())
    assert [one.of for one in found.steps] == ["write"]


def test_one_configuration_with_steps_has_a_process_cost_too() -> None:
    one = scored_set(stepped("small", {"find": 0.01, "write": 0.02}, 40))
    assert [row.why for row in routing([one]).process_cost.steps] == ["only", "only"]


def test_a_step_of_unknown_cost_leaves_the_process_without_one() -> None:
    one = stepped("small", {"find": 0.01, "write": 0.02}, 40)
    first = one.trials[0]
    calls = (first.model_calls[0].model_copy(update={"cost_usd": None}), *first.model_calls[1:])
    trials = (first.model_copy(update={"model_calls": calls}), *one.trials[1:])
    assert routing([scored_set(one._replace(trials=trials))]) is None


def test_tools_are_counted_wherever_their_calls_were_recorded() -> None:
    calls = (
        ToolCall(name="find", result=1, latency_s=0.2),
        ToolCall(name="find", error="429", latency_s=0.4),
        ToolCall(name="pay", result=1),
    )
    listed_calls = trial("a", 0, tool_calls=calls)
    inside = trial("b", 0, messages=({"role": "assistant", "tool_calls": list(calls)},))
    rows = tool_reliability([listed_calls, inside], ["a", "b"])
    assert [(r.tool, r.n, r.errors.value, r.latency_median_s) for r in rows] == [
        ("find", 4, 0.5, pytest.approx(0.3)),
        ("pay", 2, 0.0, None),
    ]
    assert tool_errors([listed_calls, inside], ["a", "b"]).value == pytest.approx(2 / 6)
    assert isinstance(tool_errors([trial("a", 0)], ["a"]), Undefined)


def test_latency_is_of_the_attempts_that_recorded_it() -> None:
    trials = [trial("a", i, latency_s=s) for i, s in enumerate([1.0, 2.0, 4.0, None])]
    found = latency_report(trials)
    assert (found.n, found.median_s, found.p95_s) == (3, 2.0, pytest.approx(3.8))


def verdict(item: str, passed: bool | None, model: str = "nova-2-mini", **more) -> Verdict:
    body = {
        "item_id": item,
        "grader": "j",
        "fingerprint": "sha256:0",
        "item_hash": "sha256:0",
        "passed": passed,
        "model": model,
        "status": "scored",
    }
    return Verdict.model_validate({**body, **more})


def test_what_a_judge_says_is_advisory_and_its_own_family_is_flagged() -> None:
    said = [verdict("a", True), verdict("b", False), verdict("z", True)]
    found = advisory("j", said, ["nova-1-large", "tiny-1"], {"a": "a", "b": "b"})
    assert (found.pass_rate.value, found.pass_rate.n, found.elsewhere) == (0.5, 2, 1)
    assert found.own_family == ("nova-1-large",)
    text = process_text(
        report_of(recorded("x", halves(2, 1))).model_copy(update={"advisory": (found,)})
    )
    assert "Advisory only: what judges say" in text
    assert "of the candidate's own family: nova-1-large" in text


def test_verdicts_of_other_cases_alone_are_refused() -> None:
    with pytest.raises(InputError, match="no verdict of 'j' is of a case that was tried"):
        advisory("j", [verdict("z", True)], [], {"a": "a"})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("hub/nova-1-large", "nova-2-mini", True),
        ("eu.maker.nova-3", "nova-2", True),
        ("tiny-1-mini", "nova-2-mini", False),
        ("orca-distill-nova-7b", "nova-2", True),
        ("o3-mini", "o4", True),
        ("o3-mini", "p3-mini", False),
    ],
)
def test_families_are_told_by_words_that_are_no_size_or_version(one, other, same) -> None:
    assert same_family(one, other) is same


def test_costs_below_a_tenth_of_a_cent_are_not_shown_as_0() -> None:
    text = process_text(report_of(recorded("a", halves(30, 20), cost=0.00004)))
    assert "$6e-05" in text
    assert "$4e-05" in text


def test_notes_say_what_the_infrastructure_took_and_what_is_not_known() -> None:
    found = report_of(recorded("a", {"c": [True, None], "d": [True, True]}))
    assert "a: the infrastructure failed 1 trials; they count as not correct" in found.notes
    assert any("cost of 4 of 4 trials is not known" in note for note in found.notes)


def test_configurations_that_tried_different_cases_are_said_to() -> None:
    found = report_of(recorded("a", halves(4, 2)), recorded("b", halves(3, 2)))
    assert any("did not try the same cases" in note for note in found.notes)


def test_each_configuration_shows_its_signals_and_those_left_out_are_counted() -> None:
    none = Undefined(undefined="made up", n=0)
    rows = tuple(
        Escalation(
            configuration=name, signal=f"signal {n}", n=9, n_with=1, wrong_with=none,
            wrong_without=none, caught=none, worth=n == 8,
        )
        for name in ("first", "second")
        for n in range(9)
    )  # fmt: skip
    told = Routing(overall=None, steps=(), escalation=rows, process_cost=None)
    text = process_text(report_of(recorded("x", halves(2, 1))).model_copy(update={"routing": told}))
    for name in ("first", "second"):
        assert len(re.findall(rf"^{name} ", text, re.M)) == 7  # six, and the one worth escalating
    assert text.count(" escalate") == 2
    assert "... and 4 more (--json has all)" in text
