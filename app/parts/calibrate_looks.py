"""A look at the holdout is asked for before it is spent, as the command line spends it."""

from __future__ import annotations

import streamlit as st

from judgekit.errors import JudgekitError
from parts.acting import acting_user
from parts.calibrate_load import Asked, spend_looks
from parts.counts import counted

_FAILED = "_look_failed"


def look_is_free(asked: Asked) -> bool:
    """Return whether the figures may be shown now; else ask, and show none of them."""
    new = asked.foresight.new_looks
    if not new:
        return True
    with st.container(border=True, key="look"):
        st.text(_question(asked))
        st.button(
            f"Spend {_looks(len(new))} and show the figures",
            key="spend-look",
            type="primary",
            on_click=_spend,
            args=(asked,),
        )
        if _FAILED in st.session_state:
            st.text(st.session_state.pop(_FAILED))
    return False


def _question(asked: Asked) -> str:
    new, left = asked.foresight.new_looks, asked.foresight.looks_left
    names = ", ".join(dict.fromkeys(new))
    return (
        f"These items are the holdout. Showing the figures of {names} spends {_looks(len(new))}; "
        f"{left} {'is' if left == 1 else 'are'} left. Each look makes every later bound wider. "
        "Looking again at the same labels, verdicts and limits is free.\n"
        "Choosing between judges costs nothing on other items (Items: development)."
    )


def look_line(asked: Asked) -> str:
    """Return which items are shown, and how many looks at a holdout were used."""
    states = [report.looks for report in asked.foresight.reports if report.looks is not None]
    if not states:
        split = asked.options.split or "all"
        return f"Items: {split}. Looking here is free; judges are approved on the holdout only."
    last = states[-1]
    tail = "; they are used up: nothing more is decided on these items" if last.exhausted else ""
    return f"Holdout: {last.used} of {last.max_looks} looks used{tail}. Looking again is free."


def _looks(n: int) -> str:
    return counted(n, "look")


def _spend(asked: Asked) -> None:
    acting_user("calibrate")
    try:
        spend_looks(asked)
    except JudgekitError as error:
        st.session_state[_FAILED] = f"Error: {error}"
