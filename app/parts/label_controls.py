"""The controls of the Label page: buttons, failure modes, criteria, progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

import streamlit as st

from judgekit.store.label_store import Presentation, Progress
from parts import label_actions as act
from parts.bindings import GUIDELINES, JUMP, LEAVE, LOOK, PAUSE, SKIP, UNDO, UNSURE_KEY, Binding
from parts.label_work import Work
from parts.page import OpenPage

CRITERIA_GROUPS = ".st-key-criteria .stButtonGroup"
"""One group of choices for each criterion: within it the arrows move."""
_CRITERION = {
    "pass": "✓ pass", "fail": "✗ fail", "unsure": "? unsure",
    "output_1": "first", "output_2": "second",
}  # fmt: skip


def label_bar(page: OpenPage, work: Work, labels: Sequence[Binding]) -> None:
    """Draw the answers, all of one weight, and below them Unsure, Skip and Undo."""
    shown = work.shown.id
    with st.container(key="label-bar", gap="xsmall"):
        with st.container(key="answers", horizontal=True, gap="small"):
            for binding in labels:
                _button(
                    LOOK.get(binding.value, f"**{binding.word}**"), binding, act.decide,
                    (page, shown, binding.value),
                )  # fmt: skip
        with st.container(key="others", horizontal=True, gap="small"):
            _button(UNSURE_KEY.word, UNSURE_KEY, act.decide, (page, shown, UNSURE_KEY.value))
            _button(SKIP.word, SKIP, act.skip, (page, shown))
            _button(UNDO.word, UNDO, act.undo, (page,))


def _button(
    label: str, binding: Binding, action: Callable[..., None], args: tuple[object, ...]
) -> None:
    st.button(
        label,
        key=f"decide-{binding.value}",
        shortcut=binding.key or None,
        width="stretch",
        on_click=action,
        args=args,
    )


def mode_bar(page: OpenPage, work: Work, modes: Sequence[Binding]) -> None:
    """Draw the failure modes: always there for a quick digit, and framed after Fail.

    The line above them is always there too, so that nothing below moves when Fail is pressed.
    """
    required = page.the_project.label_schema.mode_required
    awaited = f"Fail, because ({'' if required else 'f again: no mode, '}Esc: back)"
    with st.container(key="modes", gap="xsmall"):
        st.text(awaited if work.failing else "After Fail:")
        with st.container(horizontal=True, gap="xsmall"):
            for index, binding in enumerate(modes):
                st.button(
                    binding.word,
                    key=f"mode-{index}",
                    shortcut=binding.key or None,
                    on_click=act.decide_mode,
                    args=(page, work.shown.id, binding.value),
                    type="secondary" if work.failing else "tertiary",
                )


def criteria_controls(page: OpenPage, work: Work) -> None:
    """Draw the answers to each criterion; nothing is chosen beforehand."""
    schema = page.the_project.label_schema
    with st.container(key="criteria", gap="xsmall"):
        for index, criterion in enumerate(schema.criteria):
            needed = criterion.id in schema.required
            key = f"criterion-{work.shown.id}-{index}"
            if criterion.id in work.criteria and key not in st.session_state:
                st.session_state[key] = work.criteria[criterion.id]
            st.segmented_control(
                criterion.id.replace("_", " ") + (" (needed)" if needed else ""),
                [*schema.criterion_labels, UNSURE_KEY.value],
                format_func=lambda label: _CRITERION.get(label, label),
                key=key,
                on_change=act.choose_criterion,
                args=(page, work.shown.id, criterion.id, key),
            )


def draw_progress(done: Progress, shown: Presentation | None) -> None:
    """Draw how far this person is; no counts of anybody else."""
    total = done.labelled + done.left
    with st.container(key="progress", gap="xsmall"):
        place = f"Item {shown.position} of {shown.n_items} · " if shown else ""
        skipped = f" · {done.skipped} skipped" if done.skipped else ""
        st.text(f"{place}{done.labelled} labelled · {done.left} left{skipped}")
        if shown:
            st.html(f'<div class="jk-id">Item id: {escape(shown.item.id)}</div>')
        st.progress(done.labelled / total if total else 1.0)


def pause_and_jump(page: OpenPage, work: Work | None) -> None:
    """Draw what is used seldom: guidelines, pause, and going to one item."""
    with st.container(key="more", horizontal=True, gap="small", vertical_alignment="bottom"):
        st.button(
            GUIDELINES.word, key="toggle-guidelines", shortcut=GUIDELINES.key,
            on_click=act.toggle_guidelines, args=(page,),
        )  # fmt: skip
        if work is not None and work.paused_since_s is None:
            st.button(
                PAUSE.word, key="pause", shortcut=PAUSE.key,
                on_click=act.pause, args=(page, work),
            )  # fmt: skip
        st.text_input(
            f"{JUMP.word} ({JUMP.key})", key=act.JUMP_BOX, placeholder="id or number",
            on_change=act.jump, args=(page,), width=200,
        )  # fmt: skip
        if may_leave(work):
            st.button(
                LEAVE.word, key="leave", shortcut=LEAVE.key, on_click=act.leave, args=(page,),
            )  # fmt: skip


def may_leave(work: Work | None) -> bool:
    """Return whether the item in hand is one that was opened again or jumped to."""
    return work is not None and (work.shown.answer is not None or work.jumped)


def mode_descriptions(page: OpenPage, work: Work, modes: Sequence[Binding]) -> None:
    """Draw what each failure mode means while one is awaited; below all else, so nothing moves."""
    if work.failing and modes:
        means = {m.id: m.description for m in page.the_project.label_schema.failure_modes}
        with st.container(key="mode-descriptions", gap="xsmall"):
            for mode in modes:
                st.text(f"{mode.key} {mode.word}: {means[mode.value]}".strip())
