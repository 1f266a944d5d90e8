"""JSON Schemas that fetch nothing and cannot hang, whatever the schema and the value.

Schemas come from rules, values and the names of their keys from agents: jsonschema itself tries
`patternProperties` with `re`, compares the elements of `uniqueItems` pair by pair, and follows a
reference as often as it is met: two in each of thirty definitions are a billion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any

from judgekit.model.regex import linear_regex

MOST_REFERENCES = 10_000
"""How many references are followed for one value, and `PER_PART` more for each of its parts."""
PER_PART = 100
_PROBES: tuple[Any, ...] = ({}, [], "", 0)
_left: ContextVar[int] = ContextVar("left")
_TOGETHER = "unevaluatedProperties together with patternProperties cannot be checked"


def check_schema(schema: dict[str, Any]) -> None:
    """Raise ValueError when this is no JSON Schema.

    A pattern may be of RE2's syntax or of Python's; one that only Python knows cannot be tried.
    Neither is it one of use when an empty value alone takes more references than are followed.
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
    _try_on_little(schema)


def _try_on_little(schema: dict[str, Any]) -> None:
    for probe in _PROBES:
        try:
            validator_of(schema).errors(probe)
        except TooManyReferencesError:
            raise
        except Exception:  # noqa: BLE001 - what else fails is told of the values it fails on
            continue


class TooManyReferencesError(ValueError):
    """A schema refers to itself so often that a value cannot be checked in reasonable time."""


class SafeValidator:
    """A validator of one schema whose time is in proportion to the value."""

    def __init__(self, validator: Any) -> None:
        self._validator = validator

    def is_valid(self, value: Any) -> bool:
        """Tell whether a value fits the schema; raises as `errors`."""
        _left.set(MOST_REFERENCES + PER_PART * _parts(value))
        return bool(self._validator.is_valid(value))

    def errors(self, value: Any) -> list[Any]:
        """Return what jsonschema finds wrong with a value.

        Raises:
            TooManyReferencesError: more references would be followed than the value is worth.
        """
        _left.set(MOST_REFERENCES + PER_PART * _parts(value))
        return list(self._validator.iter_errors(value))


def validator_of(schema: dict[str, Any]) -> SafeValidator:
    """Return a validator that fetches nothing: an unknown reference is an error.

    Its patterns are of RE2's syntax and cannot hang; another one is an error where it is tried.
    """
    from jsonschema.validators import validator_for
    from referencing import Registry

    made = _safe(validator_for(schema), _has_key(schema, "patternProperties"))
    return SafeValidator(made(_of_one_draft(schema), registry=Registry()))


def _of_one_draft(node: Any) -> Any:
    """Return a schema without `$schema`, for which jsonschema would take its own validator."""
    if isinstance(node, list):
        return [_of_one_draft(part) for part in node]
    if not isinstance(node, dict):
        return node
    return {
        key: part if key in _VALUES else _of_one_draft(part)
        for key, part in node.items()
        if key != "$schema" or not isinstance(part, str)
    }


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
    return any(isinstance(one, Mapping) and key in one for one in _inside(value))


def _inside(value: Any) -> Iterator[Any]:
    """Yield a value and every value inside it."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _parts(value: Any) -> int:
    return sum(1 for _ in _inside(value))


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
    safe |= {name: _counted(known[name]) for name in _REFERENCES if name in known}
    kept = {name: check for name, check in safe.items() if name in known}
    return extend(plain, kept)  # type: ignore[no-untyped-call] # its stub lacks it


_VALUES = ("const", "default", "enum", "examples")
"""Keywords that hold values, and no schema."""
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def _counted(follow: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    def counted(validator: Any, reference: Any, value: Any, schema: Any) -> Iterator[Any]:
        left = _left.get() - 1
        if left < 0:
            raise TooManyReferencesError(
                f"a JSON Schema that follows at most {MOST_REFERENCES} references for a value "
                f"(and {PER_PART} for each of its parts)"
            )
        _left.set(left)
        yield from follow(validator, reference, value, schema) or ()

    return counted


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
