from __future__ import annotations

from pathlib import Path

import pytest
from label_workspace import item_rows, make_workspace, open_desk, opened, write_rows

from judgekit.errors import InputError, LabelConflict
from judgekit.store.label_files.project_source import open_project


def test_a_project_asks_what_the_rubric_asks_of_the_datasets_items(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    with opened(workspace) as store:
        project = open_desk(store, workspace, ask_criteria=True)
        assert (project.name, project.dataset, project.n_items) == ("desk", "desk", 6)
        assert project.label_schema.fields == ("_overall", "tone", "facts")
        assert [mode.id for mode in project.label_schema.failure_modes] == ["rude", "wrong"]
        assert project.settings.design == "random"
        assert project.guideline is not None
        assert project.guideline.version == "v1"
        assert "The reply is polite." in project.guideline.text


def test_opened_twice_nothing_changes_and_new_items_are_added(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    with opened(workspace) as store:
        first = open_desk(store, workspace, ask_criteria=True, mode_required=True)
        assert open_project(store, workspace, dataset="desk", rubric="reply", actor="lea") == first
        write_rows(tmp_path / "annotations" / "desk" / "items.jsonl", item_rows(8))
        seen: list[tuple[int, int]] = []
        again = open_project(
            store, workspace, dataset="desk", rubric="reply", actor="lea",
            progress=lambda done, total: seen.append((done, total)),
        )  # fmt: skip
        assert again == first.model_copy(update={"n_items": 8})
        assert seen == [(0, 8), (8, 8)]


def test_the_guideline_is_the_datasets_file_and_a_new_text_needs_a_new_version(
    tmp_path: Path,
) -> None:
    workspace = make_workspace(tmp_path)
    folder = tmp_path / "annotations" / "desk"
    (folder / "guideline.md").write_bytes("Read it twice. Señor.\r\n".encode())
    with opened(workspace) as store:
        project = open_desk(store, workspace)
        assert project.guideline is not None
        assert project.guideline.text == "Read it twice. Señor.\n"
        (folder / "guideline.md").write_text("Read it once.\n")
        with pytest.raises(InputError):
            open_desk(store, workspace)
        (folder / "guideline.md").write_bytes(b"\xff")
        with pytest.raises(InputError, match="UTF-8"):
            open_desk(store, workspace)


def test_an_item_that_changed_after_it_was_imported_is_a_conflict(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    with opened(workspace) as store:
        open_desk(store, workspace)
        rows = item_rows(7)
        rows[2]["output"] = "Something else."
        write_rows(tmp_path / "annotations" / "desk" / "items.jsonl", rows)
        with pytest.raises(LabelConflict, match="1 items") as caught:
            open_desk(store, workspace)
        assert "case-00003" in str(caught.value)
        assert store.projects.get("desk").n_items == 6


def test_a_name_that_labels_another_dataset_is_refused(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    write_rows(tmp_path / "annotations" / "other" / "items.jsonl", item_rows(2))
    with opened(workspace) as store:
        open_desk(store, workspace)
        with pytest.raises(InputError, match="another dataset"):
            open_project(
                store, workspace, dataset="other", rubric="reply", actor="lea", name="desk"
            )


def test_pairs_of_outputs_are_asked_which_is_better(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    pairs = [{"id": "p1", "input": "Q", "output_1": "A", "output_2": "B"}]
    write_rows(tmp_path / "annotations" / "pairs" / "items.jsonl", pairs)
    with opened(workspace) as store:
        project = open_project(store, workspace, dataset="pairs", rubric="reply", actor="lea")
        assert project.label_schema.labels == ("output_1", "output_2", "tie")
        assert {"output_1", "output_2"} <= set(project.label_schema.shows)
        assert "output" not in project.label_schema.shows
