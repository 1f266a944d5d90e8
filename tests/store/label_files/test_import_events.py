from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from label_workspace import case, give, make_workspace, open_desk, opened

from judgekit.errors import InputError, LabelConflict
from judgekit.store.label_files.importing.lacking import n_lacking
from judgekit.store.label_files.imports import apply_import, plan_import
from judgekit.store.label_files.released.copy import copy_files
from judgekit.store.workspace import Workspace


def plan(store, file, kind="events"):
    return plan_import(store, "desk", file, kind=kind, actor="lea")


def labelled(root: Path) -> Workspace:
    """Two people label the desk, with a relabel, an undo, a skip and an unsure."""
    workspace = make_workspace(root)
    with opened(workspace) as store:
        open_desk(store, workspace)
        give(store, "ana", "pass", case(1), case(2), case(3))
        give(store, "ben", "fail", case(1), failure_mode="rude", note="nö \u2028 =1+1 \U0001f600")
        give(store, "ben", "pass", case(2))
        give(store, "ana", "fail", case(2))
        give(store, "ben", "unsure", case(4))
        give(store, "ana", "pass", case(5))
        store.labels.undo("desk", annotator="ana", op_id="ana-undo-1")
        shown = store.queue.present("desk", "ana", case(6))
        store.labels.skip(shown.id, annotator="ana", op_id="ana-skip-1", rev_seen=shown.rev)
    return workspace


def exported(workspace: Workspace) -> dict[str, bytes]:
    with opened(workspace) as store:
        return copy_files(store, workspace.annotations_dir / "desk", "desk").files


def test_every_saved_event_is_in_its_file_when_save_returns(tmp_path: Path) -> None:
    workspace = labelled(tmp_path)
    folder = workspace.annotations_dir / "desk"
    files = exported(workspace)
    for name in ("events/ana.jsonl", "events/ben.jsonl"):
        assert (folder / name).read_bytes() == files[name]
    assert files["events/ana.jsonl"].count(b"\n") == 7


def test_export_then_import_into_an_empty_database_then_export_gives_the_same_bytes(
    tmp_path: Path,
) -> None:
    """M4."""
    first = labelled(tmp_path / "one")
    files = exported(first)
    second = make_workspace(tmp_path / "two")
    for name, data in files.items():
        path = second.annotations_dir / "desk" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    with opened(second) as store:
        open_desk(store, second)
        done = apply_import(store, plan(store, second.annotations_dir / "desk"), actor="lea")
        assert (done.n_new, done.n_known) == (10, 0)
    assert exported(second) == files
    shutil.rmtree(second.annotations_dir / "desk" / "events")
    exported(second)
    for name in ("events/ana.jsonl", "events/ben.jsonl"):
        assert (second.annotations_dir / "desk" / name).read_bytes() == files[name]


def test_lines_that_a_merge_doubled_are_known(tmp_path: Path) -> None:
    workspace = labelled(tmp_path)
    folder = workspace.annotations_dir / "desk" / "events"
    path = folder / "ana.jsonl"
    path.write_bytes(path.read_bytes() * 2)
    second = make_workspace(tmp_path / "two")
    with opened(second) as store:
        open_desk(store, second)
        report = plan(store, folder).report
        assert (report.n_new, report.n_known, report.problems) == (10, 7, ())


def test_importing_events_twice_adds_nothing(tmp_path: Path) -> None:
    """M3."""
    workspace = labelled(tmp_path)
    with opened(workspace) as store:
        again = plan(store, workspace.annotations_dir / "desk")
        assert (again.report.n_new, again.report.n_known) == (0, 10)
        assert apply_import(store, again, actor="lea").n_new == 0
        assert store.events.count("desk") == 10


def lines(workspace: Workspace, alias: str = "ana") -> list[dict]:
    path = workspace.annotations_dir / "desk" / "events" / f"{alias}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def upload(rows: list[dict]) -> tuple[str, bytes]:
    return "ana.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(
    "change",
    [
        {"value": {"label": "fail"}},
        {"at": "2020-01-01T00:00:00Z"},
        {"op_id": "another-operation"},
        {"item_id": "no-such-item", "op_id": "new"},
        {"item_hash": "sha256:other", "op_id": "new", "rev": 3, "prev_rev": 2},
    ],
)
def test_an_event_that_conflicts_is_told_with_its_line_and_nothing_is_written(
    tmp_path: Path, change: dict
) -> None:
    workspace = labelled(tmp_path)
    rows = lines(workspace)
    fresh = {**rows[0], "op_id": "fresh-1", "rev": 2, "prev_rev": 1}
    with opened(workspace) as store:
        found = plan(store, upload([fresh, rows[1], {**rows[0], **change}]))
        assert found.report.n_conflicting == 1
        assert found.report.problems[0].line == 3
        with pytest.raises(LabelConflict, match="nothing was imported") as caught:
            apply_import(store, found, actor="lea")
        assert "ana.jsonl:3" in str(caught.value)
        assert store.events.count("desk") == 10


def test_one_operation_id_with_two_contents_in_one_file_is_a_conflict(tmp_path: Path) -> None:
    workspace = labelled(tmp_path)
    row = {**lines(workspace)[0], "op_id": "fresh-1", "rev": 2, "prev_rev": 1}
    with opened(workspace) as store:
        report = plan(store, upload([row, {**row, "value": {"label": "fail"}}])).report
        assert (report.n_conflicting, report.problems[0].line) == (1, 2)


def test_a_torn_last_line_is_rejected_and_says_what_mends_it(tmp_path: Path) -> None:
    workspace = labelled(tmp_path)
    name, data = upload(lines(workspace))
    with opened(workspace) as store:
        report = plan(store, (name, data[:-40])).report
        assert (report.n_rejected, report.problems[0].line) == (1, 7)
        assert "torn" in report.problems[0].found


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf"])
def test_a_file_without_events_is_refused(tmp_path: Path, data: bytes) -> None:
    workspace = labelled(tmp_path)
    with opened(workspace) as store, pytest.raises(InputError, match="no event"):
        plan(store, ("ana.jsonl", data))


def test_events_of_another_project_are_passed_over_and_counted(tmp_path: Path) -> None:
    workspace = labelled(tmp_path)
    rows = [{**row, "project": "other"} for row in lines(workspace)]
    with opened(workspace) as store:
        report = plan(store, upload(rows)).report
        assert (report.n_new, report.n_known, report.n_other) == (0, 0, 7)


def test_a_death_between_commit_and_file_is_mended_when_the_store_opens(tmp_path: Path) -> None:
    """L7, fast 3."""
    workspace = labelled(tmp_path)
    path = workspace.annotations_dir / "desk" / "events" / "ana.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 30])
    with opened(workspace) as store:
        store.projects.list()
    assert path.read_bytes() == whole


def test_what_is_no_event_file_is_named_and_a_pipe_does_not_hang(tmp_path: Path) -> None:
    workspace = labelled(tmp_path)
    folder = workspace.annotations_dir / "desk" / "events"
    (folder / "ana.jsonl.bak").write_text("")
    (folder / "code").mkdir()
    (folder / ".gitkeep").write_text("")
    with opened(workspace) as store:
        report = plan(store, folder.parent).report
        assert report.not_read == ("ana.jsonl.bak", "code")
        assert "not read, as they are no event files: ana.jsonl.bak, code" in report.sentence()
        os.mkfifo(folder / "cat.jsonl")
        with pytest.raises(InputError, match="is no file with lines"):
            plan(store, folder)


def test_work_before_the_files_of_a_lost_database_were_imported_is_refused_with_a_mend(
    tmp_path: Path,
) -> None:
    workspace = labelled(tmp_path)
    shutil.rmtree(workspace.root / ".judgekit")
    with opened(workspace) as store:
        open_desk(store, workspace)
        project = store.projects.get("desk")
        assert n_lacking(store, workspace.annotations_dir, project) == 10
        shown = store.queue.present("desk", "ana", case(1))
        store.labels.skip(shown.id, annotator="ana", op_id="since", rev_seen=shown.rev)
        found = plan(store, workspace.annotations_dir / "desk")
        with pytest.raises(LabelConflict) as caught:
            apply_import(store, found, actor="lea")
        assert "move the new database away" in str(caught.value.mend)


def test_nothing_is_lacking_where_the_database_has_all(tmp_path: Path) -> None:
    workspace = labelled(tmp_path)
    with opened(workspace) as store:
        project = store.projects.get("desk")
        assert n_lacking(store, workspace.annotations_dir, project) == 0
