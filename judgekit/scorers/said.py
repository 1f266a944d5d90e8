"""Whether a value occurs in what was said: as text, as a number in any writing, as a date."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from judgekit.model.comparators.words import fold

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

T = TypeVar("T")
_LONG = 2_000
"""Characters from which on a text is too long to be kept."""
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip
_NUMBER = re.compile(r"(\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?|\d[\d.,]*)( ?%)?")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?$")


class Said:
    """Everything that was said up to a point: texts, and values inside objects and lists.

    Example:
        >>> said = Said(["Refund $1,250.00 for two on 20 November 2026", {"order": "R-1"}])
        >>> [said.holds(one) for one in ("r-1", 1250, 2, "2026-11-20", "R-12")]
        [True, True, True, True, False]
    """

    def __init__(self, parts: Iterable[Any] = ()) -> None:
        self._parts = [_Part(part) for part in parts]

    def add(self, part: Any) -> None:
        """Take in what was said next; what was said before is not read again."""
        self._parts.append(_Part(part))

    def holds(self, value: Any) -> bool:
        """Tell whether a value occurs; of an object or a list, whether each of its values does."""
        if value is None or isinstance(value, bool):
            return True
        if isinstance(value, int | float):
            return self._holds_number(value)
        if isinstance(value, str):
            return self._holds_text(value)
        parts = value.values() if isinstance(value, dict) else value
        return all(self.holds(part) for part in parts)

    def _holds_text(self, value: str) -> bool:
        text = re.sub(r"^\W+|\W+$", "", fold(value))
        near = [part.text for part in self._parts if text in part.text]
        if not text or self._occurs(re.escape(text), near):
            return True
        number = re.fullmatch(r"[-+]?\d+(?:\.\d+)?", text)
        if number is not None and self._holds_number(float(text)):
            return True
        day = _date(value)
        return day is not None and any(self._occurs(way) for way in _writings(day))

    def _holds_number(self, value: float) -> bool:
        try:
            value = float(value)
        except OverflowError:
            return False  # nobody says a number of more than 300 digits
        word = _WORDS[int(abs(value))] if abs(value) in range(len(_WORDS)) else None
        if any(abs(value) in part.numbers for part in self._parts):
            return True
        return word is not None and self._occurs(word)

    def _occurs(self, pattern: str, texts: Iterable[str] | None = None) -> bool:
        whole = rf"(?<!\w){pattern}(?!\w)"
        searched = (part.text for part in self._parts) if texts is None else texts
        return any(re.search(whole, text) for text in searched)


class _Part:
    """One thing that was said: its folded texts, one a line, and the numbers in them."""

    def __init__(self, part: Any) -> None:
        self._lines = tuple(_once(_folded, leaf) for leaf in _leaves(part))
        self.text = "\n".join(self._lines)

    @cached_property
    def numbers(self) -> frozenset[float]:
        return frozenset().union(*(_once(_numbers_in, line) for line in set(self._lines)))


def _once(function: _lru_cache_wrapper[T], text: str) -> T:
    # Trials of a case say much the same; long texts are not kept.
    return function(text) if len(text) < _LONG else function.__wrapped__(text)


@lru_cache(maxsize=10_000)
def _folded(text: str) -> str:
    return fold(text)


@lru_cache(maxsize=10_000)
def _numbers_in(text: str) -> frozenset[float]:
    found: set[float] = set()
    for written, percent in set(_NUMBER.findall(text)):
        readings = set(_readings(written))
        found |= readings
        if percent:
            found |= {one / 100 for one in readings}
    return frozenset(found)


def read_json(value: Any) -> Any:
    """Return the object or list that a text holds as JSON, and any other value as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _leaves(part: Any) -> Iterator[str]:
    """Yield the texts inside a value; a text that holds JSON also gives what is inside."""
    value = read_json(part)
    if isinstance(part, str):
        yield part
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner)
    elif value is not None and not isinstance(value, str):
        yield str(value)


def _readings(text: str) -> Iterator[float]:
    """Yield the numbers that a writing may mean: comma and point each as either mark."""
    if text.isdecimal():
        yield float(text)
        return
    bare = text.rstrip(".,").replace(" ", "").replace("'", "").replace("’", "")
    for point, other in ((".", ","), (",", ".")):
        plain = bare.replace(other, "").replace(point, ".")
        if plain.count(".") <= 1:
            yield float(plain)


def _date(value: str) -> date | None:
    found = _ISO.match(value.strip())
    if found is None:
        return None
    try:
        return date(*map(int, found.groups()))
    except ValueError:
        return None


def _writings(day: date) -> Iterator[str]:
    """Yield patterns of the ways to write a day in English words or in figures, year or not."""
    full = _MONTHS[day.month - 1]
    month = f"(?:{full}|{full[:3]}\\.?)"
    number = f"0?{day.day}(?:st|nd|rd|th|\\.)?"
    year = f"(?:,? {day.year}|(?!,? \\d{{4}}))"  # this year or none, never another
    yield f"{number}(?: of)? {month}{year}"
    yield f"{month} {number}{year}"
    short = f"(?:[./-](?:{day.year}|{day.year % 100:02})|\\.?(?![./-]?\\d))"
    for first, second in ((day.day, day.month), (day.month, day.day)):
        yield f"(?<!\\d[./-])0?{first}[./-]0?{second}{short}"
    yield f"{day.year}[./-]0?{day.month}[./-]0?{day.day}"
