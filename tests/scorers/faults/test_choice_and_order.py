"""Which tools were called, and in which order: what is a fault and what only looks like one."""

from __future__ import annotations

import pytest
from fault_records import call, case, failed, faults, gave, kinds, rules, trial, wanted

LOOK, CHECK, PAY = call("look", id=1), call("check", id=1), call("pay", id=1)
SPECS = [
    {"name": "look", "identifier": ["id"]},
    {"name": "check", "identifier": ["id"]},
    {"name": "pay", "identifier": ["id"], "changes_state": True},
]


def test_a_trial_on_its_path_has_no_fault() -> None:
    assert kinds(case([LOOK, PAY]), trial(LOOK, PAY)) == []


def test_each_call_that_is_left_out_is_one_fault() -> None:
    found = faults(case(["a", "a", "b"]), trial("b"))
    assert [(one.kind, one.tool) for one in found] == [("omitted_call", "a")] * 2


def test_either_of_two_valid_paths_will_do() -> None:
    both = case(["search", "pay"], ["look", "pay"])
    assert kinds(both, trial("look", "pay")) == []
    assert kinds(both, trial("search", "pay")) == []


def test_a_second_look_up_of_another_thing_is_no_fault_unless_the_path_is_exact() -> None:
    made = trial(LOOK, call("look", id=2), PAY)
    assert kinds(case([LOOK, PAY]), made) == []
    assert kinds(case([LOOK, PAY], match="exact"), made) == ["unexpected_call"]


def test_a_strange_tool_in_the_place_of_a_missing_one_was_called_instead() -> None:
    (fault,) = faults(case(["look", "check", "pay"]), trial("look", "guess", "pay"))
    assert (fault.kind, fault.tool, fault.expected_tool, fault.position) == (
        "wrong_tool", "guess", "check", 1,
    )  # fmt: skip


def test_a_strange_tool_tried_twice_in_a_row_stands_in_once() -> None:
    assert kinds(case(["look", "pay"]), trial("guess", "guess", "pay")) == ["wrong_tool"]


def test_it_is_not_guessed_which_of_several_strange_tools_stood_in() -> None:
    assert kinds(case(["look"]), trial("guess", "ask")) == ["omitted_call"]


def test_a_tool_of_another_valid_path_is_no_wrong_tool() -> None:
    both = case(["look", "check", "pay"], ["search", "check", "pay"])
    assert kinds(both, trial("look", "search", "pay")) == ["omitted_call"]


def test_where_no_call_is_expected_every_call_is_unexpected_under_exact_only() -> None:
    assert kinds(case([], match="exact"), trial("pay")) == ["unexpected_call"]
    assert kinds(case([], match="in_order"), trial("pay")) == []
    assert kinds(case([], match="exact"), trial()) == []


def test_ignored_tools_are_neither_unexpected_nor_left_out_nor_loops() -> None:
    made, under = trial("think", "look", "think", "think", "think"), rules(ignore=["think"])
    assert kinds(case(["look", "think"], match="exact"), made, under) == []


def test_calls_inside_messages_count_like_listed_ones() -> None:
    messages = [{"role": "assistant", "tool_calls": [{"name": "look"}]}]
    assert kinds(case(["look"], match="exact"), trial(messages=messages)) == []
    assert kinds(case(["pay"]), trial(messages=messages)) == ["wrong_tool"]


def test_a_path_in_dispute_is_not_scored_and_neither_are_the_others() -> None:
    unscored = [{"part": "/paths/p2", "status": "ambiguous", "reason": "both ways?"}]
    assert kinds(case(["look"], match="exact", unscored=unscored), trial("pay")) == []


def test_forbidden_calls_are_those_of_the_rules_and_those_of_the_case() -> None:
    never = case(forbidden=[wanted_call("pay", id=1)])
    assert kinds(never, trial(PAY)) == ["forbidden_call"]
    assert kinds(never, trial(call("pay", id=2))) == []
    assert kinds(never, trial("drop"), rules(forbidden=["drop"])) == ["forbidden_call"]


def wanted_call(name: str, **arguments: object) -> dict[str, object]:
    return wanted(call(name, **arguments))


def test_an_infrastructure_failure_has_no_fault_and_a_crash_has() -> None:
    assert kinds(case(["look"]), trial(ending="infrastructure", error="no disk")) == []
    assert kinds(case(["look"]), trial(ending="crashed", error="boom")) == ["omitted_call"]
    assert kinds(case(["look"]), trial(ending="timeout", error="slow")) == ["omitted_call"]


class TestBefore:
    rules = rules(specs=SPECS, before={"pay": ["check"]})

    def found(self, *calls: object, under: object = None) -> list[str]:
        return kinds(case(), trial(*calls), under or self.rules)  # type: ignore[arg-type]

    def test_a_change_after_its_check_is_right(self) -> None:
        assert self.found(CHECK, PAY) == []

    def test_a_change_without_its_check_or_before_it_is_a_fault(self) -> None:
        assert self.found(PAY) == ["unchecked_change"]
        assert self.found(PAY, CHECK) == ["unchecked_change"]

    def test_a_check_of_another_thing_does_not_count(self) -> None:
        assert self.found(call("check", id=2), PAY) == ["unchecked_change"]

    def test_a_check_that_failed_does_not_count_and_its_retry_does(self) -> None:
        assert self.found(failed("check", id=1), PAY) == ["unchecked_change"]
        assert self.found(failed("check", id=1), CHECK, PAY) == []

    def test_a_check_with_unusable_arguments_does_not_count(self) -> None:
        broken = {"name": "check", "malformed": "arguments are no JSON"}
        assert "unchecked_change" in self.found(broken, PAY)

    @pytest.mark.parametrize("result", [{"ok": False}, '{"ok": false}', {}, "no"])
    def test_a_check_that_came_back_otherwise_than_it_should_does_not_count(self, result) -> None:
        under = rules(specs=SPECS, before={"pay": ["check"]}, succeeded={"check": {"ok": True}})
        assert self.found(gave(result, "check", id=1), PAY, under=under) == ["unchecked_change"]

    @pytest.mark.parametrize("result", [{"ok": True}, '{"ok": true}', None])
    def test_a_result_that_was_not_recorded_is_not_held_against_the_agent(self, result) -> None:
        under = rules(specs=SPECS, before={"pay": ["check"]}, succeeded={"check": {"ok": True}})
        assert self.found(gave(result, "check", id=1), PAY, under=under) == []

    def test_the_result_of_a_call_inside_messages_is_the_message_that_answers_it(self) -> None:
        under = rules(specs=SPECS, before={"pay": ["check"]}, succeeded={"check": {"ok": True}})
        calls = [{**CHECK, "id": "x"}, {**PAY, "id": "y"}]
        for said, expected in (('{"ok": true}', []), ('{"ok": false}', ["unchecked_change"])):
            messages = [
                {"role": "assistant", "tool_calls": calls[:1]},
                {"role": "tool", "tool_call_id": "x", "content": said},
                {"role": "assistant", "tool_calls": calls[1:]},
            ]
            assert kinds(case(), trial(messages=messages), under) == expected


class TestPremature:
    rules = rules(answer_after=["look"])

    @pytest.mark.parametrize(
        ("made", "expected"),
        [
            (trial(LOOK, say="done"), []),
            (trial(say="done"), ["premature_answer"]),
            (trial(failed("look", id=1), say="done"), ["premature_answer"]),
            (trial(failed("look", id=1), LOOK, say="done"), []),
            (trial(final={"decision": "refuse"}), ["premature_answer"]),
            (trial(final={}), []),
            (trial(), []),  # no answer was given: that is another fault
        ],
    )
    def test_an_answer_needs_what_it_rests_on(self, made, expected) -> None:
        assert kinds(case(), made, self.rules) == expected
