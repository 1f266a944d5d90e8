"""From what a provider or proxy says about somebody to a person of this workspace.

E-mail addresses and account names stay out of labels and of the database: a person is found by a
hash of what the provider says, and known by an alias.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from judgekit.store.label_settings import LabelSettings, SignInMode
from judgekit.store.label_store import LabelStore, Person
from parts.people import roles_of
from parts.sign_in_audit import audit_refusal
from parts.user import NotSignedIn, User

SHOWN = 16
"""How many characters of a code people pass on."""


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
    kept = store.people.get(alias)
    if kept is not None and not kept.active:
        return _kept_out(claim, alias, store)
    return User(alias, roles_of(store, alias) | group_roles, mode=claim.mode, verified=True)


def _known_alias(claim: Claim, settings: LabelSettings, store: LabelStore) -> str | None:
    for alias, named in settings.people.items():
        if named.subject == claim.subject:
            return alias
    person = store.people.by_subject(claim.code)
    return person.alias if person else None


def _enrol(claim: Claim, store: LabelStore) -> str:
    alias = f"person-{claim.code[:10]}"
    person = Person(alias=alias, roles=(), mode=claim.mode, verified=True, subject=claim.code)
    return store.people.ensure(person, actor=alias).alias


def _unknown(claim: Claim, store: LabelStore) -> NotSignedIn:
    audit_refusal(store, mode=claim.mode, reason="unknown person", code=claim.code)
    return NotSignedIn(
        "Your sign-in works, but nobody here has given you an alias yet.\n"
        f"Send this code to a lead, who enters it under Admin, People: {claim.code[:SHOWN]}"
    )


def _kept_out(claim: Claim, alias: str, store: LabelStore) -> NotSignedIn:
    audit_refusal(store, mode=claim.mode, reason="kept out", alias=alias)
    return NotSignedIn("You may not use this app any more. Ask a lead if that is a mistake.")
