"""The Label page below its title: one fragment, so that a key redraws this and nothing else."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from judgekit.store.label_store import Presentation, Progress
from parts import label_actions as act
from parts.acting import acting_user
from parts.bindings import (
    CRITERIA,
    GUIDELINES,
    JUMP,
    LEAVE,
    PAUSE,
    RESUME,
    REVEAL,
    SKIP,
    UNDO,
    UNSURE_KEY,
    Binding,
    guarded_keys,
    label_bindings,
    legend,
    mode_bindings,
)
from parts.guidelines import PANEL, guidelines_panel
from parts.item_view import ShownSpan, item_view
from parts.key_legend import draw_key_legend
from parts.label_controls import (
    CRITERIA_GROUPS,
    criteria_controls,
    draw_progress,
    label_bar,
    may_leave,
    mode_bar,
    mode_descriptions,
    pause_and_jump,
)
from parts.label_question import draw_question, missing_fields
from parts.label_reveal import draw_reveal, may_reveal
from parts.label_work import Work, current_work, said
from parts.long_item import offer_whole, shown_part
from parts.messages import errors_shown
from parts.note_box import note_box
from parts.page import OpenPage
from parts.probe import probe
from parts.status_line import Besides, status_line

MAIN, RIGHT = '[data-testid="stMain"]', ".stColumn:has(.st-key-decisions)"
UNDO_BUTTON = ".st-key-decide-undo button"


@st.fragment
def label_panel(page: OpenPage, *, narrow: bool) -> None:
    """Draw the item in hand, the decisions beside it and, when open, the guidelines."""
    with errors_shown():
        acting_user("label")  # a fragment runs again without the page's own check
        work = current_work(page)
        done = page.store.queue.progress(page.the_project.name, page.user.alias)
    shown = work.shown if work else None
    _legend(page, work)
    left, right, beside = _columns(work)
    with right:
        draw_progress(done, shown)
    if work is None:
        _finished(page, left, right)
    elif work.paused_since_s is not None:
        _paused(page, work, left, right)
    else:
        _item(page, work, left)
        _decisions(page, work, right, narrow=narrow)
    if beside is not None:
        with beside:
            guidelines_panel(page.the_project, on_close=lambda: act.close_guidelines(page))
    with right:
        pause_and_jump(page, work)
        if work is not None and work.paused_since_s is None:
            mode_descriptions(page, work, mode_bindings(page.the_project.label_schema))
    # Last, so that who sees it change sees the whole item and the buttons that belong to it.
    _probe(page, shown, done)


def _legend(page: OpenPage, work: Work | None) -> None:
    """Name the keys that do something now: without an item in hand that is little."""
    if work is None:
        draw_key_legend([(b.key, b.word) for b in (UNDO, GUIDELINES, JUMP)])
    elif work.paused_since_s is not None:
        keys = (RESUME, GUIDELINES, JUMP, *_leave_key(work))
        draw_key_legend([(b.key, b.word) for b in keys])
    else:
        rows = legend(page.the_project.label_schema)
        more = [*_leave_key(work), *([REVEAL] if may_reveal(page, work) else [])]
        draw_key_legend([*rows, *((b.key, b.word) for b in more)])


def _probe(page: OpenPage, shown: Presentation | None, done: Progress) -> None:
    probe(
        page="label",
        user=page.user.alias,
        item=shown.item.id if shown else "",
        presentation=shown.id if shown else "",
        rev=shown.rev if shown else "",
        saved=str(done.labelled),
    )


def _columns(work: Work | None) -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator | None]:
    pair = work is not None and work.shown.item.output_1 is not None
    if st.session_state.get(act.GUIDELINES_OPEN):
        left, right, beside = st.columns([7 if pair else 5, 4, 3], gap="medium")
        return left, right, beside
    left, right = st.columns([10 if pair else 8, 5], gap="medium")
    return left, right, None


def _item(page: OpenPage, work: Work, where: DeltaGenerator) -> None:
    part = shown_part(work.blocks, work.shown.item.id)
    ends = {block.field: len(block.text) for block in part.blocks}
    spans = [ShownSpan(s.field, s.start, s.end) for s in work.spans]
    schema = page.the_project.label_schema
    with where:
        draw_question(schema)
    with where, st.container(key="item"):
        item_view(
            part.blocks,
            key=act.VIEW,
            token=work.shown.id,
            spans=[span for span in spans if span.end <= ends.get(span.field, -1)],
            serial=work.marks_serial,
            read_only=part.cut,
            on_mark=lambda: act.take_input(page),
        )
        offer_whole(part, then=" (evidence can be marked then)")
        for sentence in missing_fields(work.shown.item, schema):
            st.text(sentence)


def _decisions(page: OpenPage, work: Work, right: DeltaGenerator, *, narrow: bool) -> None:
    schema = page.the_project.label_schema
    labels, modes = label_bindings(schema), mode_bindings(schema)
    with st.bottom if narrow else right, st.container(key="decisions", gap="xsmall"):
        label_bar(page, work, labels)
        with_modes = bool(modes) and (work.failing or not narrow)
        if with_modes:
            mode_bar(page, work, modes)
        more = [*([REVEAL] if may_reveal(page, work) else []), *_leave_key(work)]
        keys = guarded_keys([*labels, UNSURE_KEY, SKIP, UNDO, PAUSE, *more])
        digits = guarded_keys(modes)
        _status(page, work, [*keys, *digits] if with_modes else keys, [] if with_modes else digits)
    with right:
        if schema.ask_criteria:
            criteria_controls(page, work)
        with st.container(key="note"):
            note_box(
                key=act.NOTE_BOX,
                token=work.shown.id,
                text=work.note,
                on_draft=lambda: act.take_input(page),
                rows=2,
            )
        draw_reveal(page, work)


def _leave_key(work: Work) -> list[Binding]:
    return [LEAVE] if may_leave(work) else []


def _status(page: OpenPage, work: Work | None, keys: list[str], ahead: list[str]) -> None:
    """Draw the status line; `keys` are those whose buttons are drawn, `ahead` those that follow."""
    after = {"f": guarded_keys(mode_bindings(page.the_project.label_schema))}
    token = work.shown.id if work is not None else ""
    with st.container(key="save-state"):
        status_line(
            said(), token=token, keys=keys, ahead=ahead, after=after,
            once=(GUIDELINES.key, "Escape"), box=(act.JUMP_BOX, JUMP.key),
            group=(CRITERIA.key, CRITERIA_GROUPS), besides=_besides(page, work),
        )  # fmt: skip


def _besides(page: OpenPage, work: Work | None) -> Besides:
    modes = work is not None and mode_bindings(page.the_project.label_schema)
    in_hand = work is not None and work.paused_since_s is None
    return Besides(
        scrolls=(PANEL, MAIN, RIGHT),
        opened=PANEL if st.session_state.get(act.GUIDELINES_OPEN) else "",
        cancel=UNDO_BUTTON if work is not None and work.failing and in_hand else "",
        strange="no failure mode has this digit. Nothing was saved." if modes and in_hand else "",
    )


def _finished(page: OpenPage, left: DeltaGenerator, right: DeltaGenerator) -> None:
    with left, st.container(key="item"):
        st.header("All done", anchor=False)
        st.text("Nothing is left for you in this project. Every label is saved.")
    with right, st.container(key="decisions"):
        st.button("Undo", key="decide-undo", shortcut=UNDO.key, on_click=act.undo, args=(page,))
        _status(page, None, [UNDO.key], [])


def _paused(page: OpenPage, work: Work, left: DeltaGenerator, right: DeltaGenerator) -> None:
    with left, st.container(key="item"):
        st.header("Paused", anchor=False)
        st.text("The item is put aside; this time does not count. Nothing is lost.")
        st.button(
            RESUME.word, key="resume", shortcut=RESUME.key, on_click=act.resume, args=(page, work),
        )  # fmt: skip
    with right, st.container(key="decisions"):
        labels = label_bindings(page.the_project.label_schema)
        _status(
            page,
            work,
            guarded_keys([RESUME, *_leave_key(work)]),
            guarded_keys([*labels, UNSURE_KEY, SKIP, UNDO]),
        )
