from __future__ import annotations

import csv
import io
import json
import time
from pathlib import Path

import pytest
from label_workspace import item_rows, make_workspace, open_desk, opened, write_rows

from judgekit.errors import InputError, LabelConflict
from judgekit.store.label_files.imports import apply_import, plan_import


def plan(store, file, **options):
    return plan_import(store, "desk", file, kind="items", actor="lea", **options)


def test_a_dry_run_counts_and_writes_nothing(tmp_path: Path) -> None:
    """M1."""
    workspace = make_workspace(tmp_path)
    file = write_rows(tmp_path / "more.jsonl", item_rows(9))
    with opened(workspace) as store:
        open_desk(store, workspace)
        report = plan(store, file).report
        assert (report.n_new, report.n_known, report.blocked) == (3, 6, False)
        assert report.sentence() == "items: 3 new, 6 known, 0 conflicting, 0 rejected"
        assert store.projects.get("desk").n_items == 6


def test_importing_twice_adds_nothing(tmp_path: Path) -> None:
    """M3."""
    workspace = make_workspace(tmp_path)
    file = write_rows(tmp_path / "more.jsonl", item_rows(9))
    with opened(workspace) as store:
        open_desk(store, workspace)
        done = apply_import(store, plan(store, file), actor="lea")
        assert (done.n_new, done.n_known, done.written) == (3, 6, True)
        again = plan(store, file)
        assert (again.report.n_new, again.report.n_known) == (0, 9)
        assert apply_import(store, again, actor="lea").n_new == 0
        assert store.projects.get("desk").n_items == 9


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"id": "x", "outptu": "typo"}, "outptu"),
        ({"id": "", "output": "x"}, "id"),
        ({"id": "a\u0000b", "output": "x"}, "id"),
        ({"id": "a\nb", "output": "x"}, "id"),
        ({"id": "x" * 1001, "output": "x"}, "id"),
        ({"output": "no id"}, "id"),
        ({"id": "x", "output": ["a list"]}, "output"),
        ({"id": "x", "split": "test"}, "split"),
        ({"id": "case-00008", "output": "twice"}, "id"),
    ],
)
def test_one_bad_line_is_told_with_its_number_and_nothing_is_imported(
    tmp_path: Path, row: dict, field: str
) -> None:
    """M2."""
    workspace = make_workspace(tmp_path)
    file = write_rows(tmp_path / "more.jsonl", [*item_rows(9), row])
    with opened(workspace) as store:
        open_desk(store, workspace)
        bad = plan(store, file)
        assert bad.report.n_rejected == 1
        problem = bad.report.problems[0]
        assert (problem.file, problem.line, problem.field) == ("more.jsonl", 10, field)
        with pytest.raises(LabelConflict, match="nothing was imported") as caught:
            apply_import(store, bad, actor="lea")
        assert "more.jsonl:10" in str(caught.value)
        assert store.projects.get("desk").n_items == 6


def test_an_id_with_other_content_is_a_conflict_with_its_line(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    rows = item_rows(8)
    rows[4]["output"] = "Something else."
    with opened(workspace) as store:
        open_desk(store, workspace)
        found = plan(store, write_rows(tmp_path / "more.jsonl", rows))
        assert (found.report.n_conflicting, found.report.problems[0].line) == (1, 5)
        with pytest.raises(LabelConflict):
            apply_import(store, found, actor="lea")
        assert store.projects.get("desk").n_items == 6


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.jsonl", b"", "no item"),
        ("a.jsonl", b"\n \n", "no item"),
        ("a.jsonl", '{"id": "é"}'.encode("latin-1"), "not UTF-8"),
        ("a.jsonl", '{"id": "a"}'.encode("utf-16"), "not UTF-8"),
        ("a.txt", b"x", "suffix"),
        ("a.parquet", b"PAR1", "Parquet"),
        ("a.csv", b"id,id\n1,2\n", "header"),
        ("a.csv", b'id,output\n1,"\0"\n', "NUL"),
        ("../../etc/passwd.jsonl", b"", "no item"),
        ("", b"", "suffix"),
    ],
)
def test_an_upload_that_cannot_be_read_is_told_by_its_own_name(
    tmp_path: Path, name: str, data: bytes, told: str
) -> None:
    workspace = make_workspace(tmp_path)
    with opened(workspace) as store:
        open_desk(store, workspace)
        with pytest.raises(InputError, match=told) as caught:
            plan(store, (name, data))
        assert "judgekit-import-" not in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b'{"id": "a", "output": NaN}',
        b'{"id": "a", "id": "b"}',
        b'"\xef\xbf\xbd"',
        b"{}{}",
    ],
)
def test_a_torn_or_foreign_line_is_rejected_with_its_number(tmp_path: Path, line: bytes) -> None:
    workspace = make_workspace(tmp_path)
    with opened(workspace) as store:
        open_desk(store, workspace)
        data = b'{"id": "fresh"}\n' + line
        report = plan(store, ("up.jsonl", data)).report
        assert (report.n_new, report.n_rejected, report.problems[0].line) == (1, 1, 2)


def test_a_byte_order_mark_carriage_returns_and_csv_are_read(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, ["id", "input", "output"])
    writer.writeheader()
    writer.writerows(item_rows(8))
    with opened(workspace) as store:
        open_desk(store, workspace)
        jsonl = b"\xef\xbb\xbf" + b"\r\n".join(json.dumps(r).encode() for r in item_rows(7))
        assert plan(store, ("up.jsonl", jsonl)).report.n_new == 1
        table = b"\xef\xbb\xbf" + stream.getvalue().encode()
        assert plan(store, ("up.csv", table)).report.n_new == 2


def test_items_of_the_gates_review_file_are_targeted(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    row = {"id": "fresh-1", "output": "x", "metadata": {"judgekit_review": ["judge: abstained"]}}
    file = write_rows(tmp_path / "review.jsonl", [row, {"id": "fresh-2", "output": "y"}])
    with opened(workspace) as store:
        open_desk(store, workspace)
        apply_import(store, plan(store, file), actor="lea")
        designs = {s.item.id: s.design for s in store.projects.items("desk")}
        assert (designs["fresh-1"], designs["fresh-2"]) == ("targeted", None)


def test_ten_thousand_items_import_within_thirty_seconds(tmp_path: Path) -> None:
    """M6."""
    workspace = make_workspace(tmp_path)
    file = write_rows(tmp_path / "many.jsonl", item_rows(10_000))
    with opened(workspace) as store:
        open_desk(store, workspace)
        start = time.monotonic()
        done = apply_import(store, plan(store, file), actor="lea")
        assert done.n_new == 9_994
        assert time.monotonic() - start < 30


def test_an_id_that_the_store_cannot_keep_is_rejected_with_its_line(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    path = tmp_path / "long.jsonl"
    write_rows(path, [{"id": "a", "output": "x"}, {"id": "b" * 501, "output": "x"}])
    with opened(workspace) as store:
        open_desk(store, workspace)
        report = plan_import(store, "desk", path, kind="items", actor="lea").report
    assert report.n_rejected == 1
    assert report.problems[0].line == 2
    assert "at most 500" in report.problems[0].sentence()
