from __future__ import annotations

from pathlib import Path

import pytest
from label_workspace import case, give, make_workspace, open_desk, opened, write_rows

from judgekit.errors import InputError, LabelConflict
from judgekit.store.label_files.fold import fold
from judgekit.store.label_files.imports import apply_import, plan_import
from judgekit.store.mapping import Mapping


def plan(store, file, **options):
    return plan_import(store, "desk", file, kind="labels", actor="lea", **options)


def row(n: int, annotator: str = "ana", label: object = "pass", **more) -> dict:
    return {"item_id": case(n), "annotator": annotator, "label": label, **more}


def labels(store) -> list[tuple]:
    found = fold(store.events.since(0, project="desk")).labels
    return [(x.item_id, x.annotator, x.label, x.origin) for x in found]


def test_anyones_labels_become_part_of_the_log_and_are_known_the_second_time(
    tmp_path: Path,
) -> None:
    workspace = make_workspace(tmp_path)
    file = write_rows(
        tmp_path / "labels.jsonl",
        [
            row(1, label="yes", labelled_at="2026-11-02T09:00:00Z"),
            row(1, "Worker 12", label=0, failure_mode="rude", note="hm", evidence=["On its way"]),
            row(2, "gold", label="fail"),
            row(3, "lea", origin="adjudicated"),
            row(3, label="unsure"),
        ],
    )
    with opened(workspace) as store:
        open_desk(store, workspace)
        done = apply_import(store, plan(store, file), actor="lea")
        assert (done.n_new, done.n_known) == (5, 0)
        expected = [
            (case(1), "Worker 12", "fail", "human"),
            (case(1), "ana", "pass", "human"),
            (case(2), "gold", "fail", "objective"),
            (case(3), "ana", "unsure", "human"),
            (case(3), "lea", "pass", "adjudicated"),
        ]
        assert labels(store) == expected
        again = plan(store, file)
        assert (again.report.n_new, again.report.n_known, again.report.blocked) == (0, 5, False)
        assert apply_import(store, again, actor="lea").n_known == 5
        assert labels(store) == expected
    files = sorted(p.name for p in (workspace.annotations_dir / "desk" / "events").iterdir())
    assert files == ["%57orker%2012.jsonl", "ana.jsonl", "gold.jsonl", "lea.jsonl"]


@pytest.mark.parametrize(
    "at", ["9999-12-31T23:59:59.999999-12:00", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+12:00"]
)
def test_a_label_of_no_time_that_can_be_kept_is_refused(tmp_path: Path, at: str) -> None:
    workspace = make_workspace(tmp_path)
    file = write_rows(tmp_path / "l.jsonl", [row(1, labelled_at=at)])
    with opened(workspace) as store:
        open_desk(store, workspace)
        (problem,) = plan(store, file).report.problems
        assert (problem.line, problem.field) == (1, "labelled_at")
        assert "1970 to 9998" in problem.expected


def test_a_label_that_differs_from_the_one_that_stands_is_a_conflict(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    file = write_rows(tmp_path / "l.jsonl", [row(2), row(1, label="fail"), row(3)])
    with opened(workspace) as store:
        open_desk(store, workspace)
        give(store, "ana", "pass", case(1), case(2))
        found = plan(store, file)
        assert (found.report.n_new, found.report.n_known, found.report.n_conflicting) == (1, 1, 1)
        assert found.report.problems[0].line == 2
        with pytest.raises(LabelConflict):
            apply_import(store, found, actor="lea")
        assert len(labels(store)) == 2


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (row(99), "item_id"),
        (row(1, "ana@desk.example"), "annotator"),
        (row(1, label="4"), "label"),
        (row(1, label="tie"), "label"),
        (row(1, criterion="colour"), "criterion"),
        (row(1, label=None), "label"),
        (row(1, label=""), "label"),
        (row(1, weight=-1), "weight"),
        (row(1, labelled_at="yesterday"), "labelled_at"),
        (row(1, origin="guess"), "origin"),
    ],
)
def test_a_label_that_cannot_be_used_is_rejected_by_line_and_field(
    tmp_path: Path, bad: dict, field: str
) -> None:
    workspace = make_workspace(tmp_path)
    file = write_rows(tmp_path / "l.jsonl", [row(2), bad])
    with opened(workspace) as store:
        open_desk(store, workspace)
        report = plan(store, file).report
        assert (report.n_new, report.n_rejected) == (1, 1)
        assert (report.problems[0].line, report.problems[0].field) == (2, field)
        with pytest.raises(LabelConflict):
            apply_import(store, plan(store, file), actor="lea")
        assert store.events.count("desk") == 0


def test_contradictory_labels_of_one_person_in_one_file_are_a_conflict(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    file = write_rows(tmp_path / "l.jsonl", [row(1), row(1), row(1, label="fail")])
    with opened(workspace) as store:
        open_desk(store, workspace)
        report = plan(store, file).report
        assert (report.n_new, report.n_known, report.n_conflicting) == (1, 1, 1)


def test_a_mapping_says_what_foreign_words_mean(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    file = write_rows(tmp_path / "l.jsonl", [row(1, label=5), row(2, label=2)])
    with opened(workspace) as store:
        open_desk(store, workspace)
        apply_import(store, plan(store, file, mapping=Mapping(pass_if=">= 4")), actor="lea")
        assert [x[2] for x in labels(store)] == ["pass", "fail"]


def test_a_file_without_labels_is_refused(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    with opened(workspace) as store:
        open_desk(store, workspace)
        with pytest.raises(InputError, match="no label"):
            plan(store, ("l.jsonl", b"\n"))
