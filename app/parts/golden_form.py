"""The form that settles one difference: kept in this window and as a draft in the store."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from parts.golden_desk import GoldenDesk

_FORM = "_golden_form"
_SERIAL = "_golden_forms"


@dataclass(frozen=True)
class SettleForm:
    """What is being settled: the part, the choice, the value and the reason.

    `rev` is the revision of the part's outcome that was seen; a newer one is not overwritten.
    """

    case_id: str
    part: str
    serial: int
    rev: int
    choice: str | None = None
    value: str = ""
    reason: str = ""

    def token(self, box: str) -> str:
        """Return what a box of the form is about."""
        return f"{self.case_id}:{self.part}:{box}:{self.serial}"


def next_serial() -> int:
    """Return a number that no form of this window had."""
    serial = int(st.session_state.get(_SERIAL, 0)) + 1
    st.session_state[_SERIAL] = serial
    return serial


def current_form(desk: GoldenDesk, case_id: str) -> SettleForm | None:
    """Return this window's form of a case, else the stored draft (after a reload)."""
    form = st.session_state.get(_FORM)
    if isinstance(form, SettleForm) and form.case_id == case_id:
        return form
    draft = desk.store.goldens.load_draft(desk.project.name, case_id, desk.alias)
    restored = _restored(case_id, draft.body) if draft is not None else None
    st.session_state[_FORM] = restored
    return restored


def keep_form(desk: GoldenDesk, form: SettleForm) -> None:
    """Keep the form here and in the store."""
    st.session_state[_FORM] = form
    body = {key: value for key, value in asdict(form).items() if key not in ("case_id", "serial")}
    desk.store.goldens.save_draft(desk.project.name, form.case_id, desk.alias, body)


def forget_form(desk: GoldenDesk, case_id: str) -> None:
    """Forget the form: the difference is settled."""
    st.session_state.pop(_FORM, None)
    desk.store.goldens.clear_draft(desk.project.name, case_id, desk.alias)


def _restored(case_id: str, body: dict[str, Any]) -> SettleForm | None:
    try:
        return SettleForm(case_id=case_id, serial=next_serial(), **body)
    except TypeError:
        return None  # a draft of another version: the form begins anew
