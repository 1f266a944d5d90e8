"""One expert fills in a case: typed line by line, kept as it is typed, unseen by the other."""

from __future__ import annotations

import streamlit as st

from judgekit.errors import JudgekitError, NotMirrored
from judgekit.goldens.entry_text import BOXES, Box, EntryTexts, read_entry
from judgekit.goldens.part_text import part_name, value_words
from judgekit.goldens.parts import parts_of
from judgekit.goldens.two_experts import entry_body, entry_texts
from judgekit.store.label_store import GoldenCase, GoldenConflict, GoldenSaved
from parts.golden_desk import GoldenDesk, desk_of, golden_probe, quiet_line, say, say_error
from parts.golden_work import Work, current_work, keep_work
from parts.label_work import clock
from parts.messages import show_error
from parts.note_box import note_box, typed_note
from parts.page import OpenPage
from parts.plain_words import PlainTable, show_table

SCENARIOS = ("routine", "edge", "hard")
LABELS: dict[Box, tuple[str, int]] = {
    "fields": ("Expected fields: name = value", 6),
    "tools": ("Expected tool calls, in order, arguments under each", 6),
    "forbidden": ("Forbidden tool calls", 2),
    "state": ("Expected final state: table / key, fields under it", 4),
}
_MONOSPACE = "<style>.st-key-golden-boxes textarea { font-family: monospace; }</style>"
HELP = """\
FIELDS, one a line: name = value, the value as JSON
  amount = 37.85
  reason = "customer withdrew"     text in quotes
  note = ""                        empty text
  refused = null                   there, no value
  coupon = missing                 not there
  tags = ["a", "b"]
How it is compared, and how much it matters:
  amount = 37.85 | as number absolute=0.01
  due = "2026-11-30" | as date | critical
  reason = "withdrew" | as text | weight 2
Kinds: exact, text, name, date, number, list,
json_schema, pattern, similarity, custom

TOOL CALLS, in order, arguments under their call
  lookup_order
    order = "R-96835"
  issue_refund | only these arguments
    amount = 37.85
Another valid way begins with "path", and may say
in_order (the default), any_order or exact:
  path exact
  hand_over
A path without calls: no tool is to be called.

FORBIDDEN CALLS
  delete_order | because nobody asked for it

FINAL STATE: table / key, fields under it
  orders / R-96835
    status = "refunded"
  orders / R-2 | absent
  allow log / *         neither asked for nor wrong

A name with = | / # or quotes stands in quotes.
Lines that begin with # are remarks.
"""


@st.fragment
def entry_editor(page: OpenPage, case_id: str) -> None:
    """Draw the boxes, what was read from them, and the end of the work."""
    try:
        _editor(page, case_id)
    except JudgekitError as error:  # an error that leaves a fragment is shown as a traceback
        show_error(error, key="golden-unread")


def _editor(page: OpenPage, case_id: str) -> None:
    desk = desk_of(page)
    case = desk.case(case_id)
    work = current_work(case)
    golden_probe(desk, item=case_id, rev=work.rev, saved=case.mine.state if case.mine else "")
    if case.mine is not None and case.mine.state == "done":
        st.rerun()
    quiet_line(idle="Nothing saved yet" if work.rev == 0 else "All saved")
    if work.conflict is not None:
        _conflict(page, work)
    st.html(_MONOSPACE)
    with st.container(key="golden-boxes"):
        for box in BOXES:
            _box(page, work, box)
        _classes(page, desk, work)
    _as_read(work)
    st.button(
        "I am done: compare with the other expert",
        key="golden-done",
        on_click=_done,
        args=(page, case_id),
    )


def writing_help(case: GoldenCase) -> None:
    """Show how an entry is written, unfolded for somebody who has not begun."""
    with st.expander("How to write it", expanded=case.mine is None, key="golden-help"):
        st.code(HELP, language=None, wrap_lines=True)


def own_entry(case: GoldenCase) -> None:
    """Show one's finished entry as it was read."""
    if case.mine is None:
        return
    _table(entry_texts(case.mine.body), "Your entry")


def _box(page: OpenPage, work: Work, box: Box) -> None:
    label, rows = LABELS[box]
    note_box(
        key=f"golden-{box}",
        token=work.token(box),
        text=getattr(work.texts, box),
        on_draft=lambda: _typed(page, work.case_id),
        label=label,
        rows=rows,
        focus_key=None,
    )


def _classes(page: OpenPage, desk: GoldenDesk, work: Work) -> None:
    st.segmented_control(
        "Scenario class",
        SCENARIOS,
        default=work.texts.scenario,
        key=work.widget("scenario"),
        on_change=_classed,
        args=(page, work.case_id),
    )
    modes = [mode.id for mode in desk.project.label_schema.failure_modes]
    if modes:
        st.pills(
            "Failure modes that this case is about",
            modes,
            default=[mode for mode in work.texts.failure_modes if mode in modes],
            selection_mode="multi",
            key=work.widget("modes"),
            on_change=_classed,
            args=(page, work.case_id),
        )


def _typed(page: OpenPage, case_id: str) -> None:
    """Keep what was typed."""
    desk = desk_of(page)
    work = current_work(desk.case(case_id))
    changed = _absorbed(work)
    if changed.texts != work.texts:
        _save(desk, changed)


def _absorbed(work: Work) -> Work:
    """Return the work with what the boxes sent in this run.

    Typing and a press of a button may come in one run, with the button's callback first.
    """
    for box in BOXES:
        typed = typed_note(f"golden-{box}")
        if typed is not None and typed.token == work.token(box):
            work = work.with_texts(**{box: typed.text})
    return work


def _classed(page: OpenPage, case_id: str) -> None:
    """Keep the scenario class and the failure modes."""
    desk = desk_of(page)
    work = _absorbed(current_work(desk.case(case_id)))
    scenario = st.session_state.get(work.widget("scenario"), work.texts.scenario)
    modes = st.session_state.get(work.widget("modes"), work.texts.failure_modes)
    _save(desk, work.with_texts(scenario=scenario, failure_modes=tuple(modes or ())))


def _done(page: OpenPage, case_id: str) -> None:
    desk = desk_of(page)
    work = _absorbed(current_work(desk.case(case_id)))
    if work.conflict is not None:
        say("Choose first which of the two versions counts.", warning=True)
        return
    read = read_entry(work.texts)
    if read.faults:
        n = len(read.faults)
        words = "1 line cannot" if n == 1 else f"{n} lines cannot"
        say(f"Not done yet: {words} be read; see under the boxes.", warning=True)
    elif read.is_empty:
        say("Not done yet: nothing is expected so far.", warning=True)
    else:
        _save(desk, work, done=True)


def _save(desk: GoldenDesk, work: Work, *, done: bool = False) -> None:
    """Store the entry, or keep it in the session and tell why it was not stored."""
    if work.conflict is not None:
        keep_work(work)
        say("Not saved: choose first which of the two versions counts.", warning=True)
        return
    try:
        result = desk.store.goldens.save(
            desk.project.name,
            work.case_id,
            entry_body(work.texts),
            expert=desk.alias,
            rev_seen=work.rev,
            done=done,
        )
    except NotMirrored as error:
        keep_work(work.at_revision(work.rev + 1))
        say_error(error)
        return
    except JudgekitError as error:
        keep_work(work)
        say_error(error)
        return
    if isinstance(result, GoldenSaved):
        keep_work(work.at_revision(result.entry.rev))
        say(f"All saved {clock()}")
    elif isinstance(result, GoldenConflict):
        keep_work(work.in_conflict(result.stored))
        say("Not saved: you changed this case in another window.", warning=True)
    else:
        keep_work(work)
        say(f"Not saved: {result.reason}.", warning=True)


def _conflict(page: OpenPage, work: Work) -> None:
    """Show both versions and ask; nothing was overwritten."""
    if work.conflict is None:
        return
    stored = entry_texts(work.conflict.body)
    with st.container(border=True, key="golden-conflict"):
        st.text("This case was changed in another window of yours. Nothing was overwritten.")
        names = [*BOXES, "scenario", "failure_modes"]
        rows = [(name, _plain(work.texts, name), _plain(stored, name)) for name in names]
        differing = tuple(row for row in rows if row[1] != row[2])
        head = ("Box", "In this window", "Stored")
        show_table(PlainTable("What differs", head, differing), key="golden-conflict-table")
        left, right = st.columns(2)
        left.button(
            "Keep this window's", key="golden-keep", on_click=_keep, args=(page, work.case_id)
        )
        right.button(
            "Take the stored one", key="golden-take", on_click=_take, args=(page, work.case_id)
        )


def _plain(texts: EntryTexts, name: str) -> str:
    value = getattr(texts, name)
    return ", ".join(value) if isinstance(value, tuple) else str(value or "")


def _keep(page: OpenPage, case_id: str) -> None:
    desk = desk_of(page)
    work = current_work(desk.case(case_id))
    if work.conflict is not None:
        _save(desk, work.at_revision(work.conflict.rev))


def _take(page: OpenPage, case_id: str) -> None:
    case = desk_of(page).case(case_id)
    keep_work(current_work(case).replaced_by(case.mine))
    say("The stored version is shown.")


def _as_read(work: Work) -> None:
    """Say what the lines mean, and which cannot be read."""
    read = read_entry(work.texts)
    with st.container(key="golden-faults"):
        for fault in read.faults[:10]:
            st.text(f"Cannot be read: {fault.sentence()}")
        if len(read.faults) > 10:
            st.text(f"and {len(read.faults) - 10} more lines")
    _table(work.texts, "What this says")


def _table(texts: EntryTexts, caption: str) -> None:
    whole = read_entry(texts).expectation
    paths = frozenset(f"/paths/{name}" for name in whole.paths)
    parts = parts_of(whole, whole=paths)
    rows = tuple((part_name(part), value_words(part, parts[part])) for part in sorted(parts))
    if rows:
        show_table(PlainTable(caption, ("Part", "Expected"), rows), key="golden-read")
