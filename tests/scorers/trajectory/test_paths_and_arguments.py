"""Calls against the valid paths of a case, and their arguments one by one."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.model.comparators.matching import longest_common
from judgekit.model.golden import ExpectedCall, ToolPath
from judgekit.model.scoring import ToolRules
from judgekit.scorers.trajectory.arguments import (
    argument_share,
    pair_calls,
    score_arguments,
    similarity_of,
)
from judgekit.scorers.trajectory.assignment import assign_calls
from judgekit.scorers.trajectory.calls import Call, read_calls
from judgekit.scorers.trajectory.matching import MODES, match_calls
from judgekit.scorers.trajectory.paths import (
    best_path,
    match_path,
    wanted_calls,
)

EXAMPLES = settings(max_examples=200, derandomize=True, database=None)
ARGUMENTS = st.dictionaries(st.sampled_from("xy"), st.integers(0, 2) | st.just(True), max_size=2)
CALLS = st.lists(st.tuples(st.sampled_from("ab"), ARGUMENTS), max_size=6)
STRICT = {"kind": "exact", "numbers": "as_written", "strip": False}


def path(calls: list[tuple[str, dict[str, Any]]], *, only_these: bool, **options: Any) -> ToolPath:
    return ToolPath(
        calls=tuple(
            ExpectedCall(
                tool=tool,
                only_these=only_these,
                arguments={key: {"value": value, **options} for key, value in arguments.items()},
            )
            for tool, arguments in calls
        )
    )


def made(calls: list[tuple[str, dict[str, Any]]]) -> tuple[Call, ...]:
    return read_calls({"name": tool, "arguments": arguments} for tool, arguments in calls)


@EXAMPLES
@given(expected=CALLS, called=CALLS)
def test_a_strict_path_matches_as_canonical_calls_do(expected: Any, called: Any) -> None:
    """`match_path` asks the comparators, `match_calls` compares canonical JSON."""
    rules = ToolRules(specs=({"name": "b", "changes_state": True},))
    found = match_path("p", path(expected, only_these=True, compare=STRICT), made(called), rules)
    for mode in MODES:
        assert getattr(found.calls, mode) == match_calls(made(called), made(expected), mode)
        names = match_calls(made(called), made(expected), mode, what="names")
        assert getattr(found.names, mode) == names
        mine = [call for call in called if call[0] == "b"]
        asked = [call for call in expected if call[0] == "b"]
        assert getattr(found.writes, mode) == match_calls(made(mine), made(asked), mode)
    assert found.writes is not None
    assert found.writes.same_calls is (sorted(map(str, mine)) == sorted(map(str, asked)))


def test_unlisted_arguments_may_have_any_value_unless_only_these() -> None:
    called = made([("a", {"x": 1, "note": "hello"})])
    assert match_path("p", path([("a", {"x": 1})], only_these=False), called, ToolRules()).passed
    assert not match_path("p", path([("a", {"x": 1})], only_these=True), called, ToolRules()).passed


def test_ignored_tools_are_noise_and_an_expected_absence_is_checked() -> None:
    rules = ToolRules(ignore=("think",))
    plan = ToolPath(
        match="exact",
        calls=(ExpectedCall(tool="a", arguments={"reason": {"expect": "missing"}}),),
    )
    assert match_path("p", plan, made([("think", {}), ("a", {"x": 1})]), rules).passed
    assert not match_path("p", plan, made([("a", {"reason": None})]), rules).passed
    thinking = path([("think", {}), ("a", {})], only_these=False)
    found = match_path("p", thinking, made([("a", {}), ("think", {})]), rules)
    assert (found.passed, found.calls.exact.n_expected, found.distance) == (True, 1, 0)


def test_an_undecided_argument_does_not_fit_and_is_reported_as_undecided() -> None:
    dates = {"kind": "date", "formats": ["iso", "%d/%m/%Y", "%m/%d/%Y"]}
    plan = path([("a", {"day": "2026-02-01"})], only_these=False, compare=dates)
    called = made([("a", {"day": "01/02/2026"})])
    assert not match_path("p", plan, called, ToolRules()).passed
    wanted = wanted_calls(plan, ToolRules())
    score = score_arguments(wanted, called, pair_calls(wanted, called))
    assert (score.undecided, score.right, score.wrong, score.correctness) == (1, 0, 0, None)


def test_of_several_valid_paths_the_one_that_passes_is_taken() -> None:
    paths = {
        "long": path([("a", {}), ("b", {}), ("c", {})], only_these=False),
        "short": path([("b", {})], only_these=False),
    }
    found = best_path(paths, made([("a", {}), ("b", {})]), ToolRules())
    assert found is not None
    assert (found.path, found.passed, found.distance) == ("short", True, 1)
    assert best_path({}, made([("a", {})]), ToolRules()) is None


def test_a_path_without_calls_fails_under_exact_only() -> None:
    called = made([("issue_refund", {})])
    answers = {
        mode: match_path("p", ToolPath(match=mode), called, ToolRules()).passed for mode in MODES
    }
    assert answers == {"exact": False, "in_order": True, "any_order": True}
    assert match_path("p", ToolPath(match="exact"), (), ToolRules()).passed


# Pairing


def total(pairs: Any, gain: list[list[float]]) -> float:
    return sum(gain[row][column] for row, column in pairs)


@EXAMPLES
@given(data=st.data(), rows=st.integers(1, 5), columns=st.integers(1, 5))
def test_the_pairing_fits_best_uses_no_call_twice_and_keeps_the_order(
    data: Any, rows: int, columns: int
) -> None:
    """Against every pairing there is."""
    halves = st.sampled_from([0.0, 0.5, 1.0])
    gain = [[data.draw(halves) for _ in range(columns)] for _ in range(rows)]
    found = assign_calls(
        [("a", {"row": row}) for row in range(rows)],
        [("a", {"column": column}) for column in range(columns)],
        lambda one, other: gain[one["row"]][other["column"]],
    )
    assert len({row for row, _ in found}) == len({column for _, column in found}) == len(found)
    assert len(found) == min(rows, columns)
    if rows <= columns:
        every = [list(enumerate(order)) for order in permutations(range(columns), rows)]
    else:
        every = [
            [(r, c) for c, r in enumerate(order)] for order in permutations(range(rows), columns)
        ]
    best = max(total(pairs, gain) for pairs in every)
    assert total(found, gain) == best
    away = min(
        sum((row - column) ** 2 for row, column in pairs)
        for pairs in every
        if total(pairs, gain) == best
    )
    assert sum((row - column) ** 2 for row, column in found) == away


def test_calls_that_fit_alike_are_paired_in_order_however_many() -> None:
    for rows, columns in ((2, 2), (2, 3), (3, 2), (5, 5), (4, 9), (30, 40)):
        found = assign_calls([("a", {})] * rows, [("a", {})] * columns, lambda _one, _other: 1.0)
        assert list(found) == [(place, place) for place in range(min(rows, columns))]


def wanted_of(*calls: tuple[str, dict[str, Any]]) -> Any:
    return wanted_calls(path(list(calls), only_these=False), ToolRules())


def test_a_second_call_never_takes_the_place_of_the_first() -> None:
    wanted = wanted_of(
        ("refund", {"order": "R-1", "amount": 5}), ("refund", {"order": "R-2", "amount": 7})
    )
    called = made([
        ("refund", {"order": "R-2", "amount": 5}),
        ("refund", {"order": "R-1", "amount": 7}),
    ])  # fmt: skip
    by_order = pair_calls(wanted, called)
    by_identifier = pair_calls(wanted, called, {"refund": ("order",)})
    assert by_order == ((0, 0), (1, 1))
    assert by_identifier == ((0, 1), (1, 0))
    score = score_arguments(wanted, called, by_identifier)
    assert (score.right, score.wrong, score.n) == (2, 2, 4)
    assert [(one.call, one.made, one.key, one.status) for one in score.findings] == [
        (0, 1, "order", "right"),
        (0, 1, "amount", "wrong"),
        (1, 0, "order", "right"),
        (1, 0, "amount", "wrong"),
    ]
    once = pair_calls(wanted, called[:1], {"refund": ("order",)})
    assert once == ((1, 0),)
    assert score_arguments(wanted, called[:1], once).not_called == 2


def test_an_identifier_outweighs_the_other_arguments_of_all_calls() -> None:
    """Fourteen calls, each of which fits its neighbour better in all but the identifier."""
    n = 14
    wanted = wanted_of(*(("a", {"id": i, "x": i, "y": i, "z": i}) for i in range(n)))
    called = made([("a", {"id": i, **dict.fromkeys("xyz", (i + 1) % n)}) for i in range(n)])
    assert pair_calls(wanted, called, {"a": ("id",)}) == tuple((i, i) for i in range(n))


def test_what_was_left_out_or_added_is_counted_apart() -> None:
    wanted = wanted_of(("a", {"x": 1, "y": 2}), ("b", {"x": 1}))
    called = read_calls([{"name": "a", "arguments": {"x": 1, "z": 9}}])
    score = score_arguments(wanted, called, pair_calls(wanted, called))
    assert (score.right, score.missing, score.not_called, score.extra) == (1, 1, 1, 1)
    assert score.correctness == 0.5
    broken = read_calls([{"name": "a", "arguments": "{oops"}])
    score = score_arguments(wanted[:1], broken, pair_calls(wanted[:1], broken))
    assert (score.wrong, score.right) == (2, 0)
    assert "no JSON" in score.findings[0].reason


@EXAMPLES
@given(one=ARGUMENTS, other=ARGUMENTS)
def test_the_share_of_arguments_holds_true_and_one_apart(one: Any, other: Any) -> None:
    keys = one.keys() | other.keys()
    same = [key for key in keys if key in one and key in other]
    same = [key for key in same if repr(one[key]) == repr(other[key])]
    expected = len(same) / len(keys) if keys else 1
    assert argument_share(one, other) == argument_share(other, one) == expected


@EXAMPLES
@given(expected=CALLS, called=CALLS, extra=st.tuples(st.sampled_from("abz"), ARGUMENTS))
def test_similarity_is_a_share_that_an_added_call_never_lowers(
    expected: Any, called: Any, extra: Any
) -> None:
    before = similarity_of(made(expected), made(called))
    assert 0 <= before <= 1
    assert similarity_of(made(expected), made([*called, extra])) >= before - 1e-9
    assert similarity_of(made(expected), made(expected)) == pytest.approx(1)


@EXAMPLES
@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), max_size=6))
def test_the_longest_common_subsequence_of_a_table_is_that_of_the_textbook(
    table: list[list[bool]],
) -> None:
    """Against the quadratic recurrence."""
    before = [0] * 6
    for hits in table:
        row = [0]
        for place, hit in enumerate(hits):
            row.append(before[place] + 1 if hit else max(before[place + 1], row[place]))
        before = row
    places = [[place for place, hit in enumerate(hits) if hit] for hits in table]
    assert longest_common(places) == before[-1]
