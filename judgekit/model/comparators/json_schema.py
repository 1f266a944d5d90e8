"""A JSON Schema that the found value has to satisfy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, Literal

from pydantic import Field, field_validator

from judgekit.model.comparators.base import (
    MISSING,
    Comparator,
    Comparison,
    Decider,
    absence,
    decision_of,
    shown,
)
from judgekit.model.regex import linear_regex


class JsonSchema(Comparator):
    """The found value satisfies `schema` (draft 2020-12 unless `$schema` says otherwise).

    The expected value is not looked at, and null is a value like any other. References to other
    files or hosts are not followed: a value that needs one is undecided, as is one that is nested
    too deep to check.

    Example:
        >>> JsonSchema(kind="json_schema", schema={"type": "integer"}).decide(None, 3)
        True
    """

    kind: Literal["json_schema"]
    definition: dict[str, Any] = Field(alias="schema")

    @field_validator("definition")
    @classmethod
    def _is_schema(cls, value: dict[str, Any]) -> dict[str, Any]:
        check_schema(value)
        return value

    @cached_property
    def validator(self) -> Any:
        """Return the validator of the schema."""
        return validator_of(self.definition)

    @cached_property
    def decide(self) -> Decider:
        """Return the fast form: only the found value is looked at."""

        def decide(expected: Any, found: Any) -> bool | None:
            if expected is MISSING or found is MISSING:
                return expected is found
            try:
                return bool(self.validator.is_valid(found))
            except Exception:  # noqa: BLE001 - jsonschema fails in many ways on odd values
                return None

        return decide

    def explain(self, expected: Any, found: Any) -> str:
        """Return the first fault, or that there is none."""
        if expected is MISSING or found is MISSING:
            return absence(expected, found).reason
        try:
            return first_fault(self.validator, found) or f"{shown(found)} fits the schema"
        except Exception as error:  # noqa: BLE001 - jsonschema fails in many ways on odd values
            return f"the schema cannot be applied: {type(error).__name__}: {error}"[:200]

    def compare(self, expected: Any, found: Any) -> Comparison:
        """Return the decision about the found value; null is a value like any other here."""
        return Comparison(
            decision=decision_of(self.decide(expected, found)),
            credit=self.credit(expected, found),
            reason=self.explain(expected, found),
        )


def check_schema(schema: dict[str, Any]) -> None:
    """Raise ValueError when this is no JSON Schema."""
    from jsonschema import SchemaError
    from jsonschema.validators import validator_for

    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"not a JSON Schema: {error.message}") from error
    except RecursionError as error:
        raise ValueError("a JSON Schema, not one nested too deep to check") from error


def validator_of(schema: dict[str, Any]) -> Any:
    """Return a validator that fetches nothing: an unknown reference is an error.

    Its `pattern` is of RE2's syntax and cannot hang; another one is an error where it is tried.
    """
    from jsonschema.validators import validator_for
    from referencing import Registry

    return _safe(validator_for(schema))(schema, registry=Registry())


@cache
def _safe(plain: Any) -> Any:
    """Return a validator class whose `pattern` takes time linear in the text."""
    from jsonschema.validators import extend

    return extend(plain, {"pattern": _pattern})  # type: ignore[no-untyped-call] # its stub lacks it


def _pattern(validator: Any, regex: str, value: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if not validator.is_type(value, "string"):
        return
    if not linear_regex(regex).found_in(value):
        yield ValidationError(f"{shown(value)} does not match {regex!r}")


def first_fault(validator: Any, value: Any) -> str | None:
    """Return the first fault of a value as `path: message`, or None."""
    from jsonschema.exceptions import best_match

    fault = best_match(validator.iter_errors(value))
    if fault is None:
        return None
    path = "/".join(str(part) for part in fault.absolute_path)
    message = fault.message if len(fault.message) <= 300 else f"{fault.message[:299]}…"
    return f"{path}: {message}" if path else str(message)
