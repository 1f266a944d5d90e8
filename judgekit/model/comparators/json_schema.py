"""A JSON Schema that the found value has to satisfy."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from pydantic import Field, field_validator

from judgekit.model.comparators.base import MISSING, Comparator, Comparison, Decider


class JsonSchema(Comparator):
    """The found value satisfies `schema` (draft 2020-12 unless `$schema` says otherwise).

    The expected value is not looked at. References to other files or hosts are not followed.

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
    def decide(self) -> Decider:
        """Return the fast form: only the found value is looked at."""
        validator = validator_of(self.definition)

        def decide(_expected: Any, found: Any) -> bool | None:
            return found is not MISSING and bool(validator.is_valid(found))

        return decide

    def explain(self, expected: Any, found: Any) -> str:  # noqa: ARG002 - only found is looked at
        """Return the first fault, or that there is none."""
        if found is MISSING:
            return "missing"
        return first_fault(validator_of(self.definition), found) or "fits the schema"

    def compare(self, expected: Any, found: Any) -> Comparison:
        """Return the decision about the found value; null is a value like any other here."""
        answer = bool(self.decide(expected, found))
        return Comparison(
            decision="match" if answer else "mismatch",
            credit=float(answer),
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


def validator_of(schema: dict[str, Any]) -> Any:
    """Return a validator that fetches nothing: an unknown reference is an error."""
    from jsonschema.validators import validator_for
    from referencing import Registry

    return validator_for(schema)(schema, registry=Registry())


def first_fault(validator: Any, value: Any) -> str | None:
    """Return the first fault of a value as `path: message`, or None."""
    from jsonschema.exceptions import best_match

    fault = best_match(validator.iter_errors(value))
    if fault is None:
        return None
    path = "/".join(str(part) for part in fault.absolute_path)
    return f"{path}: {fault.message}" if path else str(fault.message)
