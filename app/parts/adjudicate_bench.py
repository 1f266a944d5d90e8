"""The case on the adjudicator's bench, and what was entered about it so far.

What is entered goes to a draft in the store at once, and is read back after a reload.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

import streamlit as st

from judgekit.model.label import OVERALL
from judgekit.store.label_store import (
    UNSURE,
    AdjudicationCase,
    AdjudicationConflict,
    AdjudicationTask,
    Choice,
    Confidence,
    Decision,
    FieldTask,
    LabelStore,
    Project,
)
from parts.acting import acting_user
from parts.page import OpenPage
from parts.status_line import LastSaid

PAGE = "adjudicate"
DWELL_S = 0.25
Stage = Literal["choose", "label", "mode", "cause", "reason", "conflict"]
_QUERY = "case"
_BENCH, _LAST = "_bench", "_bench_last"
_LATER, _LOOK = "_bench_later", "_bench_look"
_line = LastSaid("bench")
say, said = _line.say, _line.said


@dataclass
class Bench:
    """One case and the half-made decision about one of its fields.

    `op_id` is made once per decision, so that a key sent twice stores it once. `first` is the
    place of the answer that has the first digit; `before` says what was decided until it was
    reopened here.
    """

    case: AdjudicationCase
    at: str
    choice: Choice | None = None
    label: str | None = None
    mode: str | None = None
    mode_asked: bool = False
    confidence: Confidence | None = None
    guideline: bool = False
    note: str = ""
    reason: str = ""
    conflict: AdjudicationConflict | None = None
    first: int = 0
    before: str = ""
    op_id: str = field(default_factory=lambda: uuid4().hex)
    since_s: float = field(default_factory=time.monotonic)

    @property
    def token(self) -> str:
        """Return what the widgets are about: item, field and revision."""
        return f"{self.case.task.item_id}\n{self.at}\n{self.task.rev}"

    @property
    def task(self) -> FieldTask:
        """Return the field that is decided now."""
        return next(task for task in self.case.fields if task.field == self.at)

    @property
    def too_fast(self) -> bool:
        """Return whether the case has been in view for less than anyone needs to read it."""
        return time.monotonic() - self.since_s < DWELL_S

    def stage(self, project: Project) -> Stage:
        """Return what is asked next."""
        if self.conflict is not None:
            return "conflict"
        if self.choice is None:
            return "choose"
        if self.choice == "exclude":
            return "reason"
        if self.choice == "other" and self.label is None:
            return "label"
        asks_mode = self.label == "fail" and project.label_schema.failure_modes
        if self.choice == "other" and asks_mode and not self.mode_asked:
            return "mode"
        return "cause"

    def unsure_about(self, choice: Choice | None) -> bool:
        """Return whether the choice names an answer that is itself unsure."""
        return any(o.letter == choice and o.label == UNSURE for o in self.task.options)

    def overrides(self) -> bool:
        """Return whether the decision goes against every answer."""
        options = self.task.options
        return (
            self.choice == "other"
            and bool(options)
            and all(option.label != self.label for option in options)
        )

    def decision(self, cause: Any = None) -> Decision:
        """Return the decision as entered."""
        return Decision(
            item_id=self.case.task.item_id,
            field=self.at,
            choice=self.choice or "other",
            label=self.label,
            failure_mode=self.mode,
            cause=cause,
            confidence=self.confidence,
            guideline_should_change=self.guideline,
            reason=self.reason.strip() or None,
            note=self.note.strip() or None,
        )

    def draft(self) -> dict[str, Any]:
        """Return what must survive."""
        names = ("at", "choice", "label", "mode", "mode_asked", "confidence", "guideline")
        return {name: getattr(self, name) for name in (*names, "note", "reason")}

    def start_over(self) -> None:
        """Take back what was chosen; note, confidence and tick stay."""
        self.choice = self.label = self.mode = self.conflict = None
        self.mode_asked = False


@dataclass(frozen=True)
class Seat:
    """One adjudicator at one project, asked anew in every callback and fragment."""

    store: LabelStore
    project: Project
    alias: str


def seat_of(page: OpenPage) -> Seat:
    """Return the seat of whoever acts now, if they may."""
    return Seat(store=page.store, project=page.the_project, alias=acting_user(PAGE).alias)


def wanting(case: AdjudicationCase) -> tuple[str, ...]:
    """Return the fields that wait for a decision; a flagged case without any waits as a whole."""
    fields = [
        task.field
        for task in case.fields
        if task.decision is None
        and (
            task.agree is False
            or task.rev > 0
            or any(option.label == UNSURE for option in task.options)
        )
    ]
    return tuple(fields) or (OVERALL,)


def put_on_bench(seat: Seat, case: AdjudicationCase, *, at: str | None = None) -> Bench:
    """Begin a case at the first field that waits, with the own draft where there is one."""
    fields = {task.field for task in case.fields}
    bench = Bench(case=case, at=at if at in fields and at else wanting(case)[0])
    draft = seat.store.adjudication.load_draft(seat.project.name, case.task.item_id, seat.alias)
    if draft is not None:
        for name, value in draft.body.items():
            if name in bench.draft() and (name != "at" or (value in fields and at is None)):
                setattr(bench, name, value)
    st.session_state[_BENCH] = (seat.project.name, seat.alias, bench)
    stop_looking()
    st.query_params[_QUERY] = case.task.item_id
    return bench


def bench_in_hand(seat: Seat) -> Bench | None:
    """Return the case in hand if it is this person's and this project's."""
    kept = st.session_state.get(_BENCH)
    if kept is None or kept[:2] != (seat.project.name, seat.alias):
        return None
    bench: Bench = kept[2]
    return bench


def current_bench(seat: Seat) -> Bench | None:
    """Return the case in hand, else the next open one, or None when all is decided."""
    bench = bench_in_hand(seat)
    if bench is None:
        case = _named(seat) or seat.store.adjudication.next_case(
            seat.project.name, seat.alias, last=_put_off(seat)
        )
        bench = put_on_bench(seat, case) if case is not None else None
        if bench is not None and bench.choice is not None:
            say_what_is_asked(seat, bench)
    return bench


def say_what_is_asked(seat: Seat, bench: Bench) -> None:
    """Say what is asked next, and that the half-made decision is not stored."""
    words = {
        "label": "Other: which answer?",
        "mode": "Fail: which failure mode?",
        "cause": "Why did they differ? The cause saves.",
        "reason": "Exclude: give the reason, then Ctrl+Enter.",
    }
    say(f"{words.get(bench.stage(seat.project), '')} Not stored yet.".strip())


def _named(seat: Seat) -> AdjudicationCase | None:
    """Return the case that the address names, so that a reload finds it; None if it is closed."""
    item_id = st.query_params.get(_QUERY)
    open_ids = {task.item_id for task in _tasks(seat)} if item_id is not None else ()
    if item_id is None or item_id not in open_ids:
        return None
    seat.store.claims.take(seat.project.name, item_id, queue="adjudicate", holder=seat.alias)
    return seat.store.adjudication.case(seat.project.name, item_id, seat.alias)


def _tasks(seat: Seat) -> tuple[AdjudicationTask, ...]:
    tasks = seat.store.adjudication.tasks(seat.project.name, adjudicator=seat.alias)
    return tuple(task for task in tasks if not task.claimed_by_other)


def clear_bench() -> None:
    """Take nothing in hand: the next open case is fetched."""
    st.session_state[_BENCH] = None
    st.query_params.pop(_QUERY, None)


def put_off(seat: Seat, item_id: str) -> None:
    """Put an item behind all others for the rest of the session."""
    kept = [one for one in _put_off(seat) if one != item_id]
    st.session_state[_later_key(seat)] = [*kept, item_id]


def _put_off(seat: Seat) -> list[str]:
    """Return what was put off in this session, first what was put off first."""
    kept: list[str] = st.session_state.get(_later_key(seat), [])
    return kept


def _later_key(seat: Seat) -> str:
    return f"{_LATER}\n{seat.project.name}\n{seat.alias}"


def look_at(seat: Seat, item_id: str) -> None:
    """Show a closed item; the case in hand stays in hand."""
    st.session_state[_LOOK] = (seat.project.name, seat.alias, item_id)


def looked_at(seat: Seat) -> str | None:
    """Return the item that is only looked at, or None."""
    *whose, item_id = st.session_state.get(_LOOK) or (None, None, None)
    return item_id if whose == [seat.project.name, seat.alias] else None


def stop_looking() -> None:
    """Go back to the case in hand."""
    st.session_state[_LOOK] = None


def keep_draft(seat: Seat, bench: Bench) -> None:
    """Keep what is entered."""
    item_id = bench.case.task.item_id
    seat.store.adjudication.save_draft(seat.project.name, item_id, seat.alias, bench.draft())


def remember(item_id: str, at: str) -> None:
    """Keep what was decided last, for undo."""
    st.session_state.setdefault(_LAST, []).append((item_id, at))


def remembered() -> tuple[str, str] | None:
    """Return and forget what was decided last in this session."""
    last: list[tuple[str, str]] = st.session_state.get(_LAST) or []
    return last.pop() if last else None
