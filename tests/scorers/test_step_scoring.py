"""Steps inside a trial: what each gave out, and where a failed trial went wrong first."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Trial
from judgekit.model.trial_score import TrialScore
from judgekit.process.step_rows import step_rows
from judgekit.scorers.trial_scoring import score_trial
from judgekit.stats.estimate import Undefined

CHUNKS = {"kind": "list", "order": "any"}
SUB = {
    "kind": "json_schema",
    "schema": {
        "type": "object",
        "required": ["city"],
        "properties": {"city": {"type": "string"}},
    },
}


def span(name: str, output: Any = None, **given: Any) -> dict[str, Any]:
    return {"id": given.pop("id", name), "name": name, "output": output, **given}


def scored(
    spans: list[dict[str, Any]] | None,
    fields: dict[str, Any],
    *,
    rules: dict[str, Any] | None = None,
    **given: Any,
) -> TrialScore:
    case = Case.model_validate({"id": "c", "fields": fields, "paths": given.pop("paths", {})})
    chosen = ScoringRules.model_validate({"schema": 1, "name": "x", **(rules or {})})
    trial = Trial.model_validate({"spans": spans, "ending": "finished", **given})
    return score_trial(case, trial, chosen)


def test_a_step_is_right_where_its_output_is_and_open_where_nothing_is_expected() -> None:
    fields = {"steps.plan.tool": {"value": "look"}}
    found = scored([span("plan", {"tool": "look"}), span("other", 5)], fields)
    assert [step.passed for step in found.steps] == [True, None]
    assert scored([span("plan", {"tool": "pay"})], fields).steps[0].passed is False


def test_the_step_of_a_span_wins_over_its_name() -> None:
    fields = {"steps.plan.tool": {"value": "look"}}
    found = scored([span("gpt", {"tool": "look"}, step="plan")], fields)
    assert (found.steps[0].step, found.steps[0].passed) == ("plan", True)


def test_the_golden_wins_over_the_rule_for_weight_and_critical_in_a_step_too() -> None:
    rules = {"fields": {"steps.plan.tool": {"weight": 3, "critical": True}}}
    own = {"value": "look", "weight": 2, "critical": False}
    for expected, wanted in (({"value": "look"}, (3.0, True)), (own, (2.0, False))):
        found = scored([span("plan", {"tool": "look"})], {"steps.plan.tool": expected}, rules=rules)
        (outcome,) = found.steps[0].outcomes
        assert (outcome.weight, outcome.critical) == wanted


def test_an_output_that_is_no_object_is_called_output() -> None:
    assert scored([span("sum", 5)], {"steps.sum.output": {"value": 5}}).steps[0].passed is True


def test_retrieval_is_scored_by_recall_and_precision_against_the_annotated_chunks() -> None:
    # By hand: 2 of 3 annotated chunks are found (recall 2/3), among 4 (precision 2/4).
    fields = {"steps.search.chunks": {"value": ["c1", "c2", "c3"], "compare": CHUNKS}}
    found = scored([span("search", {"chunks": ["c9", "c2", "c1", "c8"]})], fields)
    (shares,) = found.steps[0].shares
    assert (shares.recall, shares.precision) == (2 / 3, 0.5)
    (row,) = step_rows([found])
    assert (row.recall.value, row.recall.n) == (2 / 3, 3)
    assert (row.precision.value, row.precision.n) == (0.5, 4)


def test_retrieval_that_found_nothing_has_recall_0_and_no_precision() -> None:
    fields = {"steps.search.chunks": {"value": ["c1"], "compare": CHUNKS}}
    for output in ({"chunks": []}, {}, None):
        (shares,) = scored([span("search", output)], fields).steps[0].shares
        assert (shares.recall, shares.precision) == (0.0, None)


def test_the_answer_of_a_sub_agent_is_held_against_its_schema() -> None:
    fields = {"steps.research.output": {"value": {}}}
    rules = {"fields": {"steps.research.output": {"compare": SUB}}}
    assert scored([span("research", {"city": "Rome"})], fields, rules=rules).steps[0].passed is True
    assert (
        scored([span("research", {"town": "Rome"})], fields, rules=rules).steps[0].passed is False
    )


def test_a_step_with_an_error_is_wrong_and_its_time_is_kept() -> None:
    fields = {"steps.look.n": {"value": 1}}
    found = scored([span("look", {"n": 1}, error="503", latency_s=2.0)], fields)
    assert (found.steps[0].passed, found.steps[0].latency_s) == (False, 2.0)


def test_an_error_in_a_step_of_which_nothing_is_expected_is_an_error_and_no_wrong_answer() -> None:
    # Were the error counted and the success not, the step could only ever be wrong: 0 of 1.
    found = scored([span("look", error="429"), span("look", 5)], {"answer": {"value": 1}})
    assert [step.passed for step in found.steps] == [None, None]
    (row,) = step_rows([found])
    assert isinstance(row.passed, Undefined)
    assert (row.errors.value, row.errors.n) == (1 / 2, 2)
    assert found.attribution is not None
    assert found.attribution.step is None  # it was tried again and came back


def test_an_error_that_nothing_made_good_is_where_a_failed_trial_went_wrong_first() -> None:
    found = scored([span("look", error="503")], {"answer": {"value": 1}}, final={"answer": 2})
    assert found.attribution is not None
    assert found.attribution.step == "look"
    assert found.attribution.chain == ("look: 503", "answer: 2 is not 1")


def test_steps_alone_decide_nothing_about_the_trial() -> None:
    assert (
        scored(
            [span("plan", {"tool": "pay"})], {"steps.plan.tool": {"value": "look"}}
        ).checks_passed
        is None
    )


def test_a_step_that_did_not_run_is_listed_and_is_no_part_of_the_pass_rate() -> None:
    fields = {"steps.plan.tool": {"value": "look"}, "steps.act.done": {"value": True}}
    found = scored([span("plan", {"tool": "look"})], fields)
    assert found.steps_not_run == ("act",)
    assert [(row.step, row.n, row.not_run) for row in step_rows([found])] == [
        ("plan", 1, 0),
        ("act", 0, 1),
    ]
    assert scored(None, fields).steps_not_run == ()


SUMS = {
    "answer": {"value": 42},
    "steps.find.n": {"value": 6},
    "steps.sum.n": {"value": 42},
}


class TestCause:
    def cause(self, *spans: dict[str, Any], **given: Any) -> Any:
        return scored(list(spans), SUMS, final={"answer": 41}, **given).attribution

    def test_the_earliest_wrong_span_is_the_cause_and_the_chain_leads_to_the_visible_error(
        self,
    ) -> None:
        found = self.cause(span("find", {"n": 5}), span("sum", {"n": 41}))
        assert (found.step, found.span) == ("find", "find")
        assert found.chain == ("find: 5 is not 6", "sum: 41 is not 42", "answer: 41 is not 42")
        assert found.cause == found.chain[0]

    def test_a_right_span_before_the_wrong_one_is_not_the_cause(self) -> None:
        assert self.cause(span("find", {"n": 6}), span("sum", {"n": 41})).step == "sum"

    def test_a_span_that_was_tried_again_and_then_right_is_not_the_cause(self) -> None:
        tries = span("find", error="429", id="s0"), span("find", {"n": 6}, id="s1")
        assert self.cause(*tries, span("sum", {"n": 41})).step == "sum"

    def test_without_spans_the_visible_error_is_the_cause(self) -> None:
        found = self.cause()
        assert (found.step, found.cause) == (None, "answer: 41 is not 42")

    def test_a_passing_trial_has_no_cause(self) -> None:
        trial = scored([span("find", {"n": 5})], SUMS, final={"answer": 42})
        assert trial.checks_passed is True
        assert trial.attribution is None

    def test_a_call_at_fault_before_the_wrong_span_is_the_cause(self) -> None:
        paths = {"p": {"calls": [{"tool": "look", "arguments": {"id": {"value": 1}}}]}}
        spans = [span("look", 1, kind="tool", step="fetch"), span("sum", {"n": 41})]
        calls = [{"name": "look", "arguments": {"id": 2}}]
        found = self.cause(*spans, paths=paths, tool_calls=calls)
        assert (found.step, found.cause) == ("fetch", "look.id: 2 is not 1")

    def test_a_wrong_span_before_a_call_at_fault_is_the_cause(self) -> None:
        paths = {"p": {"calls": [{"tool": "look", "arguments": {"id": {"value": 1}}}]}}
        spans = [span("find", {"n": 5}), span("look", 1, kind="tool", step="fetch")]
        calls = [{"name": "look", "arguments": {"id": 2}}]
        found = self.cause(*spans, paths=paths, tool_calls=calls)
        assert (found.step, found.cause) == ("find", "find: 5 is not 6")
        assert found.chain[1] == "look.id: 2 is not 1"

    def test_calls_that_are_not_the_tool_spans_are_not_placed_among_them(self) -> None:
        paths = {"p": {"calls": [{"tool": "look", "arguments": {"id": {"value": 1}}}]}}
        calls = [{"name": "look", "arguments": {"id": 2}}]
        found = self.cause(span("sum", {"n": 41}), paths=paths, tool_calls=calls)
        assert found.step == "sum"
        assert "look.id: 2 is not 1" in found.chain

    def test_a_critical_field_is_the_first_visible_error(self) -> None:
        fields = {"a": {"value": 1}, "b": {"value": 2, "critical": True}}
        found = scored([], fields, final={"a": 0, "b": 0})
        assert found.attribution is not None
        assert found.attribution.chain == ("b: 0 is not 2", "a: 0 is not 1")


def test_pass_rates_per_step_count_spans_and_leave_infrastructure_out() -> None:
    # By hand: find is right in 2 of 3 spans; the fourth is of a trial that the agent did not spoil.
    fields = {"steps.find.n": {"value": 6}}
    trials = [
        scored([span("find", {"n": 6}, latency_s=1.0)], fields),
        scored([span("find", {"n": 6}, latency_s=3.0)], fields),
        scored([span("find", {"n": 5}, latency_s=9.0)], fields),
        scored([span("find", error="503")], fields, ending="infrastructure", error="503"),
    ]
    (row,) = step_rows(trials)
    assert (row.passed.value, row.passed.n, row.errors.value) == (2 / 3, 3, 0.0)
    assert row.latency_s == 3.0


class TestWholeTrial:
    def test_a_case_without_a_checker_and_an_infrastructure_failure_are_undecided(self) -> None:
        assert scored([], {}).checks_passed is None
        field = {"a": {"value": 1}}
        assert scored([], field, ending="infrastructure", error="x").checks_passed is None

    @pytest.mark.parametrize("ending", ["crashed", "timeout"])
    def test_a_crash_and_a_timeout_fail_even_with_the_right_fields(self, ending) -> None:
        found = scored([], {"a": {"value": 1}}, final={"a": 1}, ending=ending, error="x")
        assert found.checks_passed is False

    def test_an_error_without_an_ending_is_a_crash(self) -> None:
        found = scored([], {"a": {"value": 1}}, final={"a": 1}, ending=None, error="x")
        assert (found.ending, found.checks_passed) == ("crashed", False)

    @pytest.mark.parametrize(
        ("given", "passed"),
        [
            ({"day": "2026-02-01", "id": 1}, True),
            ({"day": "01/02/2026", "id": 1}, None),
            ({"day": "01/02/2026", "id": 2}, False),
            ({"day": "25/02/2026", "id": 1}, False),
        ],
    )
    def test_an_argument_with_two_readings_leaves_the_path_open(self, given, passed) -> None:
        both = {"kind": "date", "formats": ["iso", "%d/%m/%Y", "%m/%d/%Y"]}
        wanted = {"day": {"value": "2026-02-01", "compare": both}, "id": {"value": 1}}
        paths = {"p": {"calls": [{"tool": "book", "arguments": wanted}]}}
        calls = [{"name": "book", "arguments": given}]
        assert scored([], {}, paths=paths, tool_calls=calls).checks_passed is passed

    def test_only_the_kinds_that_the_rules_list_fail_a_trial(self) -> None:
        loop = [{"name": "a"}] * 3
        field: dict[str, Any] = {"a": {"value": 1}}
        made = {"final": {"a": 1}, "tool_calls": loop}
        assert scored([], field, **made).checks_passed is True
        assert scored([], field, rules={"failing": ["loop"]}, **made).checks_passed is False

    def test_a_suspicion_fails_nothing(self) -> None:
        rules = {"failing": ["untraceable_argument"], "tools": {"traceable": {"look": ["id"]}}}
        calls = [{"name": "look", "arguments": {"id": "R-1"}}]
        found = scored([], {"a": {"value": 1}}, rules=rules, final={"a": 1}, tool_calls=calls)
        assert [one.severity for one in found.faults] == ["suspicion"]
        assert found.checks_passed is True

    def test_the_distance_is_to_the_nearest_valid_path(self) -> None:
        paths = {
            "long": {"calls": [{"tool": name} for name in "abcd"]},
            "short": {"calls": [{"tool": "a"}]},
        }
        calls = [{"name": name} for name in "ax"]
        assert scored([], {}, paths=paths, tool_calls=calls).distance == 1
        assert scored([], {}).distance is None

    @pytest.mark.parametrize(
        ("fields", "paths", "idle"),
        [
            ({"a": {"expect": "missing"}}, {}, True),
            ({"a": {"value": 1}}, {}, False),
            ({"a": {"expect": "missing"}}, {"p": {"calls": [{"tool": "x"}]}}, False),
            ({}, {"p": {"calls": []}}, True),
            ({}, {"p": {"calls": [{"tool": "x"}]}, "q": {"calls": []}}, True),
            ({}, {}, None),
        ],
    )
    def test_whether_an_agent_that_does_nothing_passes(self, fields, paths, idle) -> None:
        assert scored([], fields, paths=paths).idle_passes is idle
