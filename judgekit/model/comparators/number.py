"""Numbers, money and quantities: tolerances, units, decimal commas and percents as declared."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any, Literal

from pydantic import Field, field_validator

from judgekit.model.comparators.base import Comparator, Decider, Unreadable

SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "CHF": "CHF"}
"""Signs read as a currency where the scoring file does not say otherwise."""

_PLAIN = re.compile(r"[+-]?\d+(?:\.\d+)?\Z")
_PARTS = re.compile(
    r"(?P<before>[^\d+\-.,]*)(?P<number>[+-]?[\d.,'\s]*\d[.,]?(?:[eE][+-]?\d+)?)(?P<after>.*)\Z"
)
_SPACES = dict.fromkeys(map(ord, "     "), " ")
MAX_DIGITS = 60
_WHOLE = r"(?:\d+|\d{{1,3}}(?:[{group}' ]\d{{3}})+)"
_FORM = rf"[+-]?(?:{_WHOLE}(?:{{point}}\d*)?|{{point}}\d+)(?:[eE][+-]?\d+)?\Z"
_PATTERNS = {
    "point": re.compile(_FORM.format(point=r"\.", group=","), re.ASCII),
    "comma": re.compile(_FORM.format(point=",", group=r"\."), re.ASCII),
}


class Number(Comparator):
    """The same number within `absolute` or `relative` (of the expected one), both 0 by default.

    `decimal` says which mark a text uses: `point` (1,234.50), `comma` (1.234,50) or `either`,
    where 1,234 has two readings and is undecided. `unit` is the unit of bare numbers (a currency
    such as EUR or a name such as kg); a value in another unit is a mismatch unless `units` gives
    its factor (`{kg: 1, g: 0.001}`). `percent: fraction` reads 12 % as 0.12, `as_written` (the
    default) as 12. Truth values and numbers that are not finite are no numbers.

    Example:
        >>> euro = Number(kind="number", unit="EUR", decimal="comma", absolute=0.01)
        >>> euro.decide(165.95, "165,95 €")
        True
        >>> weight = Number(kind="number", units={"kg": 1, "g": 0.001}, unit="kg")
        >>> weight.decide("2 kg", "2000 g")
        True
    """

    kind: Literal["number"]
    absolute: float = Field(default=0, ge=0)
    relative: float = Field(default=0, ge=0)
    decimal: Literal["point", "comma", "either"] = "point"
    percent: Literal["as_written", "fraction"] = "as_written"
    unit: str | None = None
    units: dict[str, float] = Field(default_factory=dict)

    @field_validator("units")
    @classmethod
    def _positive(cls, value: dict[str, float]) -> dict[str, float]:
        if any(factor <= 0 for factor in value.values()):
            raise ValueError("factors above 0")
        return value

    def read(self, value: Any) -> tuple[Decimal, str | None]:
        """Return the number and its unit (None where no unit is declared or written).

        Raises:
            Unreadable: it is no number, or `decimal: either` reads it in two ways.
        """
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise Unreadable(f"a number was expected, not {type(value).__name__}")
        if not isinstance(value, str):
            return _finite(Decimal(str(value))), self._base(Decimal(1))[1]
        if self.decimal == "point" and _PLAIN.match(value) and len(value) < MAX_DIGITS:
            return Decimal(value) * self._base(Decimal(1))[0], self._base(Decimal(1))[1]
        return self._with_unit(value)

    def _base(self, number: Decimal) -> tuple[Decimal, str | None]:
        """Return a bare number in the base unit of `units`, and that unit's name."""
        if self.unit is None:
            return number, None
        factor = self.units.get(self.unit)
        return (number, self.unit) if factor is None else (number * Decimal(str(factor)), "")

    def _with_unit(self, text: str) -> tuple[Decimal, str | None]:
        found = _PARTS.match(text.translate(_SPACES).strip().replace("−", "-"))
        if found is None or len(text) > 200:
            raise Unreadable(f"{text!r:.80} is no number")
        number = self._decimal(found["number"])
        before, after = found["before"].strip(), found["after"].strip()
        if before in ("-", "+"):
            raise Unreadable(f"{text!r:.80} is no number")
        if after == "%" and not before:
            return (number / 100 if self.percent == "fraction" else number), None
        if before and after:
            raise Unreadable(f"{text!r:.80} has words on both sides of the number")
        word = before or after
        return self._base(number) if not word else self._in_unit(number, word)

    def _in_unit(self, number: Decimal, word: str) -> tuple[Decimal, str | None]:
        name = word if word in self.units else SYMBOLS.get(word, word)
        if name in self.units:
            return number * Decimal(str(self.units[name])), ""
        if self.unit is None:
            raise Unreadable(f"the unit {word!r} was not declared")
        return number, name if name != self.unit else self._base(number)[1]

    def _decimal(self, text: str) -> Decimal:
        readings = {
            value
            for mark in (("point", "comma") if self.decimal == "either" else (self.decimal,))
            if (value := _number(text, mark)) is not None
        }
        if len(readings) > 1:
            raise Unreadable(f"{text!r} has two readings; declare `decimal`", undecided=True)
        if not readings:
            raise Unreadable(f"{text!r:.80} is no number with decimal {self.decimal}")
        return readings.pop()

    @cached_property
    def decide(self) -> Decider:
        """Return the fast form: binary floats decide what is clear, decimals what is close."""
        slow, quick = super().decide, self._quick()
        absolute, relative = self.absolute, self.relative

        def decide(expected: Any, found: Any) -> bool | None:
            wanted, got = quick(expected), quick(found)
            if wanted is None or got is None:
                return slow(expected, found)
            gap, size = abs(wanted - got), abs(wanted)
            room = max(absolute, relative * size)
            slack = 1e-9 * (size + room)
            if gap < room - slack:
                return True
            return False if gap > room + slack else slow(expected, found)

        return decide

    def _quick(self) -> Callable[[Any], float | None]:
        """Return a reader of plain numbers in the declared unit; None sends a value to `read`."""
        plain = self.decimal == "point" and self.units.get(self.unit or "", 1) == 1
        marks = tuple(mark for mark, name in SYMBOLS.items() if name == self.unit)
        own = tuple(sorted({*marks, *([self.unit] if self.unit else [])}, key=len, reverse=True))

        def quick(value: Any) -> float | None:
            kind = type(value)
            if not plain or (kind is not str and kind is not float and kind is not int):
                return None
            try:
                number = float(value)
            except (ValueError, OverflowError):
                number = _after_unit(value, own) if kind is str and own else math.nan
            # Not finite, or in a form that only Python reads: the slow reader has the say.
            return None if number - number != 0 or (kind is str and "_" in value) else number

        return quick

    def same(self, expected: Any, found: Any) -> bool:
        """Tell whether two numbers are in one unit and within the tolerance."""
        (wanted, unit), (got, other) = expected, found
        if unit != other:
            return False
        if wanted == got:
            return True
        room = max(Decimal(str(self.absolute)), abs(wanted) * Decimal(str(self.relative)))
        return bool(abs(wanted - got) <= room)

    def rule(self) -> str:
        """Return the tolerance as words."""
        parts = []
        if self.absolute:
            parts.append(f"{self.absolute:g}")
        if self.relative:
            parts.append(f"{self.relative:.4g} of the expected value")
        return f" within {' or '.join(parts)}" if parts else ""


def _after_unit(text: str, units: tuple[str, ...]) -> float:
    for unit in units:
        bare = text.removeprefix(unit)
        if len(bare) < len(text):
            try:
                return float(bare)
            except ValueError:
                return math.nan
    return math.nan


def _number(text: str, mark: str) -> Decimal | None:
    """Return a number with `mark` as its decimal mark and groups of three, or None."""
    point, group = (".", ",") if mark == "point" else (",", ".")
    if len(text) > MAX_DIGITS or not _PATTERNS[mark].match(text):
        return None
    bare = text.replace(group, "").replace("'", "").replace(" ", "").replace(point, ".")
    try:
        return _finite(Decimal(bare))
    except (InvalidOperation, Unreadable):
        return None


def _finite(value: Decimal) -> Decimal:
    if not value.is_finite():
        raise Unreadable(f"{value} is no finite number")
    if value.adjusted() > 308:
        raise Unreadable("the number is too large")
    return value
