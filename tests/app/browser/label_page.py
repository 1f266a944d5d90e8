"""The Label page as a person uses it: read the item, press a key, see the next one."""

from __future__ import annotations

from browser_driver import Visitor

READ_MS = 300
"""Longer than the dwell guard (250 ms): nobody decides faster."""


def open_label(visitor: Visitor, user: str) -> dict[str, str]:
    """Open Label as `user` and return the probe once an item is shown."""
    visitor.open(f"/label?user={user}")
    visitor.wait_probe(page="label", user=user, item_not="")
    return visitor.probe()


def read_item(visitor: Visitor) -> None:
    """Wait until the item has been on the page as long as the dwell guard asks."""
    visitor.wait_for(
        "ms => window.__shown !== null && performance.now() - window.__shown > ms",
        READ_MS,
        "the item to have been shown long enough",
    )


def decide(visitor: Visitor, *keys: str) -> dict[str, str]:
    """Read the item, press the keys, and return the probe of the next item."""
    before = visitor.probe()["presentation"]
    read_item(visitor)
    for key in keys:
        visitor.page.keyboard.press(key)
        if key is not keys[-1]:
            visitor.idle()
    return visitor.wait_probe(presentation_not=before)


def timed_decision(visitor: Visitor, key: str) -> float:
    """Read the item, press one key, and return the ms until the next item was painted."""
    visitor.idle()
    read_item(visitor)
    return visitor.time_to_change(lambda: visitor.page.keyboard.press(key), "presentation")
