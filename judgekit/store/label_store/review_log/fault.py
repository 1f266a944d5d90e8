"""Why an event cannot be done again here."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """What stands against an event, what was found and what was expected."""

    reason: str
    found: str
    expected: str


def unknown_item(item_id: str) -> Fault:
    """Return the fault of an event about an item that the project does not have."""
    return Fault("the item is unknown", item_id, "an item of the project")
