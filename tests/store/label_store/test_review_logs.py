"""Error analysis and goldens in files: written at once, caught up, a lost database rebuilt."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from label_workspace import case, give, make_workspace, open_desk
from log_desk import files_in, finish, log_file, opened, rows_of, standing, take_in, worked

from judgekit.errors import NotMirrored, StoreFailed
from judgekit.model.item import Item
from judgekit.store.label_files.imports import apply_import, plan_import
from judgekit.store.label_files.mirror import EventMirror
from judgekit.store.label_files.released.copy import copy_files
from judgekit.store.label_store import (
    Decided,
    LabelSchema,
    LabelStore,
    Project,
    open_label_store,
)
from judgekit.store.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path / "here")


def test_every_step_is_in_its_file_when_the_store_answers(url: str, workspace: Workspace) -> None:
    """E2, G21: one file a person and log; what is only typed so far is in none."""
    with opened(url, workspace) as store:
        worked(store, workspace)
        written = files_in(workspace)
        copied = copy_files(store, workspace.annotations_dir / "desk", "desk").files
    assert {name: data for name, data in copied.items() if name.startswith("events/")} == {
        f"events/{name}": data for name, data in written.items()
    }
    assert sorted(written) == [
        "ana.jsonl", "codes/ben.jsonl", "codes/eva.jsonl",
        "goldens/ann.jsonl", "goldens/bob.jsonl", "goldens/eva.jsonl", "goldens/lea.jsonl",
    ]  # fmt: skip
    kinds = [row["kind"] for row in rows_of(log_file(workspace, "goldens/ann"))]
    assert kinds == ["done", "reopen", "done", "propose", "ask", "done", "ask", "done", "reopen"]
    assert list(rows_of(log_file(workspace, "codes/ben"))[0]) == [
        "actor", "at", "body", "kind", "log", "op_id", "project", "schema",
    ]  # fmt: skip


def test_a_lost_database_is_rebuilt_from_the_files(
    url: str, tmp_path: Path, workspace: Workspace
) -> None:
    """M4, G13: notes, modes, entries, outcomes, approvals; what was reopened is a draft."""
    with opened(url, workspace) as store:
        worked(store, workspace)
        before, files = standing(store), files_in(workspace)
    with opened(f"sqlite:///{tmp_path / 'new.db'}", workspace) as store:
        open_desk(store, workspace)
        n = take_in(store, workspace)
        assert n == sum(data.count(b"\n") for data in files.values())
        assert standing(store) == before
        assert take_in(store, workspace) == 0
        assert standing(store) == before
        assert store.events.catch_up() == 0
        assert files_in(workspace) == files
        shutil.rmtree(workspace.annotations_dir / "desk" / "events")
        assert store.events.catch_up() == n
    assert files_in(workspace) == files


def test_the_files_of_one_engine_rebuild_the_other(
    url: str, tmp_path: Path, workspace: Workspace
) -> None:
    """M4."""
    with opened(f"sqlite:///{tmp_path / 'first.db'}", workspace) as store:
        worked(store, workspace)
        before, files = standing(store), files_in(workspace)
    with opened(url, workspace) as store:
        open_desk(store, workspace)
        take_in(store, workspace)
        assert standing(store) == before
        copied = copy_files(store, workspace.annotations_dir / "desk", "desk").files
    assert {name[7:]: data for name, data in copied.items() if name[:7] == "events/"} == files


def test_work_goes_on_after_a_rebuild(url: str, tmp_path: Path, workspace: Workspace) -> None:
    """G15: revisions go on where they were."""
    with opened(f"sqlite:///{tmp_path / 'first.db'}", workspace) as store:
        worked(store, workspace)
    with opened(url, workspace) as store:
        open_desk(store, workspace)
        take_in(store, workspace)
        finish(store, case(3), "ann", "new", rev=3)
        assert store.goldens.case("desk", case(3), "bob").both_done
        store.codes.assign("desk", ["n1"], None, actor="eva", op_id="later")
        (waiting,) = store.proposals.list(project="desk")
        approved = store.proposals.approve(
            waiting.id, approver="lea", payload_hash=waiting.payload_hash
        )
        assert isinstance(approved, Decided)
        after = standing(store)
    with opened(f"sqlite:///{tmp_path / 'third.db'}", workspace) as store:
        open_desk(store, workspace)
        take_in(store, workspace)
        assert standing(store) == after


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = sys.argv[4:]
from judgekit.model.item import Item
from judgekit.store.label_files.imports import apply_import, plan_import
from judgekit.store.label_files.mirror import EventMirror
from judgekit.store.label_store import open_label_store
from log_desk import analyse, promote_and_fill_in

class Dying(EventMirror):
    left = int(sys.argv[3])

    def append(self, events):
        Dying.left -= 1
        if Dying.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)  # committed, and not in the file
        super().append(events)

root = Path(sys.argv[2])
with open_label_store(sys.argv[1], root, mirror=Dying(root / "annotations")) as store:
    analyse(store)
    promote_and_fill_in(store)
"""


@pytest.mark.parametrize("n_written", [0, 4, 11, 20])
def test_a_kill_between_commit_and_file_is_made_up_for_at_the_next_start(
    url: str, workspace: Workspace, n_written: int
) -> None:
    """L7, E2, G14: nothing committed stays out of the files, and nothing is there twice."""
    with opened(url, workspace) as store:
        open_desk(store, workspace)
    tests = Path(__file__).parent
    run = [sys.executable, "-c", KILLED, url, str(workspace.root), str(n_written)]
    done = subprocess.run([*run, str(tests), str(tests.parents[1])], check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL
    assert sum(data.count(b"\n") for data in files_in(workspace).values()) >= n_written
    with opened(url, workspace) as store:
        committed = store.events.reviews(project="desk")
        n_events = n_written + 1
        assert len(committed) in (n_events, n_events + 1)  # a first entry asks for its case too
        copied = copy_files(store, workspace.annotations_dir / "desk", "desk").files
    written = files_in(workspace)
    assert {name[7:]: data for name, data in copied.items() if name[:7] == "events/"} == written
    assert sum(data.count(b"\n") for data in written.values()) == len(committed)


@pytest.mark.parametrize("name", ["codes/eva", "goldens/ann"])
def test_a_torn_last_line_is_written_again_at_the_next_start(
    url: str, workspace: Workspace, name: str
) -> None:
    """L7."""
    with opened(url, workspace) as store:
        worked(store, workspace)
    path = log_file(workspace, name)
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 30])
    with opened(url, workspace) as store:
        store.projects.list()
    assert path.read_bytes() == whole


def test_a_full_disk_is_told_and_what_was_saved_stays(url: str, workspace: Workspace) -> None:
    class Full(EventMirror):
        def append(self, events: Any) -> None:
            raise StoreFailed("disk is full")

    with opened(url, workspace) as store:
        open_desk(store, workspace)
    with open_label_store(url, workspace.root, mirror=Full(workspace.annotations_dir)) as store:
        with pytest.raises(NotMirrored, match="saved in the label database"):
            store.codes.add_note("desk", case(1), "rude", author="eva", op_id="n1")
        with pytest.raises(NotMirrored):
            store.goldens.ask("desk", [case(1)], actor="lea")
        with pytest.raises(NotMirrored):
            store.proposals.propose("golden", case(1), {}, proposer="ann", project="desk")
        assert len(store.codes.book("desk").notes) == 1
    with opened(url, workspace) as store:
        assert len(store.events.reviews(project="desk")) == 3
    assert sum(data.count(b"\n") for data in files_in(workspace).values()) == 3


def test_a_clock_that_was_set_back_does_not_turn_the_log_around(
    url: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from judgekit.store.label_store.review_log import writing

    with opened(url, workspace) as store:
        open_desk(store, workspace)
        store.codes.add_note("desk", case(1), "rude", author="eva", op_id="n1")
        monkeypatch.setattr(writing, "utc_now", lambda: "2001-01-01T00:00:00.000000Z")
        store.codes.new_code("desk", "tone", actor="ben", op_id="m1")
        store.codes.assign("desk", ["n1"], "m1", actor="ben", op_id="a1")
        times = [event.at for event in store.codes.events("desk")]
        assert times == sorted(set(times))
        assert store.codes.book("desk").codes[0].n_notes == 1


def test_a_line_that_was_made_up_for_behind_newer_ones_does_not_stop_a_rebuild(
    url: str, tmp_path: Path, workspace: Workspace
) -> None:
    """M4: the disk was full for a moment, and the line came at the next start."""

    class FullOnce(EventMirror):
        full = True

        def append(self, events: Any) -> None:
            if self.full:
                raise StoreFailed("disk is full")
            super().append(events)

    mirror = FullOnce(workspace.annotations_dir)
    with open_label_store(url, workspace.root, mirror=mirror) as store:
        open_desk(store, workspace)
        with pytest.raises(NotMirrored):
            give(store, "ana", "pass", case(1))
        with pytest.raises(NotMirrored):
            store.codes.add_note("desk", case(1), "rude", author="eva", op_id="n1")
        entry = {"value": 1}
        with pytest.raises(NotMirrored):
            store.goldens.save("desk", case(1), entry, expert="ann", rev_seen=0, done=True)
        mirror.full = False
        give(store, "ana", "fail", case(1))
        store.codes.edit_note("desk", "n1", "very rude", actor="eva", op_id="e1")
        store.goldens.reopen("desk", case(1), expert="ann")
    with opened(url, workspace) as store:
        before = standing(store)
    kinds = [row["kind"] for row in rows_of(log_file(workspace, "goldens/ann"))]
    assert kinds == ["reopen", "ask", "done"]
    with opened(f"sqlite:///{tmp_path / 'new.db'}", workspace) as store:
        open_desk(store, workspace)
        take_in(store, workspace)
        assert standing(store) == before


def test_projects_of_one_dataset_share_its_files_and_one_without_a_folder_gets_one(
    url: str, tmp_path: Path, workspace: Workspace
) -> None:
    """E2: a queue of its own has a dataset of its own, whose folder comes with the first event."""
    names = {"desk": "desk", "second": "desk", "queue": "gone"}
    with opened(url, workspace) as store:
        open_projects(store, names)
        for name in names:
            store.codes.add_note(name, "i1", f"note of {name}", author="eva", op_id=f"n-{name}")
        before = {name: store.codes.book(name) for name in names}
    assert [row["project"] for row in rows_of(log_file(workspace, "codes/eva"))] == [
        "desk", "second",
    ]  # fmt: skip
    gone = workspace.annotations_dir / "gone"
    assert [str(path.relative_to(gone)) for path in gone.rglob("*.jsonl")] == [
        "events/codes/eva.jsonl"
    ]
    with opened(f"sqlite:///{tmp_path / 'new.db'}", workspace) as store:
        open_projects(store, names)
        for name, dataset in names.items():
            folder = workspace.annotations_dir / dataset
            plan = plan_import(store, name, folder, kind="events", actor="lea")
            assert plan.report.n_other == (1 if dataset == "desk" else 0)
            apply_import(store, plan, actor="lea")
        assert {name: store.codes.book(name) for name in names} == before


def open_projects(store: LabelStore, names: dict[str, str]) -> None:
    for name, dataset in names.items():
        project = Project(name=name, dataset=dataset, label_schema=LabelSchema())
        store.projects.create(project, actor="lea")
        store.projects.import_items(name, [Item(id="i1", output="x")], actor="lea")
