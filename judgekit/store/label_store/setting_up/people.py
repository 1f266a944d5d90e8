"""People, their roles, and the audit log."""

from __future__ import annotations

from typing import Any

from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.setup import AuditRow, Person, Role


class People(Part):
    """`store.people`: who may do what. Every change is an audit row."""

    def add(self, person: Person, *, actor: str) -> Person:
        """Add a person.

        Raises:
            InputError: the alias or the subject is taken.
        """
        raise NotImplementedError

    def ensure(self, person: Person, *, actor: str) -> Person:
        """Return the person of that alias, added first where there is none; roles stay."""
        raise NotImplementedError

    def get(self, alias: str) -> Person | None:
        """Return the person of that alias, or None."""
        raise NotImplementedError

    def by_subject(self, subject: str) -> Person | None:
        """Return the person whom the identity provider calls `subject`, or None."""
        raise NotImplementedError

    def list(self, *, active: bool = True) -> tuple[Person, ...]:
        """Return the people by alias; `active=False` returns the others too."""
        raise NotImplementedError

    def set_roles(self, alias: str, roles: tuple[Role, ...], *, actor: str) -> Person:
        """Replace someone's roles.

        Raises:
            InputError: there is no such person, or the last lead would lose the role.
        """
        raise NotImplementedError

    def set_active(self, alias: str, *, active: bool, actor: str) -> Person:
        """Let someone in or keep them out; their labels stay."""
        raise NotImplementedError


class AuditLog(Part):
    """`store.audit`: rows are added, never changed."""

    def add(
        self,
        action: str,
        *,
        actor: str,
        project: str | None = None,
        subject: str | None = None,
        before: dict[str, Any] | None = None,
        after: dict[str, Any] | None = None,
    ) -> AuditRow:
        """Add a row for something done outside the store (sign-in mode, export, sign-in)."""
        raise NotImplementedError

    def rows(
        self,
        *,
        actor: str | None = None,
        action: str | None = None,
        project: str | None = None,
        subject: str | None = None,
        offset: int = 0,
        limit: int = 100,
    ) -> tuple[AuditRow, ...]:
        """Return rows, newest first. `action` matches a prefix such as `settings.`."""
        raise NotImplementedError

    def count(
        self,
        *,
        actor: str | None = None,
        action: str | None = None,
        project: str | None = None,
        subject: str | None = None,
    ) -> int:
        """Return how many rows the same filters match."""
        raise NotImplementedError
