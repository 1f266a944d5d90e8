"""What a comparator is: it reads two values and says whether they are the same, and why."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cached_property
from operator import eq
from typing import Any, Literal

from judgekit.model.base import Record, TypedRecord

CACHE_SIZE = 65_536
"""Readings of texts that a comparator remembers: dates and names come again and again."""

LONG_TEXT = 1_000
"""Readings of longer texts (characters) are not remembered: they would fill the memory."""

Decision = Literal["match", "mismatch", "undecided"]
Decider = Callable[[Any, Any], bool | None]


class Absent(Enum):
    """The field is not there at all. Not the same as null, and not the same as empty."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "missing"


MISSING = Absent.MISSING


class Unreadable(Exception):
    """A value that a comparator cannot read as its kind.

    `undecided` True means that it has two readings (01/02/2024 under both orders): no answer is
    given. Otherwise the value is simply not of the kind, which is a mismatch.
    """

    def __init__(self, reason: str, *, undecided: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.undecided = undecided


class Comparison(Record):
    """Whether a found value is the expected one, how much of it is, and why.

    `credit` is in [0, 1]: 1 for a match and 0 for a mismatch, unless the comparator states partial
    credit; None where it is undecided. An undecided comparison is neither right nor wrong.
    """

    decision: Decision
    credit: float | None
    reason: str


class Comparator(TypedRecord):
    """The options of one comparison.

    A subclass lives in the file of its kind, sets `kind` and writes `read` (a value in its
    comparable form, or `Unreadable`) and, where equality of the readings is not the rule, `same`.
    Missing and null match only themselves: neither `read` nor `same` is asked about them.

    Example:
        >>> from judgekit.model.comparators.catalog import comparator
        >>> comparator({"kind": "text"}).compare("Straße  9", "STRASSE 9").decision
        'match'
    """

    kind: str

    def read(self, value: Any) -> Any:
        """Return the comparable form of a value.

        Raises:
            Unreadable: the value is not of this kind, or has more than one reading.
        """
        return value

    def same(self, expected: Any, found: Any) -> bool:
        """Tell whether two readings are the same.

        Raises:
            Unreadable: the two cannot be compared; the answer is undecided.
        """
        return bool(expected == found)

    @cached_property
    def decide(self) -> Decider:
        """Return the fast form: `decide(expected, found)` is True, False, or None for undecided."""
        return _decider(self.read, None if self.equal_readings else self.same)

    @property
    def equal_readings(self) -> bool:
        """Tell whether `same` is plain equality of the readings: the fast form then skips it."""
        return type(self).same is Comparator.same

    def credit(self, expected: Any, found: Any) -> float | None:
        """Return the share of the expected value that was found, in [0, 1]; None = undecided."""
        answer = self.decide(expected, found)
        return None if answer is None else float(answer)

    def compare(self, expected: Any, found: Any) -> Comparison:
        """Return the decision, the credit and the reason."""
        if absent(expected, found):
            return absence(expected, found)
        return Comparison(
            decision=decision_of(self.decide(expected, found)),
            credit=self.credit(expected, found),
            reason=self.explain(expected, found),
        )

    def misfit(self, expected: Any) -> str | None:
        """Return why a value cannot be expected under this comparator, or None where it can."""
        try:
            self.read(expected)
        except Unreadable as why:
            return why.reason
        return None

    def explain(self, expected: Any, found: Any) -> str:
        """Return why the found value matches or not, in one line."""
        try:
            wanted = self.read(expected)
        except Unreadable as why:
            return f"the expected value cannot be used: {why.reason}"
        try:
            sign = "is" if self.same(wanted, self.read(found)) else "is not"
        except Unreadable as why:
            return why.reason
        return f"{shown(found)} {sign} {shown(expected)}{self.rule()}"

    def rule(self) -> str:
        """Return the options that matter as words for `explain`, with a leading blank, or ''."""
        return ""


def absent(expected: Any, found: Any) -> bool:
    """Tell whether one of two values is missing or null."""
    return expected is None or found is None or expected is MISSING or found is MISSING


def absence(expected: Any, found: Any) -> Comparison:
    """Compare two values of which one is missing or null: each of the two matches only itself."""
    same = expected is found
    return Comparison(
        decision="match" if same else "mismatch",
        credit=float(same),
        reason=f"found {shown(found)}, expected {shown(expected)}",
    )


def where_present(decide: Decider) -> Decider:
    """Return `decide` for values that are there; missing and null match only themselves."""

    def whole(expected: Any, found: Any) -> bool | None:
        return expected is found if absent(expected, found) else decide(expected, found)

    return whole


def decision_of(answer: bool | None) -> Decision:
    """Return the word for an answer; None is undecided."""
    if answer is None:
        return "undecided"
    return "match" if answer else "mismatch"


def shown(value: Any, limit: int = 80) -> str:
    """Return a value as one short line: text in quotes, null and missing by name."""
    if value is MISSING:
        return "missing"
    if value is None:
        return "null"
    try:
        text = repr(value[:limit] if isinstance(value, str) else value)
    except (RecursionError, ValueError):
        return f"a {type(value).__name__} too deep or too large to show"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _decider(read: Callable[[Any], Any], same: Callable[[Any, Any], bool] | None) -> Decider:
    """Return the decision over `read` and `same`; None for `same` is plain equality."""
    readings: dict[str, Any] = {}
    known = readings.get
    agree = same or eq

    def decide(expected: Any, found: Any) -> bool | None:
        if type(expected) is str and type(found) is str:
            wanted, got = known(expected), known(found)
            if wanted is not None and got is not None:
                return _agreed(agree, wanted, got) if same else bool(wanted == got)
        elif absent(expected, found):
            return expected is found
        return fresh(expected, found)

    def fresh(expected: Any, found: Any) -> bool | None:
        try:
            wanted = remembered(expected)
        except Unreadable:
            return None
        try:
            got = remembered(found)
        except Unreadable as why:
            return None if why.undecided else False
        return _agreed(agree, wanted, got)

    def remembered(value: Any) -> Any:
        reading = read(value)
        if type(value) is str and len(value) <= LONG_TEXT:
            if len(readings) >= CACHE_SIZE:
                readings.clear()
            readings[value] = reading
        return reading

    return decide


def _agreed(same: Callable[[Any, Any], bool], wanted: Any, got: Any) -> bool | None:
    try:
        return same(wanted, got)
    except Unreadable:
        return None  # the two cannot be compared, such as a moment with a zone and one without
