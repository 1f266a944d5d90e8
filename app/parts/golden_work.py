"""What one expert has typed about one case in this window, and the revision it stands on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from judgekit.goldens.entry_text import EntryTexts
from judgekit.goldens.two_experts import entry_texts
from judgekit.store.label_store import GoldenCase, GoldenEntry

_WORK = "_golden_work"


@dataclass(frozen=True)
class Work:
    """The texts of one case. `serial` grows when they are replaced from outside the boxes."""

    case_id: str
    texts: EntryTexts
    rev: int
    serial: int = 0
    conflict: GoldenEntry | None = None

    def token(self, box: str) -> str:
        """Return what a box is about: another token puts the text into it anew."""
        return f"{self.case_id}:{box}:{self.serial}"

    def widget(self, name: str) -> str:
        """Return the key of a widget of this version: a new one starts from the texts."""
        return f"golden-{name}-{self.serial}"

    def with_texts(self, **texts: Any) -> Work:
        """Return the work with some texts changed."""
        return replace(self, texts=self.texts.model_copy(update=texts))

    def at_revision(self, rev: int) -> Work:
        """Return the work as stored."""
        return replace(self, rev=rev, conflict=None)

    def in_conflict(self, stored: GoldenEntry) -> Work:
        """Return the work beside what someone stored in another window."""
        return replace(self, conflict=stored)

    def replaced_by(self, entry: GoldenEntry | None) -> Work:
        """Return the work with what is stored."""
        texts = entry_texts(entry.body) if entry is not None else EntryTexts()
        return Work(
            case_id=self.case_id,
            texts=texts,
            rev=entry.rev if entry is not None else 0,
            serial=self.serial + 1,
        )


def current_work(case: GoldenCase) -> Work:
    """Return the work at a case: this window's, else what is stored (after a reload)."""
    work = st.session_state.get(_WORK)
    if isinstance(work, Work) and work.case_id == case.case_id:
        return work
    serial = work.serial if isinstance(work, Work) else 0
    found = Work(case_id=case.case_id, texts=EntryTexts(), rev=0, serial=serial)
    found = found.replaced_by(case.mine)
    keep_work(found)
    return found


def keep_work(work: Work) -> None:
    """Keep the work in this window."""
    st.session_state[_WORK] = work


def forget_work() -> None:
    """Forget it: the case is read from the store when it is opened again."""
    st.session_state.pop(_WORK, None)
