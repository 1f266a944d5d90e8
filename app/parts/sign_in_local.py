"""Signing in with a name, on this machine only: nothing proves the name."""

from __future__ import annotations

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.store.label_files import check_alias
from judgekit.store.label_store import LabelStore
from parts.people import known_aliases, roles_of
from parts.session import bound_alias, forget_session
from parts.user import User

_QUERY = "user"


def local_user(store: LabelStore) -> User:
    """Return the person named by the address or earlier in this session, else ask and stop.

    The name is kept in the address, so that a reload finds the same person. A name that nobody
    has yet is never taken from an address: it must be given on the sign-in page.
    """
    alias = st.query_params.get(_QUERY) or bound_alias()
    if alias is None or alias not in known_aliases(store):
        _ask(store, alias or "")
        st.stop()
    if st.query_params.get(_QUERY) != alias:
        st.query_params[_QUERY] = alias
    return User(alias=alias, roles=roles_of(store, alias), mode="local", verified=False)


def sign_out() -> None:
    """Let another person sign in: for the button in the navigation."""
    forget_session()
    st.query_params.clear()


def _ask(store: LabelStore, wanted: str) -> None:
    st.title("Sign in")
    with st.container(key="sign-in", width=480):
        st.text(
            "Choose who you are. Labels are kept under this name; on this machine nothing "
            "checks it, and labels say so."
        )
        for number, alias in enumerate(sorted(known_aliases(store))):
            st.button(
                f"`{alias}`",
                key=f"sign-in-{number}",
                on_click=_enter,
                args=(alias,),
                width="stretch",
            )
        st.text_input("New name", key="_new_name", value=wanted, max_chars=64)
        st.button("Sign in as a new person", key="sign-in-new", on_click=_enter_new, args=(store,))
        if fault := st.session_state.get("_sign_in_fault"):
            st.text(fault)


def _enter(alias: str) -> None:
    st.session_state.pop("_sign_in_fault", None)
    st.query_params[_QUERY] = alias


def _enter_new(store: LabelStore) -> None:
    alias = str(st.session_state.get("_new_name", "")).strip()
    try:
        check_alias(alias)
        _add(store, alias)
    except JudgekitError as error:
        st.session_state["_sign_in_fault"] = str(error)
        return
    _enter(alias)
