"""What the keys of the Adjudicate page do. Each runs as a callback, so that it is kept at once.

Every button hands back the token that it was drawn for: a key typed before the page answered is
refused and told instead of deciding something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, get_args
from uuid import uuid4

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.store.label_store import (
    Adjudicated,
    AdjudicateResult,
    AdjudicationConflict,
    AlreadyAdjudicated,
    Choice,
    Confidence,
    NeedsReason,
    OwnItem,
)
from parts.adjudicate_bench import (
    Bench,
    Seat,
    bench_in_hand,
    clear_bench,
    keep_draft,
    put_off,
    put_on_bench,
    remember,
    say,
    say_what_is_asked,
    seat_of,
    wanting,
)
from parts.adjudicate_keys import AT_ONCE, choices_of, field_word, label_word
from parts.note_box import typed_note
from parts.page import OpenPage

_STORED = "_bench_stored"
NOTE_BOX, REASON_BOX = "adjudicate-note", "adjudicate-reason"
GUIDELINES_OPEN = "_bench_guidelines"


@contextmanager
def told() -> Iterator[None]:
    """Tell a fault in the status line; what was entered stays."""
    try:
        yield
    except JudgekitError as error:
        say("Not stored: " + " ".join(str(error).split()), warning=True)


P = ParamSpec("P")


def _on_bench(
    action: Callable[Concatenate[Seat, Bench, P], None],
) -> Callable[Concatenate[OpenPage, str, P], None]:
    """Run an action on the case in hand if the button was drawn for it, else say so."""

    @wraps(action)
    def run(page: OpenPage, token: str, /, *args: P.args, **kwargs: P.kwargs) -> None:
        with told():
            seat = seat_of(page)
            bench = bench_in_hand(seat)
            if bench is None or bench.token != token:
                if st.session_state.get(_STORED) == token:
                    return
                say("Not taken: the key was typed before this case was shown.", warning=True)
                return
            _take(bench)
            action(seat, bench, *args, **kwargs)

    return run


@_on_bench
def choose(seat: Seat, bench: Bench, choice: Choice) -> None:
    """Take A, B, another answer or exclusion; nothing is stored yet."""
    if bench.too_fast:
        say("Too fast, not taken: read both answers first.", warning=True)
        return
    if _refused_unsure(bench, choice):
        return
    bench.start_over()
    bench.choice = choice
    _ask(seat, bench)


@_on_bench
def choose_label(seat: Seat, bench: Bench, label: str) -> None:
    """Take the other answer."""
    bench.label = label
    _ask(seat, bench)


@_on_bench
def choose_mode(seat: Seat, bench: Bench, mode: str) -> None:
    """Take the failure mode of the other answer, or none."""
    bench.mode, bench.mode_asked = mode or None, True
    _ask(seat, bench)


@_on_bench
def choose_confidence(seat: Seat, bench: Bench, confidence: Confidence) -> None:
    """Take or take back how sure the adjudicator is."""
    bench.confidence = None if bench.confidence == confidence else confidence
    keep_draft(seat, bench)
    say(f"Confidence: {bench.confidence or 'not given'}. Draft kept.")


@_on_bench
def tick_guideline(seat: Seat, bench: Bench) -> None:
    """Set or remove "the guideline should change"."""
    bench.guideline = not bench.guideline
    keep_draft(seat, bench)
    say(f"Guideline should change: {'yes' if bench.guideline else 'no'}. Draft kept.")


@_on_bench
def back(seat: Seat, bench: Bench) -> None:
    """Take back what was chosen and not stored."""
    if bench.choice is None:
        say("Nothing to take back.")
        return
    bench.start_over()
    keep_draft(seat, bench)
    say("Taken back; nothing was stored.")


@_on_bench
def more_answers(_seat: Seat, bench: Bench) -> None:
    """Give the digits to the next answers, after the last ones to the first again."""
    letters = [option.letter for option in bench.task.options]
    bench.first = bench.first + AT_ONCE if bench.first + AT_ONCE < len(letters) else 0
    held = letters[bench.first : bench.first + AT_ONCE]
    say(f"The digits now choose {held[0]} to {held[-1]}.")


@_on_bench
def next_field(seat: Seat, bench: Bench) -> None:
    """Turn to the next field of the case."""
    fields = [task.field for task in bench.case.fields]
    bench.start_over()
    bench.first = 0
    bench.at = fields[(fields.index(bench.at) + 1) % len(fields)]
    keep_draft(seat, bench)
    say(f"Now deciding: {field_word(bench.at)}.")


@_on_bench
def save(seat: Seat, bench: Bench, cause: str) -> None:
    """Store the decision with its cause, or with none (an empty one)."""
    if bench.choice is None and not bench.too_fast:
        # The choice typed a moment ago can reach us in this run, after its cause.
        letters = {option.letter for option in bench.task.options}
        typed = {one for one in letters if st.session_state.get(f"key-choose-{one}")}
        known: tuple[Choice, ...] = get_args(Choice)
        bench.choice = next((one for one in known if one in typed), None)
    if _refused_unsure(bench, bench.choice):
        return
    if bench.stage(seat.project) != "cause":
        say("Not stored: choose 1, 2 or 3 first.", warning=True)
        return
    st.session_state[_STORED] = bench.token
    _save(seat, bench, cause or None)


@_on_bench
def exclude(seat: Seat, bench: Bench) -> None:
    """Store the exclusion with the reason that was typed."""
    if not bench.reason.strip():
        say("Not stored: an exclusion needs a reason.", warning=True)
        return
    _save(seat, bench, None)


@_on_bench
def keep_stored(seat: Seat, bench: Bench) -> None:
    """Leave what the other adjudicator stored."""
    seat.store.adjudication.clear_draft(seat.project.name, bench.case.task.item_id, seat.alias)
    clear_bench()
    say("The stored decision stays; yours was dropped.")


@_on_bench
def store_mine(seat: Seat, bench: Bench) -> None:
    """Store one's own decision as the revision after the other adjudicator's."""
    if bench.conflict is None:
        return
    result = seat.store.adjudication.adjudicate(
        seat.project.name,
        bench.conflict.yours,
        adjudicator=seat.alias,
        op_id=uuid4().hex,
        rev_seen=bench.conflict.rev,
    )
    _after(seat, bench, result)


@_on_bench
def later(seat: Seat, bench: Bench) -> None:
    """Put the case at the end of the queue; another one is fetched."""
    tasks = seat.store.adjudication.tasks(seat.project.name, adjudicator=seat.alias)
    here = bench.case.task.item_id
    if not any(task.item_id != here and not task.claimed_by_other for task in tasks):
        say("This is the only open case.")
        return
    put_off(seat, here)
    let_go(seat, here)
    clear_bench()
    say("Put at the end of the queue; it stays open.")


def toggle_guidelines(page: OpenPage) -> None:
    """Open or close the guidelines beside the item."""
    take_input(page)
    st.session_state[GUIDELINES_OPEN] = not st.session_state.get(GUIDELINES_OPEN)


def close_guidelines(page: OpenPage) -> None:
    """Close the guidelines; asked twice they stay closed."""
    take_input(page)
    st.session_state[GUIDELINES_OPEN] = False


def open_case(page: OpenPage, item_id: str) -> None:
    """Take one given case in hand."""
    with told():
        seat = seat_of(page)
        bench = bench_in_hand(seat)
        if bench is not None and bench.case.task.item_id != item_id:
            let_go(seat, bench.case.task.item_id)
        _open(seat, item_id)
        say("Case opened.")


def take_input(page: OpenPage) -> None:
    """Take what the note and reason boxes sent in this run, and keep it as a draft."""
    with told():
        seat = seat_of(page)
        bench = bench_in_hand(seat)
        if bench is not None and _take(bench):
            keep_draft(seat, bench)
            say("Draft kept.")


def finish_reason(page: OpenPage, token: str) -> None:
    """Store the exclusion when its reason is left with Ctrl+Enter."""
    typed = typed_note(REASON_BOX)
    if typed is not None and typed.done:
        exclude(page, token)
    else:
        take_input(page)


def _take(bench: Bench) -> bool:
    """Put what was typed into the bench and return whether anything changed."""
    before = (bench.note, bench.reason)
    note, reason = typed_note(NOTE_BOX), typed_note(REASON_BOX)
    if note is not None and note.token == bench.token:
        bench.note = note.text
    if reason is not None and reason.token == bench.token:
        bench.reason = reason.text
    return before != (bench.note, bench.reason)


def _refused_unsure(bench: Bench, choice: Choice | None) -> bool:
    """Say that an unsure answer decides nothing, where the choice is one."""
    if not bench.unsure_about(choice):
        return False
    *_, other, out = choices_of([option.letter for option in bench.task.options], bench.first)
    say(
        f"Not taken: {choice} is unsure, which decides nothing. Give an answer with {other.key}"
        f" ({other.word}), or exclude with {out.key}.",
        warning=True,
    )
    return True


def _ask(seat: Seat, bench: Bench) -> None:
    """Keep the draft and say what is asked next."""
    keep_draft(seat, bench)
    say_what_is_asked(seat, bench)


def _save(seat: Seat, bench: Bench, cause: str | None) -> None:
    result = seat.store.adjudication.adjudicate(
        seat.project.name,
        bench.decision(cause),
        adjudicator=seat.alias,
        op_id=bench.op_id,
        rev_seen=bench.task.rev,
    )
    _after(seat, bench, result)


def _after(seat: Seat, bench: Bench, result: AdjudicateResult) -> None:
    item_id = bench.case.task.item_id
    if isinstance(result, Adjudicated | AlreadyAdjudicated):
        remember(item_id, bench.at)
        stored = result.decision
        what = "excluded" if stored and stored.choice == "exclude" else _label_of(stored)
        say(f"Saved: {item_id}, {field_word(bench.at)}: {what}.")
        _go_on(seat, item_id)
    elif isinstance(result, AdjudicationConflict):
        bench.conflict = result
        say("Not stored: someone else decided this meanwhile. See both.", warning=True)
    elif isinstance(result, NeedsReason):
        bench.op_id = uuid4().hex
        missing = " and a ".join(result.missing)
        say(f"Not stored: a decision against both answers needs a {missing}.", warning=True)
    elif isinstance(result, OwnItem):
        clear_bench()
        say("Not stored: you labelled this item yourself; someone else decides it.", warning=True)


def _label_of(decision: object) -> str:
    return label_word(getattr(decision, "label", None))


def _go_on(seat: Seat, item_id: str) -> None:
    """Stay at the item while a field of it waits, else take the next case."""
    case = seat.store.adjudication.case(seat.project.name, item_id, seat.alias)
    if case.task.state == "open":
        put_on_bench(seat, case, at=wanting(case)[0])
    else:
        clear_bench()


def _open(seat: Seat, item_id: str) -> None:
    seat.store.claims.take(seat.project.name, item_id, queue="adjudicate", holder=seat.alias)
    put_on_bench(seat, seat.store.adjudication.case(seat.project.name, item_id, seat.alias))


def let_go(seat: Seat, item_id: str) -> None:
    """Let others take the case."""
    seat.store.claims.release(seat.project.name, item_id, queue="adjudicate", holder=seat.alias)
