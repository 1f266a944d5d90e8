"""What holds of every comparator, whatever the values."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import random
from typing import Any

import pytest
from comparator_values import (
    HOSTILE,
    KINDS,
    MONSTERS,
    NUMBER_LIKE,
    NUMBERS,
    WITH_NULLS,
    Kind,
)
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import judgekit.model.comparators as package
from judgekit.model.comparators.base import MISSING, Comparator, Unreadable, absent, decision_of
from judgekit.model.comparators.catalog import comparator, comparators

EXAMPLES = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.label)
READING = [
    kind
    for kind in KINDS
    if kind.options["kind"] not in ("list", "pattern", "json_schema", "custom")
]


def coherent(made: Comparator, expected: Any, found: Any) -> bool:
    """Tell whether decision, comparison and credit are there and say the same."""
    answer, credit = made.decide(expected, found), made.credit(expected, found)
    compared = made.compare(expected, found)
    if answer not in (True, False, None) or compared.decision != decision_of(answer):
        return False
    if compared.credit != credit or not compared.reason or "\n" in compared.reason:
        return False
    if answer is False:
        return credit is not None and 0 <= credit <= 1
    return credit is None if answer is None else credit == 1


def slow_answer(made: Comparator, expected: Any, found: Any) -> bool | None:
    """Return the answer from `read` and `same` alone."""
    if absent(expected, found):
        return expected is found
    try:
        wanted = made.read(expected)
    except Unreadable:
        return None
    try:
        got = made.read(found)
    except Unreadable as why:
        return None if why.undecided else False
    try:
        return made.same(wanted, got)
    except Unreadable:
        return None


def test_every_kind_in_the_registry_is_under_test() -> None:
    assert {kind.options["kind"] for kind in KINDS} == set(comparators())


@every_kind
def test_no_json_value_makes_it_fail_and_its_answers_agree(kind: Kind) -> None:
    made = kind.made

    @EXAMPLES
    @given(expected=kind.readable | HOSTILE, found=kind.readable | HOSTILE)
    def run(expected: Any, found: Any) -> None:
        assert coherent(made, expected, found), (expected, found, made.compare(expected, found))

    run()


@every_kind
def test_no_monstrous_value_makes_it_fail(kind: Kind) -> None:
    made, rng = kind.made, random.Random(5)
    values = [*MONSTERS, "2024-02-03", "12", [1, 2], ["a"], {"a": 1}]
    for place, expected in enumerate(values):
        for other in {place, *rng.sample(range(len(values)), 6)}:
            # Not by repr: some of the values are nested too deep to be shown.
            assert coherent(made, expected, values[other]), f"values {place} and {other}"


@every_kind
def test_a_readable_value_matches_itself(kind: Kind) -> None:
    made = kind.made

    @EXAMPLES
    @given(value=kind.readable)
    def run(value: Any) -> None:
        assume(made.misfit(value) is None)
        answer = made.compare(value, value)
        if kind.reads_expected:
            assert (answer.decision, answer.credit) == ("match", 1.0), answer.reason

    run()


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.symmetric], ids=lambda kind: kind.label
)
def test_the_order_of_two_readable_values_does_not_count(kind: Kind) -> None:
    made = kind.made

    @EXAMPLES
    @given(one=kind.readable, other=kind.readable)
    def run(one: Any, other: Any) -> None:
        assume(made.misfit(one) is None and made.misfit(other) is None)
        assert made.decide(one, other) is made.decide(other, one)

    run()


def test_relative_tolerance_patterns_and_schemas_have_a_direction() -> None:
    """Why these are not symmetric: the expected value sets the room, or is not looked at."""
    relative = comparator({"kind": "number", "relative": 0.1})
    assert (relative.decide(100, 110), relative.decide(110, 100)) == (True, True)
    assert (relative.decide(100, 90.5), relative.decide(90.5, 100)) == (True, False)
    pattern = comparator({"kind": "pattern", "regex": "a+"})
    assert (pattern.decide("b", "a"), pattern.decide("a", "b")) == (True, False)
    schema = comparator({"kind": "json_schema", "schema": {"type": "string"}})
    assert (schema.decide(1, "a"), schema.decide("a", 1)) == (True, False)


@pytest.mark.parametrize("kind", READING, ids=lambda kind: kind.label)
def test_the_fast_form_is_the_slow_reading(kind: Kind) -> None:
    made = kind.made

    @EXAMPLES
    @given(expected=kind.readable | HOSTILE, found=kind.readable | HOSTILE)
    def run(expected: Any, found: Any) -> None:
        assert made.decide(expected, found) is slow_answer(made, expected, found)

    run()
    for value in MONSTERS:
        assert made.decide(value, value) is slow_answer(made, value, value)


@pytest.mark.parametrize(
    "kind",
    [kind for kind in KINDS if kind.options["kind"] == "number"],
    ids=lambda kind: kind.label,
)
def test_what_looks_like_a_number_is_read_alike_by_the_fast_and_the_slow_form(kind: Kind) -> None:
    made = kind.made

    @settings(EXAMPLES, max_examples=500)
    @given(expected=NUMBER_LIKE | NUMBERS, found=NUMBER_LIKE | NUMBERS, equal=st.booleans())
    def run(expected: Any, found: Any, equal: bool) -> None:
        other = expected if equal else found
        assert made.decide(expected, other) is slow_answer(made, expected, other)

    run()


@every_kind
def test_missing_null_and_empty_are_three_things(kind: Kind) -> None:
    made = kind.made
    if kind.options["kind"] == "json_schema":
        assert made.compare(MISSING, MISSING).decision == "match"
        assert made.compare("x", MISSING).decision == "mismatch"
        return
    for place, expected in enumerate([MISSING, None, ""]):
        for other, found in enumerate([MISSING, None, "", [], {}, 0]):
            if expected != "" or found in (MISSING, None):
                assert (made.decide(expected, found) is True) == (place == other)


@every_kind
def test_what_is_written_down_of_it_makes_the_same_comparator(kind: Kind) -> None:
    written = kind.made.model_dump(mode="json", by_alias=True)
    assert comparator(written) == kind.made


@given(one=WITH_NULLS, other=WITH_NULLS)
@EXAMPLES
def test_exact_is_equality_of_json(one: Any, other: Any) -> None:
    """The second opinion is JSON text: equal values are equal as sorted JSON, 1.0 being 1."""
    from json import dumps

    def text(value: Any) -> Any:
        if value is MISSING:
            return value
        whole = repr(value) if isinstance(value, str) else value
        return dumps(as_whole(whole), sort_keys=True)

    strict = comparator({"kind": "exact", "strip": False})
    assert strict.decide(one, other) is (text(one) == text(other))


def as_whole(value: Any) -> Any:
    """Return the value with whole floats as integers (-0.0 as 0)."""
    if isinstance(value, dict):
        return {key: as_whole(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_whole(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def test_the_examples_in_the_docstrings_run() -> None:
    names = [f"{package.__name__}.{entry.name}" for entry in pkgutil.iter_modules(package.__path__)]
    for name in [*names, "judgekit.model.regex", "judgekit.model.expected"]:
        found = doctest.testmod(importlib.import_module(name))
        assert found.failed == 0, name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "no kind"),
        ({"kind": "number", "absolut": 1}, "absolut"),
        ({"kind": "number", "absolute": -1}, "absolute"),
        ({"kind": "similarity"}, "threshold"),
        ({"kind": "date", "formats": ["%d.%m."]}, "no year"),
        ({"kind": "date", "timezone": "Mars/Olympus"}, "time zone"),
        ({"kind": "pattern", "regex": "("}, "regular expression"),
        ({"kind": "json_schema", "schema": {"type": "no such"}}, "JSON Schema"),
        ({"kind": "list", "items": "numbr"}, "number"),
        ({"kind": "numbr"}, "number"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], words: str) -> None:
    from judgekit.errors import JudgekitError

    with pytest.raises(JudgekitError) as error:
        comparator(options)
    assert words in f"{error.value.message} {error.value.expected} {error.value}"
