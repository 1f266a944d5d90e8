"""Called against expected sequences: the stated values, and what holds of any two sequences."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel, LCSseq

import judgekit.scorers.trajectory as package
from judgekit.errors import ItemError, UsageError
from judgekit.scorers.trajectory.alignment import align_names
from judgekit.scorers.trajectory.calls import call_key, read_call
from judgekit.scorers.trajectory.matching import (
    MODES,
    match_calls,
    match_sequences,
    path_distance,
)

EXAMPLES = settings(max_examples=300, derandomize=True, database=None)
NAMES = st.lists(st.sampled_from("abc"), max_size=8)


@pytest.mark.parametrize(
    ("called", "expected", "mode", "recall", "passed"),
    [
        # The values of the specification: called against expected.
        (["lookup_order", "check_refund_policy", "issue_refund"],
         ["lookup_order", "verify_identity", "issue_refund"], "exact", None, False),
        (["lookup_order", "check_refund_policy", "issue_refund"],
         ["lookup_order", "verify_identity", "issue_refund"], "in_order", 2 / 3, False),
        (["a", "b"], ["a", "a", "b"], "any_order", 2 / 3, False),
        (["issue_refund"], [], "exact", None, False),
        ([], [], "exact", None, True),
        (["issue_refund"], [], "in_order", None, True),
        (["issue_refund"], [], "any_order", None, True),
        ([], ["a"], "exact", 0, False),
        (["b", "a"], ["a", "b"], "in_order", 1 / 2, False),
        (["b", "a"], ["a", "b"], "any_order", 1, True),
        (["a", "x", "b"], ["a", "b"], "in_order", 1, True),
        (["a", "x", "b"], ["a", "b"], "exact", 1 / 2, False),
    ],
)  # fmt: skip
def test_stated_values(
    called: list[str], expected: list[str], mode: str, recall: float | None, passed: bool
) -> None:
    found = match_calls(called, expected, mode)
    assert found.passed is passed
    if recall is not None or not expected:
        assert found.recall == recall


def test_an_unknown_mode_is_an_error() -> None:
    for call in (match_calls, match_sequences):
        with pytest.raises(UsageError, match="'fuzzy'") as error:
            call(["a"], ["a"], "fuzzy")
        assert error.value.expected == "exact, in_order, any_order"


@EXAMPLES
@given(called=NAMES, expected=NAMES)
def test_matches_are_those_of_second_opinions(called: list[str], expected: list[str]) -> None:
    """LCS and distance by rapidfuzz, multisets by Counter, exact by list equality."""
    exact, in_order, any_order = (match_sequences(called, expected, mode) for mode in MODES)
    assert exact.passed is (called == expected)
    assert in_order.matched == LCSseq.similarity(called, expected)
    assert in_order.passed is (LCSseq.similarity(called, expected) == len(expected))
    assert any_order.matched == (Counter(called) & Counter(expected)).total()
    assert any_order.passed is (Counter(expected) <= Counter(called))
    assert exact.matched <= in_order.matched <= any_order.matched
    assert not exact.passed or in_order.passed
    assert not in_order.passed or any_order.passed
    assert path_distance(called, [expected]) == Indel.distance(called, expected)
    for found in (exact, in_order, any_order):
        assert (found.n_called, found.n_expected) == (len(called), len(expected))
        assert found.recall is None if not expected else 0 <= (found.recall or 0) <= 1
        assert found.precision is None if not called else 0 <= (found.precision or 0) <= 1


@EXAMPLES
@given(sequence=NAMES)
def test_a_sequence_is_its_own_match(sequence: list[str]) -> None:
    for mode in MODES:
        found = match_sequences(sequence, sequence, mode)
        assert found.passed
        assert found.matched == len(sequence)


@EXAMPLES
@given(called=NAMES, expected=NAMES, place=st.integers(0, 8), wrong=st.just("z"))
def test_an_extra_wrong_call_never_raises_precision_nor_changes_recall(
    called: list[str], expected: list[str], place: int, wrong: str
) -> None:
    more = [*called[:place], wrong, *called[place:]]
    for mode in MODES:
        before, after = (
            match_sequences(called, expected, mode),
            match_sequences(more, expected, mode),
        )
        assert (after.precision or 0) <= (1 if before.precision is None else before.precision)
        if mode != "exact":
            assert after.recall == before.recall


@EXAMPLES
@given(called=NAMES, expected=NAMES, place=st.integers(0, 8), extra=st.sampled_from("abcz"))
def test_recall_never_falls_by_adding_a_call(
    called: list[str], expected: list[str], place: int, extra: str
) -> None:
    """Under exact only at the end: a call put in front moves every later one off its place."""
    for mode in MODES:
        at = len(called) if mode == "exact" else place
        more = [*called[:at], extra, *called[at:]]
        before, after = (
            match_sequences(called, expected, mode),
            match_sequences(more, expected, mode),
        )
        assert (after.recall or 0) >= (before.recall or 0)


@EXAMPLES
@given(called=NAMES, expected=NAMES, order=st.randoms())
def test_order_counts_under_exact_and_in_order_only(
    called: list[str], expected: list[str], order: Any
) -> None:
    mixed = list(called)
    order.shuffle(mixed)
    assert (
        match_sequences(mixed, expected, "any_order").matched
        == match_sequences(called, expected, "any_order").matched
    )
    assert match_sequences(sorted(called), expected, "in_order").matched <= (
        match_sequences(called, expected, "any_order").matched
    )


@EXAMPLES
@given(expected=NAMES, times=st.integers(1, 4))
def test_a_repeated_call_counts_once_for_each_expected(expected: list[str], times: int) -> None:
    repeated = [name for name in expected for _ in range(times)]
    for mode in ("in_order", "any_order"):
        assert match_sequences(repeated, expected, mode).matched == len(expected)
        assert match_sequences(expected, repeated, mode).matched == len(expected)


@EXAMPLES
@given(called=NAMES, paths=st.lists(NAMES, min_size=1, max_size=4))
def test_the_distance_is_that_to_the_nearest_path(
    called: list[str], paths: list[list[str]]
) -> None:
    assert path_distance(called, paths) == min(Indel.distance(called, path) for path in paths)


def test_without_a_path_there_is_no_distance() -> None:
    with pytest.raises(UsageError, match="no expected path"):
        path_distance(["a"], [])


@EXAMPLES
@given(expected=NAMES, called=NAMES)
def test_gaps_hold_exactly_what_the_longest_common_subsequence_leaves(
    expected: list[str], called: list[str]
) -> None:
    gaps = align_names(expected, called)
    left = {place for gap in gaps for place in gap[0]}
    made = {place for gap in gaps for place in gap[1]}
    shared = [name for place, name in enumerate(expected) if place not in left]
    assert shared == [name for place, name in enumerate(called) if place not in made]
    assert len(shared) == LCSseq.similarity(expected, called)


# Calls with arguments


def call(**arguments: Any) -> dict[str, Any]:
    return {"name": "refund", "arguments": arguments}


@pytest.mark.parametrize(
    ("called", "expected", "same"),
    [
        (call(a=1, b=2), call(b=2, a=1), True),
        (call(a=5), call(a=5.0), False),
        (call(a="5"), call(a=5), False),
        (call(a=True), call(a=1), False),
        (call(a=None), call(), False),
        (call(a=""), call(), False),
        ({"name": "refund", "arguments": '{"a": [1, 2]}'}, call(a=[1, 2]), True),
        ({"name": "refund", "arguments": ""}, call(), True),
        ({"name": "refund", "arguments": "{oops"}, call(), False),
        ({"name": "refund", "arguments": "[1]"}, call(), False),
    ],
)
def test_calls_are_equal_as_canonical_json(called: Any, expected: Any, same: bool) -> None:
    assert match_calls([called], [expected], "exact").passed is same
    assert match_calls([called], [expected], "exact", what="names").passed is True


def test_a_call_without_a_name_is_named() -> None:
    with pytest.raises(ItemError, match="no name") as error:
        match_calls([{"arguments": {}}], [], "exact")
    assert "arguments" in str(error.value.found)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def test_arguments_without_canonical_json_are_compared_all_the_same() -> None:
    odd = [float("nan"), float("inf"), "\ud800", "\udc00", 10**5_000, nested(5_000), nested(4_999)]
    keys = [call_key(read_call(call(a=value))) for value in odd]
    assert len(set(keys)) == len(odd)
    assert keys == [call_key(read_call(call(a=value))) for value in odd]
    assert call_key(read_call(call(a=[odd[0], [1]]))) != call_key(read_call(call(a=[odd[0], 1])))


def test_the_examples_in_the_docstrings_run() -> None:
    names = [f"{package.__name__}.{entry.name}" for entry in pkgutil.iter_modules(package.__path__)]
    for name in [*names, "judgekit.scorers.field_scoring"]:
        assert doctest.testmod(importlib.import_module(name)).failed == 0, name
