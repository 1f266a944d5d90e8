"""Signing in through a reverse proxy: believed by its address and a shared secret, never by one."""

from __future__ import annotations

import hmac
import os
from dataclasses import dataclass
from typing import Literal

from judgekit.errors import InputError
from judgekit.store.label_settings import LabelSettings, ProxySettings
from judgekit.store.label_store import LabelStore
from parts.sign_in_audit import audit_refusal
from parts.sign_in_claim import Claim, signed_in
from parts.sign_in_peer import Request, current_request, is_among
from parts.user import NotSignedIn, User

Reason = Literal["peer rewritten", "peer", "secret", "user", "not set up"]
MAX_NAME = 256
_ONE_ANSWER = (
    "You are not signed in: this page was not reached through the sign-in proxy.\n"
    "Open it at the address that your team uses, or ask whoever runs it."
)
"""The same for every cause, so that nobody can feel their way; the cause is in the audit log."""
_NOT_SET_UP = "Signing in is not set up on this server. Whoever runs it finds why in the audit log."


@dataclass(frozen=True)
class Refused:
    """Why a request is not believed."""

    reason: Reason


def proxy_user(settings: LabelSettings, store: LabelStore) -> User | NotSignedIn:
    """Return who the proxy says is there, or that nobody is signed in."""
    request = current_request()
    found = proxy_claim(request, settings, os.environ)
    if isinstance(found, Claim):
        return signed_in(found, settings, store)
    peer = request.peer or "unknown"
    audit_refusal(store, mode="proxy", reason=found.reason, peer=peer)
    set_up = found.reason not in ("peer rewritten", "not set up")
    return NotSignedIn(_ONE_ANSWER if set_up else _NOT_SET_UP)


def proxy_claim(
    request: Request, settings: LabelSettings, environment: os._Environ[str] | dict[str, str]
) -> Claim | Refused:
    """Return whom the proxy names, or why this request is not believed.

    The peer's address must be a configured one, and the secret must have been sent exactly once
    and be right, before the name is even looked at.
    """
    try:
        secret = settings.proxy_secret(environment)
    except InputError:
        return Refused("not set up")  # the server's own start told whoever runs it why
    proxy = settings.sign_in.proxy
    if proxy is None or secret is None:
        return Refused("not set up")
    if request.rewritten:
        return Refused("peer rewritten")
    if not is_among(request.peer, proxy.peers):
        return Refused("peer")
    if not _same(request.only(proxy.secret_header), secret):
        return Refused("secret")
    return _named(request, proxy)


def _same(given: str | None, secret: str) -> bool:
    """Compare in constant time; nothing given is compared too."""
    return hmac.compare_digest((given or "").encode(), secret.encode())


def _named(request: Request, proxy: ProxySettings) -> Claim | Refused:
    """Return the person named exactly once, in plain text and not as a list of names."""
    name = (request.only(proxy.user_header) or "").strip()
    if not name or len(name) > MAX_NAME or "," in name or not name.isprintable():
        return Refused("user")
    listed = request.only(proxy.groups_header) if proxy.groups_header else None
    groups = tuple(group.strip() for group in (listed or "").split(",") if group.strip())
    return Claim(mode="proxy", subject=name, groups=groups)
