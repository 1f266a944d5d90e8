"""Signing in through an identity provider, by Streamlit's own login."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAuthError, StreamlitSecretNotFoundError

from judgekit.store.label_settings import LabelSettings, OidcSettings
from judgekit.store.label_store import LabelStore
from parts.sign_in_claim import Claim, signed_in
from parts.user import NotSignedIn, User

_FAULT = "_oidc_fault"
NOT_CONFIGURED = (
    "Signing in through an identity provider is not configured on this server.\n"
    "Whoever runs it needs the package Authlib, and in .streamlit/secrets.toml the section [auth] "
    "with redirect_uri, cookie_secret, client_id, client_secret and server_metadata_url.\n"
    "The guide 'Sign in' shows it. For labelling alone on one machine: sign_in: {mode: local}."
)
HEADERS_TRUSTED = (
    "Signing in is refused: server.trustedUserHeaders is set, so any browser could say who it is.\n"
    "Whoever runs this server removes that option, or uses sign_in: {mode: proxy}."
)
_ASK = "Sign in with your organisation's account."


def oidc_user(settings: LabelSettings, store: LabelStore) -> User | NotSignedIn:
    """Return who is signed in at the identity provider, or how to sign in."""
    oidc = settings.sign_in.oidc
    if st.get_option("server.trustedUserHeaders"):
        return NotSignedIn(HEADERS_TRUSTED)
    claims = _claims()
    if claims is None:
        return NotSignedIn(NOT_CONFIGURED)
    found = oidc_claim(claims, oidc, now_s=time.time())
    if isinstance(found, Claim):
        return signed_in(found, settings, store)
    fault = st.session_state.pop(_FAULT, None)
    return NotSignedIn(fault or found, sign_in=lambda: log_in(oidc))


def log_in(oidc: OidcSettings) -> None:
    """Send the browser to the identity provider, or keep the reason why that is impossible."""
    try:
        st.login(oidc.provider)
    except (StreamlitAuthError, StreamlitSecretNotFoundError):
        st.session_state[_FAULT] = NOT_CONFIGURED


def oidc_claim(claims: Mapping[str, Any], oidc: OidcSettings, *, now_s: float) -> Claim | str:
    """Return whom the provider's claims name, or what to tell the person.

    Streamlit checks the token's signature when it is issued and then keeps a signed cookie for 30
    days without looking at its age; `max_hours` does.
    """
    if claims.get("is_logged_in") is not True:
        return _ASK
    subject = claims.get(oidc.subject_claim)
    if not isinstance(subject, str) or not subject.strip():
        return f"The identity provider did not say who you are: no claim {oidc.subject_claim!r}."
    issued_s = claims.get("iat")
    if not isinstance(issued_s, int | float) or now_s - issued_s > oidc.max_hours * 3600:
        return f"Your sign-in is older than {oidc.max_hours} hours. Sign in again."
    groups = claims.get(oidc.groups_claim)
    named = groups if isinstance(groups, list | tuple) else ()
    return Claim(
        mode="oidc",
        subject=subject,
        issuer=str(claims.get("iss", "")),
        groups=tuple(group for group in named if isinstance(group, str)),
    )


def _claims() -> Mapping[str, Any] | None:
    """Return what Streamlit knows of the person; None where no provider is configured.

    Without [auth] in the secrets `st.user` holds no `is_logged_in` at all, and reading it as an
    attribute raises.
    """
    try:
        claims = st.user.to_dict()
    except StreamlitSecretNotFoundError:
        return None
    return claims if "is_logged_in" in claims else None
