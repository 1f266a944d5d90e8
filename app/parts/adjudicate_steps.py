"""What is asked of an adjudicator, one step after the other: choice, answer, mode, cause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from judgekit.store.label_store import Decision
from parts import adjudicate_actions as act
from parts.adjudicate_bench import Bench, Seat
from parts.adjudicate_keys import (
    AT_ONCE,
    BACK,
    CAUSE_WORDS,
    CAUSES,
    KEEP,
    MINE,
    MORE,
    NO_CAUSE,
    choices_of,
    field_word,
    label_word,
    labels_of,
    modes_of,
)
from parts.bindings import DIGITS, LOOK, Binding
from parts.note_box import note_box
from parts.page import OpenPage

IN_COLUMNS = 5
"""So many choices stand in columns of one width; more of them flow."""


@dataclass(frozen=True)
class Desk:
    """What a step is drawn from. `low`: at the lower edge of a narrow window, with little room."""

    page: OpenPage
    seat: Seat
    bench: Bench
    low: bool = False


def decision_words(decision: Decision) -> str:
    """Return a decision in words, without who made it."""
    if decision.choice == "exclude":
        return f"excluded: {decision.reason}"
    parts = [label_word(decision.label)]
    if decision.failure_mode:
        parts.append(decision.failure_mode.replace("_", " "))
    if decision.cause:
        parts.append(f"cause: {CAUSE_WORDS[decision.cause].lower()}")
    if decision.confidence:
        parts.append(f"confidence {decision.confidence}")
    if decision.note:
        parts.append(f"note: {decision.note}")
    return ", ".join(parts)


def key_button(
    binding: Binding, action: Callable[..., None], args: tuple[Any, ...], **more: Any
) -> None:
    """Draw the button of a key; `more` goes to `st.button`, `label` instead of the word."""
    st.button(
        more.pop("label", binding.word),
        key=f"key-{action.__name__}-{binding.value or 'none'}",
        shortcut=binding.key or None,
        on_click=action,
        args=args,
        **more,
    )


def _row(
    bindings: Sequence[Binding],
    action: Callable[..., None],
    page: OpenPage,
    token: str,
) -> None:
    with st.container(horizontal=True, gap="xsmall"):
        for binding in bindings:
            label = LOOK.get(binding.value, binding.word)
            key_button(binding, action, (page, token, binding.value), label=label)


def _judge(desk: Desk) -> list[Binding]:
    """Draw the choice and, below it, the causes: the cause saves. Both stay where they are.

    Where there is little room, the one is drawn and then the other.
    """
    page, bench = desk.page, desk.bench
    shown = [] if desk.low and bench.choice is not None else _choices(desk)
    if desk.low and bench.choice is None:
        return shown
    with st.container(key="question"):
        st.text(_question(bench))
    causes = [*CAUSES, NO_CAUSE]
    with st.container(horizontal=True, gap="xsmall", key="causes"):
        for binding in causes:
            key_button(binding, act.save, (page, bench.token, binding.value), width="stretch")
    return [*shown, *causes]


def _choices(desk: Desk) -> list[Binding]:
    """Draw one button for each answer, of one width where they are few."""
    page, bench = desk.page, desk.bench
    letters = [option.letter for option in bench.task.options]
    shown = choices_of(letters, bench.first)
    few = len(shown) <= IN_COLUMNS and not desk.low
    columns = st.columns(len(shown), gap="small") if few else ()
    row = st.container(horizontal=True, gap="xsmall", key="choices")
    for place, binding in enumerate(shown):
        chosen = bench.choice == binding.value
        word = binding.word if few else binding.word.removesuffix(" is right")
        with columns[place] if few else row:
            key_button(
                binding, act.choose, (page, bench.token, binding.value),
                width="stretch" if few else "content",
                label=f"**● {word}**" if chosen else word,
            )  # fmt: skip
    if len(letters) <= AT_ONCE:
        return shown
    with row:
        key_button(MORE, act.more_answers, (page, bench.token), type="tertiary")
    return [*shown, MORE]


def _question(bench: Bench) -> str:
    """Return what the cause is asked for."""
    if bench.choice is None:
        return "Then why they differ; the cause saves:"
    must = " A decision against both needs one." if bench.overrides() else ""
    return f"{_chosen(bench)}. Why did they differ? The cause saves.{must}"


def _label(desk: Desk) -> list[Binding]:
    page, bench = desk.page, desk.bench
    st.text("Other: which answer is right?")
    bindings = labels_of(desk.seat.project.label_schema, bench.at)
    _row(bindings, act.choose_label, page, bench.token)
    return bindings


def _mode(desk: Desk) -> list[Binding]:
    page, bench = desk.page, desk.bench
    st.text("Fail, because")
    bindings = modes_of(desk.seat.project.label_schema)
    _row(bindings, act.choose_mode, page, bench.token)
    return bindings


def _chosen(bench: Bench) -> str:
    if bench.choice != "other":
        return f"{bench.choice} is right"
    mode = f", {bench.mode.replace('_', ' ')}" if bench.mode else ""
    return f"Other: {label_word(bench.label)}{mode}"


def _reason(desk: Desk) -> list[Binding]:
    page, bench = desk.page, desk.bench
    token = bench.token
    others = len(bench.case.fields) > 1
    kept = " Its other fields stay in the release." if others else ""
    st.text(f"Exclude the label of {field_word(bench.at)}.{kept}")
    note_box(
        key=act.REASON_BOX,
        token=token,
        text=bench.reason,
        label="Reason (needed). Ctrl+Enter excludes",
        on_draft=lambda: act.take_input(page),
        on_done=lambda: act.finish_reason(page, token),
        rows=2,
        focus_key=None,
        focus=True,
    )
    with st.container(horizontal=True, gap="small"):
        st.button("Exclude", key="exclude-now", on_click=act.exclude, args=(page, token))
        key_button(BACK, act.back, (page, token))
    return [BACK]


def _conflict(desk: Desk) -> list[Binding]:
    page, bench = desk.page, desk.bench
    conflict = bench.conflict
    if conflict is None:
        return []
    with st.container(border=True, key="conflict"):
        st.text("Someone else decided this field while you had it open. Nothing is overwritten.")
        stored = conflict.stored
        st.text("Stored: " + (decision_words(stored) if stored else "reopened, nothing stands"))
        st.text("Yours: " + decision_words(conflict.yours))
        with st.container(horizontal=True, gap="small"):
            key_button(KEEP, act.keep_stored, (page, bench.token))
            key_button(MINE, act.store_mine, (page, bench.token))
    return [KEEP, MINE]


CAUSE_KEYS = tuple(cause.key for cause in (*CAUSES, NO_CAUSE))
FAST = dict.fromkeys(DIGITS, CAUSE_KEYS)
"""A cause may follow the choice of an answer at once; the server puts the two together."""

STAGES: dict[str, Callable[[Desk], list[Binding]]] = {
    "choose": _judge,
    "label": _label,
    "mode": _mode,
    "cause": _judge,
    "reason": _reason,
    "conflict": _conflict,
}
