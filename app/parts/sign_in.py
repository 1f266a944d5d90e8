"""Who is using the app: `current_user()`, whatever the way of signing in."""

from __future__ import annotations

import streamlit as st

from parts.messages import show_notice
from parts.session import bind_session
from parts.settings import label_settings
from parts.store import label_store
from parts.user import NotSignedIn, User


def current_user() -> User:
    """Return who is signed in; where nobody is, show the sign-in page and stop.

    Roles are read from the store on each call, so that a change in Admin holds at once.
    """
    found = _find_user()
    if isinstance(found, NotSignedIn):
        st.title("Sign in")
        show_notice(found.message, key="not-signed-in")
        if found.sign_in is not None:
            st.button("Sign in", key="sign-in", on_click=found.sign_in)
        st.stop()
    bind_session(found.alias)
    return found


def _find_user() -> User | NotSignedIn:
    settings = label_settings()
    mode = settings.sign_in.mode
    if mode == "oidc":
        from parts.sign_in_oidc import oidc_user

        return oidc_user(settings, label_store())
    if mode == "proxy":
        from parts.sign_in_proxy import proxy_user

        return proxy_user(settings, label_store())
    from parts.sign_in_local import local_user

    return local_user(label_store())
