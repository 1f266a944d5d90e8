"""Lists and sets, ordered or not, with the partial credit that is stated."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any, Literal, NamedTuple

from pydantic import Field

from judgekit.model.comparators.base import (
    Comparator,
    Decider,
    Unreadable,
    absent,
    shown,
    where_present,
)
from judgekit.model.comparators.catalog import AnyComparator
from judgekit.model.comparators.exact import Exact, json_equal
from judgekit.model.comparators.matching import largest_matching, longest_common

Answers = list[list[bool | None]]


class Counts(NamedTuple):
    """How many expected elements were found, out of how many, in a list of how many."""

    matched: int
    expected: int
    found: int

    @property
    def whole(self) -> bool:
        """Tell whether every element has its partner."""
        return self.matched == self.expected == self.found


class ListComparator(Comparator):
    """The same elements, each compared by `items` (a comparator; `exact` by default).

    `order: any` (the default) or `as_written`; `duplicates: count` (the default) or `ignore` (a
    set: elements of equal reading count once). `partial` states the credit of a list that is only
    partly right: `none` (the default: 0), `recall`, `precision`, `f1` or `jaccard` of the matched
    elements; where none is expected, any element is wrong and the credit is 0. A list matches only
    when every element does, whatever the credit. It is undecided where the answer hangs on an
    undecided element. `separator` also reads a text such as "a, b".

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
            return [part.strip() for part in value.split(self.separator) if part.strip()]
        if not isinstance(value, list | tuple):
            raise Unreadable(f"a list was expected, not {type(value).__name__}")
        return list(value)

    def misfit(self, expected: Any) -> str | None:
        """Return why a list cannot be expected: it is none, or an element does not fit."""
        try:
            parts = [part for part in self.read(expected) if part is not None]
        except Unreadable as why:
            return why.reason
        found = (self.items.misfit(part) for part in parts)
        return next((reason for reason in found if reason is not None), None)

    @cached_property
    def decide(self) -> Decider:
        """Return whether every element has its partner; None where that hangs on an undecided."""

        def decide(expected: Any, found: Any) -> bool | None:
            answers = {counts.whole for counts in self._counts(expected, found)}
            return answers.pop() if len(answers) == 1 else None

        return where_present(_safe(decide))

    def credit(self, expected: Any, found: Any) -> float | None:
        """Return the stated partial credit in [0, 1]; None = undecided."""
        answer = self.decide(expected, found)
        if answer is not False or absent(expected, found):
            return None if answer is None else float(answer)
        try:
            shares = {_share(self.partial, counts) for counts in self._counts(expected, found)}
        except Unreadable:
            return 0.0
        # A list that is wrong for certain keeps what is certain of it.
        return min(shares)

    def counts(self, expected: Any, found: Any) -> Counts:
        """Return the element counts, undecided pairs taken as no match.

        Raises:
            Unreadable: one of the two is no list.
        """
        return self._counts(expected, found)[0]

    def _counts(self, expected: Any, found: Any) -> tuple[Counts, ...]:
        """Return the counts with undecided pairs as no match, and, where there are, as matches."""
        wanted, got = self._elements(self._expected(expected)), self._elements(self.read(found))
        quick = self._by_reading(wanted, got)
        if quick is not None:
            return (quick,)
        decide = self.items.decide
        answers: Answers = [[decide(one, other) for other in got] for one in wanted]
        unsure = any(answer is None for row in answers for answer in row)
        sure = self._matched(answers, (True,), len(got))
        if not unsure:
            return (Counts(sure, len(wanted), len(got)),)
        at_best = self._matched(answers, (True, None), len(got))
        return Counts(sure, len(wanted), len(got)), Counts(at_best, len(wanted), len(got))

    def _expected(self, expected: Any) -> list[Any]:
        try:
            return self.read(expected)
        except Unreadable as why:
            raise Unreadable(
                f"the expected value cannot be used: {why.reason}", undecided=True
            ) from why

    def _by_reading(self, wanted: list[Any], got: list[Any]) -> Counts | None:
        """Return the counts of two lists of texts from their readings alone, where that will do."""
        by_equality = self.items.equal_readings or type(self.items) is Exact
        texts = all(type(one) is str for one in (*wanted, *got))
        if self.order != "any" or not by_equality or not texts:
            return None
        try:
            left, right = Counter(map(self.items.read, wanted)), Counter(map(self.items.read, got))
        except Unreadable:
            return None
        return Counts((left & right).total(), len(wanted), len(got))

    def _matched(self, answers: Answers, hits: tuple[bool | None, ...], n_found: int) -> int:
        places = [[j for j, answer in enumerate(row) if answer in hits] for row in answers]
        if self.order == "as_written":
            return longest_common(places)
        return largest_matching(places, n_found)

    def _elements(self, elements: list[Any]) -> list[Any]:
        if self.duplicates == "count":
            return elements
        kept: list[tuple[Any, Any]] = []
        for element in elements:
            reading = self._reading(element)
            if not any(json_equal(reading, other) for _, other in kept):
                kept.append((element, reading))
        return [element for element, _ in kept]

    def _reading(self, element: Any) -> tuple[bool, Any]:
        try:
            return True, None if absent(element, element) else self.items.read(element)
        except Unreadable:
            return False, element

    def explain(self, expected: Any, found: Any) -> str:
        """Return how many elements were matched, and which was not."""
        try:
            counts = self._counts(expected, found)
        except Unreadable as why:
            return why.reason
        order = "in order" if self.order == "as_written" else "in any order"
        sure, given = counts[0], counts[0].found
        text = f"{sure.matched} of {sure.expected} expected elements found {order}, {given} given"
        return text if len(counts) == 1 else f"{text}; {self._undecided(expected, found)}"

    def _undecided(self, expected: Any, found: Any) -> str:
        pairs = ((one, other) for one in self.read(expected) for other in self.read(found))
        one, other = next(pair for pair in pairs if self.items.decide(*pair) is None)
        why = self.items.explain(one, other)
        return f"{shown(other, 40)} against {shown(one, 40)} is undecided: {why}"


def _safe(decide: Decider) -> Decider:
    def safe(expected: Any, found: Any) -> bool | None:
        try:
            return decide(expected, found)
        except Unreadable as why:
            return None if why.undecided else False

    return safe


def _share(partial: str, counts: Counts) -> float:
    matched, n_expected, n_found = counts
    shares = {
        "none": (0, 1),
        "recall": (matched, n_expected),
        "precision": (matched, n_found),
        "f1": (2 * matched, n_expected + n_found),
        "jaccard": (matched, n_expected + n_found - matched),
    }
    over, under = shares[partial]
    return over / under if under else 0.0
