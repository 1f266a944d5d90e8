"""Who is using the app."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judgekit.store.label_settings import SignInMode


@dataclass(frozen=True)
class User:
    """A signed-in person. `verified` is False where nothing proved the name (mode `local`)."""

    alias: str
    roles: frozenset[str]
    mode: SignInMode
    verified: bool


@dataclass(frozen=True)
class NotSignedIn:
    """Nobody is signed in; `message` says why, in plain text.

    `sign_in` begins signing in where a button can; it is None where it cannot.
    """

    message: str
    sign_in: Callable[[], None] | None = None
