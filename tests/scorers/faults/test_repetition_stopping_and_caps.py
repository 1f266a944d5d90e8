"""Loops, the end of a trial, the plan and the caps: what is a fault and what only looks so."""

from __future__ import annotations

import pytest
from fault_records import call, case, failed, faults, kinds, rules, trial

from judgekit.scorers.faults.base import detectors
from judgekit.scorers.faults.caps import span_depth, trial_sizes
from judgekit.scorers.faults.repetition import find_loops

PAY = call("pay", order="R-1")
SPECS = [{"name": "pay", "changes_state": True}, {"name": "look"}, {"name": "human"}]
CHANGES = rules(specs=SPECS, hand_over=["human"])


def test_every_detector_is_registered_under_the_kind_of_its_faults() -> None:
    assert list(detectors()) == [
        "false_claim", "forbidden_call", "loop", "malformed_arguments", "needless_hand_over",
        "off_plan", "omitted_call", "over_cap", "premature_answer", "repeated_call",
        "stopped_early", "unchecked_change", "unexpected_call", "unknown_tool",
        "untraceable_argument", "went_on", "wrong_argument", "wrong_tool",
    ]  # fmt: skip


class TestRepetition:
    @pytest.mark.parametrize(
        ("calls", "expected"),
        [
            ("aa", []),
            ("aaa", ["loop"]),
            ("aba", []),
            ("abaca", ["repeated_call"]),
            ("abab", []),
            ("ababab", ["loop"]),
            ("xabcabcabcy", ["loop"]),
            ("aaabbb", ["loop", "loop"]),
            ("abcdefghi" * 2, []),
        ],
    )
    def test_equal_calls_more_than_twice_or_in_circles_are_found(self, calls, expected) -> None:
        assert kinds(case(), trial(*calls)) == expected

    def test_one_retry_after_an_error_is_no_fault_and_a_second_is_a_loop(self) -> None:
        again = [failed("look", id=1), call("look", id=1)]
        assert kinds(case(["look"]), trial(*again)) == []
        (fault,) = faults(case(["look"]), trial(failed("look", id=1), *again))
        assert (fault.kind, fault.position) == ("loop", 0)
        assert "429" in fault.reason

    def test_calls_with_other_arguments_are_no_repeats(self) -> None:
        assert kinds(case(), trial(*(call("look", page=n) for n in range(9)))) == []

    def test_as_many_equal_calls_as_the_rules_allow_are_no_fault(self) -> None:
        assert kinds(case(), trial(*"aaaa"), rules(max_identical=4)) == []
        assert kinds(case(), trial(*"aaaaa"), rules(max_identical=4)) == ["loop"]
        assert kinds(case(), trial(*"aba"), rules(max_identical=1)) == ["repeated_call"]

    def test_a_repeat_is_placed_at_the_first_call_too_many(self) -> None:
        (fault,) = faults(case(), trial(*"abaca"))
        assert fault.position == 4

    def test_a_loop_is_placed_in_the_trial_though_ignored_calls_lie_between(self) -> None:
        (fault,) = faults(case(), trial("t", "a", "t", "a", "a"), rules(ignore=["t"]))
        assert (fault.kind, fault.tool, fault.position) == ("loop", "a", 1)

    def test_loops_of_up_to_eight_calls_are_found_wherever_they_begin(self) -> None:
        assert find_loops("z" + "abcdefgh" * 3) == ((1, 8, 3),)
        assert find_loops("abcdefghi" * 3) == ()
        assert find_loops("") == ()


class TestEnd:
    def test_a_trial_that_ends_before_its_change_stopped_early(self) -> None:
        found = faults(case(["look", "pay"]), trial("look"), CHANGES)
        assert [one.kind for one in found] == ["omitted_call", "stopped_early"]
        assert found[1].reason == "the trial ended before pay"

    def test_a_trial_that_only_lacks_a_look_up_did_not_stop_early(self) -> None:
        assert kinds(case(["pay", "look"]), trial("pay"), CHANGES) == ["omitted_call"]
        assert kinds(case(["pay", "look"]), trial("look"), CHANGES) == ["omitted_call"]

    def test_without_an_order_any_missing_change_is_an_early_stop(self) -> None:
        found = kinds(case(["pay", "look"], match="any_order"), trial("look"), CHANGES)
        assert found == ["omitted_call", "stopped_early"]

    @pytest.mark.parametrize("ending", ["crashed", "timeout"])
    def test_a_trial_that_was_cut_off_did_not_stop(self, ending) -> None:
        made = trial("look", ending=ending, error="cut off")
        assert kinds(case(["look", "pay"]), made, CHANGES) == ["omitted_call"]

    def test_a_trial_that_handed_over_did_not_stop_but_did_so_without_need(self) -> None:
        found = kinds(case(["look", "pay"]), trial("look", "human"), CHANGES)
        assert "stopped_early" not in found
        assert "needless_hand_over" in found

    def test_a_hand_over_on_a_valid_path_is_right(self) -> None:
        paths = case(["look", "pay"], ["look", "human"])
        assert kinds(paths, trial("look", "human"), CHANGES) == []

    def test_a_change_after_all_was_done_goes_on(self) -> None:
        (fault,) = faults(case([PAY]), trial(PAY, call("pay", order="R-2")), CHANGES)
        assert (fault.kind, fault.position) == ("went_on", 1)

    def test_a_look_up_after_all_was_done_does_not_go_on(self) -> None:
        assert kinds(case([PAY]), trial(PAY, "look"), CHANGES) == []

    def test_the_retry_of_a_failed_change_does_not_go_on(self) -> None:
        assert kinds(case([PAY]), trial(failed("pay", order="R-1"), PAY), CHANGES) == []

    def test_a_change_made_twice_goes_on_though_the_first_try_failed(self) -> None:
        made = trial(failed("pay", order="R-1"), PAY, PAY)
        assert "went_on" in kinds(case([PAY]), made, CHANGES)


class TestClaims:
    rules = rules(claims=[{"regex": "have refunded", "tools": ["pay"]}])
    by_state = rules.model_validate(
        {
            "schema": 1,
            "name": "x",
            "tools": {"claims": [{"regex": "refunded", "state": {"orders.a.b@c.org.paid": True}}]},
        }
    )

    @pytest.mark.parametrize(
        ("made", "expected"),
        [
            (trial(PAY, say="We have refunded it."), []),
            (trial(say="We HAVE REFUNDED it."), ["false_claim"]),
            (trial(failed("pay"), say="We have refunded it."), ["false_claim"]),
            (trial(say="We cannot refund it."), []),
            (trial(), []),
            (trial(final={"reply": "We have refunded it."}), ["false_claim"]),
            (trial(final={"reply": "We have refunded it."}, say="No."), []),
        ],
    )
    def test_a_claimed_action_must_have_been_carried_out(self, made, expected) -> None:
        assert kinds(case(), made, self.rules) == expected

    def test_words_before_a_call_are_not_the_answer(self) -> None:
        messages = [
            {"role": "assistant", "content": "I have refunded", "tool_calls": [{"name": "look"}]},
            {"role": "assistant", "content": "It failed."},
        ]
        assert kinds(case(), trial(messages=messages), self.rules) == []

    @pytest.mark.parametrize(
        ("state", "found"),
        [
            ({"orders": {"a.b@c.org": {"paid": True}}}, []),
            ({"orders": [{"id": "a.b@c.org", "paid": True}]}, []),
            ({"orders": {"a.b@c.org": {"paid": False}}}, [("false_claim", "fault")]),
            ({}, [("false_claim", "fault")]),
            (None, [("false_claim", "suspicion")]),
        ],
    )
    def test_the_state_that_a_claim_names_must_be_there(self, state, found) -> None:
        made = faults(case(), trial(say="refunded", state=state), self.by_state)
        assert [(one.kind, one.severity) for one in made] == found


class TestPlan:
    @pytest.mark.parametrize(
        ("plan", "calls", "n"),
        [
            (None, "ab", 0),
            (["a", "b"], "ab", 0),
            (["a", "b"], "a", 1),
            (["a", "b"], "axb", 1),
            (["a", "b"], "ba", 2),
            ([], "a", 1),
            (["t", "a"], "a", 0),  # t is ignored
        ],
    )
    def test_calls_are_held_against_the_plan(self, plan, calls, n) -> None:
        found = kinds(case(), trial(*calls, plan=plan), rules(ignore=["t"]))
        assert found == ["off_plan"] * n

    def test_a_planned_call_that_came_at_another_place_is_not_said_to_lack(self) -> None:
        found = [one.reason for one in faults(case(), trial(*"ba", plan=["a", "b"]))]
        assert sorted(found) == [
            "a was called at a place where it was not planned",
            "a was planned and not called in its turn",
        ]
        (left_out,) = faults(case(), trial("b", plan=["a", "b"]))
        assert left_out.reason == "a was planned and not called"

    def test_a_call_that_is_tried_again_after_an_error_was_planned(self) -> None:
        made = trial(failed("a"), "a", "b", plan=["a", "b"])
        assert kinds(case(), made) == []


class TestCaps:
    @pytest.mark.parametrize(
        ("caps", "given", "found"),
        [
            ({"calls": 2}, {}, [("over_cap", "fault")]),
            ({"calls": 3}, {}, []),
            ({"latency_s": 5}, {"latency_s": 5.1}, [("over_cap", "fault")]),
            ({"latency_s": 5}, {"latency_s": 5.0}, []),
            ({"latency_s": 5}, {}, [("over_cap", "suspicion")]),
            ({"cost_usd": 0.1}, {"cost_usd": 0.2}, [("over_cap", "fault")]),
            ({"model_calls": 1}, {}, [("over_cap", "suspicion")]),
            ({"model_calls": 0}, {"model_calls": []}, []),
            ({"depth": 1}, {"spans": [{"id": "a", "name": "a"}]}, []),
        ],
    )
    def test_what_is_above_a_cap_is_a_fault_and_what_is_unknown_a_suspicion(
        self, caps, given, found
    ) -> None:
        made = faults(case(), trial("a", "b", "c", **given), rules(caps=caps))
        assert [(one.kind, one.severity) for one in made] == found

    @pytest.mark.parametrize(("limit", "severity"), [(9, "fault"), (10, "suspicion")])
    def test_known_tokens_alone_may_exceed_a_cap(self, limit, severity) -> None:
        calls = [{"usage": {"input_tokens": 10}}, {"usage": {}}]
        (fault,) = faults(case(), trial(model_calls=calls), rules(caps={"input_tokens": limit}))
        assert fault.severity == severity

    def test_sizes_that_were_not_recorded_are_unknown_and_not_zero(self) -> None:
        sizes = trial_sizes(trial("a"))
        assert sizes.pop("calls") == 1
        assert set(sizes.values()) == {None}

    def test_depth_counts_nesting_and_survives_circles(self) -> None:
        chain = [
            {"id": "a", "name": "a"},
            {"id": "b", "parent": "a", "name": "b"},
            {"id": "c", "parent": "b", "name": "c"},
        ]
        circle = [{"id": "a", "parent": "b", "name": "a"}, {"id": "b", "parent": "a", "name": "b"}]
        lost = [{"id": "a", "parent": "nowhere", "name": "a"}]
        assert [span_depth(trial(spans=one).spans or ()) for one in (chain, circle, lost, [])] == [
            3, 2, 1, 0,
        ]  # fmt: skip
