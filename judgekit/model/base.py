"""The base of all records."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


class Record(BaseModel):
    """A frozen record that refuses unknown keys and numbers that are not finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


_NO_SCHEMAS = frozenset({"metadata", "default", "serialization", "config", "expected"})
"""Keys of pydantic's core schemas under which there is no schema of a value."""


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(part) for part in node]
    if not isinstance(node, dict):
        return node
    kind = node.get("type")
    if kind in ("float", "bool"):
        return {**node, "strict": True}
    if kind == "int":
        whole: Any = {**node, "strict": True}
        return core_schema.no_info_before_validator_function(_whole, whole)
    if kind == "literal" and 1 in node["expected"]:
        return core_schema.no_info_before_validator_function(_no_truth, node)
    return {key: part if key in _NO_SCHEMAS else _strict(part) for key, part in node.items()}


def _whole(value: Any) -> Any:
    """Return an int for what is a whole number by another type (1.0); else the value as it is."""
    if isinstance(value, bool | int):
        return value
    if isinstance(value, Integral) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return value


def _no_truth(value: Any) -> Any:
    """Return a text for a truth value: True equals the 1 of a `Literal`."""
    return str(value) if isinstance(value, bool) else value


class TypedRecord(Record):
    """A record in which a number is a number, and a truth value true or false.

    Texts that look like one, and `true` for 1, are refused wherever the record holds an int, a
    float or a bool; 1.0 is a whole number, and 1 a float. `model_validate(strict=False)` takes
    texts: the cells of a CSV file are nothing else.
    """

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema with each number and truth value in it made strict."""
        schema: CoreSchema = _strict(handler(source))
        return schema
