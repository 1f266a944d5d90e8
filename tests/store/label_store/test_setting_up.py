from __future__ import annotations

from typing import Any

import pytest
from desk import label, open_desk

from judgekit.errors import InputError
from judgekit.model.item import Item
from judgekit.store.label_store import (
    GuidelineVersion,
    LabelSchema,
    LabelStore,
    Person,
    Project,
)


def actions(store: LabelStore, prefix: str = "") -> list[str]:
    return [row.action for row in store.audit.rows(action=prefix)][::-1]


def test_a_project_comes_back_as_it_was_made(store: LabelStore) -> None:
    open_desk(store, 3, design="stratified:short")
    got = store.projects.get("desk")
    assert (got.n_items, got.settings.design, got.label_schema.version) == (
        3,
        "stratified:short",
        1,
    )
    assert store.projects.list() == (got,)
    with pytest.raises(InputError, match="already"):
        store.projects.create(got, actor="lea")


@pytest.mark.parametrize(
    ("key", "value"), [("seed", "2"), ("overlap_share", 0.1), ("repeat_share", 0.1)]
)
def test_every_change_of_seed_overlap_and_repeats_is_an_audit_row(
    store: LabelStore, key: str, value: Any
) -> None:
    """M8."""
    open_desk(store, 3)
    settings = store.projects.get("desk").settings
    changed = settings.model_copy(update={key: value})
    store.projects.change_settings("desk", changed, actor="lea")
    store.projects.change_settings("desk", changed, actor="lea")
    (row,) = store.audit.rows(action="settings.")
    assert (row.actor, row.action, row.project) == ("lea", f"settings.{key}", "desk")
    assert (row.before, row.after) == ({key: getattr(settings, key)}, {key: value})


def test_roles_are_audited_and_a_last_lead_stays(store: LabelStore) -> None:
    """M8."""
    store.people.add(Person(alias="lea", roles=("lead",)), actor="lea")
    store.people.add(Person(alias="ana"), actor="lea")
    store.people.set_roles("ana", ("annotator", "adjudicator"), actor="lea")
    (row,) = store.audit.rows(action="person.roles")
    assert row.after == {"roles": ["annotator", "adjudicator"]}
    with pytest.raises(InputError, match="only lead"):
        store.people.set_roles("lea", (), actor="lea")
    with pytest.raises(InputError, match="only lead"):
        store.people.set_active("lea", active=False, actor="lea")
    lea = store.people.get("lea")
    assert lea is not None
    assert lea.roles == ("lead",)


def test_people_are_found_by_alias_and_subject(store: LabelStore) -> None:
    ana = store.people.add(Person(alias="ana", subject="idp|1", verified=True), actor="lea")
    assert store.people.by_subject("idp|1") == ana
    assert store.people.by_subject("idp|2") is None
    assert store.people.ensure(Person(alias="ana", roles=("lead",)), actor="x") == ana
    with pytest.raises(InputError, match="already"):
        store.people.add(Person(alias="ben", subject="idp|1"), actor="lea")
    store.people.set_active("ana", active=False, actor="lea")
    assert store.people.list() == ()
    assert [p.alias for p in store.people.list(active=False)] == ["ana"]
    with pytest.raises(InputError, match="no person"):
        store.people.set_active("zoe", active=True, actor="lea")


def test_audit_rows_are_filtered_and_counted(store: LabelStore) -> None:
    for k in range(5):
        store.audit.add("sign_in.local", actor=f"p{k % 2}", subject="x")
    store.audit.add("export_all", actor="p0")
    assert [row.actor for row in store.audit.rows(action="sign_in.", limit=2, offset=1)] == [
        "p1",
        "p0",
    ]
    assert store.audit.count(actor="p0", action="sign_in.") == 3
    assert store.audit.count(action="export%") == 0


def test_items_are_imported_once_and_a_conflict_writes_nothing(store: LabelStore) -> None:
    """M1, M3: a dry run writes nothing; twice gives 0 new."""
    open_desk(store, 2)
    new = Item(id="n1", output="x")
    dry = store.projects.import_items("desk", [new], actor="lea", dry_run=True)
    assert (dry.n_new, dry.written) == (1, False)
    known = store.projects.item("desk", "c1").item
    bad = store.projects.import_items(
        "desk", [new, known, Item(id="c2", output="other")], actor="lea"
    )
    assert (bad.n_new, bad.n_known, bad.conflicting, bad.written) == (1, 1, ("c2",), False)
    assert store.projects.get("desk").n_items == 2
    first = store.projects.import_items("desk", [new], actor="lea", designs={"n1": "targeted"})
    again = store.projects.import_items("desk", [new], actor="lea")
    assert (first.n_new, again.n_new, again.n_known) == (1, 0, 1)
    assert store.projects.item("desk", "n1").design == "targeted"
    assert len(store.projects.items("desk", offset=1, limit=1)) == 1


def test_guidelines_and_schemas_have_versions(store: LabelStore) -> None:
    """Honest 8."""
    open_desk(store)
    one = GuidelineVersion(version="1", text="be strict")
    store.projects.change_guideline("desk", one, actor="lea")
    store.projects.change_guideline("desk", one, actor="lea")
    with pytest.raises(InputError, match="another text"):
        store.projects.change_guideline(
            "desk", one.model_copy(update={"text": "be kind"}), actor="lea"
        )
    assert [g.version for g in store.projects.guidelines("desk")] == ["1"]
    schema = store.projects.get("desk").label_schema
    store.projects.change_schema("desk", schema, actor="lea")
    changed = schema.model_copy(update={"mode_required": True})
    assert store.projects.change_schema("desk", changed, actor="lea").label_schema.version == 2
    assert [s.version for s in store.projects.schemas("desk")] == [1, 2]
    assert actions(store)[1:] == ["items.import", "guideline.version", "schema.version"]


def test_archived_projects_are_listed_when_asked(store: LabelStore) -> None:
    open_desk(store)
    store.projects.archive("desk", archived=True, actor="lea")
    assert store.projects.list() == ()
    assert [p.name for p in store.projects.list(archived=True)] == ["desk"]


def test_hostile_text_comes_back_unchanged(store: LabelStore) -> None:
    """Acceptance E: control characters, RTL, markup and 500 kB."""
    text = "\x00\x1b<script>\u202e![](http://x) \ud83d\ude00 =cmd".encode(
        "utf-16", "surrogatepass"
    ).decode("utf-16")
    store.projects.create(
        Project(name="desk", dataset="desk", label_schema=LabelSchema()), actor="lea"
    )
    item = Item(id="<b>", input=text, output="x" * 500_000)
    store.projects.import_items("desk", [item], actor="lea")
    assert store.projects.item("desk", "<b>").item == item


def test_the_longest_item_id_works_and_a_longer_one_is_refused(store: LabelStore) -> None:
    open_desk(store, 1)
    longest = Item(id="\U0001f600" * 500, output="x")
    assert store.projects.import_items("desk", [longest], actor="lea").n_new == 1
    label(store, "ana", longest.id, "pass")
    for bad in ("n" * 501, "nul\x00"):
        with pytest.raises(InputError, match="item id"):
            store.projects.import_items("desk", [Item(id=bad, output="x")], actor="lea")


def test_a_typed_id_is_found_with_and_without_outer_blanks(store: LabelStore) -> None:
    open_desk(store, 1)
    ids = (" a 1 ", "b", " b", "\tb", " c", "c\n", "50%", "a 10")
    store.projects.import_items(
        "desk", [Item(id=one, input="q", output=one) for one in ids], actor="lea"
    )
    typed = (" a 1 ", "a 1", "a 1\n", "b", " b", "  b", "c", " 50% ", "nowhere ", " ")
    found = [store.projects.meant_id("desk", one) for one in typed]
    assert found == [" a 1 ", " a 1 ", " a 1 ", "b", " b", "b", "c", "50%", "nowhere", ""]
