"""Signing in with a name, on this machine only: nothing proves the name."""

from __future__ import annotations

import os
import re

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.store.label_files.aliases import check_alias
from judgekit.store.label_settings import ROLES
from judgekit.store.label_store import LabelStore, Person
from parts.people import has_lead, known_aliases, roles_of
from parts.session import bound_alias, forget_session
from parts.sign_in_peer import current_request, is_loopback
from parts.user import NotSignedIn, User

OWNER_VARIABLE = "JUDGEKIT_LABEL_OWNER"
_QUERY = "user"
_FAULT = "_sign_in_fault"
_FROM_HOME = "_from_home"
_NOT_LOCAL = (
    "This server lets people pick a name, which is for one machine only, and your request came "
    "from elsewhere.\nWhoever runs it sets sign_in: {mode: oidc} or {mode: proxy}."
)


def local_user(store: LabelStore) -> User | NotSignedIn:
    """Return the person named by the address or earlier in this session, else ask and stop.

    The name is kept in the address, so that a reload finds the same person. A name that nobody
    has yet is never taken from an address: it must be given on the sign-in page.
    """
    request = current_request()
    elsewhere = request.peer is not None and not is_loopback(request.peer)
    if elsewhere or request.came_through_a_proxy():
        return NotSignedIn(_NOT_LOCAL)
    alias = st.query_params.get(_QUERY) or bound_alias()
    if alias is None or alias not in known_aliases(store):
        _ask(store, alias or "")
        st.stop()
    if st.query_params.get(_QUERY) != alias:
        st.query_params[_QUERY] = alias
    roles = roles_of(store, alias) | frozenset(ROLES if alias == owner() else ())
    return User(alias=alias, roles=roles, mode="local", verified=False)


def owner() -> str | None:
    """Return the alias that `judgekit label --owner` named as the first lead, or None."""
    return os.environ.get(OWNER_VARIABLE) or None


def sign_out() -> None:
    """Let another person sign in: for the button in the navigation."""
    forget_session()
    st.query_params.clear()
    st.session_state[_FROM_HOME] = True


def starts_at_home() -> bool:
    """Return, once, whether the person has just taken another one's place.

    The page that was open may be none of theirs.
    """
    return bool(st.session_state.pop(_FROM_HOME, False))


def _ask(store: LabelStore, wanted: str) -> None:
    st.title("Sign in", anchor=False)
    with st.container(key="sign-in", width=480):
        st.text(
            "Choose who you are. Your labels are kept under this name. Nothing checks it on this "
            "machine, so each label is recorded as not verified."
        )
        if not has_lead(store):
            st.text("There is no lead yet: the next new person gets every role.")
        for number, alias in enumerate(sorted(known_aliases(store))):
            key = f"sign-in-{number}"
            plain = re.sub(r"([^A-Za-z0-9])", r"\\\1", alias)
            st.button(f"I am {plain}", key=key, on_click=_enter, args=(alias,), width="stretch")
        with st.form("new-person", border=False):
            st.text_input("New name", key="_new_name", value=wanted, max_chars=64)
            st.form_submit_button(
                "Sign in as a new person", key="sign-in-new", on_click=_enter_new, args=(store,)
            )
        if fault := st.session_state.get(_FAULT):
            st.text(fault)


def _enter(alias: str) -> None:
    st.session_state.pop(_FAULT, None)
    st.query_params[_QUERY] = alias


def _enter_new(store: LabelStore) -> None:
    """Add the person under the name typed; without a lead, the person gets every role."""
    alias = str(st.session_state.get("_new_name", "")).strip()
    first = not has_lead(store)
    try:
        check_alias(alias)
        roles = ROLES if first else ("annotator",)
        store.people.ensure(Person(alias=alias, roles=roles), actor=alias)
    except (JudgekitError, ValueError) as error:
        st.session_state[_FAULT] = _words(error)
        return
    _enter(alias)


def _words(error: Exception) -> str:
    if isinstance(error, JudgekitError):
        return str(error)
    return "A name has small letters, digits, '.', '_' and '-', at most 64, and starts with one."
