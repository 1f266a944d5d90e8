"""A JSON Schema of the rules never hangs, fetches or crashes, whatever an agent answers to it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from judgekit.model.schema_check import TooManyReferencesError, check_schema, validator_of

HOSTILE_KEY = "a" * 60 + "!"
NESTED = {"^(a+)+$": {"type": "integer"}}


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        ({"patternProperties": NESTED}, {HOSTILE_KEY: "x"}, True),
        ({"patternProperties": NESTED}, {"aaa": "x"}, False),
        ({"patternProperties": NESTED, "additionalProperties": False}, {HOSTILE_KEY: 1}, False),
        ({"patternProperties": NESTED, "additionalProperties": False}, {"aaa": 1}, True),
        ({"patternProperties": NESTED, "additionalProperties": {"type": "null"}}, {"b": 1}, False),
        ({"propertyNames": {"pattern": "^(a+)+$"}}, {HOSTILE_KEY: 1}, False),
        ({"uniqueItems": True}, [{"a": n} for n in range(20_000)], True),
        ({"uniqueItems": True}, [*({"a": n} for n in range(20_000)), {"a": 7}], False),
    ],
)
def test_no_pattern_and_no_long_list_takes_longer_than_it_must(
    schema: dict[str, Any], value: Any, fits: bool
) -> None:
    started = time.monotonic()
    assert validator_of(schema).is_valid(value) is fits
    assert time.monotonic() - started < 20


def test_what_can_only_be_checked_by_a_pattern_that_may_hang_is_not_checked() -> None:
    schema = {"patternProperties": NESTED, "unevaluatedProperties": False}
    with pytest.raises(ValueError, match="cannot be checked"):
        validator_of(schema).is_valid({HOSTILE_KEY: 1})
    alone = {"properties": {"a": {}}, "unevaluatedProperties": False}
    assert validator_of(alone).is_valid({"a": 1})
    assert not validator_of(alone).is_valid({"b": 1})


ODD = [0, 1, 1.0, True, False, None, "", "1", "text", [], {}, [1], [True], ["number", 1], {"a": 1}]


@pytest.mark.parametrize("one", ODD)
@pytest.mark.parametrize("other", ODD)
def test_elements_are_equal_where_jsonschema_itself_takes_them_as_equal(
    one: Any, other: Any
) -> None:
    schema = {"uniqueItems": True}
    for value in ([one, other], [{"k": one}, {"k": other}], [[one], [other]]):
        assert validator_of(schema).is_valid(value) is Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    "schema",
    [
        {"$schema": 5},
        {"$schema": ["x"]},
        {"$schema": "http://["},
        {"type": "strnig"},
        {"pattern": "("},
        {"patternProperties": {"(": {}}},
        {"properties": {"a": {"pattern": 5}}},
    ],
)
def test_what_is_no_schema_is_refused_as_a_value(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"JSON Schema|URL"):
        check_schema(schema)


@pytest.mark.parametrize("pattern", [r"^\p{L}+$", r"a\z", "(?=a)", r"(a)\1"])
def test_a_pattern_of_re2_or_of_python_is_one(pattern: str) -> None:
    check_schema({"pattern": pattern, "patternProperties": {pattern: {}}})


def doubling(depth: int) -> dict[str, Any]:
    """A schema in which each definition names the next one twice."""
    steps = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(depth)}
    return {"$defs": {**steps, f"d{depth}": {"type": "object"}}, "$ref": "#/$defs/d0"}


def test_a_schema_that_names_itself_over_and_over_is_refused_before_it_is_used() -> None:
    check_schema(doubling(10))
    with pytest.raises(ValueError, match="at most 10000 references for a value"):
        check_schema(doubling(40))


@pytest.mark.parametrize(
    "draft", ["draft-07/schema#", "draft/2019-09/schema", "draft/2020-12/schema"]
)
def test_a_deep_value_does_not_make_two_references_to_the_whole_schema_a_billion(
    draft: str,
) -> None:
    schema: dict[str, Any] = {"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}}
    schema["$schema"] = f"http{'s' if '20' in draft else ''}://json-schema.org/{draft}"
    check_schema(schema)
    value: dict[str, Any] = {}
    for _ in range(60):
        value = {"a": value}
    with pytest.raises(TooManyReferencesError):
        validator_of(schema).is_valid(value)
    assert validator_of(schema).is_valid({"a": {"a": {}}})


def test_a_long_list_may_take_a_reference_for_each_element_and_a_validator_may_be_used_again() -> (
    None
):
    schema = {"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}}
    validator = validator_of(schema)
    for _ in range(2):
        assert validator.is_valid([*range(20_000)])
        assert [error.message for error in validator.errors([*range(20_000), "x"])] == [
            "'x' is not of type 'integer'"
        ]


def test_a_schema_that_names_its_draft_keeps_its_safe_patterns_where_it_names_itself() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {"a": {"$ref": "#"}},
        "patternProperties": {"^(b+)+$": {"const": {"$schema": "kept"}}},
    }
    assert validator_of(schema).is_valid({"a": {"b" * 60 + "!": 1}})
    assert validator_of(schema).is_valid({"a": {"b": {"$schema": "kept"}}})
    assert not validator_of(schema).is_valid({"a": {"b": {}}})
