"""The same files from either database: what SQLite exports, PostgreSQL exports alike."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from label_workspace import case, give, item_rows, make_workspace, open_desk, opened, write_rows
from postgres_server import fresh_database, missing_postgres, running_postgres

from judgekit.approval.label_release import preview_release, release_labels
from judgekit.errors import JudgekitError
from judgekit.store.label_files.imports import apply_import, plan_import
from judgekit.store.label_files.mirror import EventMirror
from judgekit.store.label_files.released.copy import copy_files
from judgekit.store.label_store import LabelStore, open_label_store

pytestmark = pytest.mark.skipif(missing_postgres() is not None, reason=str(missing_postgres()))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running_postgres() as url:
        yield url


@pytest.fixture
def store(server: str, tmp_path: Path) -> Iterator[LabelStore]:
    mirror = EventMirror(tmp_path / "there" / "annotations")
    with open_label_store(fresh_database(server), tmp_path, mirror=mirror) as found:
        yield found


def test_sqlite_to_postgres_and_back_gives_the_same_bytes(
    tmp_path: Path, store: LabelStore
) -> None:
    """M4."""
    here = make_workspace(tmp_path / "here")
    with opened(here) as local:
        open_desk(local, here, ask_criteria=True)
        give(local, "ana", "pass", case(1), case(2), criteria={"tone": "pass"})
        give(local, "ben", "fail", case(1), failure_mode="rude", note='é \U0001f600 \u2028 \\ "')
        give(local, "ana", "fail", case(2), case(3))
        local.labels.undo("desk", annotator="ana", op_id="undo-1")
        files = copy_files(local, here.annotations_dir / "desk", "desk").files
        plan = preview_release(local, here, "desk")
    there = make_workspace(tmp_path / "there")
    for name, data in files.items():
        path = there.annotations_dir / "desk" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    open_desk(store, there, ask_criteria=True)
    folder = there.annotations_dir / "desk"
    read = plan_import(store, "desk", folder, kind="events", actor="lea")
    assert apply_import(store, read, actor="lea").n_new == read.report.n_new > 0
    assert copy_files(store, folder, "desk").files == files
    made = release_labels(store, there, "desk", by="lea")
    assert made.files["labels.jsonl"] == plan.sha256
    again = plan_import(store, "desk", folder, kind="events", actor="lea")
    assert again.report.n_new == 0


def test_ten_thousand_items_import_within_thirty_seconds(tmp_path: Path, store: LabelStore) -> None:
    """M6."""
    there = make_workspace(tmp_path / "there")
    open_desk(store, there)
    file = write_rows(tmp_path / "many.jsonl", item_rows(10_000))
    start = time.monotonic()
    plan = plan_import(store, "desk", file, kind="items", actor="lea")
    assert apply_import(store, plan, actor="lea").n_new == 9_994
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_a_database_cannot_hold_is_refused_in_our_words(
    tmp_path: Path, store: LabelStore, text: str
) -> None:
    there = make_workspace(tmp_path / "there")
    open_desk(store, there)
    for row in ({"id": text, "output": "x"}, {"id": "n", "output": text}):
        file = tmp_path / "odd.jsonl"
        write_escaped(file, row)
        try:
            plan = plan_import(store, "desk", file, kind="items", actor="lea")
            apply_import(store, plan, actor="lea")
        except JudgekitError:
            continue
        assert store.projects.item("desk", row["id"]).item.output == row["output"]


def write_escaped(path: Path, row: dict) -> None:
    import json

    path.write_text(json.dumps(row) + "\n")
