"""What the keys of the Label page do. Each runs as a callback, so that it is kept at once.

Every button hands back the presentation that it was drawn for: a key that was typed before the
next item was there finds another one in hand, and is refused and told instead of labelling it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import streamlit as st

from judgekit.errors import InputError, JudgekitError, NotMirrored
from judgekit.store.label_store import (
    AlreadySaved,
    Answer,
    Conflict,
    Incomplete,
    Saved,
    SaveResult,
    Stale,
    TooFast,
    Undone,
)
from parts.acting import acting_user
from parts.item_view import marked_spans
from parts.label_work import WHICH_MODE, Work, clock, say, set_work, work_in_hand, work_on
from parts.note_box import typed_note
from parts.page import OpenPage

VIEW, NOTE_BOX, JUMP_BOX, FAIL_BUTTON = "item-view", "note-box", "jump", "decide-fail"
GUIDELINES_OPEN = "_guidelines_open"
SIDES = {"output_1": "first", "output_2": "second"}


def decide(page: OpenPage, presentation: str, label: str) -> None:
    """Save an answer; Fail first asks for a failure mode where the project has some."""
    work = expected(page, presentation)
    if work is None:
        return
    if label == "fail" and page.the_project.label_schema.failure_modes and not work.failing:
        work.failing = True
        _keep_draft(page, work)
        say(WHICH_MODE)
        return
    if label == "fail" and page.the_project.label_schema.mode_required:
        say("Not saved: this project asks for a failure mode.", warning=True)
        return
    _save(page, work, label)


def decide_mode(page: OpenPage, presentation: str, mode: str) -> None:
    """Save Fail with its failure mode, as one revision."""
    work = expected(page, presentation)
    if work is None:
        return
    # Fail and a digit typed at once can reach us in one run, the digit's callback first.
    if not work.failing and not st.session_state.get(FAIL_BUTTON):
        say("Not saved: press f first, then the failure mode.", warning=True)
        return
    _save(page, work, "fail", mode)


def skip(page: OpenPage, presentation: str) -> None:
    """Put the item off; it comes back after the others. An own label is left as it was."""
    work = expected(page, presentation)
    if work is None:
        return
    if work.shown.answer is not None:
        leave(page, f"Left as it was: {answer_words(page, work.shown.answer)}. All saved {clock()}")
        return
    shown = work.shown
    op_id = f"{shown.id}/{shown.rev}/skip"
    with told():
        result = page.store.labels.skip(
            shown.id, annotator=page.user.alias, op_id=op_id, rev_seen=shown.rev
        )
        _after(page, result, "Skipped: it comes back later. All saved")


def undo(page: OpenPage) -> None:
    """Go back one step: first out of a half-given Fail, then to the label before."""
    take_input(page)
    work = work_in_hand(page)
    if work is not None and work.failing:
        work.failing = False
        _keep_draft(page, work)
        say("Fail taken back; nothing was saved.")
        return
    with told():
        result = page.store.labels.undo(
            page.the_project.name, annotator=page.user.alias, op_id=str(uuid4())
        )
        if isinstance(result, Undone):
            set_work(work_on(result.presentation, was=result.was))
            was = result.was.label or "skip"
            say(f"Taken back: {was}. Decide again. {clock()}")
        else:
            say(result.reason, warning=True)


def reopen(page: OpenPage, item_id: str) -> None:
    """Show one item: a jump, or an own label with its values."""
    with told("Not opened", brief=True):
        work = work_on(page.store.queue.present(page.the_project.name, page.user.alias, item_id))
        work.jumped, work.paused_since_s = True, None
        _leave_pause(page)
        set_work(work)
        answer = work.shown.answer
        say(f"Your label here: {answer.label}. A new one replaces it." if answer else "All saved")


def answer_words(page: OpenPage, answer: Answer) -> str:
    """Return an answer in words: the label and, with its description, the failure mode."""
    label = SIDES.get(str(answer.label), str(answer.label))
    modes = page.the_project.label_schema.failure_modes
    told_modes = [
        f"{mode.id.replace('_', ' ')} ({mode.description.strip()})"
        for mode in modes
        if mode.id == answer.failure_mode
    ]
    return ", ".join([label, *told_modes])


def _leave_pause(page: OpenPage) -> None:
    """Going to an item ends the pause: neither it nor the one left comes back paused."""
    left = work_in_hand(page)
    if left is not None and left.paused_since_s is not None:
        _end_pause(left)
        page.store.drafts.save(left.shown.id, page.user.alias, left.draft())


def leave(page: OpenPage, words: str = "") -> None:
    """Go on with the next unlabelled item, without changing the one shown."""
    take_input(page)
    with told("Not opened"):
        shown = page.store.queue.next_presentation(
            page.the_project.name, page.user.alias, leave_open=True
        )
        _leave_pause(page)
        set_work(work_on(shown) if shown is not None else None)
        say(words or f"All saved {clock()}")


def take_input(page: OpenPage) -> None:
    """Take what the note box and the item view sent in this run, and keep it as a draft.

    Called first by every action: a label that arrives in the same run as a note or a mark must
    not be saved without it. Asks again whether the person may label: a callback runs before the
    page does.
    """
    acting_user("label")
    work = work_in_hand(page)
    if work is None:
        return
    before = work.draft()
    typed = typed_note(NOTE_BOX)
    if typed is not None and typed.token == work.shown.id:
        work.note = typed.text
    marked = marked_spans(VIEW, work.blocks, work.shown.item_hash)
    if marked is not None and marked.token == work.shown.id:
        work.spans, work.marks_serial = marked.spans, marked.serial
    if work.draft() != before:
        _keep_draft(page, work)


def choose_criterion(page: OpenPage, presentation: str, criterion: str, key: str) -> None:
    """Take the answer to one criterion."""
    work = expected(page, presentation)
    if work is None:
        return
    chosen = st.session_state.get(key)
    if chosen is None:
        work.criteria.pop(criterion, None)
    else:
        work.criteria[criterion] = str(chosen)
    _keep_draft(page, work)


def expected(page: OpenPage, presentation: str) -> Work | None:
    """Return the item in hand if the button was drawn for it; else say that it was not taken."""
    take_input(page)
    work = work_in_hand(page)
    if work is None or work.shown.id != presentation:
        say("Too fast, not saved: the key was typed before this item was shown.", warning=True)
        return None
    return work


def _keep_draft(page: OpenPage, work: Work, words: str | None = None) -> None:
    with told():
        page.store.drafts.save(work.shown.id, page.user.alias, work.draft())
        say(words or f"All saved, draft kept {clock()}")


def _save(page: OpenPage, work: Work, label: str, mode: str | None = None) -> None:
    shown, answer = work.shown, work.answer(label, mode)
    with told():
        result = page.store.labels.save(
            shown.id,
            answer,
            annotator=page.user.alias,
            op_id=f"{shown.id}/{shown.rev}/{label}/{mode or ''}",
            rev_seen=shown.rev,
            dwell_ms=work.dwell_ms,
            active_ms=work.active_ms,
        )
        _after(page, result, f"Saved: {answer_words(page, answer)}")


def _after(page: OpenPage, result: SaveResult, words: str) -> None:
    if isinstance(result, Saved | AlreadySaved):
        set_work(None)
        say(f"{words} {clock(result.at)}")
    elif isinstance(result, TooFast):
        say(
            f"Too fast, not saved: shown for {result.dwell_ms} ms, at least "
            f"{result.min_dwell_ms} ms are needed to read it.",
            warning=True,
        )
    elif isinstance(result, Incomplete):
        missing = ", ".join(name.replace("_", " ") for name in result.missing)
        say(f"Not saved yet: still to answer: {missing}.", warning=True)
    elif isinstance(result, Stale):
        set_work(None)
        stored = f" It stands as {result.stored.label}." if result.stored else ""
        say(f"Not saved: {result.reason}{stored}", warning=True)
    else:
        _ask_again(page, result)


def _ask_again(page: OpenPage, result: Conflict) -> None:
    """Show the item again with the person's own values, and both answers in words."""
    shown = page.store.queue.present(page.the_project.name, page.user.alias, result.item_id)
    set_work(work_on(shown, was=result.yours))
    stored = result.stored.label if result.stored else "nothing"
    say(
        f"Not saved: another window of yours saved {stored}, this one {result.yours.label}. "
        "Decide again.",
        warning=True,
    )


@contextmanager
def told(what: str = "Not saved", *, brief: bool = False) -> Iterator[None]:
    """Tell a fault of the store in the status line; the form keeps what was entered.

    `brief` leaves out what was found and expected, where the first sentence says it all.
    """
    try:
        yield
    except NotMirrored as error:
        say(f"Warning: {error.message}. Tell your lead.", warning=True)
    except JudgekitError as error:
        say(f"{what}: {error.message if brief else error}", warning=True)


def toggle_guidelines(page: OpenPage) -> None:
    """Open or close the guidelines beside the item."""
    take_input(page)
    st.session_state[GUIDELINES_OPEN] = not st.session_state.get(GUIDELINES_OPEN)


def close_guidelines(page: OpenPage) -> None:
    """Close the guidelines; asked twice they stay closed."""
    take_input(page)
    st.session_state[GUIDELINES_OPEN] = False


def pause(page: OpenPage, work: Work) -> None:
    """Put the item aside; the time until Resume does not count, nor does a restart end it."""
    take_input(page)
    work.paused_since_s = time.monotonic()
    _keep_draft(page, work, "Paused")


def resume(page: OpenPage, work: Work) -> None:
    """Take the item up again. The guard starts anew: the item has just come back."""
    take_input(page)
    _end_pause(work)
    _keep_draft(page, work, f"All saved {clock()}")


def _end_pause(work: Work) -> None:
    now = time.monotonic()
    if work.paused_since_s is not None:
        work.paused_s += now - work.paused_since_s
    work.paused_since_s, work.resumed_s = None, now


def jump(page: OpenPage) -> None:
    """Go to the item whose id, or whose number in the own order, was typed."""
    take_input(page)
    typed = str(st.session_state.get(JUMP_BOX, ""))
    st.session_state[JUMP_BOX] = ""
    if not typed.strip():
        return
    with told("Not opened", brief=True):
        item_id, work = _meant_item(page, typed), work_in_hand(page)
        if work is not None and work.paused_since_s is None and work.shown.item.id == item_id:
            say("This item is shown already.")
        else:
            reopen(page, item_id)


def _meant_item(page: OpenPage, typed: str) -> str:
    name, number = page.the_project.name, typed.strip()
    item_id = page.store.projects.meant_id(name, typed)
    try:
        page.store.projects.item(name, item_id)
    except InputError:
        counts = number.isascii() and number.isdecimal() and len(number) < 10
        at = page.store.queue.item_at(name, page.user.alias, int(number)) if counts else None
        if at is None:
            raise
        return at
    return item_id
