"""Dates and times: only declared formats are read, and two readings are none."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator, model_validator

from judgekit.model.comparators.base import Comparator, Unreadable, shown

ISO = "iso"
MAX_TEXT = 200
"""Longer texts are no dates."""


class Date(Comparator):
    """The same day, or the same moment where `time` is True.

    `formats` are `iso` (ISO 8601, the default) and strptime forms such as `%d.%m.%Y`; nothing else
    is read. A text that two declared formats read as different days is undecided: day and month
    are never guessed. With `time`, values without a zone are read in `timezone` (an hour that the
    clocks repeat there is undecided, one that they skip is no time), and a day alone is its
    midnight; where no zone is given, a value with a zone and one without are undecided.
    `tolerance_s` (`time` only) and `tolerance_days` widen equality.

    Example:
        >>> Date(kind="date", formats=["iso", "%d.%m.%Y"]).decide("2026-11-05", "05.11.2026")
        True
        >>> unclear = Date(kind="date", formats=["%d/%m/%Y", "%m/%d/%Y"])
        >>> unclear.decide("2026-02-01", "01/02/2026") is None
        True
    """

    kind: Literal["date"]
    formats: tuple[str, ...] = (ISO,)
    time: bool = False
    timezone: str | None = None
    tolerance_s: float = Field(default=0, ge=0)
    tolerance_days: int = Field(default=0, ge=0)

    @field_validator("formats")
    @classmethod
    def _readable(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value:
            raise ValueError("at least one format")
        for form in value:
            if form != ISO and ("%Y" not in form and "%y" not in form):
                raise ValueError(f"{form!r} has no year; iso or a strptime form such as %d.%m.%Y")
            _check_form(form)
        return value

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str | None) -> str | None:
        try:
            return value if value is None else ZoneInfo(value).key
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"no time zone is called {value!r}") from error

    @model_validator(mode="after")
    def _tolerances(self) -> Date:
        if self.tolerance_s and not self.time:
            raise ValueError("tolerance_s needs time: true; a day has tolerance_days")
        if self.tolerance_days and self.time:
            raise ValueError("tolerance_days is for days; with time: true use tolerance_s")
        return self

    def read(self, value: Any) -> date | datetime:
        """Return the day, or the moment.

        Raises:
            Unreadable: no declared format reads it, or two read it differently.
        """
        if not isinstance(value, str):
            raise Unreadable(f"a date was expected as text, not {type(value).__name__}")
        text = value.strip() if len(value) <= MAX_TEXT else ""
        found = {
            placed
            for form in self.formats
            for moment in _read(text, form)
            for placed in self._placed(moment)
        }
        if len(found) > 1:
            readings = " or ".join(sorted(moment.isoformat() for moment in found))
            raise Unreadable(f"{shown(value)} has two readings: {readings}", undecided=True)
        if not found:
            forms = ", ".join(self.formats)
            raise Unreadable(f"{shown(value)} is no date in the formats {forms}")
        return found.pop()

    @cached_property
    def _zone(self) -> ZoneInfo | None:
        return None if self.timezone is None else ZoneInfo(self.timezone)

    def _placed(self, moment: datetime) -> list[date | datetime]:
        """Return the day or moment that is meant: none or two where the clocks change."""
        try:
            if moment.tzinfo is None and self._zone is not None and self.time:
                return list(_local(moment, self._zone))
            if moment.tzinfo is not None and self._zone is not None:
                moment = moment.astimezone(self._zone)
            if not self.time:
                return [moment.date()]
            return [moment if moment.tzinfo is None else moment.astimezone(UTC)]
        except OverflowError:  # outside the years 1 to 9999 once it is moved to the other zone
            return []

    def same(self, expected: Any, found: Any) -> bool:
        """Tell whether the two are within the tolerance.

        Raises:
            Unreadable: one moment has a zone and the other none.
        """
        if not self.time:
            return bool(abs((expected - found).days) <= self.tolerance_days)
        if (expected.tzinfo is None) != (found.tzinfo is None):
            raise Unreadable(
                "one value has a time zone and the other none; declare `timezone`", undecided=True
            )
        return bool(abs((expected - found).total_seconds()) <= self.tolerance_s)

    @property
    def equal_readings(self) -> bool:
        """Tell whether equal days are the rule: no tolerance and no time of day."""
        return not self.time and not self.tolerance_days

    def rule(self) -> str:
        """Return the tolerance as words."""
        if self.tolerance_s:
            return f" within {self.tolerance_s:g} s"
        return f" within {self.tolerance_days} days" if self.tolerance_days else ""


def _local(moment: datetime, zone: ZoneInfo) -> set[date | datetime]:
    """Return the moments (UTC) at which the clocks of a zone show a time: none, one or two."""
    sides = (moment.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    placed = {side.astimezone(UTC) for side in sides}
    return {one for one in placed if one.astimezone(zone).replace(tzinfo=None) == moment}


def _check_form(form: str) -> None:
    if form == ISO:
        return
    probe = datetime(2026, 11, 25, 13, 5, 9, tzinfo=UTC)
    try:
        datetime.strptime(probe.strftime(form), form)
    except ValueError as error:
        raise ValueError(f"{form!r} is not a strptime form: {error}") from error


def _read(text: str, form: str) -> list[datetime]:
    try:
        if form == ISO:
            return [datetime.fromisoformat(text)]
        return [datetime.strptime(text, form)]
    except (ValueError, OverflowError, UnicodeError):
        return []
