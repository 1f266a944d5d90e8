from __future__ import annotations

import json
import statistics
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from trial_sets import CHECKS, case, cases_of, scored, trial, trials_of

from judgekit.errors import InputError
from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Span, Trial
from judgekit.process.repeat_records import RepeatReport
from judgekit.process.repeat_report import repeat_report
from judgekit.render.repeat_text import repeat_text
from judgekit.scorers.trial_scoring import score_trial
from judgekit.stats.estimate import Estimate, Undefined

TAU = Path(__file__).resolve().parents[3] / "shared/data/tau_airline_gpt4o/reference.json"


def report(answers, cases=None, **more) -> RepeatReport:
    trials = trials_of(answers, **more)
    cases = cases or cases_of(answers)
    return repeat_report("agent", cases, trials, scored(cases, trials), CHECKS)


def test_pass_at_k_and_pass_hat_k_are_the_shares_of_all_subsets_of_k_trials() -> None:
    answers = {"a": [True, False, True, True], "b": [False] * 4, "c": [True, False, False, True]}
    found = report(answers)
    for row in found.at_k:
        draws = {name: list(combinations(those, row.k)) for name, those in answers.items()}
        every = [Fraction(sum(all(d) for d in some), len(some)) for some in draws.values()]
        any_of = [Fraction(sum(any(d) for d in some), len(some)) for some in draws.values()]
        assert row.pass_hat.value == pytest.approx(float(statistics.mean(every)), abs=1e-12)
        assert row.pass_at.value == pytest.approx(float(statistics.mean(any_of)), abs=1e-12)
    assert [row.k for row in found.at_k] == [1, 2, 3, 4]


def test_the_counts_of_the_airline_trials_give_the_published_pass_rates() -> None:
    # reference.json: pass^k and pass@k of tau-bench's own code over these 30 tasks
    if not TAU.is_file():
        pytest.skip("the shared extract tau_airline_gpt4o is not here")
    reference = json.loads(TAU.read_text("utf-8"))
    answers = {
        task: [True] * right + [False] * (4 - right)
        for task, right in reference["success_counts"].items()
    }
    found = report(answers)
    for row in found.at_k:
        assert row.pass_hat.value == pytest.approx(reference[f"pass^{row.k}"], abs=1e-6)
        assert row.pass_at.value == pytest.approx(reference[f"pass@{row.k}"], abs=1e-6)
    assert found.pass_at_1.value == pytest.approx(0.4)


def test_every_trial_is_in_the_denominator_whatever_ended_it() -> None:
    cases = cases_of(["a", "b"])
    trials = (
        trial("a", 0),
        trial("a", 1, None),
        trial("b", 0, True, ending="crashed", error="boom"),
        trial("b", 1, True, ending="timeout", error="too slow"),
    )
    found = repeat_report("agent", cases, trials, scored(cases, trials), CHECKS)
    assert found.pass_at_1.value == 1 / 4
    assert found.pass_at_1.n == found.availability.n == 4
    assert found.availability.value == 3 / 4
    assert found.correct_when_available.value == pytest.approx(1 / 3)
    assert found.endings == {"crashed": 1, "finished": 1, "infrastructure": 1, "timeout": 1}
    assert (found.n_cases, found.n_trials, found.undecided) == (2, 4, 1)


def test_the_interval_of_pass_at_1_is_wilsons_with_fewer_trials_where_cases_agree() -> None:
    # Wilson by hand for 10 of 20 at 95 %: (0.5 + z2/2n +- z sqrt(.25/n + z2/4n2)) / (1 + z2/n)
    apart = report({f"c{i}": [i < 10] for i in range(20)}).pass_at_1
    assert (round(apart.low, 4), round(apart.high, 4)) == (0.2993, 0.7007)
    # four equal trials a case say no more than one: the interval must not shrink to that of n=80
    same = report({f"c{i}": [i < 10] * 4 for i in range(20)}).pass_at_1
    assert same.n == 80
    assert same.high - same.low >= 0.95 * (apart.high - apart.low)


def test_cases_that_nothing_is_expected_of_are_listed_and_in_no_rate_of_correctness() -> None:
    cases = (case("a"), case("b", None))
    trials = trials_of({"a": [True, True], "b": [True, True]})
    found = repeat_report("agent", cases, trials, scored(cases, trials), CHECKS)
    assert found.unchecked == ("b",)
    assert (found.pass_at_1.value, found.pass_at_1.n) == (1.0, 2)
    assert found.availability.n == 4
    assert any("nothing that code can check" in note for note in found.notes)


def test_nothing_decided_is_undefined_and_not_0() -> None:
    cases = (case("a", None),)
    trials = trials_of({"a": [True, True]})
    found = repeat_report("agent", cases, trials, scored(cases, trials), CHECKS)
    assert isinstance(found.pass_at_1, Undefined)
    assert isinstance(found.at_k[0].pass_hat, Undefined)
    assert "undefined: no trial could be decided" in repeat_text(found)


def test_without_a_trial_there_is_no_report() -> None:
    with pytest.raises(InputError, match="no trial"):
        repeat_report("agent", cases_of(["a"]), (), (), CHECKS)


def test_cases_without_a_trial_are_counted_in_a_note() -> None:
    cases = cases_of(["a", "b", "c"])
    trials = trials_of({"a": [True]})
    found = repeat_report("agent", cases, trials, scored(cases, trials), CHECKS)
    assert "2 cases have no trial: nothing is said about them" in found.notes


def finals(values, rules: ScoringRules, expected=None) -> float | None:
    one = Case.model_validate(
        {"id": "a", "fields": {} if expected is None else {"answer": {"value": expected}}}
    )
    trials = [
        Trial(case_id="a", number=i, ending="finished", final=value)
        for i, value in enumerate(values)
    ]
    scores = [score_trial(one, each, rules) for each in trials]
    found = repeat_report("agent", (one,), trials, scores, rules).consistency
    return found.value if isinstance(found, Estimate) else None


@pytest.mark.parametrize(
    ("values", "compare", "share"),
    [
        (["9.50", "9.5 ", 9.5], {"kind": "number"}, 1.0),
        (["Straße", "STRASSE", "Weg"], {"kind": "text"}, 1 / 3),
        ([1, True], {"kind": "exact"}, 0.0),
        ([["a", "b"], ["b", "a"]], {"kind": "list", "order": "any"}, 1.0),
        ([["a"], ["a", "b"]], {"kind": "list", "order": "any"}, 0.0),
        (["01/02/2024", "01/02/2024"], {"kind": "date", "formats": ["%Y-%m-%d"]}, 1.0),
        (["no code", "R-12"], {"kind": "pattern", "regex": "R-[0-9]+"}, 0.0),
    ],
)
def test_consistency_is_equality_under_the_comparator_of_the_field(values, compare, share) -> None:
    rules = ScoringRules.model_validate(
        {"schema": 1, "name": "r", "fields": {"answer": {"compare": compare}}}
    )
    found = finals([{"answer": value} for value in values], rules, values[0])
    assert found == pytest.approx(share)


def test_consistency_without_goldens_holds_all_fields_and_keeps_missing_and_null_apart() -> None:
    assert finals([{"x": None}, {}], CHECKS) == 0.0
    assert finals([{"x": 1, "y": [1]}, {"y": [1], "x": 1}], CHECKS) == 1.0
    assert finals([{"x": 1}], CHECKS) is None


def test_the_worst_cases_come_first_with_the_least_share_of_right_trials() -> None:
    answers = {f"c{i}": [j < i for j in range(8)] for i in range(8)}
    found = report(answers)
    assert [row.case for row in found.worst] == ["c0", "c1", "c2", "c3", "c4"]
    text = repeat_text(found)
    assert text.index("c0 ") < text.index("c1 ")
    assert "0 of 8" in text


def test_worst_cases_that_are_not_shown_are_counted() -> None:
    text = repeat_text(report({f"c{n}": [0] for n in range(7)}))
    assert "... and 2 more that are not always right" in text
    assert "more that are" not in repeat_text(report({f"c{n}": [0] for n in range(5)}))


def test_for_many_trials_every_k_to_8_and_doubled_ones_are_reported() -> None:
    found = report({"a": [True] * 19 + [False]})
    assert [row.k for row in found.at_k] == [1, 2, 3, 4, 5, 6, 7, 8, 16, 20]
    assert found.at_k[-1].pass_hat.value == 0.0


def test_unequal_numbers_of_trials_are_said_and_k_that_not_all_have_is_undefined() -> None:
    found = report({"a": [True] * 3, "b": [True, False]})
    assert isinstance(found.at_k[2].pass_hat, Undefined)
    assert any("between 2 and 3 trials" in note for note in found.notes)


def stepped(number: int, *outputs: tuple[str, str]) -> Trial:
    spans = tuple(
        Span(id=str(i), name=step, step=step, output={"value": value})
        for i, (step, value) in enumerate(outputs)
    )
    return Trial(case_id="a", number=number, ending="finished", final={}, spans=spans)


def test_steps_are_counted_by_trial_with_their_product_and_what_was_reached_together() -> None:
    one = Case.model_validate(
        {"id": "a", "fields": {f"steps.{s}.value": {"value": "ok"} for s in ("find", "write")}}
    )
    trials = [
        stepped(0, ("find", "ok"), ("write", "ok")),
        stepped(1, ("find", "no"), ("write", "no")),
        stepped(2, ("find", "no"), ("find", "ok"), ("write", "ok")),  # tried again: right
        stepped(3, ("find", "ok")),  # ended before it wrote
    ]
    scores = [score_trial(one, each, CHECKS) for each in trials]
    found = repeat_report("agent", (one,), trials, scores, CHECKS)
    assert [(s.step, s.passed.value, s.passed.n, s.not_run) for s in found.steps] == [
        ("find", 3 / 4, 4, 0),
        ("write", pytest.approx(2 / 3), 3, 1),
    ]
    assert found.steps_product == pytest.approx(3 / 4 * 2 / 3)
    assert (found.steps_together.value, found.steps_together.n) == (2 / 4, 4)
    assert "all, if independent  0.500 (a product)" in repeat_text(found)


def test_an_error_that_was_made_good_in_a_step_without_expectation_is_in_no_rate_of_steps() -> None:
    one = Case.model_validate({"id": "a", "fields": {"steps.write.value": {"value": "ok"}}})
    look = [
        Span(id="0", name="look", step="look", error="429 too many requests"),
        Span(id="1", name="look", step="look", output={"value": "found"}),
    ]
    spans = (*look, *stepped(0, ("write", "ok")).spans)
    trials = [stepped(0).model_copy(update={"spans": spans})]
    scores = [score_trial(one, each, CHECKS) for each in trials]
    found = repeat_report("agent", (one,), trials, scores, CHECKS)
    assert [step.step for step in found.steps] == ["write"]
    assert (found.steps_product, found.steps_together.value) == (1.0, 1.0)


def test_trials_that_died_before_they_told_their_steps_are_said_to_be_in_no_rate_of_steps() -> None:
    one = Case.model_validate({"id": "a", "fields": {"steps.find.value": {"value": "ok"}}})
    dead = Trial(case_id="a", number=1, ending="crashed", error="boom")
    trials = [stepped(0, ("find", "ok")), dead]
    scores = [score_trial(one, each, CHECKS) for each in trials]
    found = repeat_report("agent", (one,), trials, scores, CHECKS)
    assert (found.steps[0].passed.value, found.steps[0].passed.n) == (1.0, 1)
    assert any(note.startswith("1 trials crashed or ran out of time") for note in found.notes)
    alone = repeat_report("agent", (one,), trials[1:], scores[1:], CHECKS)
    assert not any("no rate of a step" in note for note in alone.notes)  # nothing is said of steps


def test_a_step_that_never_ran_leaves_the_product_unknown() -> None:
    one = Case.model_validate(
        {"id": "a", "fields": {f"steps.{s}.value": {"value": "ok"} for s in ("find", "write")}}
    )
    trials = [stepped(0, ("find", "ok"))]
    scores = [score_trial(one, each, CHECKS) for each in trials]
    found = repeat_report("agent", (one,), trials, scores, CHECKS)
    assert found.steps_product is None
    assert [step.step for step in found.steps] == ["find", "write"]


def test_control_characters_of_names_do_not_reach_the_terminal() -> None:
    found = report({"a\x1b[31m\nb": [False]})
    text = repeat_text(found.model_copy(update={"agent": "x\x1b]0;y\x07"}))
    assert "\x1b" not in text
    assert "\x07" not in text
