"""Refused sign-ins in the audit log: one row a session and reason, and never a flood."""

from __future__ import annotations

import threading
import time
from collections import deque

import streamlit as st

from judgekit.store.label_settings import SignInMode
from judgekit.store.label_store import LabelStore

ACTION = "sign_in.refused"
NOBODY = "-"
_MOST_A_MINUTE = 60
_MINUTE_S = 60.0
_lock = threading.Lock()
_recent: deque[float] = deque()


def audit_refusal(store: LabelStore, *, mode: SignInMode, reason: str, **details: str) -> None:
    """Write that a sign-in was refused; no header, secret or name goes into the row."""
    key = f"_refused_{reason}"
    if st.session_state.get(key) or not _may_write():
        return
    st.session_state[key] = True
    after = {"mode": mode, "reason": reason, **details}
    store.audit.add(ACTION, actor=NOBODY, after=after)


def _may_write() -> bool:
    """Return whether fewer than 60 rows were written in the last minute, and count this one."""
    now = time.monotonic()
    with _lock:
        while _recent and now - _recent[0] > _MINUTE_S:
            _recent.popleft()
        if len(_recent) >= _MOST_A_MINUTE:
            return False
        _recent.append(now)
        return True
