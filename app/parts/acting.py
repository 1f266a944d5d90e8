"""Who acts, asked again at the moment of acting."""

from __future__ import annotations

from parts.page import refuse
from parts.pages import page_entry
from parts.sign_in import current_user
from parts.user import User


def acting_user(page: str) -> User:
    """Return who is signed in and may use `page`, else say "not allowed" and stop.

    Call it first in every callback that writes and in every fragment: callbacks run before the
    page begins and fragments run without it, so neither has seen that a role was taken away.
    """
    entry = page_entry(page)
    user = current_user()
    if not user.roles & entry.roles:
        refuse(entry, user)
    return user
