"""Admin, People: who may do what."""

from __future__ import annotations

import re

import streamlit as st

from judgekit.errors import InputError, JudgekitError
from judgekit.store.label_settings import ALIAS_PATTERN, ROLES, LabelSettings, Role
from judgekit.store.label_store import LabelStore, Person
from parts.admin_done import done, show_done
from parts.admin_table import show_rows
from parts.messages import show_error
from parts.page import OpenPage
from parts.settings import label_settings
from parts.sign_in_audit import ACTION

_MODES = {
    "local": "local: people choose a name on this machine, and nothing proves it",
    "oidc": "oidc: people sign in at your identity provider",
    "proxy": "proxy: people sign in at your proxy",
}
_LEAST_CODE = 16
_SEARCHED = 1000


def people_section(page: OpenPage) -> None:
    """Show everybody with their roles, and let a lead change them."""
    settings = label_settings()
    st.header("People", anchor=False)
    with st.container(key="sign-in-mode"):
        st.text(f"Sign-in mode: {_MODES[settings.sign_in.mode]}. It is set in judgekit.yaml.")
    people = everybody(page.store, settings)
    if people:
        rows = [_row(person, settings) for person in people]
        show_rows("Everybody and their roles", rows, key="people-table")
    else:
        st.text("Nobody is known yet.")
    show_done("people-done")
    if people:
        _change(page, people)
    _add(page, settings)


def everybody(store: LabelStore, settings: LabelSettings) -> tuple[Person, ...]:
    """Return the people kept in the store and those who so far only stand in judgekit.yaml."""
    kept = store.people.list(active=False)
    known = {person.alias for person in kept}
    proven = settings.sign_in.mode != "local"
    declared = (
        Person(alias=alias, roles=(), mode=settings.sign_in.mode, verified=proven)
        for alias in settings.people
        if alias not in known
    )
    return tuple(sorted((*kept, *declared), key=lambda person: person.alias))


def _row(person: Person, settings: LabelSettings) -> dict[str, str]:
    declared = settings.people.get(person.alias)
    return {
        "Alias": person.alias,
        "Roles given here": ", ".join(person.roles) or "none",
        "Roles in judgekit.yaml": ", ".join(declared.roles) if declared else "",
        "Name": "proven" if person.verified else "not verified",
        "May sign in": "yes" if person.active else "no",
    }


def _change(page: OpenPage, people: tuple[Person, ...]) -> None:
    st.subheader("Change somebody", anchor=False)
    by_alias = {person.alias: person for person in people}
    alias = st.selectbox("Person", list(by_alias), key="change-alias", width=480)
    person = by_alias[alias]
    roles = st.pills(
        "Roles given here",
        ROLES,
        selection_mode="multi",
        default=list(person.roles),
        key=f"change-roles-{alias}-{'-'.join(person.roles)}",
    )
    with st.container(horizontal=True):
        if st.button("Save roles", key="save-roles"):
            _save_roles(page, person, tuple(role for role in ROLES if role in roles))
        word = "Keep out" if person.active else "Let in again"
        if st.button(word, key="set-active"):
            _set_active(page, person)
    if label_settings().sign_in.mode != "local":
        _link(page, person)
    st.text("What stands in judgekit.yaml is added to these roles and can only be changed there.")


def _link(page: OpenPage, person: Person) -> None:
    with st.form(f"link-{person.alias}", border=False):
        code = st.text_input(
            "Sign-in code of this person",
            key=f"link-code-{person.alias}",
            help="Shown to somebody who signed in and has no alias yet.",
            width=480,
        )
        pressed = st.form_submit_button("Link this sign-in", key=f"link-{person.alias}-button")
    if not pressed:
        return
    try:
        subject = _subject(page.store, code.strip())
        page.store.people.ensure(person, actor=page.user.alias)
        page.store.people.set_subject(person.alias, subject, actor=page.user.alias)
    except JudgekitError as error:
        show_error(error, key="people-error")
        return
    done("people-done", f"This sign-in is now {person.alias}.")


def _save_roles(page: OpenPage, person: Person, roles: tuple[Role, ...]) -> None:
    try:
        page.store.people.ensure(person, actor=page.user.alias)
        page.store.people.set_roles(person.alias, roles, actor=page.user.alias)
    except JudgekitError as error:
        show_error(error, key="people-error")
        return
    done("people-done", f"{person.alias} now has: {', '.join(roles) or 'no role'}.")


def _set_active(page: OpenPage, person: Person) -> None:
    if person.alias == page.user.alias:
        show_error(InputError("you cannot keep yourself out"), key="people-error")
        return
    active = not person.active
    try:
        page.store.people.ensure(person, actor=page.user.alias)
        page.store.people.set_active(person.alias, active=active, actor=page.user.alias)
    except JudgekitError as error:
        show_error(error, key="people-error")
        return
    done("people-done", f"{person.alias} may {'sign in' if active else 'not sign in any more'}.")


def _add(page: OpenPage, settings: LabelSettings) -> None:
    st.subheader("Add somebody", anchor=False)
    proven = settings.sign_in.mode != "local"
    with st.form("add-person", border=False):
        alias = st.text_input("Alias", key="add-alias", max_chars=64, help="a-z, 0-9, . _ -")
        code = ""
        if proven:
            code = st.text_input("Sign-in code", key="add-code", help="The person was shown it.")
        roles = st.pills("Roles", ROLES, selection_mode="multi", key="add-roles")
        pressed = st.form_submit_button("Add person", key="add-person-button")
    if not pressed:
        return
    try:
        person = _new_person(page.store, settings, alias.strip(), code.strip(), roles)
        page.store.people.add(person, actor=page.user.alias)
    except JudgekitError as error:
        show_error(error, key="people-error")
        return
    done("people-done", f"{person.alias} was added.")


def _new_person(
    store: LabelStore, settings: LabelSettings, alias: str, code: str, roles: list[Role]
) -> Person:
    if not re.fullmatch(ALIAS_PATTERN, alias):
        raise InputError(
            "this alias cannot be used",
            found=repr(alias),
            expected="a-z, 0-9, '.', '_' and '-', at most 64 characters; no e-mail address",
        )
    mode = settings.sign_in.mode
    return Person(
        alias=alias,
        roles=tuple(role for role in ROLES if role in roles),
        mode=mode,
        verified=mode != "local",
        subject=None if mode == "local" else _subject(store, code),
    )


def _subject(store: LabelStore, code: str) -> str:
    """Return the whole code of somebody whose sign-in was refused and who was shown its start."""
    if not re.fullmatch(r"[0-9a-f]{16,64}", code):
        raise InputError(
            "this is not a sign-in code",
            expected=f"the {_LEAST_CODE} characters that the person was shown at sign-in",
        )
    rows = store.audit.rows(action=ACTION, limit=_SEARCHED)
    codes = {str((row.after or {}).get("code", "")) for row in rows}
    found = [whole for whole in codes if whole.startswith(code)]
    if len(found) != 1:
        raise InputError(
            "nobody with this code has tried to sign in",
            mend="let the person sign in once and send you the code again",
        )
    return found[0]
