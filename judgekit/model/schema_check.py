"""JSON Schemas that fetch nothing and cannot hang, whatever the schema and the value.

Schemas come from rules, values and the names of their keys from agents: jsonschema itself tries
`patternProperties` with `re` and compares the elements of `uniqueItems` pair by pair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from judgekit.model.regex import linear_regex

_TOGETHER = "unevaluatedProperties together with patternProperties cannot be checked"


def check_schema(schema: dict[str, Any]) -> None:
    """Raise ValueError when this is no JSON Schema.

    A pattern may be of RE2's syntax or of Python's; one that only Python knows cannot be tried.
    """
    from jsonschema import SchemaError
    from jsonschema.validators import validator_for

    if not isinstance(schema.get("$schema", ""), str):
        raise ValueError("not a JSON Schema: $schema is the address of a draft")
    found: Any = validator_for(schema)
    try:
        found.check_schema(schema, format_checker=_patterns_alone())
    except SchemaError as error:
        raise ValueError(f"not a JSON Schema: {error.message}") from error
    except RecursionError as error:
        raise ValueError("a JSON Schema, not one nested too deep to check") from error


def validator_of(schema: dict[str, Any]) -> Any:
    """Return a validator that fetches nothing: an unknown reference is an error.

    Its patterns are of RE2's syntax and cannot hang; another one is an error where it is tried.
    """
    from jsonschema.validators import validator_for
    from referencing import Registry

    made = _safe(validator_for(schema), _has_key(schema, "patternProperties"))
    return made(schema, registry=Registry())


@cache
def _patterns_alone() -> Any:
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    checker.checks("regex")(_is_pattern)
    return checker


def _is_pattern(value: object) -> bool:
    if not isinstance(value, str):
        return True
    try:
        linear_regex(value)
    except ValueError:
        try:
            re.compile(value)
        except (re.error, RecursionError, OverflowError):
            return False
    return True


def _has_key(value: Any, key: str) -> bool:
    """Tell whether an object anywhere inside has this key."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            if key in one:
                return True
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return False


@cache
def _safe(plain: Any, has_patterns: bool) -> Any:
    """Return a validator class whose keywords take time in proportion to the value."""
    from jsonschema.validators import extend

    known = plain.VALIDATORS
    safe: dict[str, Any] = {"pattern": _pattern, "uniqueItems": _unique_items}
    if has_patterns:
        safe |= {
            "patternProperties": _pattern_properties,
            "additionalProperties": _additional_properties,
            "unevaluatedProperties": _unevaluated_properties,
        }
    kept = {name: check for name, check in safe.items() if name in known}
    return extend(plain, kept)  # type: ignore[no-untyped-call] # its stub lacks it


def _pattern(validator: Any, regex: str, value: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    from judgekit.model.comparators.base import shown

    if not validator.is_type(value, "string"):
        return
    if not linear_regex(regex).found_in(value):
        yield ValidationError(f"{shown(value)} does not match {regex!r}")


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Any], value: Any, _schema: Any
) -> Iterator[Any]:
    if not validator.is_type(value, "object"):
        return
    for pattern, inner in patterns.items():
        regex = linear_regex(pattern)
        for key, part in value.items():
            if regex.found_in(key):
                yield from validator.descend(part, inner, path=key, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, value: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if not validator.is_type(value, "object"):
        return
    regexes = [linear_regex(pattern) for pattern in schema.get("patternProperties", {})]
    named = schema.get("properties", {})
    further = sorted(
        key
        for key in value
        if key not in named and not any(regex.found_in(key) for regex in regexes)
    )
    if validator.is_type(allowed, "object"):
        for key in further:
            yield from validator.descend(value[key], allowed, path=key)
    elif not allowed and further:
        names = ", ".join(map(repr, further))
        yield ValidationError(f"Additional properties are not allowed ({names} unexpected)")


def _unevaluated_properties(
    validator: Any, _allowed: Any, value: Any, _schema: Any
) -> Iterator[Any]:
    if validator.is_type(value, "object"):
        raise ValueError(_TOGETHER)
    yield from ()


def _unique_items(validator: Any, wanted: Any, value: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    from judgekit.model.comparators.base import shown

    if not wanted or not validator.is_type(value, "array"):
        return
    if len({_identity(one) for one in value}) < len(value):
        yield ValidationError(f"{shown(value)} has non-unique elements")


def _identity(value: Any) -> Any:
    """Return what two values share exactly when JSON Schema takes them as equal: 1 is 1.0."""
    if isinstance(value, bool):
        return "truth", value
    if isinstance(value, Mapping):
        return frozenset((key, _identity(part)) for key, part in value.items())
    if isinstance(value, list | tuple):
        return tuple(_identity(part) for part in value)
    return "text" if isinstance(value, str) else "number", value
