"""What is expected of one field, and how it is compared."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from judgekit.model.base import TypedRecord
from judgekit.model.comparators.base import MISSING, Comparison
from judgekit.model.comparators.catalog import AnyComparator
from judgekit.model.comparators.exact import Exact


class Expected(TypedRecord):
    """What is expected of one field, argument or column.

    `expect` keeps apart what a form would blur: `value` (any JSON value but null; "" and [] are
    values, and empty ones), `null` (the key is there and holds null), `missing` (the key is not
    there). `compare` is the comparator of a value. `critical` fails the case on its own; `weight`
    is its share in the weighted credit of a trial.

    Example:
        >>> from judgekit.model.comparators.base import MISSING
        >>> Expected(expect="missing").compared(MISSING).decision
        'match'
        >>> close = {"kind": "number", "absolute": 0.01}
        >>> Expected(value=37.85, compare=close).compared(37.9).decision
        'mismatch'
    """

    expect: Literal["value", "null", "missing"] = "value"
    value: Any = None
    compare: AnyComparator = Exact(kind="exact")
    critical: bool = False
    weight: float = Field(default=1.0, gt=0, le=1000)

    @property
    def wanted(self) -> Any:
        """Return the value, None for null, or `MISSING`."""
        return MISSING if self.expect == "missing" else self.value

    def compared(self, found: Any) -> Comparison:
        """Return how a found value (or `MISSING`) compares with what is expected."""
        return self.compare.compare(self.wanted, found)

    @field_validator("compare")
    @classmethod
    def _fits_value(cls, value: Any, info: ValidationInfo) -> Any:
        expected = info.data.get("value")
        why = value.misfit(expected) if expected is not None else None
        if why is not None:
            raise ValueError(f"a comparator for {expected!r:.80}; {value.kind!r} says: {why}")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.expect == "value" and self.value is None:
            raise ValueError('a value; write "expect": "null" or "expect": "missing" for none')
        if self.expect != "value" and (self.value is not None or self.compare != _EXACT):
            raise ValueError(f'no value and no comparator beside "expect": "{self.expect}"')
        return self


_EXACT = Exact(kind="exact")
