"""Numbers, money and quantities: tolerances, units, decimal commas and percents as declared."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation
from functools import cached_property
from typing import Any, Literal

from pydantic import Field, field_validator

from judgekit.model.comparators.base import Comparator, Decider, Unreadable, shown

SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "CHF": "CHF"}
"""Signs read as a currency where the scoring file does not say otherwise."""

MAX_TEXT, MAX_DIGITS = 200, 60
"""With a unit or groups, longer texts are no numbers: characters in all, and of the number."""

_SMALLEST, _LARGEST = -400, 308
"""Powers of ten that are read: what a binary float can hold."""

_EXACT = Context(prec=2_000, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[InvalidOperation])
"""Wide enough that no sum or product of two numbers in range is rounded."""

_BOUND = 1e307
"""Differences of binary floats up to here are finite numbers."""

_NUMERIC = frozenset({str, int, float})

_DIGITS = r"\d(?:_?\d)*"
_PLAIN = re.compile(
    rf"[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?\Z"
)
"""What `float` reads as a finite number, so that the fast form and the slow one agree."""

_PARTS = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<before>[^\d+\-.,]*)"
    r"(?P<number>[+-]?[\d.,'\s]*\d[.,]?(?:[eE][+-]?\d+)?)(?P<after>.*)\Z",
    re.DOTALL,
)
_SIGNS = str.maketrans(
    {"\u2212": "-", "\u2019": "'"} | dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
)
"""The minus sign, the group mark of Swiss texts and the blanks that hold a number together."""

# A group of three stands after one to three digits that begin with no 0: 0.125 is no 125.
_WHOLE = r"(?:\d+|(?!0)\d{{1,3}}(?:[{group}' ]\d{{3}})+)"
_FORM = rf"[+-]?(?:{_WHOLE}(?:{{point}}\d*)?|{{point}}\d+)(?:[eE][+-]?\d+)?\Z"
_PATTERNS = {
    "point": re.compile(_FORM.format(point=r"\.", group=",")),
    "comma": re.compile(_FORM.format(point=",", group=r"\.")),
}

Reading = tuple[Decimal, str | None]


class Number(Comparator):
    """The same number within `absolute` or `relative` (of the expected one), both 0 by default.

    `decimal` says which mark a text uses: `point` (1,234.50), `comma` (1.234,50) or `either`,
    where 1,234 has two readings and is undecided. `unit` is the unit of bare numbers (a currency
    such as EUR or a name such as kg, as it is written); a value in another unit is a mismatch
    unless `units` gives its factor (`{kg: 1, g: 0.001}`). `percent: fraction` reads 12 % as 0.12,
    `as_written` (the default) as 12. Truth values and numbers that are not finite are no numbers.

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
    unit: str | None = Field(default=None, min_length=1)
    units: dict[str, float] = Field(default_factory=dict)

    @field_validator("units")
    @classmethod
    def _positive(cls, value: dict[str, float]) -> dict[str, float]:
        if any(factor <= 0 for factor in value.values()):
            raise ValueError("factors above 0")
        return value

    def read(self, value: Any) -> Reading:
        """Return the number and its unit (None where no unit is declared or written).

        Raises:
            Unreadable: it is no number, or `decimal: either` reads it in two ways.
        """
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise Unreadable(f"a number was expected, not {type(value).__name__}")
        if not isinstance(value, str):
            return self._base(_decimal_of(value))
        if self.decimal == "point" and _PLAIN.match(bare := value.strip()):
            return self._base(_finite(_EXACT.create_decimal(bare.replace("_", ""))))
        return self._with_unit(value)

    def _base(self, number: Decimal) -> Reading:
        """Return a bare number in the base unit of `units`, and that unit's name."""
        if self.unit is None:
            return number, None
        factor = self.units.get(self.unit)
        return (number, self.unit) if factor is None else (_times(number, factor), "")

    def _with_unit(self, text: str) -> Reading:
        found = _PARTS.match(text.translate(_SIGNS).strip()) if len(text) <= MAX_TEXT else None
        if found is None or (found["sign"] and found["number"][0] in "+-"):
            raise Unreadable(f"{shown(text)} is no number")
        before, after = found["before"].strip(), found["after"].strip()
        if before and after:
            raise Unreadable(f"{shown(text)} has words on both sides of the number")
        number = self._decimal(found["sign"] + found["number"].strip(), text)
        word = before or after
        if after == "%" and "%" not in (self.unit, *self.units):
            return (number.scaleb(-2, _EXACT) if self.percent == "fraction" else number), None
        return self._in_unit(number, word) if word else self._base(number)

    def _in_unit(self, number: Decimal, word: str) -> Reading:
        name = word if word in self.units else SYMBOLS.get(word, word)
        if name in self.units:
            return _times(number, self.units[name]), ""
        if self.unit is None:
            raise Unreadable(f"the unit {shown(word)} was not declared")
        return self._base(number) if name == self.unit else (number, name)

    def _decimal(self, number: str, text: str) -> Decimal:
        marks = ("point", "comma") if self.decimal == "either" else (self.decimal,)
        found = (_number(number, mark) for mark in marks)
        readings = {value for value in found if value is not None}
        if len(readings) > 1:
            raise Unreadable(f"{shown(text)} has two readings; declare `decimal`", undecided=True)
        if not readings:
            raise Unreadable(f"{shown(text)} is no number with decimal {self.decimal}")
        return readings.pop()

    @cached_property
    def decide(self) -> Decider:
        """Return the fast form: binary floats decide what is clear, decimals what is close."""
        slow, quick = super().decide, self._quick()
        if quick is None:
            return slow
        absolute, relative = self.absolute, self.relative

        def decide(expected: Any, found: Any) -> bool | None:
            if type(expected) not in _NUMERIC or type(found) not in _NUMERIC:
                return slow(expected, found)
            try:
                wanted, got = float(expected), float(found)
            except (ValueError, OverflowError):
                try:
                    wanted, got = quick(expected), quick(found)
                except (ValueError, OverflowError):
                    return slow(expected, found)
            gap, size = abs(wanted - got), abs(wanted)
            room = max(absolute, relative * size)
            slack = 1e-9 * (size + room) + 1e-290
            if gap < room - slack:
                return True
            # What is not finite compares as neither: the slow reader has the say.
            return False if gap > room + slack and gap < _BOUND else slow(expected, found)

        return decide

    def _quick(self) -> Callable[[Any], float] | None:
        """Return a reader of plain numbers in the declared unit; ValueError sends one to `read`."""
        if self.decimal != "point" or self.units.get(self.unit or "", 1) != 1:
            return None
        marks = tuple(mark for mark, name in SYMBOLS.items() if name == self.unit)
        own = tuple(sorted({*marks, *([self.unit] if self.unit else [])}, key=len, reverse=True))

        def quick(value: Any) -> float:
            if type(value) is str and len(value) <= MAX_DIGITS and "_" not in value:
                for unit in own:
                    if value.startswith(unit):
                        return float(value[len(unit) :])
            return float(value)

        return quick

    def same(self, expected: Any, found: Any) -> bool:
        """Tell whether two numbers are in one unit and within the tolerance."""
        (wanted, unit), (got, other) = expected, found
        if unit != other:
            return False
        if wanted == got:
            return True
        room = max(Decimal(repr(self.absolute)), _times(wanted.copy_abs(), self.relative))
        return _EXACT.subtract(wanted, got).copy_abs() <= room

    def rule(self) -> str:
        """Return the tolerance as words."""
        parts = []
        if self.absolute:
            parts.append(f"{self.absolute:g}")
        if self.relative:
            parts.append(f"{self.relative:.4g} of the expected value")
        return f" within {' or '.join(parts)}" if parts else ""


def _times(number: Decimal, factor: float) -> Decimal:
    return _EXACT.multiply(number, Decimal(repr(factor)))


def _decimal_of(value: float) -> Decimal:
    if isinstance(value, int):
        if value.bit_length() > 1_100:  # str() refuses such numbers, and they are far out of range
            raise Unreadable("the number is too large")
        return _finite(Decimal(value))
    return _finite(Decimal(repr(value)))


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
    if not value or value.adjusted() < _SMALLEST:  # JSON readers take such a number as 0 too
        return Decimal(0)
    if value.adjusted() > _LARGEST:
        raise Unreadable("the number is too large")
    return value
