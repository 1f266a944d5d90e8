from __future__ import annotations

from typing import Any

import pytest
from golden_records import BODY, expectation
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import InputError
from judgekit.goldens.merge import MergedCase, Settlement, compare_entries, merge
from judgekit.goldens.parts import checked_value, comparable, expectation_of, parts_of
from judgekit.model.golden import Expectation

PARTS = {key: BODY[key] for key in Expectation.model_fields if key in BODY}


def settle(
    part: str, outcome: Any, value: Any = None, reason: str = "as the policy says"
) -> Settlement:
    return Settlement(part=part, outcome=outcome, value=value, reason=reason, by="ann")


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": {k: {"value": v} for k, v in arguments.items()}}


def path(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"calls": list(calls)}


def differing(merged: MergedCase) -> dict[str, tuple[str, ...]]:
    return {part.part: part.differs_in for part in merged.parts if not part.agreed}


def test_an_expectation_is_its_parts() -> None:
    """G3: taking a case apart and putting it together loses nothing."""
    whole = expectation(**PARTS)
    assert expectation_of(parts_of(whole)) == whole


def test_two_equal_entries_agree_in_every_part() -> None:
    merged = merge(expectation(**PARTS), expectation(**PARTS))
    assert differing(merged) == {}
    assert merged.expectation == expectation(**PARTS)
    assert merged.n_agreed == len(merged.parts)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ({"value": ""}, {"expect": "null"}, ("value",)),
        ({"expect": "null"}, {"expect": "missing"}, ("value",)),
        ({"value": []}, {"value": {}}, ("value",)),
        ({"value": True}, {"value": 1}, ("value",)),
        ({"value": "5"}, {"value": 5}, ("value",)),
        ({"value": 5}, {"value": 5, "critical": True}, ("critical",)),
        ({"value": 5}, {"value": 6, "weight": 2.0}, ("value", "weight")),
        ({"value": 5}, {"value": 5, "compare": {"kind": "number", "absolute": 1}}, ("compare",)),
    ],
)
def test_what_differs_is_ambiguous_and_not_scored(
    first: dict[str, Any], second: dict[str, Any], why: tuple[str, ...]
) -> None:
    """G7: missing, null, empty, types, comparator, critical and weight all count as differing."""
    merged = merge(expectation(fields={"a": first}), expectation(fields={"a": second}))
    assert differing(merged) == {"/fields/a": why}
    assert merged.expectation.fields == {}
    assert [(u.part, u.status) for u in merged.unscored] == [("/fields/a", "ambiguous")]


def test_equal_numbers_and_composed_letters_are_no_difference() -> None:
    one = expectation(fields={"a": {"value": 5}, "b": {"value": "e\u0301"}})
    other = expectation(fields={"a": {"value": 5.0}, "b": {"value": "\u00e9"}})
    assert differing(merge(one, other)) == {}


@pytest.mark.parametrize(
    ("compare", "first", "second", "agreed"),
    [
        ({"kind": "text"}, "Yes ", "yes", True),
        ({"kind": "exact"}, "Yes", "yes", False),
        ({"kind": "number", "absolute": 0.01}, 37.85, 37.855, True),
        ({"kind": "number", "absolute": 0.01}, 37.85, 37.87, False),
        ({"kind": "pattern", "regex": ".*"}, "a", "b", False),
    ],
)
def test_what_the_declared_comparator_reads_as_equal_is_no_difference(
    compare: dict[str, Any], first: Any, second: Any, agreed: bool
) -> None:
    """G7: equal is what the scorers will call equal, where both declared the same comparator."""
    one = expectation(fields={"a": {"value": first, "compare": compare}})
    other = expectation(fields={"a": {"value": second, "compare": compare}})
    assert (differing(merge(one, other)) == {}) is agreed
    assert merge(one, other).expectation == merge(other, one).expectation


def test_a_part_that_only_one_expert_has_is_ambiguous() -> None:
    """G7: leaving a part out is a difference too."""
    merged = merge(expectation(fields={"a": {"value": 1}}), expectation(scenario="hard"))
    assert differing(merged) == {
        "/fields/a": ("only one expert",),
        "/scenario": ("only one expert",),
    }


def test_the_same_path_under_another_name_agrees_and_arguments_are_compared_one_by_one() -> None:
    """G8: paths are matched by their tools in order."""
    one = expectation(paths={"main": path(call("look", order="R-1"), call("refund", amount=5))})
    other = expectation(
        paths={
            "x": path(call("hand_over")),
            "y": path(call("look", order="R-1"), call("refund", amount=6)),
        }
    )
    merged = merge(one, other)
    assert differing(merged) == {
        "/paths/p1/calls/1/arguments/amount": ("value",),
        "/paths/p2": ("only one expert",),
    }
    assert list(merged.expectation.paths) == ["p1"]
    assert merged.expectation.paths["p1"].calls[0].arguments["order"].value == "R-1"
    assert merged.expectation.paths["p1"].calls[1].arguments == {}


def test_a_second_call_of_a_tool_keeps_its_own_arguments() -> None:
    both = expectation(paths={"p": path(call("look", order="R-1"), call("look", order="R-2"))})
    found = merge(both, both).expectation.paths["p1"].calls
    assert [one.arguments["order"].value for one in found] == ["R-1", "R-2"]


def test_rows_of_the_state_are_compared_field_by_field() -> None:
    """G7: state is compared by table, key and field; an absent row differs from a filled one."""

    def state(**rows: Any) -> Expectation:
        return expectation(state={"tables": {"orders": rows}})

    one = state(r1={"fields": {"s": {"value": "x"}, "t": {"value": 1}}}, r2={"absent": True})
    other = state(
        r1={"fields": {"s": {"value": "y"}, "t": {"value": 1}}}, r2={"fields": {"s": {"value": 1}}}
    )
    merged = merge(one, other)
    assert set(differing(merged)) == {"/state/orders/r1/s", "/state/orders/r2"}
    assert merged.expectation.state is not None
    assert list(merged.expectation.state.tables["orders"]["r1"].fields) == ["t"]


def test_a_redefined_value_is_scored_and_an_excluded_one_is_not() -> None:
    """G7: a difference ends by a merged value with a reason, or out of scoring with a reason."""
    one = expectation(
        fields={"a": {"value": 1}, "b": {"value": 1}, "c": {"value": 1}, "d": {"value": 1}}
    )
    other = expectation(fields={"a": {"value": 2}, "b": {"value": 2}, "c": {"value": 2}})
    merged = merge(
        one,
        other,
        [
            settle("/fields/a", "redefined", {"value": 3}),
            settle("/fields/b", "excluded", reason="cannot be known"),
            settle("/fields/d", "dropped", reason="not asked for"),
        ],
    )
    assert {name: e.value for name, e in merged.expectation.fields.items()} == {"a": 3}
    assert [(u.part, u.status, u.reason) for u in merged.unscored] == [
        ("/fields/b", "excluded", "cannot be known"),
        ("/fields/c", "ambiguous", "the two experts differ and it has not been settled"),
    ]
    assert [(r.part, r.dropped) for r in merged.redefined] == [
        ("/fields/a", False),
        ("/fields/d", True),
    ]
    assert merged.open_parts == ("/fields/c",)


@pytest.mark.parametrize(
    ("settlement", "message"),
    [
        (settle("/fields/a", "excluded", reason="  "), "has no reason"),
        (settle("/fields/a", "redefined", {"valu": 1}), "cannot be used"),
        (settle("/fields/same", "excluded"), "nothing to settle"),
        (settle("/fields/unknown", "excluded"), "nothing to settle"),
        (settle("/nonsense/x", "redefined", 1), "no such part"),
    ],
)
def test_a_settlement_that_cannot_be_is_refused(settlement: Settlement, message: str) -> None:
    """G7: no silent exclusion, no value that does not fit, nothing where the experts agree."""
    one = expectation(fields={"a": {"value": 1}, "same": {"value": 1}})
    other = expectation(fields={"a": {"value": 2}, "same": {"value": 1}})
    with pytest.raises(InputError, match=message):
        merge(one, other, [settlement])


@pytest.mark.parametrize("part", ["/fields/a", "/paths/p1/calls/0/arguments/x", "/state/t/k/f"])
def test_a_value_for_an_expectation_is_checked_where_it_is_wrong(part: str) -> None:
    with pytest.raises(InputError) as caught:
        checked_value(part, {"value": 1, "compare": {"kind": "number", "absolute": -1}})
    assert "compare" in str(caught.value.where)
    assert "absolute" in str(caught.value)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=4,
)
_EXPECTED = st.sampled_from([{"expect": "null"}, {"expect": "missing"}]) | _VALUES.filter(
    lambda value: value is not None
).map(lambda value: {"value": value})
_NAMES = st.sampled_from(["a", "b/c", "d~e", "f g", "\u202eevil<script>"])
_FIELDS = st.dictionaries(_NAMES, _EXPECTED, max_size=3)
_CALLS = st.lists(
    st.builds(lambda tool, args: {"tool": tool, "arguments": args}, st.sampled_from("xy"), _FIELDS),
    max_size=3,
)
_ROWS = st.dictionaries(
    _NAMES, _FIELDS.map(lambda f: {"fields": f} if f else {"absent": True}), min_size=1, max_size=2
)
_ENTRIES = st.builds(
    lambda fields, paths, tables: expectation(
        fields=fields,
        paths={f"p{n}": {"calls": calls} for n, calls in enumerate(paths)},
        state={"tables": tables} if tables else None,
    ),
    _FIELDS,
    st.lists(_CALLS, max_size=2),
    st.dictionaries(_NAMES, _ROWS, max_size=2),
)


@settings(deadline=None, derandomize=True)
@given(_ENTRIES, _ENTRIES)
def test_merging_is_symmetric_and_never_invents_anything(
    one: Expectation, other: Expectation
) -> None:
    """G7: who comes first changes no agreement, and each part is accounted for."""
    merged, turned = merge(one, other), merge(other, one)
    assert merged.n_agreed == turned.n_agreed
    assert len(merged.unscored) == len(merged.parts) - merged.n_agreed
    texts = [{comparable(v) for v in parts_of(entry).values()} for entry in (one, other)]
    for part, value in parts_of(merged.expectation).items():
        assert comparable(value) in texts[0] & texts[1] or part.startswith("/paths/")
    assert all(part.agreed for part in compare_entries(one, one))
    assert merge(one, one).n_agreed == len(merge(one, one).parts)
