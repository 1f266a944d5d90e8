"""The figures of `judgekit score`, against values worked out by hand."""

from __future__ import annotations

from math import sqrt

import pytest
from score_desk import case, figure, report_of, rules, trial

from judgekit.model.case import Case
from judgekit.model.trial import Trial
from judgekit.process.rates import mean_credit
from judgekit.render.score_text import explain_text, score_text
from judgekit.scorers.trial_scoring import score_trial
from judgekit.stats.estimate import Estimate, Undefined

Z = 1.959963984540054  # the 97.5 % point of the normal distribution


def wilson(x: int, n: int) -> tuple[float, float]:
    """Wilson (1927), written out: the interval of x in n independent answers."""
    p = x / n
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def test_the_headline_shares_are_of_trials_with_wilsons_interval() -> None:
    # By hand: 3 of 4 trials are right; one field is wrong in one trial.
    cases = [case(f"c{n}", fields={"a": 1, "b": 2}) for n in range(4)]
    trials = [trial(f"c{n}", final={"a": 1, "b": 2 if n else 3}) for n in range(4)]
    report = report_of(cases, trials)
    assert figure(report.correct) == (0.75, 4)
    assert isinstance(report.correct, Estimate)
    assert (report.correct.low, report.correct.high) == pytest.approx(wilson(3, 4), abs=1e-12)
    assert figure(report.all_fields_correct) == (0.75, 4)
    by_field = {row.field: figure(row.accuracy) for row in report.fields}
    assert by_field == {"a": (1.0, 4), "b": (0.75, 4)}


def test_repeats_of_one_case_are_no_independent_answers() -> None:
    cases = [case(f"c{n}", fields={"a": 1}) for n in range(6)]
    trials = [
        trial(f"c{n}", number=k, final={"a": 1 if n < 3 else 0}) for n in range(6) for k in range(4)
    ]
    correct = report_of(cases, trials).correct
    assert isinstance(correct, Estimate)
    assert (correct.value, correct.n) == (0.5, 24)
    assert correct.low is not None
    assert correct.low < wilson(12, 24)[0]  # wider than 24 independent answers would be


def test_critical_fields_are_their_own_headline() -> None:
    chosen = rules(fields={"a": {"critical": True}})
    cases = [case("c", fields={"a": 1, "b": 2})]
    report = report_of(cases, [trial("c", final={"a": 1, "b": 0})], chosen)
    assert figure(report.critical_fields_correct) == (1.0, 1)
    assert figure(report.all_fields_correct) == (0.0, 1)
    assert isinstance(report.state_correct, Undefined)


def test_weights_count_in_no_share_of_a_field_and_are_shown() -> None:
    chosen = rules(fields={"a": {"weight": 3}})
    (row,) = report_of([case("c", fields={"a": 1})], [trial("c", final={"a": 1})], chosen).fields
    assert (row.weight, figure(row.credit)) == (3.0, (1.0, 1))


def test_weights_make_the_mean_credit_of_trials() -> None:
    # By hand: a weighs 3 of 4, so the trials have 1, 3/4 and 1/4 of the credit, mean 2/3;
    # s = sqrt((1/9 + 1/144 + 25/144) / 2) = 0.3819, half = t(0.975; 2) = 4.30265 * s / sqrt(3).
    chosen = rules(fields={"a": {"weight": 3}})
    cases = [case(name, fields={"a": 1, "b": 1}) for name in "xyz"]
    found = [{"a": 1, "b": 1}, {"a": 1, "b": 0}, {"a": 0, "b": 1}]
    trials = [trial(name, final=final) for name, final in zip("xyz", found, strict=True)]
    report = report_of(cases, trials, chosen)
    assert figure(report.weighted_credit) == (pytest.approx(2 / 3), 3)
    assert isinstance(report.weighted_credit, Estimate)
    half = 4.302652729911275 * sqrt((1 / 9 + 1 / 144 + 25 / 144) / 2) / sqrt(3)
    assert report.weighted_credit.low == pytest.approx(max(0, 2 / 3 - half))
    text = score_text(report)
    assert "weighted credit     0.667 (0.000 to 1.000, n=3)" in text
    assert "a      weight 3  0.667" in text
    assert "weighted credit" not in score_text(report_of(cases, trials))  # all weigh the same


def test_each_field_has_its_accuracy_in_each_scenario_class() -> None:
    cases = [
        case(name, fields={"a": 1}, scenario=of) for name, of in (("x", "edge"), ("y", "hard"))
    ]
    trials = [trial("x", final={"a": 1}), trial("y", final={"a": 0})]
    report = report_of(cases, trials)
    found = {(row.field, row.scenario): figure(row.accuracy) for row in report.fields_by_scenario}
    assert found == {("a", "edge"): (1.0, 1), ("a", "hard"): (0.0, 1)}
    assert "a      hard      0.000" in score_text(report)
    assert report_of(cases[:1], trials[:1]).fields_by_scenario == ()  # one class only


def test_each_argument_says_how_often_it_was_right_wrong_missing_or_not_called() -> None:
    expected = {"order": {"value": "R-1"}, "amount": {"value": 5}}
    one = Case.model_validate(
        {"id": "c", "paths": {"p": {"calls": [{"tool": "pay", "arguments": expected}]}}}
    )
    made = [{"order": "R-1", "amount": 5}, {"order": "R-1", "amount": 6}, {"order": "R-1"}, None]
    trials = [
        Trial.model_validate(
            {
                "case_id": "c", "number": n, "ending": "finished",
                "tool_calls": [] if given is None else [{"name": "pay", "arguments": given}],
            }
        )
        for n, given in enumerate(made)
    ]  # fmt: skip
    report = report_of([one], trials)
    rows = {row.key: row for row in report.arguments}
    assert figure(rows["order"].right) == (1.0, 3)
    amount = rows["amount"]
    assert figure(amount.right) == (pytest.approx(1 / 3), 3)
    assert (amount.wrong, amount.missing, amount.undecided, amount.not_called) == (1, 1, 0, 1)
    text = score_text(report)
    assert "pay.amount  0.333" in text
    assert "pay.order" not in text  # always right


def test_adherence_is_the_share_of_the_trials_that_made_a_plan() -> None:
    cases = [case("c", calls=["a"])]
    plans = [None, ["a", "b"], ["a", "b"]]
    made = ["a", "ab", "ba"]
    trials = [
        trial("c", *calls, number=n, plan=plan)
        for n, (plan, calls) in enumerate(zip(plans, made, strict=True))
    ]
    report = report_of(cases, trials)
    assert figure(report.plan_kept) == (0.5, 2)
    lost = trial("c", number=3, plan=["a"], ending="infrastructure", error="down")
    assert figure(report_of(cases, [*trials, lost]).plan_kept) == (0.5, 2)  # no fault of the agent
    assert "on the trial's own plan       0.500" in score_text(report)
    assert isinstance(report_of(cases, trials[:1]).plan_kept, Undefined)


def test_partial_credit_is_a_mean_with_the_interval_of_its_groups() -> None:
    # By hand, groups of one: 0.5 and 1.0 of 2 and 2 elements, mean 0.75, s = 0.25 * sqrt(2),
    # half = t(0.975; 1) * s / sqrt(2) = 12.7062 * 0.25 = 3.18, cut at 0 and 1.
    chosen = rules(fields={"a": {"compare": {"kind": "list", "partial": "recall"}}})
    cases = [case("c", fields={"a": [1, 2]}), case("d", fields={"a": [1, 2]})]
    trials = [trial("c", final={"a": [1]}), trial("d", final={"a": [1, 2]})]
    report = report_of(cases, trials, chosen)
    (row,) = report.fields
    assert figure(row.accuracy) == (0.5, 2)
    assert isinstance(row.credit, Estimate)
    assert (row.credit.value, row.credit.low, row.credit.high) == (0.75, 0.0, 1.0)
    assert "0.750" in score_text(report)


def test_the_interval_of_a_mean_credit_is_that_of_a_cluster_sample() -> None:
    # By hand: groups (0.2, 0.4), (0.6), (0.8): m = 0.5, residuals -0.4, 0.1, 0.3; n = 4, G = 3:
    # se = sqrt(1.5 * (0.16 + 0.01 + 0.09)) / 4 = 0.156125; t(0.975; 2) = 4.302653: half 0.671751.
    found = mean_credit([("a", 0.2), ("a", 0.4), ("b", 0.6), ("c", 0.8)], "none")
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(0.5)
    assert (found.low, found.high) == (0.0, 1.0)
    narrow = mean_credit([(f"g{n}", 0.4 + 0.2 * (n % 2)) for n in range(20)], "none")
    assert isinstance(narrow, Estimate)
    # By hand: s = 0.1 * sqrt(20 / 19), half = t(0.975; 19) s / sqrt(20) = 2.093024 * 0.0229416.
    assert (narrow.low, narrow.high) == pytest.approx((0.451982, 0.548018), abs=1e-6)


def test_scenario_classes_are_apart() -> None:
    names = {"r": "routine", "h": "hard", "n": None}
    cases = [case(one, fields={"a": 1}, scenario=name) for one, name in names.items()]
    trials = [trial("r", final={"a": 1}), trial("h", final={"a": 0}), trial("n", final={"a": 1})]
    rows = report_of(cases, trials).scenarios
    assert [(row.scenario, figure(row.correct)) for row in rows] == [
        ("hard", (0.0, 1)), ("routine", (1.0, 1)), (None, (1.0, 1)),
    ]  # fmt: skip


def test_infrastructure_failures_are_counted_apart_and_are_no_omission() -> None:
    cases = [case("a", calls=["look"]), case("b", calls=["look"])]
    broken = trial("b", ending="infrastructure", error="no disk")
    report = report_of(cases, [trial("a", "look"), broken])
    assert report.endings == {"finished": 1, "infrastructure": 1}
    assert (report.undecided, report.n_trials) == (1, 2)
    assert figure(report.correct) == (1.0, 1)
    (row,) = report.tools
    assert figure(row.omission) == (0.0, 1)
    assert {figure(mode.passed) for mode in report.modes} == {(1.0, 1)}


def test_tool_figures_are_of_calls() -> None:
    # By hand: look is expected 3 times and made 2 times; guess is made once, in place of look.
    cases = [case("a", calls=["look", "pay"]), case("b", calls=["look"]), case("c", calls=["look"])]
    trials = [trial("a", "look", "pay"), trial("b", "guess"), trial("c", "look", "look")]
    report = report_of(cases, trials)
    rows = {row.tool: row for row in report.tools}
    assert figure(rows["look"].omission) == (1 / 3, 3)
    assert (rows["look"].n_expected, rows["look"].n_called) == (3, 3)
    assert figure(rows["guess"].wrong) == (1.0, 1)
    assert figure(rows["look"].wrong) == (0.0, 3)
    assert isinstance(rows["guess"].omission, Undefined)
    assert [(one.expected, one.called, one.n) for one in report.swaps] == [("look", "guess", 1)]


def test_malformed_calls_and_arguments_are_shares_of_calls_and_of_expected_arguments() -> None:
    expected = {
        "p": {"calls": [{"tool": "pay", "arguments": {"id": {"value": 1}, "eur": {"value": 5}}}]}
    }
    of = Case.model_validate({"id": "c", "paths": expected})
    made = [
        {"name": "pay", "arguments": {"id": 1, "eur": 6}},
        {"name": "pay", "malformed": "no JSON"},
    ]
    trials = [
        Trial.model_validate(
            {"case_id": "c", "number": 0, "ending": "finished", "tool_calls": made}
        )
    ]
    (row,) = report_of([of], trials).tools
    assert figure(row.malformed) == (0.5, 2)
    assert figure(row.arguments) == (0.5, 2)


def test_omissions_are_told_by_tool_and_scenario() -> None:
    cases = [
        case("r", calls=["look"], scenario="routine"),
        case("h", calls=["look"], scenario="hard"),
    ]
    rows = report_of(cases, [trial("r", "look"), trial("h")]).omissions
    assert [(row.tool, row.scenario, figure(row.omission)) for row in rows] == [
        ("look", "hard", (1.0, 1)), ("look", "routine", (0.0, 1)),
    ]  # fmt: skip


def test_recall_and_precision_of_each_way_of_matching_are_over_all_calls() -> None:
    # By hand: expected look, check, pay; called look, policy, pay: 2 of 3 in order, 1 leading.
    report = report_of(
        [case("c", calls=["look", "check", "pay"])], [trial("c", "look", "policy", "pay")]
    )
    rows = {(row.what, row.mode): row for row in report.modes}
    assert figure(rows["names", "in_order"].recall) == (2 / 3, 3)
    assert figure(rows["names", "exact"].recall) == (1 / 3, 3)
    assert figure(rows["names", "any_order"].precision) == (2 / 3, 3)
    assert ("writes", "exact") not in rows  # no tool is said to change the state


def test_distances_are_to_the_nearest_path_with_their_median_and_worst() -> None:
    cases = [case(name, calls=["look", "pay"]) for name in "abc"]
    trials = [trial("a", "look", "pay"), trial("b", "look"), trial("c", "x", "y")]
    found = report_of(cases, trials).distance
    assert (figure(found.on_path), found.median, found.worst) == ((1 / 3, 3), 1, 4)


def test_faults_are_shares_of_trials_with_at_least_one() -> None:
    cases = [case("a", calls=["look", "look"]), case("b", calls=["look"])]
    (row,) = report_of(cases, [trial("a"), trial("b", "look")]).faults
    assert (row.kind, row.n, figure(row.trials)) == ("omitted_call", 2, (0.5, 2))


def test_faults_are_counted_by_tool() -> None:
    cases = [case("a", calls=["look"]), case("b", calls=["look"])]
    report = report_of(cases, [trial("a"), trial("b", "look", "look", "look")])
    rows = {row.tool: row.faults for row in report.tools}
    assert rows == {"look": {"loop": 1, "omitted_call": 1}}
    assert "look  1 loop, 1 omitted_call" in score_text(report)


def test_explain_names_the_steps_that_went_wrong_and_those_that_did_not_run() -> None:
    fields = {"a": 1, "steps.find.n": 6, "steps.sum.n": 9}
    spans = [{"id": "s", "name": "find", "output": {"n": 5}}]
    made = trial("c", final={"a": 0}, spans=spans)
    lines = explain_text([score_trial(case("c", fields=fields), made, rules())]).splitlines()
    assert lines[-5:] == [
        "  step find: wrong, 5 is not 6",
        "  step sum: did not run",
        "  first wrong: find: 5 is not 6",
        "  in the step: find",
        "  then: a: 0 is not 1",
    ]


class TestSuite:
    def test_a_long_list_of_cases_says_how_many_are_left_out_and_where_they_are(self) -> None:
        cases = [case(f"c{n:02}") for n in range(11)]
        text = score_text(report_of(cases, [trial(one.id) for one in cases]))
        assert "cases without a checker: 11 (c00, c01, " in text
        assert "c07 and 3 more: --json has all)" in text

    def test_cases_that_say_little_are_listed(self) -> None:
        same = {"tables": {"t": {"k": {"fields": {"f": {"value": 1}}}}}}
        cases = [
            case("bare"),
            case("idle", state=same),
            case("state", fields={"a": 1}, state=same),
            case("good", fields={"a": 1}),
            case("lost", fields={"a": 1}),
        ]
        start = {"t": {"k": {"f": 1}}}
        trials = [
            trial("bare"),
            trial("idle", state=start, state_before=start),
            trial("state", state=start, state_before=start, final={"a": 0}),
            trial("good", final={"a": 1}),
        ]
        suite = report_of(cases, trials).suite
        assert suite.without_checker == ("bare",)
        assert suite.untouched_pass == ("idle",)
        assert suite.untouched_state == ("state",)
        assert suite.everyone_passes == ("good", "idle")
        assert suite.nobody_passes == ("state",)
        assert suite.without_trial == ("lost",)

    def test_parts_that_experts_disagreed_on_are_listed_and_not_scored(self) -> None:
        unscored = [
            {"part": "/fields/b", "status": "ambiguous", "reason": "two readings"},
            {"part": "/paths/p", "status": "excluded", "reason": "out of date"},
        ]
        report = report_of(
            [case("c", fields={"a": 1}, unscored=unscored)],
            [trial("c", "pay", final={"a": 1, "b": 9})],
        )
        assert [(one.part, one.reason) for one in report.suite.excluded] == [
            ("/fields/b", "ambiguous: two readings"), ("/paths/p", "excluded: out of date"),
        ]  # fmt: skip
        assert {row.field: row.unscored for row in report.fields} == {"a": 0, "b": 1}
        assert figure(report.correct) == (1.0, 1)
        text = score_text(report)
        assert "not scored: c /fields/b (ambiguous: two readings)" in text
        assert "not scored: c /paths/p" in text
