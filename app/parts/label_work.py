"""The item in hand: what is shown, and what the person has entered so far.

Session state is not storage. Whatever is entered goes to a draft in the store at once, and is
read back from there after a reload or a restart of the server.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from judgekit.store.label_store import Answer, Presentation, Span
from parts.item_view import Block, item_blocks
from parts.page import OpenPage
from parts.status_line import LastSaid

_WORK, _LINE_OF = "_label_work", "_label_line_of"
WHICH_MODE = "Fail: which failure mode? Not saved yet."
_line = LastSaid("label")
say, said = _line.say, _line.said


@dataclass
class Work:
    """One presentation and the form beside it.

    `failing`: Fail was pressed and a failure mode is awaited. `marks_serial`: the last marks of
    the browser that were taken. Times are of the monotonic clock, in seconds.
    """

    shown: Presentation
    blocks: list[Block]
    note: str = ""
    spans: tuple[Span, ...] = ()
    criteria: dict[str, str] = field(default_factory=dict)
    failing: bool = False
    jumped: bool = False
    marks_serial: int = 0
    since_s: float = field(default_factory=time.monotonic)
    paused_since_s: float | None = None
    paused_s: float = 0.0
    resumed_s: float | None = None

    @property
    def dwell_ms(self) -> int:
        """Return for how long the item has been in view without a break."""
        return int((time.monotonic() - (self.resumed_s or self.since_s)) * 1000)

    @property
    def active_ms(self) -> int:
        """Return for how long the item has been shown, without pauses."""
        return max(0, int((time.monotonic() - self.since_s - self.paused_s) * 1000))

    def draft(self) -> dict[str, Any]:
        """Return what must survive."""
        return {
            "note": self.note,
            "spans": [span.model_dump() for span in self.spans],
            "criteria": dict(self.criteria),
            "failing": self.failing,
            **({"paused": True} if self.paused_since_s is not None else {}),
        }

    def answer(self, label: str, failure_mode: str | None = None) -> Answer:
        """Return the whole answer with this label."""
        return Answer(
            label=label,
            failure_mode=failure_mode,
            criteria=dict(self.criteria),
            spans=self.spans,
            note=self.note.strip() or None,
        )


def work_on(shown: Presentation, was: Answer | None = None) -> Work:
    """Return the form of a presentation, filled with the draft, else with the own answer."""
    work = Work(shown=shown, blocks=item_blocks(shown.item))
    answer = was or shown.answer
    if shown.draft is not None:
        body = shown.draft.body
        work.note = str(body.get("note", ""))
        work.spans = tuple(Span.model_validate(span) for span in body.get("spans", ()))
        work.criteria = {str(k): str(v) for k, v in body.get("criteria", {}).items()}
        work.failing = bool(body.get("failing"))
        if body.get("paused"):
            work.paused_since_s = time.monotonic()
    elif answer is not None:
        work.note, work.spans = answer.note or "", answer.spans
        work.criteria = dict(answer.criteria)
    return work


def current_work(page: OpenPage) -> Work | None:
    """Return the item in hand, else the next one of the own order, or None when all is done."""
    work = work_in_hand(page)
    before = st.session_state.get(_LINE_OF, page.the_project.name)
    if work is None and before != page.the_project.name:
        _line.forget()
    st.session_state[_LINE_OF] = page.the_project.name
    if work is None:
        shown = page.store.queue.next_presentation(page.the_project.name, page.user.alias)
        work = work_on(shown) if shown is not None else None
        set_work(work)
        if work is not None and work.paused_since_s is not None:
            say("Paused")
        elif work is not None and work.failing:
            say(WHICH_MODE)
    return work


def work_in_hand(page: OpenPage) -> Work | None:
    """Return the item in hand if it is this person's and this project's."""
    work = st.session_state.get(_WORK)
    if not isinstance(work, Work):
        return None
    mine = (work.shown.project, work.shown.annotator) == (page.the_project.name, page.user.alias)
    return work if mine else None


def set_work(work: Work | None) -> None:
    """Take an item in hand, or none: then the next one is fetched."""
    st.session_state[_WORK] = work


def clock(at: datetime | None = None) -> str:
    """Return a time of day where the browser is, with the date where that is not today."""
    try:
        zone = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):  # the browser named a zone that is not known here
        zone = ZoneInfo("UTC")
    now = datetime.now(zone)
    then = (at or now).astimezone(zone)
    return then.strftime("%H:%M:%S" if then.date() == now.date() else "%Y-%m-%d %H:%M")
