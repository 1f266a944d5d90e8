"""What `judgekit score` says where little or nothing can be said, and how it says it."""

from __future__ import annotations

import pytest
from score_desk import case, figure, report_of, rules, trial

from judgekit.errors import InputError, UsageError
from judgekit.process.score_report import cases_hash
from judgekit.render.score_text import score_text
from judgekit.stats.estimate import Undefined


def test_undecided_trials_are_neither_right_nor_wrong_and_are_counted() -> None:
    cases = [case("a", fields={"x": 1}), case("b")]
    report = report_of(cases, [trial("a", final={"x": 1}), trial("b")])
    assert figure(report.correct) == (1.0, 1)
    assert report.undecided == 1
    assert "1 trials, neither right nor wrong" in score_text(report)


def test_nothing_decided_is_undefined_and_not_0() -> None:
    report = report_of([case("b")], [trial("b")])
    assert isinstance(report.correct, Undefined)
    assert "undefined" in score_text(report)


def test_the_outcome_of_the_environment_wins_unless_the_rules_say_checks() -> None:
    cases, trials = [case("a", fields={"x": 1})], [trial("a", final={"x": 0}, outcome=True)]
    assert figure(report_of(cases, trials).correct) == (1.0, 1)
    assert figure(report_of(cases, trials, rules(correct_by="checks")).correct) == (0.0, 1)
    with pytest.raises(UsageError, match="no trial records an outcome"):
        report_of(cases, [trial("a")], rules(correct_by="outcome"))


def test_an_infrastructure_failure_has_no_outcome_whatever_was_recorded() -> None:
    broken = trial("a", ending="infrastructure", error="x", outcome=False)
    report = report_of([case("a", fields={"x": 1})], [broken])
    assert report.undecided == 1
    assert isinstance(report.correct, Undefined)


def test_without_a_trial_nothing_was_evaluated() -> None:
    with pytest.raises(InputError, match="no trial"):
        report_of([case("a")], [])


def test_rules_that_name_an_unknown_fault_are_refused_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="did you mean 'false_claim'"):
        report_of([case("a")], [trial("a")], rules(failing=["false_clam"]))


def test_the_hash_of_the_cases_covers_what_is_expected_and_not_their_order() -> None:
    one, two = case("a", fields={"x": 1}), case("b", fields={"x": 1})
    assert cases_hash([one, two]) == cases_hash([two, one])
    assert cases_hash([one]) != cases_hash([case("a", fields={"x": 2})])


def test_control_characters_of_a_case_cannot_steer_the_terminal() -> None:
    name = "a\x1b[2J"
    text = score_text(report_of([case(name)], [trial(name)]))
    assert "\x1b" not in text


def test_a_long_table_says_how_much_it_leaves_out() -> None:
    tools = [f"t{n}" for n in range(25)]
    text = score_text(report_of([case("c", calls=tools)], [trial("c")]))
    assert "... and 5 more (--json has all)" in text
