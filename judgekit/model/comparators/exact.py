"""Exact values: identifiers, enums, whole JSON values."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from judgekit.model.comparators.base import Comparator, Decider


class Exact(Comparator):
    """The same JSON value.

    `numbers: by_value` (the default) takes 5 and 5.0 as the same, `as_written` does not. Truth
    values are never numbers. Keys of objects have no order, lists have one. `case` False ignores
    the case of a text that stands alone, and `strip` (default) its outer white space.

    Example:
        >>> by_value, as_written = Exact(kind="exact"), Exact(kind="exact", numbers="as_written")
        >>> by_value.decide({"n": 5}, {"n": 5.0}), as_written.decide(5, 5.0)
        (True, False)
    """

    kind: Literal["exact"]
    numbers: Literal["by_value", "as_written"] = "by_value"
    case: bool = True
    strip: bool = True

    def read(self, value: Any) -> Any:
        """Return the value; a text without outer white space, folded where case is ignored."""
        if not isinstance(value, str):
            return value
        text = value.strip() if self.strip else value
        return text if self.case else text.casefold()

    def same(self, expected: Any, found: Any) -> bool:
        """Tell whether the two are the same JSON value."""
        if type(expected) is str or type(found) is str:
            return bool(expected == found)
        return json_equal(expected, found, as_written=self.numbers == "as_written")

    @cached_property
    def decide(self) -> Decider:
        """Return the fast form: most values are texts, read without their outer white space."""
        slow, plain = super().decide, self.case and self.strip

        def decide(expected: Any, found: Any) -> bool | None:
            if plain and type(expected) is str and type(found) is str:
                return expected == found or expected.strip() == found.strip()
            return slow(expected, found)

        return decide


def json_equal(one: Any, other: Any, *, as_written: bool = False) -> bool:
    """Tell whether two JSON values are the same: true is not 1, and objects have no order.

    `as_written` also holds 5 and 5.0 apart.

    Example:
        >>> json_equal([1, {"a": True}], [1.0, {"a": True}]), json_equal(1, True)
        (True, False)
    """
    if one != other:
        return False
    return _kinds_agree(one, other, as_written)


def _kinds_agree(one: Any, other: Any, as_written: bool) -> bool:
    if isinstance(one, dict):
        return all(_kinds_agree(value, other[key], as_written) for key, value in one.items())
    if isinstance(one, list | tuple):
        return all(_kinds_agree(a, b, as_written) for a, b in zip(one, other, strict=True))
    if as_written:
        return type(one) is type(other)
    return isinstance(one, bool) == isinstance(other, bool)
