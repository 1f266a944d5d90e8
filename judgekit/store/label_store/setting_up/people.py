"""People, their roles, and the audit log."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from judgekit.errors import InputError
from judgekit.model.canonical import canonical_json
from judgekit.store.label_settings import Role
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import LostRace, utc_now
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.setup import AuditRow, Person
from judgekit.store.label_store.scope import loaded
from judgekit.store.label_store.setting_up.audit_rows import add_row


class People(Part):
    """`store.people`: who may do what. Every change is an audit row."""

    def add(self, person: Person, *, actor: str) -> Person:
        """Add a person.

        Raises:
            InputError: the alias or the subject is taken.
        """
        try:
            with self._db.write() as connection:
                _insert(connection, person, actor)
        except LostRace as error:
            raise InputError(
                f"there is someone called {person.alias!r} already, or with that subject",
                found=repr(person.alias),
                expected="an alias and a subject that are free",
            ) from error
        return person

    def ensure(self, person: Person, *, actor: str) -> Person:
        """Return the person of that alias, added first where there is none; roles stay."""
        found = self.get(person.alias)
        if found is not None:
            return found
        try:
            with self._db.write() as connection:
                _insert(connection, person, actor)
        except LostRace:
            pass  # someone added the same person meanwhile: that one is returned
        return self._known(person.alias)

    def get(self, alias: str) -> Person | None:
        """Return the person of that alias, or None."""
        return self._one(select(t.person).where(t.person.c.alias == alias))

    def by_subject(self, subject: str) -> Person | None:
        """Return the person whom the identity provider calls `subject`, or None."""
        return self._one(select(t.person).where(t.person.c.subject == subject))

    def list(self, *, active: bool = True) -> tuple[Person, ...]:
        """Return the people by alias; `active=False` returns the others too."""
        with self._db.read() as connection:
            rows = connection.execute(select(t.person).order_by(t.person.c.alias)).all()
        people = tuple(_person(row) for row in rows)
        return tuple(person for person in people if person.active or not active)

    def set_roles(self, alias: str, roles: tuple[Role, ...], *, actor: str) -> Person:
        """Replace someone's roles.

        Raises:
            InputError: there is no such person, or the last lead would lose the role.
        """
        wanted = tuple(dict.fromkeys(roles))
        return self._change(alias, {"roles": canonical_json(list(wanted))}, "person.roles", actor)

    def set_active(self, alias: str, *, active: bool, actor: str) -> Person:
        """Let someone in or keep them out; their labels stay."""
        return self._change(alias, {"active": active}, "person.active", actor)

    def set_subject(self, alias: str, subject: str | None, *, actor: str) -> Person:
        """Say what the identity provider calls this person, or that it knows them no more.

        Raises:
            InputError: there is no such person, or the subject is another person's.
        """
        try:
            return self._change(alias, {"subject": subject}, "person.subject", actor)
        except LostRace as error:
            raise InputError(
                "this sign-in belongs to someone else",
                found=repr(subject),
                expected="a subject that no other person has",
            ) from error

    def _change(self, alias: str, values: dict[str, Any], action: str, actor: str) -> Person:
        with self._db.write() as connection:
            query = select(t.person).where(t.person.c.alias == alias)
            row = connection.execute(query).one_or_none()
            if row is None:
                raise _nobody(alias)
            connection.execute(update(t.person).where(t.person.c.alias == alias).values(**values))
            before, after = _person(row), _person(connection.execute(query).one())
            _keep_a_lead(connection, before)
            if before != after:
                key = action.split(".")[1]
                add_row(
                    connection,
                    action,
                    actor=actor,
                    subject=alias,
                    before=before.model_dump(mode="json", include={key}),
                    after=after.model_dump(mode="json", include={key}),
                )
        return after

    def _one(self, query: Select[Any]) -> Person | None:
        with self._db.read() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _person(row)

    def _known(self, alias: str) -> Person:
        person = self.get(alias)
        if person is None:
            raise _nobody(alias)
        return person


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
        with self._db.write(log=False) as connection:
            key = add_row(
                connection,
                action,
                actor=actor,
                project=project,
                subject=subject,
                before=before,
                after=after,
            )
            row = connection.execute(select(t.audit).where(t.audit.c.id == key)).one()
        return _audit_row(row)

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
        query = _filtered(select(t.audit), actor, action, project, subject)
        query = query.order_by(t.audit.c.id.desc()).offset(offset).limit(limit)
        with self._db.read() as connection:
            return tuple(_audit_row(row) for row in connection.execute(query))

    def count(
        self,
        *,
        actor: str | None = None,
        action: str | None = None,
        project: str | None = None,
        subject: str | None = None,
    ) -> int:
        """Return how many rows the same filters match."""
        query = select(func.count()).select_from(t.audit)
        with self._db.read() as connection:
            filtered = _filtered(query, actor, action, project, subject)
            return int(connection.execute(filtered).scalar_one())


def _insert(connection: Connection, person: Person, actor: str) -> None:
    row = person.model_dump(mode="json")
    row["roles"] = canonical_json(row["roles"])
    connection.execute(insert(t.person).values(**row, at=utc_now()))
    after = person.model_dump(mode="json", include={"roles", "mode", "verified"})
    add_row(connection, "person.add", actor=actor, subject=person.alias, after=after)


def _person(row: Row[Any]) -> Person:
    values = row._asdict()
    values.pop("at")
    return Person.model_validate_json(canonical_json(values | {"roles": json.loads(row.roles)}))


def _nobody(alias: str) -> InputError:
    return InputError(
        f"there is no person called {alias!r}", found=repr(alias), expected="a known alias"
    )


def _keep_a_lead(connection: Connection, before: Person) -> None:
    if not (before.active and "lead" in before.roles):
        return
    people = [_person(row) for row in connection.execute(select(t.person))]
    if not any(person.active and "lead" in person.roles for person in people):
        raise InputError(
            f"{before.alias!r} is the only lead",
            found="no lead would be left",
            expected="at least one active lead",
            mend="make someone else lead first",
        )


def _audit_row(row: Row[Any]) -> AuditRow:
    values = row._asdict()
    values |= {"before": loaded(row.before), "after": loaded(row.after)}
    return AuditRow.model_validate(values)


def _filtered(
    query: Select[Any],
    actor: str | None,
    action: str | None,
    project: str | None,
    subject: str | None,
) -> Select[Any]:
    for column, value in (("actor", actor), ("project", project), ("subject", subject)):
        if value is not None:
            query = query.where(t.audit.c[column] == value)
    if action is not None:
        query = query.where(t.audit.c.action.startswith(action, autoescape=True))
    return query
