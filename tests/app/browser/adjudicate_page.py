"""The Adjudicate page as a person uses it: read both answers, decide by keys."""

from __future__ import annotations

from browser_driver import Visitor


def open_case(visitor: Visitor, user: str) -> dict[str, str]:
    """Open Adjudicate as `user` and return the probe once a case is shown."""
    visitor.open(f"/adjudicate?user={user}")
    return visitor.wait_probe(page="adjudicate", user=user, item_not="")


def read_case(visitor: Visitor) -> None:
    """Wait until the case has been on the page as long as the dwell guard asks."""
    visitor.wait_for(
        "() => window.__shown !== null && performance.now() - window.__shown > 400",
        None,
        "the case to have been shown long enough",
    )


def decide(visitor: Visitor, *keys: str) -> dict[str, str]:
    """Read the case, press the keys, each after the answer to the one before."""
    before = visitor.probe()
    read_case(visitor)
    for key in keys[:-1]:
        words = visitor.seen_text(".st-key-save-state")
        visitor.page.keyboard.press(key)
        visitor.wait_for(
            "words => document.querySelector('.st-key-save-state').innerText !== words",
            words,
            f"an answer to {key}",
        )
        visitor.idle()
    visitor.page.keyboard.press(keys[-1])
    return visitor.wait_probe(saved_not=before["saved"])
