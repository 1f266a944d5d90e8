"""The quiet line that says whether everything is saved (`role="status"`)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import streamlit as st

from judgekit.errors import JudgekitError, NotMirrored
from parts.web_files import component

_line = component("status_line")
_SERIAL = "_status_serial"


@dataclass(frozen=True)
class Status:
    """One sentence for the line; `warning` for what was not taken."""

    text: str
    warning: bool = False


@dataclass(frozen=True)
class Besides:
    """What the line does with keys that no button of the page has.

    Args:
        scrolls: CSS selectors of areas; arrows, PageUp, PageDown, Home and End scroll the first
            that can still move that way, where the focus is on nothing.
        opened: a CSS selector of what stands open; it is brought into view when it opens.
        cancel: a CSS selector of a button that Escape presses, before it closes anything.
        strange: what is said of a digit that is not on offer; empty says nothing.
        idle: what is said of keys that do nothing here.
    """

    scrolls: tuple[str, ...] = ()
    opened: str = ""
    cancel: str = ""
    strange: str = ""
    idle: Mapping[str, str] = field(default_factory=dict)


class LastSaid:
    """What one part of the app said last to this person; it is kept in the session."""

    def __init__(self, part: str) -> None:
        self._key = f"_{part}_status"

    def say(self, text: str, *, warning: bool = False) -> None:
        """Keep a sentence for the line of the next drawing."""
        st.session_state[self._key] = Status(text, warning)

    def say_error(self, error: JudgekitError) -> None:
        """Keep a fault, on one line; where it was saved and only not copied, as a warning."""
        if isinstance(error, NotMirrored):
            self.say(f"Warning: {error.message}. Tell your lead.", warning=True)
            return
        self.say(" ".join(str(error).split()), warning=True)

    def said(self, idle: str = "All saved") -> Status:
        """Return what was said last, else `idle`."""
        status = st.session_state.get(self._key)
        return status if isinstance(status, Status) else Status(idle)

    def forget(self) -> None:
        """Empty it: something else is in view."""
        st.session_state.pop(self._key, None)


def status_line(
    status: Status,
    *,
    keys: Sequence[str],
    token: str = "",
    after: Mapping[str, Sequence[str]] | None = None,
    ahead: Sequence[str] = (),
    once: Sequence[str] = (),
    box: tuple[str, str] = ("", ""),
    group: tuple[str, str] = ("", ""),
    besides: Besides = Besides(),
    key: str = "status",
) -> None:
    """Show the line, and let it watch `keys`.

    A key of these that is held down, typed before the page answered, or pressed without a
    connection is stopped in the browser and told here; the server refuses such labels as well.
    When `token` changes, the page scrolls up and the caret leaves the box that asked for another
    item: the next key labels and is not typed. `after` names keys that may follow another at once;
    `ahead` names keys that the page does not take now and may take after its answer: typed before
    that they are told as well. `once` names other keys that do nothing more while held down.
    `box` is the key of the text input that asks for another item, and
    the key on the keyboard that goes there. `group` is a key that goes from one to the next of
    the groups of choices that a CSS selector finds.
    """
    data = {
        "text": status.text,
        "kind": "warning" if status.warning else "",
        "serial": _next_serial(),
        "token": token,
        "keys": list(keys),
        "ahead": list(ahead),
        "once": list(once),
        "after": {first: list(then) for first, then in (after or {}).items()},
        "box": list(box),
        "group": list(group),
        **asdict(besides),
    }
    _line(key=key, data=data)


def _next_serial() -> int:
    """Return a number that no run before this one had, else the browser would not draw.

    It never begins where those of another server did: a page that outlived its server would be
    sent the very data that it has.
    """
    last = st.session_state.get(_SERIAL, time.time_ns() // 1_000_000)
    st.session_state[_SERIAL] = last + 1
    return int(last) + 1
