"""The Adjudicate page below its title: one fragment, so that a key redraws this and no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from judgekit.store.label_store import AdjudicationCase, AdjudicationCounts
from parts import adjudicate_actions as act
from parts import adjudicate_reopen as closed
from parts.adjudicate_answers import IN_SIGHT, draw_answers, draw_item
from parts.adjudicate_bench import (
    PAGE,
    Bench,
    Seat,
    Stage,
    current_bench,
    looked_at,
    said,
    seat_of,
)
from parts.adjudicate_keys import (
    AT_ONCE,
    BACK,
    CONFIDENCES,
    GUIDELINE,
    GUIDELINES,
    LATER,
    MORE,
    NEXT_FIELD,
    NOTE_KEY,
    UNDO,
    field_word,
    legend_rows,
)
from parts.adjudicate_lists import task_lists
from parts.adjudicate_look import LOOK_KEYS, besides, draw_look
from parts.adjudicate_steps import CAUSE_KEYS, FAST, STAGES, Desk, decision_words, key_button
from parts.bindings import DIGITS, Binding, guarded_keys
from parts.counts import counted
from parts.guidelines import guidelines_panel
from parts.key_legend import draw_key_legend
from parts.messages import errors_shown
from parts.note_box import note_box
from parts.page import OpenPage
from parts.probe import probe
from parts.status_line import status_line

_REASONS = {
    "disagreement": "they disagree",
    "unsure": "someone is unsure",
    "label_wrong": "a label was questioned",
    "ambiguous": "marked as ambiguous",
    "gate_review": "sent by the gate",
    "targeted": "asked for",
    "reopened": "reopened",
}
BESIDE = [GUIDELINE, *(binding for _, binding in CONFIDENCES)]
_ASKED: dict[Stage, str] = {
    "choose": "Choose an answer, then the cause.",
    "label": "Which answer is right? b takes it back.",
    "mode": "Which failure mode? 0 for none, b takes it back.",
    "cause": "Give the cause; b takes the choice back.",
    "reason": "Give the reason; b takes it back.",
    "conflict": "Keep what is stored (k), or store yours (y).",
}


@st.fragment
def adjudicate_panel(page: OpenPage, *, narrow: bool) -> None:
    """Draw the case in hand, or the one looked at, with the decisions and the lists."""
    with errors_shown():
        seat = seat_of(page)
        looked = _looked_at(seat)
        bench = current_bench(seat) if looked is None else None
        counts = seat.store.adjudication.counts(seat.project.name)
    _legend(bench, looked)
    left, right, beside = _columns()
    with left:
        _left(bench, looked)
    with right, st.container(gap="xsmall"):
        _counts(counts)
        _right(page, seat, bench, looked, narrow=narrow)
    if beside is not None:
        with beside:
            guidelines_panel(seat.project, on_close=lambda: act.close_guidelines(page))
    task_lists(page, seat, counts)
    _probe(seat, bench, looked, counts)


def _looked_at(seat: Seat) -> AdjudicationCase | None:
    item_id = looked_at(seat)
    if item_id is None:
        return None
    return seat.store.adjudication.case(seat.project.name, item_id, seat.alias)


def _legend(bench: Bench | None, looked: AdjudicationCase | None) -> None:
    if looked is not None:
        draw_key_legend(LOOK_KEYS)
    elif bench is None:
        draw_key_legend([(b.key, b.word) for b in (UNDO, GUIDELINES)])
    else:
        letters = [option.letter for option in bench.task.options]
        draw_key_legend(legend_rows(letters, bench.first, n_fields=len(bench.case.fields)))


def _columns() -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator | None]:
    if st.session_state.get(act.GUIDELINES_OPEN):
        left, right, beside = st.columns([5, 5, 3], gap="medium")
        return left, right, beside
    left, right = st.columns([7, 6], gap="medium")
    return left, right, None


def _left(bench: Bench | None, looked: AdjudicationCase | None) -> None:
    if looked is not None:
        draw_item(looked, f"look\n{looked.task.item_id}")
    elif bench is not None:
        draw_item(bench.case, bench.token)
    else:
        with st.container(key="item"):
            st.header("All decided", anchor=False)
            st.text("No case is open for you. Every decision is saved.")


def _right(
    page: OpenPage,
    seat: Seat,
    bench: Bench | None,
    looked: AdjudicationCase | None,
    *,
    narrow: bool,
) -> None:
    if looked is not None:
        draw_look(page, looked)
    elif bench is not None:
        _answers(bench)
        _decisions(page, seat, bench, narrow=narrow)
    else:
        with st.container(key="decisions", horizontal=True):
            st.button(UNDO.word, key="undo", shortcut=UNDO.key, on_click=closed.undo, args=(page,))
        _status([UNDO])
    st.button(
        GUIDELINES.word, key="show-guidelines", shortcut=GUIDELINES.key, type="tertiary",
        on_click=act.toggle_guidelines, args=(page,),
    )  # fmt: skip


def _probe(
    seat: Seat, bench: Bench | None, looked: AdjudicationCase | None, counts: AdjudicationCounts
) -> None:
    case = looked or (bench.case if bench else None)
    probe(
        page=PAGE,
        user=seat.alias,
        item=case.task.item_id if case else "",
        presentation="look" if looked else bench.op_id if bench else "",
        rev=bench.task.rev if bench else "",
        saved=str(counts.decided),
    )


def _counts(counts: AdjudicationCounts) -> None:
    agreeing = counted(counts.agreeing, "agrees and is", "agree and are")
    out = f", among them {counted(counts.excluded, 'field')} excluded" if counts.excluded else ""
    with st.container(key="progress", gap="xsmall"):
        st.text(f"{counts.open} open · {counts.decided} decided{out}")
        st.text(f"{agreeing} accepted without being shown · {counts.incomplete} incomplete")


def _answers(bench: Bench) -> None:
    task, words = bench.task, field_word(bench.at)
    why = ", ".join(_REASONS.get(reason, reason) for reason in bench.case.task.reasons)
    st.header(words[:1].upper() + words[1:], anchor=False)
    if why:
        st.text(f"Listed because {why}.")
    if len(task.options) < 2:
        n = len(task.options)
        st.text(f"Incomplete: {counted(n, 'label')} so far, no comparison yet.")
    if task.decision is not None:
        st.text("Decided before: " + decision_words(task.decision))
    elif bench.before:
        st.text("Decided before: " + bench.before)
    draw_answers(task)


def _decisions(page: OpenPage, seat: Seat, bench: Bench, *, narrow: bool) -> None:
    """Draw what is asked now, in a narrow window at its lower edge, and what goes beside it."""
    stage = bench.stage(seat.project)
    idle = _idle(bench, stage)
    few = len(bench.task.options) <= IN_SIGHT
    low = narrow and few and stage not in ("reason", "conflict")
    with st.bottom if low else st.container(), st.container(key="decisions", gap="xsmall"):
        drawn = STAGES[stage](Desk(page, seat, bench, low))
        if stage == "conflict":
            _status(drawn, bench.token, idle)
            return
        if not low:
            _beside(page, bench)
        _status([*drawn, BACK, *BESIDE], bench.token, idle)
    if low:
        _beside(page, bench)
    with st.container(key="note"):
        note_box(
            key=act.NOTE_BOX,
            token=bench.token,
            text=bench.note,
            on_draft=lambda: act.take_input(page),
            rows=2,
            focus_key=NOTE_KEY,
        )
    with st.container(key="more", horizontal=True, gap="small"):
        token = bench.token
        if stage != "reason":
            key_button(BACK, act.back, (page, token))
        st.button(UNDO.word, key="undo", shortcut=UNDO.key, on_click=closed.undo, args=(page,))
        key_button(LATER, act.later, (page, token))
        if len(bench.case.fields) > 1:
            key_button(NEXT_FIELD, act.next_field, (page, token))


def _beside(page: OpenPage, bench: Bench) -> None:
    """Draw confidence and the guideline tick; both are optional and start empty."""
    token = bench.token
    with st.container(horizontal=True, gap="xsmall", key="beside", vertical_alignment="center"):
        st.text("Confidence")
        for confidence, binding in CONFIDENCES:
            mark = "● " if bench.confidence == confidence else "○ "
            key_button(
                binding,
                act.choose_confidence,
                (page, token, confidence),
                label=mark + binding.word,
                type="tertiary",
            )
        key_button(
            GUIDELINE,
            act.tick_guideline,
            (page, token),
            label=("☑ " if bench.guideline else "☐ ") + GUIDELINE.word,
            type="tertiary",
        )


def _idle(bench: Bench, stage: Stage) -> dict[str, str]:
    """Return what is said to keys that do nothing now."""
    keys = (*DIGITS, "0", "x", "p", "f", "t", *CAUSE_KEYS)
    words = dict.fromkeys(keys, f"This key does nothing now. {_ASKED[stage]}")
    if len(bench.case.fields) < 2:
        words[NEXT_FIELD.key] = "There is no other field in this case."
    if len(bench.task.options) <= AT_ONCE:
        words[MORE.key] = "There are no more answers: each has its digit."
    return words


def _status(
    bindings: Sequence[Binding], token: str = "", idle: Mapping[str, str] | None = None
) -> None:
    with st.container(key="save-state"):
        status_line(
            said(),
            keys=guarded_keys(bindings),
            token=token,
            after=FAST,
            ahead=(*DIGITS, "0", "p", "f", "t"),
            once=(GUIDELINES.key, "Escape"),
            besides=besides(idle or {}),
        )
