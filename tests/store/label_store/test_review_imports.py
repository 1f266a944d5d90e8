"""Files of error analysis and goldens that are taken in, refused, or not to be shown yet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from label_workspace import case, make_workspace, open_desk
from log_desk import (
    SECRET,
    finish,
    fresh,
    log_file,
    opened,
    rows_of,
    standing,
    take_in,
    worked,
)
from sqlalchemy import create_engine

from judgekit.errors import InputError, LabelConflict
from judgekit.goldens.two_experts import entry_texts
from judgekit.store.label_files.imports import plan_import
from judgekit.store.label_files.mirror import catch_up
from judgekit.store.label_files.released.copy import copy_files, files_to_show
from judgekit.store.label_store import LogEvent
from judgekit.store.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path / "here")


def edit(path: Path, at: int, change: dict[str, Any]) -> None:
    rows = rows_of(path)
    rows[at] = {**rows[at], **change}
    text = "".join(json.dumps(row, sort_keys=True) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "at", "change", "told"),
    [
        ("goldens/ann", 1, {"kind": "vote"}, "goldens/ann.jsonl:2 rejected: kind"),
        ("goldens/ann", 0, {"body": {"case_id": "case-00001"}}, "body.rev"),
        ("goldens/ann", 0, {"seq": 4}, "seq: found the key 'seq'"),
        ("goldens/ann", 0, {"actor": "ann@desk.example"}, "actor"),
        ("goldens/ann", 0, {"log": "codes"}, "goldens/ann.jsonl:1"),
        ("goldens/bob", 0, {"actor": "ann"}, "in the file 'goldens/ann.jsonl'"),
        ("goldens/lea", 0, {"at": "yesterday"}, "at"),
        ("goldens/lea", 0, {"at": "9999-12-31T23:59:59.999999Z"}, "a time from 1970 to 9998"),
        ("codes/eva", 0, {"at": "0001-01-01T00:00:00+12:00"}, "a time from 1970 to 9998"),
        ("goldens/lea", 0, {"op_id": "x" * 65}, "op_id"),
        ("codes/eva", 0, {"body": {"item_id": "no-such", "text": "x"}}, "the item is unknown"),
        ("codes/eva", 0, {"body": {"item_id": "case-00001"}}, "body.text"),
        ("codes/eva", 3, {"body": {"notes": ["n9"], "code": "m1"}}, "it names what no event made"),
        ("codes/eva", 0, {"schema": 2}, "schema"),
    ],
)
def test_one_bad_line_stops_the_whole_import_with_one_message(
    tmp_path: Path, workspace: Workspace, name: str, at: int, change: dict[str, Any], told: str
) -> None:
    """M2: not even the labels of the same folder come in."""
    fresh(f"sqlite:///{tmp_path / 'old.db'}", workspace)
    edit(log_file(workspace, name), at, change)
    with opened(f"sqlite:///{tmp_path / 'new.db'}", workspace) as store:
        open_desk(store, workspace)
        with pytest.raises(LabelConflict, match="nothing was imported") as caught:
            take_in(store, workspace)
        assert told in str(caught.value)
        assert f"{name}.jsonl:{at + 1}" in str(caught.value)
        assert store.events.count("desk") == 0
        assert store.events.reviews(project="desk") == ()
        assert store.goldens.cases("desk", "ann") == ()


@pytest.mark.parametrize("data", [b"\xff\xfe\n", b"[" * 99_999 + b"\n", b"[]\n", b'{"log": 3}\n'])
def test_bytes_that_are_no_events_are_told_with_their_place(
    tmp_path: Path, workspace: Workspace, data: bytes
) -> None:
    fresh(f"sqlite:///{tmp_path / 'old.db'}", workspace)
    log_file(workspace, "goldens/lea").write_bytes(data)
    with opened(f"sqlite:///{tmp_path / 'new.db'}", workspace) as store:
        open_desk(store, workspace)
        with pytest.raises((LabelConflict, InputError), match=r"lea\.jsonl:1"):
            take_in(store, workspace)
        assert store.events.count("desk") == 0


def changed(event: LogEvent, **changes: Any) -> LogEvent:
    return event.model_copy(update=changes)


def test_conflicting_steps_write_nothing_on_either_engine(url: str, workspace: Workspace) -> None:
    """M3: the rules of the page hold for files, too."""
    events = fresh(url, workspace)
    by_kind = {(e.actor, e.kind): e for e in events}
    done = by_kind["ann", "done"]
    settle = by_kind["bob", "settle"]
    propose = by_kind["bob", "propose"]
    other = {"op_id": "another"}
    third = {**done.body, "case_id": case(1), "rev": 1}
    bad = [
        changed(done, body={**done.body, "entry": {"value": "other"}}),
        changed(done, **other, actor="cat", body=third),
        changed(done, **other, body={**done.body, "case_id": case(2), "rev": 1}),
        changed(by_kind["ann", "reopen"], **other),
        changed(settle, **other),
        changed(settle, **other, body={**settle.body, "case_id": case(2)}),
        changed(settle, **other, body={**settle.body, "case_id": "no-such"}),
        changed(propose, **other),
        changed(by_kind["lea", "decide"], **other),
        changed(by_kind["lea", "decide"], **other, body={"proposal": "gone", "state": "approved"}),
        changed(
            by_kind["lea", "decide"], **other, actor="bob",
            body={"proposal": propose.op_id, "state": "approved"},
        ),
        changed(by_kind["ben", "edit"], **other, actor="eva"),
    ]  # fmt: skip
    with opened(url, workspace) as store:
        before = standing(store), store.events.reviews(project="desk")
        note = changed(by_kind["eva", "note"], op_id="fresh")
        for event in bad:
            report = store.events.import_events("desk", [note, event], actor="lea")
            assert (len(report.conflicts), report.n_new, report.written) == (1, 1, False), event
            assert (standing(store), store.events.reviews(project="desk")) == before
        dry = store.events.import_events("desk", [note], actor="lea", dry_run=True)
        assert (dry.n_new, dry.written) == (1, False)
        assert (standing(store), store.events.reviews(project="desk")) == before


def test_neither_a_conflict_nor_a_download_shows_an_entry_too_early(
    url: str, workspace: Workspace
) -> None:
    """G13: to an expert who is a lead, before both are done."""
    fresh(url, workspace)
    folder = workspace.annotations_dir / "desk"
    path = log_file(workspace, "goldens/ann")
    with opened(url, workspace) as store:
        shown = files_to_show(store, folder, "desk").files
        assert SECRET.encode() not in b"".join(shown.values())
        assert b"of bob" not in b"".join(shown.values())
        whole = copy_files(store, folder, "desk").files
        assert SECRET.encode() in whole["events/goldens/ann.jsonl"]
        assert b'"rev": 5' in shown["events/goldens/ann.jsonl"]  # of the case that is compared
        rows = [row for row in rows_of(path) if SECRET in str(row)]
        rows[0]["body"]["entry"] = {"value": "a guess"}
        upload = ("ann.jsonl", (json.dumps(rows[0]) + "\n").encode())
        report = plan_import(store, "desk", upload, kind="events", actor="bob").report
        assert report.n_conflicting == 1
        assert SECRET not in report.model_dump_json()
        finish(store, case(2), "bob", "mine")
        shown = files_to_show(store, folder, "desk").files
        assert SECRET.encode() in shown["events/goldens/ann.jsonl"]
        path.write_text(path.read_text().replace(SECRET, "edited"))
        with pytest.raises(LabelConflict) as caught:
            catch_up(workspace.annotations_dir, store.events.reviews(project="desk"))
    assert SECRET not in str(caught.value)


OLD = (
    "INSERT INTO golden_case VALUES (1, 'case-00001', 'lea', '2026-11-01T09:00:00.000000Z')",
    "INSERT INTO golden_entry VALUES (1, 'case-00001', 'ann', 2, 'done', '{\"value\":1}',"
    " '2026-11-01T10:00:00.000000Z')",
    "INSERT INTO golden_entry VALUES (1, 'case-00001', 'bob', 1, 'done', '{\"value\":2}',"
    " '2026-11-01T11:00:00.000000Z')",
    "INSERT INTO golden_entry VALUES (1, 'case-00001', 'ann', 5, 'done', '{\"value\":3}',"
    " '2026-11-01T12:00:00.000000Z')",
    "INSERT INTO golden_resolution VALUES (1, 'case-00001', '/fields/a', 1, 'exclude',"
    " '{\"reason\":\"why\",\"value\":null}', 'eve', '2026-11-01T13:00:00.000000Z')",
    "INSERT INTO proposal VALUES (7, 'desk', 'golden', 'case-00001', '{\"golden\":{}}',"
    " 'sha256:0', 'ann', NULL, '2026-11-01T14:00:00.000000Z')",
    "INSERT INTO decision VALUES (7, 'sent_back', 'lea', 'look', '2026-11-01T15:00:00.000000Z')",
    "INSERT INTO golden_entry VALUES (1, 'case-00002', 'ann', 1, 'done', '{\"value\":4}',"
    " '2026-11-01T10:00:00.000000Z')",
    "INSERT INTO golden_entry VALUES (1, 'case-00002', 'ann', 3, 'draft', '{\"value\":5}',"
    " '2026-11-01T16:00:00.000000Z')",
)


AS_IT_WAS: tuple[tuple[str, str], ...] = ()
SET_BACK = tuple((f"T{hour}:", f"T0{hour - 10}:") for hour in range(11, 17))
AT_ONE_MOMENT = tuple((f"T{hour:02}:", "T10:") for hour in range(9, 17))


@pytest.mark.parametrize("clock", [AS_IT_WAS, SET_BACK, AT_ONE_MOMENT])
def test_what_was_done_before_there_was_a_log_is_in_the_files_after_an_upgrade(
    url: str, tmp_path: Path, workspace: Workspace, clock: tuple[tuple[str, str], ...]
) -> None:
    """G13, G14: an entry that was reopened stays one; drafts stay in the database."""
    with opened(url, workspace) as store:
        open_desk(store, workspace)
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE golden_event")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0002'")
        for row in OLD:
            for true, shown in clock:
                row = row.replace(true, shown)
            connection.exec_driver_sql(row)
    engine.dispose()
    with opened(url, workspace) as store:
        before = standing(store)
    written = {name: rows_of(log_file(workspace, f"goldens/{name}")) for name in ("ann", "lea")}
    steps = [(row["kind"], row["body"].get("rev")) for row in written["ann"]]
    expected = [
        ("done", 1),
        ("done", 2),
        ("done", 5),
        ("propose", None),
        ("reopen", 2),
        ("reopen", 3),
    ]
    assert sorted(steps, key=str) == expected
    assert next(step for step in steps if step[1] in (2, 3, 5)) == ("done", 2)
    assert sorted(row["kind"] for row in written["lea"]) == ["ask", "decide"]
    with opened(f"sqlite:///{tmp_path / 'new.db'}", workspace) as store:
        open_desk(store, workspace)
        take_in(store, workspace)
        after = standing(store)
        assert store.goldens.case("desk", case(1), "ann").both_done
        assert not store.goldens.case("desk", case(2), "ann").n_done
    assert [one["state"] for one in after["proposals"]] == ["sent_back"]
    assert after["proposals"][0]["proposer"] == before["proposals"][0]["proposer"]


def test_steps_whose_times_go_back_are_done_in_the_order_that_they_need(
    tmp_path: Path, workspace: Workspace
) -> None:
    """M4: a database of before there was a log kept what a clock said that was set back."""
    with opened(f"sqlite:///{tmp_path / 'old.db'}", workspace) as store:
        worked(store, workspace)
        before = standing(store)
    for name in ("codes/ben", "codes/eva", "goldens/ann"):
        path = log_file(workspace, name)
        rows = rows_of(path)
        for place, row in enumerate(rows):
            if row["kind"] not in ("note", "reopen", "ask"):
                edit(path, place, {"at": "1990" + row["at"][4:]})
    with opened(f"sqlite:///{tmp_path / 'new.db'}", workspace) as store:
        open_desk(store, workspace)
        assert take_in(store, workspace) == sum(len(rows_of(path)) for path in events_in(workspace))
        after = standing(store)
    assert {note.id for note in after["book"].notes} == {note.id for note in before["book"].notes}
    assert entries(after) == entries(before)


def events_in(workspace: Workspace) -> list[Path]:
    return list((workspace.annotations_dir / "desk" / "events").rglob("*.jsonl"))


def entries(found: dict[str, Any]) -> list[Any]:
    cases = found["cases"]["ann"]
    return [
        (one.case_id, one.mine and (one.mine.state, one.mine.rev, one.mine.body)) for one in cases
    ]


@pytest.mark.parametrize(
    ("entry", "field"), [({}, "body.entry.texts"), ({"value": 1}, "body.entry.value")]
)
def test_a_finished_entry_that_the_page_could_not_read_is_refused(
    tmp_path: Path, workspace: Workspace, entry: dict[str, Any], field: str
) -> None:
    with opened(f"sqlite:///{tmp_path / 'old.db'}", workspace) as store:
        open_desk(store, workspace)
        store.goldens.save("desk", case(1), entry, expert="ann", rev_seen=0, done=True)
    with opened(f"sqlite:///{tmp_path / 'new.db'}", workspace) as store:
        open_desk(store, workspace)
        folder = workspace.annotations_dir / "desk"
        (problem,) = plan_import(
            store, "desk", folder, kind="events", actor="lea", check_entry=entry_texts
        ).report.problems
        assert (problem.file, problem.kind) == ("goldens/ann.jsonl", "rejected")
        assert problem.field == field
