"""What differs between rules, between annotations, and from a case's own past."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.errors import UsageError
from judgekit.model.case import Case
from judgekit.model.comparators.catalog import comparators
from judgekit.model.scoring import ScoringRules
from judgekit.model.tool_spec import ToolSpec
from judgekit.model.trial import Trial
from judgekit.process.anomalies import anomalies
from judgekit.process.regrade_diff import score_changes
from judgekit.process.rules_diff import refuse_other_rules, rules_changes
from judgekit.scorers.tool_lint import lint_tools
from judgekit.scorers.trial_scoring import score_trial


def body(**given: Any) -> dict[str, Any]:
    return ScoringRules.model_validate({"schema": 1, "name": "desk", **given}).body


def specs(*, changes: bool = False, **schema: Any) -> dict[str, Any]:
    parameters = {"type": "object", **schema}
    return {
        "tools": {"specs": [{"name": "pay", "parameters": parameters, "changes_state": changes}]}
    }


EXACT = {"fields": {"a": {"compare": "exact"}}}
TEXT = {"fields": {"a": {"compare": "text"}}}
NUMBER = {"kind": "number", "absolute": 0.01}


@pytest.mark.parametrize(
    ("before", "after", "rule", "loosened"),
    [
        ({"caps": {"calls": 5}}, {"caps": {"calls": 9}}, "caps.calls", True),
        ({"caps": {"calls": 9}}, {"caps": {"calls": 5}}, "caps.calls", False),
        ({"caps": {"calls": 5}}, {}, "caps.calls", True),
        ({}, {"caps": {"latency_s": 5}}, "caps.latency_s", False),
        (
            {"fields": {"a": {"compare": NUMBER}}},
            {"fields": {"a": {"compare": {**NUMBER, "absolute": 1}}}},
            "fields.a.compare.absolute",
            True,
        ),
        (
            {"fields": {"a": {"critical": True}}},
            {"fields": {"a": {"critical": False}}},
            "fields.a.critical",
            True,
        ),
        (
            {"fields": {"a": {"null_is_missing": False}}},
            {"fields": {"a": {"null_is_missing": True}}},
            "fields.a.null_is_missing",
            True,
        ),
        ({"tools": {"match": "exact"}}, {"tools": {"match": "any_order"}}, "tools.match", True),
        ({"tools": {"compare": "names"}}, {"tools": {"compare": "calls"}}, "tools.compare", False),
        ({}, {"tools": {"ignore": ["think"]}}, "tools.ignore", True),
        ({"tools": {"forbidden": ["drop"]}}, {}, "tools.forbidden", True),
        ({}, {"tools": {"forbidden": ["drop"]}}, "tools.forbidden", False),
        ({"tools": {"before": {"pay": ["check"]}}}, {}, "tools.before.pay", True),
        ({"failing": ["loop", "over_cap"]}, {"failing": ["loop"]}, "failing", True),
        ({"failing": ["loop"]}, {"failing": ["over_cap"]}, "failing", None),
        (EXACT, TEXT, "fields.a.compare", None),
        (EXACT, {"fields": {"a": {"weight": 2}}}, "fields.a.weight", None),
        (specs(required=["order"]), specs(), "tools.specs.pay.parameters.required", True),
        (specs(), specs(required=["order"]), "tools.specs.pay.parameters.required", False),
        (
            specs(required=["order", "amount"]),
            specs(required=["order"]),
            "tools.specs.pay.parameters.required",
            True,
        ),
        (
            specs(required=["order"]),
            specs(required=["amount"]),
            "tools.specs.pay.parameters.required",
            None,
        ),
        (
            specs(additionalProperties=False),
            specs(additionalProperties=True),
            "tools.specs.pay.parameters.additionalProperties",
            True,
        ),
        (specs(changes=True), specs(), "tools.specs.pay.changes_state", True),
        (specs(), {"tools": {"specs": []}}, "tools.specs.pay", True),
        (specs(title="a"), specs(title="b"), "tools.specs.pay.parameters.title", None),
        # Fields and arguments may have the names of options.
        ({}, {"fields": {"calls": {}}}, "fields.calls", None),
        ({}, {"fields": {"critical": {}}}, "fields.critical", None),
        (
            {"tools": {"arguments": {"pay": {"weight": {"kind": "exact"}}}}},
            {"tools": {"arguments": {"pay": {"weight": {"kind": "text"}}}}},
            "tools.arguments.pay.weight",
            None,
        ),
    ],
)  # fmt: skip
def test_each_changed_rule_is_named_and_said_to_be_looser_or_tighter(
    before, after, rule, loosened
) -> None:
    (change,) = rules_changes(body(**before), body(**after))
    assert (change.rule, change.loosened) == (rule, loosened)


def test_equal_rules_of_another_name_and_version_are_the_same_rules() -> None:
    one = ScoringRules.model_validate({"schema": 1, "name": "a", "version": "1"})
    other = ScoringRules.model_validate({"schema": 1, "name": "b", "version": "2"})
    assert one.content_hash == other.content_hash
    assert rules_changes(one.body, other.body) == ()
    refuse_other_rules(one.body, other.body, "x")


def test_results_under_different_rules_are_not_compared_and_what_was_loosened_is_shown() -> None:
    with pytest.raises(UsageError, match="other rules") as caught:
        refuse_other_rules(body(caps={"calls": 5}), body(caps={"calls": 9}), "'old.json'")
    assert caught.value.found == "caps.calls: 5 -> 9 (loosened)"


def test_another_kind_of_comparison_is_shown_by_its_name() -> None:
    (change,) = rules_changes(body(**EXACT), body(**TEXT))
    assert change.sentence() == "fields.a.compare: 'exact' -> 'text'"


def test_another_code_of_a_custom_comparison_is_other_rules() -> None:
    (change,) = rules_changes(body(), {**body(), "sources": {"rules.own:same": "sha256:1"}})
    assert change.rule == "sources.rules.own:same"


@pytest.mark.parametrize("kind", [*comparators()])
def test_a_change_of_any_option_of_a_comparator_is_found(kind) -> None:
    for name, field in comparators().get(kind).model_fields.items():
        one, other = {"kind": kind}, {"kind": kind, name: "other"}
        if name != "kind":
            assert len(rules_changes({"compare": one}, {"compare": other})) == 1, field


class TestRegrade:
    rules = ScoringRules.model_validate({"schema": 1, "name": "x"})

    def scores(self, value: int, *, extra: bool = False) -> list[Any]:
        fields = {"a": {"value": value}, **({"b": {"value": 1}} if extra else {})}
        case = Case.model_validate({"id": "c", "fields": fields})
        trials = [Trial(case_id="c", number=n, final={"a": n}) for n in range(2)]
        return [score_trial(case, one, self.rules) for one in trials]

    def test_a_mended_argument_is_shown_also_where_the_path_fails_as_before(self) -> None:
        def of(amount: int) -> Any:
            wanted = {"order": {"value": "R-1"}, "amount": {"value": amount}}
            paths = {"p": {"calls": [{"tool": "pay", "arguments": wanted}]}}
            case = Case.model_validate({"id": "c", "paths": paths})
            made = [{"name": "pay", "arguments": {"order": "R-9", "amount": 5}}]
            trial = Trial.model_validate({"case_id": "c", "tool_calls": made})
            return [score_trial(case, trial, self.rules)]

        found = {(one.what, one.before, one.after) for one in score_changes(of(4), of(5))}
        assert ("argument pay.amount of call 1", "wrong", "right") in found

    def test_a_mended_annotation_shows_what_it_did_trial_by_trial(self) -> None:
        found = score_changes(self.scores(0), self.scores(1))
        assert [(one.number, one.what, one.before, one.after) for one in found] == [
            (0, "correct by checks", True, False),
            (0, "field a", "match", "mismatch"),
            (1, "correct by checks", False, True),
            (1, "field a", "mismatch", "match"),
        ]

    def test_an_annotation_that_changes_nothing_shows_nothing(self) -> None:
        assert score_changes(self.scores(0), self.scores(0)) == ()

    def test_a_field_that_is_new_comes_from_no_answer(self) -> None:
        found = score_changes(self.scores(0), self.scores(0, extra=True))
        assert ("field b", None, "mismatch") in [(one.what, one.before, one.after) for one in found]


class TestShapes:
    def trials(self, *calls: int, **given: Any) -> list[Trial]:
        return [
            Trial.model_validate(
                {"case_id": "c", "number": n, "tool_calls": [{"name": "a"}] * many, **given}
            )
            for n, many in enumerate(calls)
        ]

    def test_an_unusual_number_of_calls_is_named_and_a_usual_one_is_not(self) -> None:
        past = self.trials(3, 4, 5, 4, 3, 5, 4, 4)
        found = anomalies(self.trials(4, 30), past)
        assert [(one.number, one.size, one.value, one.usual) for one in found.anomalies] == [
            (1, "calls", 30, 4)
        ]

    def test_a_size_that_never_varied_is_unusual_when_it_leaves_the_past_by_a_tenth(self) -> None:
        past = self.trials(*[20] * 8)
        found = anomalies(self.trials(22, 23, 10), past).anomalies
        assert [(one.number, one.score) for one in found] == [(1, 99.0), (2, -99.0)]

    def test_too_few_earlier_trials_say_nothing_and_that_is_said(self) -> None:
        found = anomalies(self.trials(30), self.trials(3, 4, 5, 4, 3, 5, 4))
        assert (found.anomalies, found.without_history) == ((), ("c",))

    def test_infrastructure_failures_are_no_history_and_no_anomaly(self) -> None:
        past = self.trials(*[4] * 8)
        broken = self.trials(0, ending="infrastructure", error="x")
        assert anomalies(broken, past).anomalies == ()
        assert anomalies(self.trials(4), broken * 9).without_history == ("c",)


class TestLint:
    def kinds(self, *specs: dict[str, Any]) -> list[str]:
        return [one.kind for one in lint_tools([ToolSpec.model_validate(spec) for spec in specs])]

    def spec(self, name: str, say: str = "Return one order of the desk by number.", **given: Any):
        return {"name": name, "description": say, "parameters": given or {"type": "object"}}

    def test_a_well_described_tool_has_no_finding(self) -> None:
        named = {"id": {"type": "string", "description": "the number"}}
        assert self.kinds(self.spec("look", type="object", properties=named)) == []

    def test_names_that_are_taken_for_each_other_are_named(self) -> None:
        other = self.spec("get_orders", "Send money back for something that was bought.")
        assert self.kinds(self.spec("get_order"), other) == ["overlapping_names"]

    def test_descriptions_that_are_alike_are_named(self) -> None:
        assert self.kinds(self.spec("look"), self.spec("search")) == ["overlapping_descriptions"]

    @pytest.mark.parametrize("say", ["", "Refund.", "Does various stuff with the order data."])
    def test_a_short_or_vague_description_is_named(self, say) -> None:
        assert self.kinds(self.spec("look", say)) == ["vague_description"]

    @pytest.mark.parametrize(
        ("say", "words"), [("", "no words"), ("Refund.", "1 word;"), ("Pay it.", "2 words;")]
    )
    def test_the_words_of_a_description_are_counted_in_plain_english(self, say, words) -> None:
        assert f"has {words}" in lint_tools([ToolSpec(**self.spec("look", say))])[0].reason

    def test_a_tool_that_is_only_named_is_one_finding(self) -> None:
        assert self.kinds({"name": "pay", "changes_state": True}) == ["no_parameters"]

    def test_enums_and_parameters_without_a_word_are_named_at_any_depth(self) -> None:
        deep = {"type": "array", "items": {"type": "object", "properties": {"s": {"enum": ["a"]}}}}
        given = {"status": {"enum": ["A", "B"]}, "q": {}, "rows": deep}
        found = self.kinds(self.spec("look", type="object", properties=given))
        assert found == ["undocumented_enum", "undocumented_parameter", "undocumented_enum"]

    def test_a_schema_of_an_odd_shape_is_no_traceback(self) -> None:
        assert self.kinds(self.spec("look", properties=[1], enum=5)) == []
        assert self.kinds(self.spec("look", properties={"a": {"enum": 5}, "b": 7})) == [
            "undocumented_enum"
        ]
