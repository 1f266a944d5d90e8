"""A JSON Schema that the found value has to satisfy."""

from __future__ import annotations

from functools import cached_property
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
from judgekit.model.schema_check import SafeValidator, check_schema, validator_of


class JsonSchema(Comparator):
    """The found value satisfies `schema` (draft 2020-12 unless `$schema` says otherwise).

    The expected value is not looked at, and null is a value like any other. References to other
    files or hosts are not followed: a value that needs one is undecided, as is one that is nested
    too deep to check, or for which more than 10,000 references (and 100 for each of its parts)
    would be followed.

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
    def validator(self) -> SafeValidator:
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


def first_fault(validator: SafeValidator, value: Any) -> str | None:
    """Return the first fault of a value as `path: message`, or None."""
    from jsonschema.exceptions import best_match

    fault = best_match(validator.errors(value))
    if fault is None:
        return None
    path = "/".join(str(part) for part in fault.absolute_path)
    message = fault.message if len(fault.message) <= 300 else f"{fault.message[:299]}…"
    return f"{path}: {message}" if path else str(message)
