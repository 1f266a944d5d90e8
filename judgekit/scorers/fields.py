"""Scorers of fields: one field equals what is expected."""

from __future__ import annotations

from typing import Any

from judgekit.model.item import Item
from judgekit.scorers.base import Outcome, scorer
from judgekit.scorers.paths import field_of


@scorer
def exact_field(
    item: Item,
    *,
    field: str = "output",
    expected: Any = None,
    reference: str = "reference",
    failure_mode: str | None = None,
) -> Outcome:
    """Pass when the field equals `expected`, or the field at `reference` where that is not given.

    Text is compared without white space at its ends; 1 and 1.0 are equal, true and 1 are not.
    """
    found = field_of(item, field)
    wanted = field_of(item, reference) if expected is None else expected
    if _same(found, wanted):
        return Outcome(passed=True)
    return Outcome(passed=False, evidence=(str(found),), failure_mode=failure_mode)


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(found, str) and isinstance(wanted, str):
        return found.strip() == wanted.strip()
    return isinstance(found, bool) == isinstance(wanted, bool) and bool(found == wanted)
