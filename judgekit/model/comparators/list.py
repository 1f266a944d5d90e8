"""Lists and sets, ordered or not, with the partial credit that is stated."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from judgekit.model.comparators.base import Comparator, Decider, Unreadable
from judgekit.model.comparators.catalog import AnyComparator
from judgekit.model.comparators.exact import Exact
from judgekit.model.comparators.matching import largest_matching, longest_common

Found = tuple[int, int, int] | None


class ListComparator(Comparator):
    """The same elements, each compared by `items` (a comparator; `exact` by default).

    `order: any` (the default) or `as_written`; `duplicates: count` (the default) or `ignore` (a
    set). `partial` states the credit of a list that is only partly right: `none` (the default: 0),
    `recall`, `precision`, `f1` or `jaccard` of the matched elements. A list matches only when every
    element does, whatever the credit. `separator` also reads a text such as "a, b".

    Example:
        >>> tags = ListComparator(kind="list", partial="recall")
        >>> tags.decide(["a", "b"], ["b", "a"]), tags.credit(["a", "b"], ["b", "x"])
        (True, 0.5)
    """

    kind: Literal["list"]
    items: AnyComparator = Exact(kind="exact")
    order: Literal["any", "as_written"] = "any"
    duplicates: Literal["count", "ignore"] = "count"
    partial: Literal["none", "recall", "precision", "f1", "jaccard"] = "none"
    separator: str | None = Field(default=None, min_length=1)

    def read(self, value: Any) -> list[Any]:
        """Return the elements.

        Raises:
            Unreadable: the value is no list, nor a text with the separator declared.
        """
        if isinstance(value, str) and self.separator is not None:
            value = [part.strip() for part in value.split(self.separator) if part.strip()]
        if not isinstance(value, list | tuple):
            raise Unreadable(f"a list was expected, not {type(value).__name__}")
        return list(value)

    def misfit(self, expected: Any) -> str | None:
        """Return why a list cannot be expected: it is none, or an element does not fit."""
        try:
            found = (self.items.misfit(part) for part in self.read(expected))
            return next((reason for reason in found if reason is not None), None)
        except Unreadable as why:
            return why.reason

    @cached_property
    def decide(self) -> Decider:
        """Return whether every element has its partner; None where an element is undecided."""

        def decide(expected: Any, found: Any) -> bool | None:
            try:
                counts = self.counts(expected, found)
            except Unreadable as why:
                return None if why.undecided else False
            return counts is not None and counts[0] == counts[1] == counts[2]

        return decide

    def credit(self, expected: Any, found: Any) -> float | None:
        """Return the stated partial credit in [0, 1]; None = undecided."""
        try:
            counts = self.counts(expected, found)
        except Unreadable as why:
            return None if why.undecided else 0.0
        if counts is None:
            return 0.0
        matched, n_expected, n_found = counts
        if matched == n_expected == n_found:
            return 1.0
        return _share(self.partial, matched, n_expected, n_found)

    def counts(self, expected: Any, found: Any) -> Found:
        """Return (matched, expected, found) element counts; None where there is no list.

        Raises:
            Unreadable: an element is undecided.
        """
        wanted = self._elements(expected)
        try:
            got = self._elements(found)
        except Unreadable:
            return None
        table = [[self._same(one, other) for other in got] for one in wanted]
        if self.order == "as_written":
            cells = longest_common(table)
        else:
            places = [[j for j, hit in enumerate(row) if hit] for row in table]
            cells = largest_matching(places, len(got))
        return cells, len(wanted), len(got)

    def _elements(self, value: Any) -> list[Any]:
        elements = self.read(value)
        if self.duplicates == "count":
            return elements
        kept: list[Any] = []
        for element in elements:
            if not any(self._same(one, element) for one in kept):
                kept.append(element)
        return kept

    def _same(self, one: Any, other: Any) -> bool:
        answer = self.items.decide(one, other)
        if answer is None:
            raise Unreadable(
                f"the elements {one!r:.40} and {other!r:.40} are undecided", undecided=True
            )
        return answer

    def explain(self, expected: Any, found: Any) -> str:
        """Return how many elements were matched."""
        try:
            counts = self.counts(expected, found)
        except Unreadable as why:
            return why.reason
        if counts is None:
            return f"a list was expected, not {type(found).__name__}"
        order = "in order" if self.order == "as_written" else "in any order"
        return f"{counts[0]} of {counts[1]} expected elements found {order}, {counts[2]} given"


def _share(partial: str, matched: int, n_expected: int, n_found: int) -> float:
    shares = {
        "none": (0, 1),
        "recall": (matched, n_expected),
        "precision": (matched, n_found),
        "f1": (2 * matched, n_expected + n_found),
        "jaccard": (matched, n_expected + n_found - matched),
    }
    over, under = shares[partial]
    return over / under if under else 0.0
