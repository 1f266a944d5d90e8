"""The result of a statistic: a number with its interval, or the reason why there is none."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field

from judgekit.model.base import Record


class Estimate(Record):
    """A value, its two-sided interval where one exists, the n behind it and the method."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int = Field(ge=0)
    method: str
    status: str | None = None


class Undefined(Record):
    """No value, and why. Never read as 0, as a pass or as a fail."""

    undefined: str
    n: int = Field(default=0, ge=0)


Statistic = Estimate | Undefined


class Bounds(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


def bounds_of(found: Statistic) -> Bounds | None:
    """Return the interval of a statistic; None where there is no value or no interval.

    Example:
        >>> bounds_of(Estimate(value=0.5, low=0.4, high=0.6, n=9, method="x"))
        Bounds(low=0.4, high=0.6)
    """
    if not isinstance(found, Estimate) or found.low is None or found.high is None:
        return None
    return Bounds(found.low, found.high)
