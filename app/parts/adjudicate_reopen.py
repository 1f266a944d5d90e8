"""Closed cases: looked at without deciding, and reopened to be decided again."""

from __future__ import annotations

from collections.abc import Collection
from uuid import uuid4

from judgekit.store.label_store import AdjudicationConflict, FieldTask
from parts.adjudicate_actions import let_go, open_case, told
from parts.adjudicate_bench import (
    Seat,
    bench_in_hand,
    look_at,
    put_on_bench,
    remembered,
    say,
    seat_of,
    stop_looking,
)
from parts.adjudicate_keys import field_word
from parts.adjudicate_steps import decision_words
from parts.page import OpenPage


def look(page: OpenPage, item_id: str) -> None:
    """Show a closed case; nothing is taken in hand and nothing can be decided."""
    with told():
        look_at(seat_of(page), item_id)
        say("Only looked at: nothing changes.")


def leave(page: OpenPage) -> None:
    """Go back to the case in hand."""
    with told():
        seat_of(page)
        stop_looking()
        say("All saved")


def undo(page: OpenPage) -> None:
    """Reopen what was decided last in this session."""
    with told():
        seat = seat_of(page)
        last = remembered()
        if last is None:
            say("Nothing was decided in this session; older cases reopen under Decided.")
            return
        _reopen(seat, last[0], {last[1]})


def decide_again(page: OpenPage, item_id: str) -> None:
    """Reopen a decided case, or take one in hand that was not decided yet."""
    with told():
        seat = seat_of(page)
        case = seat.store.adjudication.case(seat.project.name, item_id, seat.alias)
    if any(task.decision is not None for task in case.fields):
        reopen(page, item_id)
    else:
        open_case(page, item_id)


def reopen(page: OpenPage, item_id: str) -> None:
    """Reopen every decided field of an item: a new revision under which nothing stands."""
    with told():
        seat = seat_of(page)
        case = seat.store.adjudication.case(seat.project.name, item_id, seat.alias)
        _reopen(seat, item_id, {task.field for task in case.fields})


def _reopen(seat: Seat, item_id: str, fields: Collection[str]) -> None:
    adjudication, project = seat.store.adjudication, seat.project.name
    case = adjudication.case(project, item_id, seat.alias)
    decided = [task for task in case.fields if task.field in fields and task.decision is not None]
    if not decided:
        say("Nothing to reopen: no decision stands there.")
        return
    before = "; ".join(_before(seat, item_id, task) for task in decided)
    for task in decided:
        result = adjudication.restore(
            project, item_id, field=task.field, adjudicator=seat.alias,
            op_id=uuid4().hex, rev_seen=task.rev,
        )  # fmt: skip
        if isinstance(result, AdjudicationConflict):
            say("Not reopened: someone else changed it meanwhile.", warning=True)
            return
    _take_reopened(seat, item_id, decided[0].field, before)


def _take_reopened(seat: Seat, item_id: str, at: str, before: str) -> None:
    """Take the reopened case in hand and say what was decided before."""
    held = bench_in_hand(seat)
    if held is not None and held.case.task.item_id != item_id:
        let_go(seat, held.case.task.item_id)
    case = seat.store.adjudication.case(seat.project.name, item_id, seat.alias)
    put_on_bench(seat, case, at=at).before = before
    say(f"Reopened: {item_id}. Before: {before}. Decide again.")


def _before(seat: Seat, item_id: str, task: FieldTask) -> str:
    """Say what stands about a field, and whether a release holds it."""
    if task.decision is None:
        return ""
    version = seat.store.adjudication.released_in(seat.project.name, item_id, task.field)
    released = f"released already in {version}" if version else "not released yet"
    return f"{field_word(task.field)}: {decision_words(task.decision)} ({released})"
