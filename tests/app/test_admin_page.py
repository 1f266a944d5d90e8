"""Admin: a lead sets up projects and people, imports with a dry run, and sees every change."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from postgres_server import fresh_database, missing_postgres, running_postgres
from streamlit.testing.v1 import AppTest

from judgekit.model.item import Item
from judgekit.store.label_store import LabelStore, Pace, Person, open_label_store
from parts.store import label_store

APP = Path(__file__).resolve().parents[2] / "app" / "streamlit_app.py"
RUBRIC = """schema: 1
name: desk
task: Decide.
criteria: [{id: right, description: It is right.}]
failure_modes: [{id: wrong, description: It is wrong.}]
"""
SETTINGS = """schema: 1
dataset: desk
label:
  people:
    lea: {roles: [lead]}
    ann: {roles: [annotator]}
  overlap_share: 0.3
  overlap_min: 2
"""
Open = Callable[..., AppTest]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "judgekit.yaml").write_text(SETTINGS)
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "desk.yaml").write_text(RUBRIC)
    folder = tmp_path / "annotations" / "desk"
    folder.mkdir(parents=True)
    (folder / "items.jsonl").write_text(lines(3))
    monkeypatch.setenv("JUDGEKIT_LABEL_WORKSPACE", str(tmp_path))
    st.cache_resource.clear()
    yield tmp_path
    st.cache_resource.clear()


@pytest.fixture
def store(root: Path) -> Iterator[LabelStore]:
    with open_label_store(None, root) as opened:
        yield opened


@pytest.fixture
def opened(root: Path) -> Open:
    def start(section: str = "Projects", user: str = "lea") -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=60)
        app.query_params["user"] = user
        app.run()
        app.switch_page("app_pages/admin.py")
        app.query_params["section"] = section
        app.run()
        assert [error.value for error in app.exception] == []
        return app

    return start


def lines(count: int, start: int = 0) -> str:
    rows = [{"id": f"i{n:05d}", "input": f"q{n}", "output": f"a{n}"} for n in range(start, count)]
    return "".join(json.dumps(row, sort_keys=True) + "\n" for row in rows)


def texts(app: AppTest) -> str:
    return "\n".join(element.value for element in app.text)


def table(app: AppTest, key: str) -> list[list[str]]:
    for element in app.get("bidi_component"):
        if element.proto.id.endswith(f"-{key}"):
            return list(json.loads(element.proto.json)["rows"])
    raise AssertionError(f"there is no table {key!r}")


def open_desk(app: AppTest) -> AppTest:
    app.selectbox("open-dataset").select("desk")
    app.selectbox("open-rubric").select("desk")
    return app.button("open-project-button").click().run()


def test_an_annotator_is_told_not_allowed_and_nothing_is_read(opened: Open, root: Path) -> None:
    """M5, logic: the page stops before any query about projects, people or the log."""
    app = opened(user="ann")
    assert "Not allowed" in texts(app)
    drawn = (app.tabs, app.selectbox, app.get("bidi_component"))
    assert [len(elements) for elements in drawn] == [0, 0, 0]


def test_a_project_is_opened_from_a_dataset_and_a_rubric(opened: Open, store: LabelStore) -> None:
    app = open_desk(opened())
    project = store.projects.get("desk")
    assert "Project desk is open with 3 items." in texts(app)
    assert (project.n_items, project.settings.overlap_share, project.settings.overlap_min) == (
        3,
        0.3,
        2,
    )


def test_every_change_of_overlap_seed_and_role_is_a_row_of_the_log(
    opened: Open, store: LabelStore
) -> None:
    """M8: an audit row with actor, before and after for seed, overlap and role."""
    open_desk(opened())
    app = opened()
    app.text_input("seed-desk").set_value("77")
    app.number_input("overlap-desk").set_value(50.0)
    app.button("save-settings-desk").click().run()
    settings = store.projects.get("desk").settings
    assert (settings.seed, settings.overlap_share) == ("77", 0.5)
    changed = store.audit.rows(action="settings.")
    assert {(row.actor, row.project) for row in changed} == {("lea", "desk")}
    assert "77" in json.dumps([row.after for row in changed])
    told = "\n".join(row[-1] for row in table(opened("Audit"), "audit-table"))
    assert "seed: 1 \u2192 77" in told

    store.people.add(Person(alias="ben"), actor="lea")
    app = opened("People")
    app.selectbox("change-alias").select("ben").run()
    app.button_group("change-roles-ben-annotator").set_value(["annotator", "adjudicator"])
    app.button("save-roles").click().run()
    person = store.people.get("ben")
    assert person is not None
    assert set(person.roles) == {"annotator", "adjudicator"}
    row = store.audit.rows(action="person.roles")[0]
    assert (row.actor, row.subject, row.before) == ("lea", "ben", {"roles": ["annotator"]})


def test_an_impossible_setting_is_refused_in_plain_words(opened: Open, store: LabelStore) -> None:
    open_desk(opened())
    app = opened()
    app.text_input("seed-desk").set_value("   ")
    app.button("save-settings-desk").click().run()
    assert "a setting cannot be used" in texts(app)
    assert store.projects.get("desk").settings.seed == "1"


def test_a_person_is_added_under_an_alias_and_never_under_an_address(
    opened: Open, store: LabelStore
) -> None:
    app = opened("People")
    app.text_input("add-alias").set_value("ben@example.org")
    app.button("add-person-button").click().run()
    assert "this alias cannot be used" in texts(app)
    app.text_input("add-alias").set_value("ben")
    app.button_group("add-roles").set_value(["adjudicator"])
    app.button("add-person-button").click().run()
    assert store.people.get("ben") == Person(alias="ben", roles=("adjudicator",))
    assert "ben was added." in texts(app)


def test_a_person_of_the_file_gets_more_roles_here_and_keeps_those_of_the_file(
    opened: Open, store: LabelStore
) -> None:
    app = opened("People")
    app.button_group("change-roles-ann-").set_value(["engineer"])
    app.button("save-roles").click().run()
    kept = store.people.get("ann")
    assert kept is not None
    assert kept.roles == ("engineer",)
    row = next(row for row in table(app, "people-table") if row[0] == "ann")
    assert row[1:3] == ["engineer", "annotator"]


def test_nobody_can_keep_themselves_out(opened: Open, store: LabelStore) -> None:
    app = opened("People")
    app.selectbox("change-alias").select("lea").run()
    app.button("set-active").click().run()
    assert "you cannot keep yourself out" in texts(app)


def test_a_person_who_is_kept_out_is_out_at_the_next_click(opened: Open, store: LabelStore) -> None:
    """Sessions: a role that was taken away is refused at the next interaction."""
    for alias in ("max", "leo"):
        store.people.add(Person(alias=alias, roles=("lead",)), actor="lea")
    app = opened("People", user="max")
    store.people.set_roles("max", ("annotator",), actor="lea")
    app.text_input("add-alias").set_value("eve")
    app.button("add-person-button").click().run()
    assert "Not allowed" in texts(app)
    assert store.people.get("eve") is None


def upload(app: AppTest, name: str, text: str) -> AppTest:
    app.file_uploader("import-file").set_value((name, text.encode(), "text/plain")).run()
    return app.button("import-check").click().run()


def test_a_dry_run_writes_nothing_and_then_the_import_writes_all(
    opened: Open, store: LabelStore
) -> None:
    """M1 and M3: the check counts and writes nothing; a second import has 0 new."""
    open_desk(opened())
    app = upload(opened("Import"), "more.jsonl", lines(5))
    assert "2 new, 3 known, 0 conflicting, 0 rejected" in texts(app)
    assert store.projects.get("desk").n_items == 3
    app.button("import-now").click().run()
    assert "Imported: 2 new, 3 known." in texts(app)
    assert store.projects.get("desk").n_items == 5
    app = upload(opened("Import"), "more.jsonl", lines(5))
    assert "There is nothing new in this file." in texts(app)
    assert "0 new, 5 known, 0 conflicting, 0 rejected" in texts(app)


def test_a_bad_line_is_named_and_nothing_can_be_imported(opened: Open, store: LabelStore) -> None:
    """M2: the line number is shown and there is no button to import the rest."""
    open_desk(opened())
    text = lines(4) + '{"id": 7, "inputt": "x"}\n' + lines(1).replace("q0", "other")
    app = upload(opened("Import"), "bad.jsonl", text)
    assert "bad.jsonl:5 rejected" in texts(app)
    assert "Nothing can be imported" in texts(app)
    assert "import-now" not in {button.key for button in app.button}
    assert store.projects.get("desk").n_items == 3


def test_another_file_needs_another_check(opened: Open, store: LabelStore) -> None:
    open_desk(opened())
    app = upload(opened("Import"), "more.jsonl", lines(5))
    app.file_uploader("import-file").set_value(("x.jsonl", lines(9).encode(), "text/plain")).run()
    assert "import-now" not in {button.key for button in app.button}


def test_ten_thousand_items_are_imported_within_thirty_seconds(
    opened: Open, store: LabelStore
) -> None:
    """M6, the app's part: check and import of 10,000 items."""
    open_desk(opened())
    start = time.monotonic()
    app = upload(opened("Import"), "many.jsonl", lines(10_003, start=3))
    app.button("import-now").click().run()
    taken = time.monotonic() - start
    assert store.projects.get("desk").n_items == 10_003
    assert taken < 30, f"{taken:.1f} s"


def test_the_log_is_filtered_paged_and_safe_to_open_in_a_spreadsheet(
    opened: Open, store: LabelStore
) -> None:
    """M9, the log's part: a cell that begins like a formula is quoted in the CSV."""
    for number in range(60):
        store.audit.add(
            "export", actor=f"lea-{number % 2}", project=None, subject="=cmd|' /C calc'"
        )
    app = opened("Audit")
    assert "60 rows" in texts(app)
    assert len(table(app, "audit-table")) == 50
    app.selectbox("audit-actor").select("lea-1").run()
    assert "30 rows" in texts(app)
    app.selectbox("audit-about").select("=cmd|' /C calc'").run()
    assert "30 rows" in texts(app)
    app.button("prepare-audit-csv").click().run()
    from parts.admin_audit import _csv

    assert "\"'=cmd|" in _csv(store, {"actor": "lea-1"}).decode()


def test_a_backup_is_a_whole_database(opened: Open, store: LabelStore, root: Path) -> None:
    store.projects.list()
    app = opened("Backup")
    app.button("backup-now").click().run()
    assert "Error" not in texts(app), texts(app)
    (path,) = (root / ".judgekit" / "backups").iterdir()
    assert f"Written: .judgekit/backups/{path.name}" in texts(app)
    with open_label_store(f"sqlite:///{path}", root) as copy:
        assert copy.audit.count() == store.audit.count() - 1
    assert store.audit.rows(action="backup")[0].after == {"file": path.name}


@pytest.mark.parametrize("section", ["People", "Import", "Export", "Pace", "Audit", "Backup"])
def test_every_section_opens_on_an_empty_workspace(opened: Open, section: str) -> None:
    app = opened(section)
    assert [element.value for element in app.title] == ["Admin"]
    assert len(app.header) == 1


def test_items_of_hostile_text_leave_the_page_as_it_is(opened: Open, store: LabelStore) -> None:
    open_desk(opened())
    hostile = "<img src=x onerror=alert(1)> ![x](http://127.0.0.1:9/x) =cmd"
    store.projects.import_items("desk", [Item(id=hostile, output=hostile)], actor="lea")
    text = json.dumps({"id": hostile, "output": "other"}) + "\n"
    app = upload(opened("Import"), f"{hostile[:20]}.jsonl".replace("/", "_"), text)
    assert "1 conflicting" in texts(app)
    assert [element.value for element in app.markdown if "onerror" in element.value] == []


def test_on_postgresql_the_same_page_works_and_names_pg_dump(
    opened: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why := missing_postgres():
        pytest.skip(why)
    with running_postgres() as server:
        url = fresh_database(server)
        monkeypatch.setenv("JUDGEKIT_LABEL_STORE", url)
        open_desk(opened())
        app = upload(opened("Import"), "more.jsonl", lines(5))
        app.button("import-now").click().run()
        app = opened("Backup")
        assert "Back it up with pg_dump" in texts(app)
        assert "backup-now" not in {button.key for button in app.button}
        assert "items.import" in {row[2] for row in table(opened("Audit"), "audit-table")}
        with label_store() as store:  # the app's own; closes its connections
            assert store.projects.get("desk").n_items == 5
        assert not (root / ".judgekit" / "labels.db").exists()


def test_the_pace_and_self_agreement_are_told_with_their_n() -> None:
    from judgekit.calibration.self_agreement import Relabel, self_agreement
    from parts.admin_pace import _row

    pace = Pace(
        annotator="ann",
        n_labels=1200,
        n_too_fast=3,
        n_very_fast=7,
        very_fast_ms=1000,
        median_dwell_ms=4321,
    )
    twice = [Relabel(annotator="ann", first="pass", repeat=b) for b in ("pass", "pass", "fail")]
    assert _row(pace, self_agreement(twice)["ann"]) == {
        "Annotator": "ann",
        "Labels": "1,200",
        "Very fast": "7",
        "Refused as too fast": "3",
        "Median seconds": "4.3",
        "Same answer on hidden repeats": "67% (21% to 94%, n = 3; too few)",
    }
    assert _row(pace, None)["Same answer on hidden repeats"] == "no repeats yet"


def test_an_export_is_made_for_who_asks_and_noted(opened: Open, store: LabelStore) -> None:
    open_desk(opened())
    for key, name in (("copy", "desk.zip"), ("labels-csv", "desk-labels.csv")):
        app = opened("Export")
        app.button(f"prepare-{key}").click().run()
        assert [error.value for error in app.exception] == []
        row = store.audit.rows(action="export")[0]
        assert (row.actor, row.project, row.after) == ("lea", "desk", {"file": name})


def test_a_download_holds_no_entry_that_the_other_expert_may_not_see_yet(
    opened: Open, store: LabelStore
) -> None:
    """G13: a lead may be one of the two experts."""
    from parts.admin_export import _offers

    open_desk(opened("Projects"))
    page = SimpleNamespace(store=store)
    whole = _offers(page, store.projects.get("desk"))[1]
    entry = {"value": "SECRET-ENTRY"}
    store.goldens.save("desk", "i00001", entry, expert="eve", rev_seen=0, done=True)
    assert b"SECRET-ENTRY" not in inside(whole.make())
    assert b'"case_id": "i00001"' in inside(whole.make())
    store.goldens.save("desk", "i00001", {}, expert="lea", rev_seen=0, done=True)
    assert b"SECRET-ENTRY" in inside(whole.make())


def inside(data: bytes) -> bytes:
    """Return all that a zip holds, unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


def test_the_same_files_give_the_same_zip() -> None:
    from parts.admin_export import zipped

    assert zipped({"b": b"2", "a": b"1"}) == zipped({"a": b"1", "b": b"2"})
