"""From what a provider or proxy says about somebody to a person of this workspace.

E-mail addresses and account names stay out of labels and of the database: a person is found by a
hash of what the provider says, and known by an alias.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from judgekit.store.label_settings import LabelSettings
from judgekit.store.label_store import LabelStore
from parts.people import roles_of
from parts.sign_in_audit import audit_refusal
from parts.user import NotSignedIn, SignInMode, User

_SHOWN = 12


@dataclass(frozen=True)
class Claim:
    """Somebody as a provider or proxy names them: never shown, logged or stored as it stands."""

    mode: SignInMode
    subject: str
    issuer: str = ""
    groups: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """Return the hash that stands for the person in the database."""
        return sha256(f"{self.mode}\n{self.issuer}\n{self.subject}".encode()).hexdigest()


def signed_in(claim: Claim, settings: LabelSettings, store: LabelStore) -> User | NotSignedIn:
    """Return the person whom the claim names, with the roles that settings, groups and store give.

    Somebody unknown gets in only with a role from a group, under an alias made from the hash.
    """
    group_roles = frozenset(r for group in claim.groups for r in settings.groups.get(group, ()))
    alias = _known_alias(claim, settings, store)
    if alias is None and group_roles:
        alias = _enrol(claim, store)
    if alias is None:
        return _unknown(claim, store)
    return User(alias, roles_of(store, alias) | group_roles, mode=claim.mode, verified=True)


def _known_alias(claim: Claim, settings: LabelSettings, store: LabelStore) -> str | None:
    for alias, person in settings.people.items():
        if person.subject == claim.subject:
            return alias
    known = (p.alias for p in store.people() if p.active and p.subject == claim.code)
    return next(known, None)


def _enrol(claim: Claim, store: LabelStore) -> str:
    alias = f"person-{claim.code[:10]}"
    store.add_person(alias, roles=(), subject=claim.code, actor=alias)
    return alias


def _unknown(claim: Claim, store: LabelStore) -> NotSignedIn:
    code = claim.code[:_SHOWN]
    audit_refusal(store, mode=claim.mode, reason="unknown person", detail={"code": claim.code})
    return NotSignedIn(
        "Your sign-in works, but nobody here has given you an alias yet.\n"
        f"Send this code to a lead, who enters it under Admin, People: {code}"
    )
