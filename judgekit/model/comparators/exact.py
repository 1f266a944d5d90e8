"""Exact values: identifiers, enums, whole JSON values."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from judgekit.model.comparators.base import Comparator, Decider

_PLAIN_KINDS = frozenset({int, float, bool})


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
            kind = type(expected)
            if kind is type(found):
                same: bool
                if kind is str and plain:
                    same = expected == found or expected.strip() == found.strip()
                    return same
                if kind in _PLAIN_KINDS:
                    same = expected == found
                    return same
            return slow(expected, found)

        return decide


def json_equal(one: Any, other: Any, *, as_written: bool = False) -> bool:
    """Tell whether two JSON values are the same: true is not 1, and objects have no order.

    `as_written` also holds 5 and 5.0 apart. Values may be nested deeper than Python's own `==`
    follows.

    Example:
        >>> json_equal([1, {"a": True}], [1.0, {"a": True}]), json_equal(1, True)
        (True, False)
    """
    try:
        if one != other:
            return False
    except RecursionError:
        pass  # nested too deep for `!=`; the walk below compares the values too
    waiting = [(one, other)]
    while waiting:
        first, second = waiting.pop()
        if isinstance(first, dict | list | tuple):
            parts = _parts(first, second)
            if parts is None:
                return False
            waiting += parts
        elif not _same_leaf(first, second, as_written):
            return False
    return True


def _parts(first: Any, second: Any) -> list[tuple[Any, Any]] | None:
    """Return the pairs of parts of two objects or two lists; None where they are not alike."""
    if type(first) is not type(second) or len(first) != len(second):
        return None
    if not isinstance(first, dict):
        return list(zip(first, second, strict=True))
    if first.keys() != second.keys():
        return None
    return [(value, second[key]) for key, value in first.items()]


def _same_leaf(first: Any, second: Any, as_written: bool) -> bool:
    if isinstance(second, dict | list | tuple):
        return False
    if isinstance(first, bool) != isinstance(second, bool) or first != second:
        return False
    return not as_written or type(first) is type(second)
