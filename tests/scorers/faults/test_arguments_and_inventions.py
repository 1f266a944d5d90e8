"""What calls were given: malformed, wrong, or from nowhere; and what only looks so."""

from __future__ import annotations

import pytest
from fault_records import call, case, failed, faults, gave, kinds, rules, trial

from judgekit.model.comparators.words import fold
from judgekit.scorers.said import Said

LONG = "nothing of note " * 200
SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "string", "pattern": "^R-[0-9]+$"}, "n": {"type": "integer"}},
    "required": ["id"],
    "additionalProperties": False,
}
SPEC = rules(specs=[{"name": "look", "parameters": SCHEMA}])


@pytest.mark.parametrize(
    ("arguments", "n"),
    [
        ({"id": "R-1"}, 0),
        ({"id": "R-1", "n": 3}, 0),
        ({"id": "R-1", "n": "3"}, 1),
        ({"id": "1"}, 1),
        ({}, 1),
        ({"id": "R-1", "more": 1}, 1),
    ],
)
def test_arguments_that_the_tool_does_not_take_are_malformed(arguments, n) -> None:
    found = kinds(case(), trial(call("look", **arguments)), SPEC)
    assert found == ["malformed_arguments"] * n


def test_arguments_that_are_no_json_object_are_malformed_once_and_not_wrong_as_well() -> None:
    broken = {"name": "look", "malformed": "arguments are no JSON: line 1"}
    found = faults(case([call("look", id="R-1", n=1)]), trial(broken), SPEC)
    assert [(one.kind, one.position) for one in found] == [("malformed_arguments", 0)]
    assert "no JSON" in found[0].reason


def test_a_tool_without_a_schema_has_no_malformed_arguments() -> None:
    under = rules(specs=[{"name": "look"}])
    assert kinds(case(), trial(call("look", anything=[1])), under) == []


def test_a_schema_that_cannot_be_applied_leaves_a_suspicion_and_no_traceback() -> None:
    under = rules(specs=[{"name": "look", "parameters": {"$ref": "https://example.org/x"}}])
    found = faults(case(), trial(call("look", id=1)), under)
    assert [(one.kind, one.severity) for one in found] == [("malformed_arguments", "suspicion")]


def test_a_wrong_and_a_missing_argument_are_named_and_an_extra_one_is_allowed() -> None:
    expected = case([call("pay", order="R-1", eur=5)])
    found = faults(expected, trial(call("pay", order="R-2", note="hello")))
    assert sorted(one.reason.partition(":")[0] for one in found) == ["pay.eur", "pay.order"]
    assert kinds(expected, trial(call("pay", order="R-1", eur=5, note="hello"))) == []


def test_an_extra_argument_is_wrong_where_the_rules_or_the_call_allow_none() -> None:
    made = trial(call("pay", order="R-1", note="hello"))
    strict = {**call("pay", order="R-1"), "only_these": True}
    assert kinds(case([strict]), made) == ["wrong_argument"]
    loose = case([call("pay", order="R-1")])
    assert kinds(loose, made, rules(extra_arguments="fault")) == ["wrong_argument"]


def test_an_argument_in_dispute_may_be_anything_even_where_no_extra_is_allowed() -> None:
    part = "/paths/p1/calls/1/arguments/note"
    unscored = [{"part": part, "status": "ambiguous", "reason": "experts differ"}]
    strict = {**call("pay", order="R-1"), "only_these": True}
    disputed = case(["look", strict], unscored=unscored)
    made = trial("look", call("pay", order="R-1", note="hello"))
    assert kinds(disputed, made, rules(extra_arguments="fault")) == []
    assert kinds(disputed, trial("look", call("pay", order="R-1", by="me")), rules(
        extra_arguments="fault"
    )) == ["wrong_argument"]  # fmt: skip


def test_names_alone_are_compared_where_the_rules_say_so() -> None:
    made = trial(call("pay", order="R-2"))
    assert kinds(case([call("pay", order="R-1")]), made, rules(compare="names")) == []


def test_two_calls_of_one_tool_are_matched_by_what_they_are_about() -> None:
    under = rules(specs=[{"name": "pay", "identifier": ["order"]}])
    expected = case([call("pay", order="R-1", eur=5), call("pay", order="R-2", eur=7)])
    swapped = trial(call("pay", order="R-2", eur=9), call("pay", order="R-1", eur=5))
    found = [one for one in faults(expected, swapped, under) if one.kind == "wrong_argument"]
    assert [(one.position, one.reason) for one in found] == [(0, "pay.eur: 9 is not 7")]


class TestInvented:
    rules = rules(traceable={"look": ["id"], "pay": ["eur"]})

    def found(self, *calls: object, input: object = None, **given: object) -> list[str]:
        made = trial(*calls, **given)  # type: ignore[arg-type]
        return kinds(case(input=input), made, self.rules)

    def test_a_value_of_the_input_or_of_an_earlier_result_is_known(self) -> None:
        assert self.found(call("look", id="R-1"), input={"order": "R-1"}) == []
        assert self.found(gave({"ids": ["R-7"]}, "list"), call("look", id="R-7")) == []
        assert self.found(gave('{"eur": 5.5}', "list"), call("pay", eur=5.5)) == []

    def test_a_value_that_nobody_said_is_a_suspicion(self) -> None:
        (fault,) = faults(
            case(input="order R-1"), trial(call("look", id="R-11")), self.rules
        )  # fmt: skip
        assert (fault.kind, fault.severity) == ("untraceable_argument", "suspicion")

    def test_a_result_of_the_call_itself_or_of_a_later_one_does_not_count(self) -> None:
        assert self.found(gave({"id": "R-1"}, "look", id="R-1")) == ["untraceable_argument"]
        assert self.found(call("look", id="R-1"), gave("R-1", "list")) == ["untraceable_argument"]

    def test_what_the_agent_itself_said_does_not_count_and_what_the_user_said_does(self) -> None:
        for role, expected in (
            ("assistant", ["untraceable_argument"]),
            ("user", []),
            ("system", []),
        ):
            messages = [{"role": role, "content": "It is R-1."}]
            assert self.found(call("look", id="R-1"), messages=messages) == expected

    def test_what_the_user_says_after_the_call_does_not_count(self) -> None:
        spoken = {"role": "assistant", "tool_calls": [call("look", id="R-1")]}
        user = {"role": "user", "content": "It is R-1."}
        assert self.found(messages=[spoken, user]) == ["untraceable_argument"]
        assert self.found(messages=[user, spoken]) == []

    def test_a_result_in_a_message_counts_though_it_has_no_id(self) -> None:
        messages = [
            {"role": "assistant", "tool_calls": [{"name": "list"}]},
            {"role": "tool", "content": "found R-1"},
            {"role": "assistant", "tool_calls": [call("look", id="R-1")]},
        ]
        assert self.found(messages=messages) == []

    def test_an_error_that_names_the_value_counts(self) -> None:
        said = {**failed("list"), "error": "did you mean R-1?"}
        assert self.found(said, call("look", id="R-1")) == []

    def test_arguments_that_are_not_listed_are_not_looked_at(self) -> None:
        assert self.found(call("look", note="free text"), call("other", id="R-9")) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("it cost $1,250.00", 1250),
        ("it cost 1.250,50 EUR", 1250.5),
        ("39,90 EUR", 39.9),
        ("1 234,5 kg", 1234.5),
        ("a table for two", 2),
        ("15 % off", 0.15),
        ("5 degrees below", -5),
        ("order 17.", "17"),
        ("on 20 November 2026", "2026-11-20"),
        ("on Nov 20, please", "2026-11-20"),
        ("on the 3rd of March", "2026-03-03"),
        ("on 20.11.2026", "2026-11-20"),
        ("on 20.11.", "2026-11-20"),
        ("on November 20, 2026 at 9", "2026-11-20"),
        ("on 11/20/26", "2026-11-20"),
        ("on 2026-11-20 at noon", "2026-11-20T12:00:00"),
        ("MÜLLER, Anna", "müller"),
        ("reservation #W12", "W12"),
        ("reservation W12", "#W12"),
        ({"rows": [{"id": "R-1"}]}, "R-1"),
        ('[{"say": "she said \\"yes\\""}]', 'she said "yes"'),
        ({"by_id": {"R-5": {}}}, "R-5"),
        ("paris and rome", ["Paris", "Rome"]),
        ("anything", True),
        ("anything", ""),
    ],
)
def test_a_value_is_known_in_whatever_way_it_was_written(text, value) -> None:
    assert Said([text]).holds(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("it cost $1,250.00", 125),
        ("39,90 EUR", 39.91),
        ("12 items", 2),
        ("on 20 November 2026", "2026-11-02"),
        ("on 21 November 2026", "2026-11-20"),
        ("on 11/20/25", "2027-11-20"),
        ("on 20 November 2025", "2026-11-20"),
        ("on November 20, 2025", "2026-11-20"),
        ("on 2025-11-20", "2026-11-20"),
        ("order R-10", "R-1"),
        ("order 10", 10**400),
        ("order XR-1", "R-1"),
        ("paris", ["Paris", "Rome"]),
        ("", "R-1"),
        (None, 5),
    ],
)
def test_a_value_that_was_not_said_is_not_known(text, value) -> None:
    assert not Said([text]).holds(value)


def test_a_tool_that_there_is_not_is_a_suspicion_where_the_specifications_are_whole() -> None:
    assert kinds(case(), trial("lookup"), SPEC) == ["unknown_tool"]
    assert kinds(case(), trial("lookup"), rules()) == []


def test_specifications_that_are_plainly_partial_say_nothing_about_other_tools() -> None:
    assert kinds(case(["lookup"]), trial("lookup"), SPEC) == []
    bare = rules(specs=[{"name": "look"}])
    assert kinds(case(), trial("lookup"), bare) == []


def test_each_text_of_a_trial_is_read_once_however_many_calls_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def counted(text: str) -> str:
        read.append(text)
        return fold(text)

    monkeypatch.setattr("judgekit.scorers.said.fold", counted)
    calls = [gave(f"{LONG}{n}", "look", id=f"K-{n}") for n in range(50)]
    found = kinds(case(), trial(*calls), rules(traceable={"look": ["id"]}))
    assert found == ["untraceable_argument"] * 50
    long = [text for text in read if len(text) > len(LONG)]
    assert (len(long), len(set(long))) == (49, 49)  # what the last call gave nobody asks for
