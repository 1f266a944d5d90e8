"""Real label files go through the log into a release, and nothing of them is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from label_workspace import make_workspace, opened

from judgekit.approval.label_release import preview_release, release_labels
from judgekit.model.canonical import bytes_hash
from judgekit.store.label_files.imports import apply_import, plan_import
from judgekit.store.label_files.project_source import open_project
from judgekit.store.readers import read_labels

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "openqa_nq301"
RUBRIC = """\
schema: 1
name: answer
task: Is the answer right?
criteria: [{id: correct_answer, description: The answer means what a gold answer means.}]
failure_modes: [{id: wrong, description: It does not.}]
"""


@pytest.mark.shared
@pytest.mark.skipif(not DATA.is_dir(), reason="the public data in ../shared is not here")
def test_openqa_labels_come_out_of_a_release_as_they_went_in(tmp_path: Path) -> None:
    """Acceptance F, the file side: agreement of a1 and a2 is the library's on the same rows."""
    workspace = make_workspace(tmp_path)
    (tmp_path / "rubrics" / "answer.yaml").write_text(RUBRIC)
    folder = tmp_path / "annotations" / "openqa"
    folder.mkdir()
    (folder / "items.jsonl").write_bytes((DATA / "items.jsonl").read_bytes())
    with opened(workspace) as store:
        open_project(store, workspace, dataset="openqa", rubric="answer", actor="lea")
        plan = plan_import(store, "openqa", DATA / "labels.jsonl", kind="labels", actor="lea")
        assert plan.report.blocked is False
        apply_import(store, plan, actor="lea")
        again = plan_import(store, "openqa", DATA / "labels.jsonl", kind="labels", actor="lea")
        assert (again.report.n_new, again.report.n_conflicting) == (0, 0)
        found = preview_release(store, workspace, "openqa")
        release_labels(store, workspace, "openqa", by="lea")
    given = {row(x) for x in read_labels(DATA / "labels.jsonl").labels}
    written = read_labels(folder / "labels.jsonl").labels
    assert {row(x) for x in written} == given
    assert len(written) == plan.report.n_new
    assert found.sha256 == bytes_hash((folder / "labels.jsonl").read_bytes())
    kappa = found.agreement["correct_answer"].kappa
    assert kappa.value == pytest.approx(0.735, abs=5e-4)  # the data's README, by scikit-learn
    assert kappa.n == 1483


def row(label) -> tuple:
    return (
        label.item_id,
        label.annotator,
        label.criterion,
        label.label,
        label.note,
        label.effective_origin,
    )
