"""What judges say about an item, shown on an own saved label where the project allows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from parts import label_actions as act
from parts.bindings import REVEAL
from parts.label_work import Work, say
from parts.page import OpenPage
from parts.settings import workspace

if TYPE_CHECKING:
    from judgekit.model.verdict import Verdict

_REVEALED = "_revealed"
NOTHING = "There is nothing to show about this item."


def may_reveal(page: OpenPage, work: Work | None) -> bool:
    """Return whether the key is offered: only on an own saved label, and only where it is on.

    In a pair the sides may be swapped here, so that a verdict would name the wrong one.
    """
    allowed = page.the_project.settings.reveal_after_save
    shown = work.shown if work is not None else None
    return allowed and shown is not None and bool(shown.answer) and shown.item.output_1 is None


def draw_reveal(page: OpenPage, work: Work) -> None:
    """Draw the button, and after it the verdicts; nothing is read or sent before."""
    if not may_reveal(page, work):
        return
    with st.container(key="reveal", gap="xsmall"):
        if st.session_state.get(_REVEALED) != work.shown.id:
            st.button(
                REVEAL.word, key="reveal-verdicts", shortcut=REVEAL.key,
                on_click=_reveal, args=(page, work.shown.id),
            )  # fmt: skip
            return
        st.header(REVEAL.word, anchor=False)
        found = _verdicts(page.the_project.dataset, work.shown.item.id)
        for judge, verdict in found:
            mode = f" ({verdict.failure_mode.replace('_', ' ')})" if verdict.failure_mode else ""
            passed = {True: "pass", False: "fail", None: f"no answer, {verdict.status}"}
            st.text(f"{judge}: {passed[verdict.passed]}{mode}")
            words = "\n".join(filter(None, (verdict.reason, verdict.raw)))
            if words:
                st.code(words, language=None, wrap_lines=True)
        if not found:
            st.text(NOTHING)


def _reveal(page: OpenPage, presentation: str) -> None:
    """Record that the verdicts are shown, then show them."""
    work = act.expected(page, presentation)
    if work is None:
        return
    with act.told("Not shown"):
        if page.store.labels.reveal(work.shown.id, annotator=page.user.alias):
            st.session_state[_REVEALED] = work.shown.id
            say("Verdicts shown. A label changed from now on stays out of calibration.")
        else:
            say(NOTHING)


def _verdicts(dataset: str, item_id: str) -> list[tuple[str, Verdict]]:
    """Return each judge's newest verdict about an item."""
    from judgekit.wiring import inputs_stamp  # late: Label is open without it

    place = workspace()
    by_judge = _on_record(str(place.root), dataset, inputs_stamp(place, dataset))
    return [(judge, held[item_id]) for judge, held in by_judge.items() if item_id in held]


@st.cache_resource(show_spinner=False, max_entries=4)
def _on_record(root: str, dataset: str, stamp: str) -> dict[str, dict[str, Verdict]]:
    from judgekit.store.workspace import find_workspace
    from judgekit.wiring import all_verdicts

    del stamp  # part of the cache's key
    place = find_workspace(Path(root))
    judges = [name for name, g in place.settings.graders.items() if g.kind == "judge"]
    data = place.dataset(dataset)
    return {
        name: {v.item_id: v for v in all_verdicts(place, name, data) if v.regrade == 0}
        for name in judges
    }
