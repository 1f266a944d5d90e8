from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from label_workspace import MANIFEST, case, give, make_workspace, open_desk, opened, write_rows

from judgekit.approval.label_release import finish_releases, preview_release, release_labels
from judgekit.errors import InputError, LabelConflict
from judgekit.model.canonical import bytes_hash
from judgekit.store.dataset import load_dataset, read_manifest
from judgekit.store.files import held
from judgekit.store.label_files.imports import apply_import, plan_import
from judgekit.store.label_files.released import release as release_module
from judgekit.store.label_files.released.labels_file import (
    labels_file_state,
    mend_labels_file,
    refuse_edited,
    release_labels_path,
)
from judgekit.store.label_store import GuidelineVersion, LabelStore
from judgekit.store.workspace import Workspace


def label_some(store: LabelStore, workspace: Workspace) -> None:
    open_desk(store, workspace)
    give(store, "ana", "pass", case(1), case(2), case(3))
    give(store, "ben", "pass", case(1), case(2))
    give(store, "ben", "fail", case(3), failure_mode="rude")


def test_a_release_writes_labels_and_its_record(tmp_path: Path) -> None:
    """P2."""
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    with opened(workspace) as store:
        label_some(store, workspace)
        plan = preview_release(store, workspace, "desk")
        made = release_labels(store, workspace, "desk", by="lea", sha256=plan.sha256)
        assert store.releases.get("desk", "4").hashes == made.files
    data = (folder / "labels.jsonl").read_bytes()
    assert made.files["labels.jsonl"] == plan.sha256 == bytes_hash(data)
    assert made.files["items.jsonl"] == bytes_hash((folder / "items.jsonl").read_bytes())
    assert (folder / "releases" / "4.jsonl").read_bytes() == data
    assert read_manifest(folder).releases == (made,)
    assert (
        (folder / "dataset.yaml")
        .read_text()
        .startswith(MANIFEST.replace('version: "3" ', 'version: "4" '))
    )
    assert made.counts == {
        "labels": 6, "items": 3, "annotators": 2, "adjudicated": 0,
        "label fail": 1, "label pass": 5,
    }  # fmt: skip
    assert made.agreement["_overall"].n_pairs == 3
    assert made.agreement["_overall"].agreement.value == pytest.approx(2 / 3)
    assert len(load_dataset(folder).labels) == 6
    assert labels_file_state(folder) == "release 4"


def test_a_later_label_does_not_change_a_release_and_the_diff_counts_lines(
    tmp_path: Path,
) -> None:
    """P3, P5."""
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    with opened(workspace) as store:
        label_some(store, workspace)
        release_labels(store, workspace, "desk", by="lea")
        before = (folder / "labels.jsonl").read_bytes()
        give(store, "ana", "fail", case(4))
        assert (folder / "labels.jsonl").read_bytes() == before
        plan = preview_release(store, workspace, "desk")
        old, new = set(before.decode().splitlines()), set(plan.text.splitlines())
        assert set(plan.diff.added) == new - old
        assert (len(plan.diff.added), plan.diff.changed, plan.diff.removed) == (1, (), ())
        assert not plan.unchanged


def test_what_was_approved_is_written_even_if_labels_came_since(tmp_path: Path) -> None:
    """P2, P3."""
    workspace = make_workspace(tmp_path)
    with opened(workspace) as store:
        label_some(store, workspace)
        plan = preview_release(store, workspace, "desk")
        give(store, "ana", "fail", case(4))
        with pytest.raises(LabelConflict, match="approved"):
            release_labels(store, workspace, "desk", by="lea", sha256=plan.sha256)
        assert not (workspace.annotations_dir / "desk" / "labels.jsonl").exists()
        made = release_labels(
            store, workspace, "desk", by="lea", until=plan.last_seq, sha256=plan.sha256
        )
        assert made.files["labels.jsonl"] == plan.sha256


def test_a_release_behind_a_later_one_is_refused_before_a_file_is_written(tmp_path: Path) -> None:
    """Else dataset.yaml would list a release that the store can never take in."""
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    with opened(workspace) as store:
        label_some(store, workspace)
        plan = preview_release(store, workspace, "desk", version="early")
        give(store, "ana", "fail", case(4))
        release_labels(store, workspace, "desk", by="lea")
        before = (folder / "dataset.yaml").read_bytes()
        with pytest.raises(LabelConflict, match="finished meanwhile"):
            release_labels(
                store, workspace, "desk", by="lea",
                version="early", until=plan.last_seq, sha256=plan.sha256,
            )  # fmt: skip
        assert (folder / "dataset.yaml").read_bytes() == before
        assert finish_releases(store, workspace, "desk") is False


def test_a_release_that_is_being_written_is_waited_for_and_not_finished_by_another(
    tmp_path: Path,
) -> None:
    workspace = make_workspace(tmp_path)
    with opened(workspace) as store:
        label_some(store, workspace)
        finisher = threading.Thread(target=finish_releases, args=(store, workspace, "desk"))
        with held(workspace.state_dir / "release-desk.lock"):
            finisher.start()
            finisher.join(0.2)
            assert finisher.is_alive()
        finisher.join(30)
        assert not finisher.is_alive()


def test_a_release_can_be_folded_again_from_the_files_alone(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    with opened(workspace) as store:
        label_some(store, workspace)
        made = release_labels(store, workspace, "desk", by="lea")
        give(store, "ana", "fail", case(4))
    for name, seen in made.events.items():
        lines = (folder / "events" / name).read_bytes().splitlines(keepends=True)
        assert bytes_hash(b"".join(lines[: seen.lines])) == seen.sha256


class Killed(BaseException):
    """The process dies here."""


@pytest.mark.parametrize("step", [0, 1, 2])
def test_a_death_at_any_step_leaves_the_old_or_the_new_release_and_running_again_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    with opened(workspace) as store:
        label_some(store, workspace)
        release_labels(store, workspace, "desk", by="lea")
        old = (folder / "labels.jsonl").read_bytes()
        give(store, "ana", "fail", case(4))
        plan = preview_release(store, workspace, "desk")
        done = [0]

        def write(path: Path, data: bytes) -> None:
            if done[0] == step:
                raise Killed
            done[0] += 1
            atomic_write(path, data)

        atomic_write = release_module.atomic_write
        monkeypatch.setattr(release_module, "atomic_write", write)
        monkeypatch.setattr(
            release_module, "write_manifest", lambda f, data: write(f / "dataset.yaml", data)
        )
        with pytest.raises(Killed):
            release_labels(store, workspace, "desk", by="lea")
        monkeypatch.undo()
        assert (folder / "labels.jsonl").read_bytes() == old
        assert finish_releases(store, workspace, "desk") is (step == 2)
        assert finish_releases(store, workspace, "desk") is False
        again = preview_release(store, workspace, "desk")
        assert again.sha256 == plan.sha256
        if not again.unchanged:
            release_labels(store, workspace, "desk", by="lea")
        assert (folder / "labels.jsonl").read_bytes() == plan.text.encode()
        assert [r.version for r in read_manifest(folder).releases] == ["4", "5"]
        assert [r.version for r in store.releases.list("desk")] == ["4", "5"]


def test_a_release_that_the_store_does_not_know_is_told_to_it(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    with opened(workspace) as store:
        label_some(store, workspace)
        release_labels(store, workspace, "desk", by="lea")
        known = store.releases.list("desk")
    (tmp_path / ".judgekit" / "labels.db").unlink()
    with opened(workspace) as store:
        open_desk(store, workspace)
        plan = plan_import(
            store, "desk", workspace.annotations_dir / "desk", kind="events", actor="lea"
        )
        apply_import(store, plan, actor="lea")
        assert finish_releases(store, workspace, "desk")
        assert store.releases.list("desk") == known
        assert preview_release(store, workspace, "desk").unchanged


def test_an_edited_labels_file_is_never_mended_away(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    with opened(workspace) as store:
        label_some(store, workspace)
        release_labels(store, workspace, "desk", by="lea")
        extra = {"item_id": case(5), "annotator": "zoe", "label": "pass"}
        with (folder / "labels.jsonl").open("a") as file:
            file.write(json.dumps(extra) + "\n")
        assert mend_labels_file(folder) is False
        assert labels_file_state(folder).startswith("of no release")
        with pytest.raises(LabelConflict, match="does not") as caught:
            preview_release(store, workspace, "desk")
        assert "zoe" in str(caught.value)


def test_an_answer_that_was_edited_after_its_release_stops_the_next_one(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    path = workspace.annotations_dir / "desk" / "labels.jsonl"
    with opened(workspace) as store:
        label_some(store, workspace)
        release_labels(store, workspace, "desk", by="lea")
        refuse_edited(path.parent)
        path.write_text(path.read_text().replace('"fail"', '"pass"'))
        with pytest.raises(LabelConflict, match="edited after release '4'") as caught:
            preview_release(store, workspace, "desk")
        assert "'fail', as it was given" in str(caught.value)
        with pytest.raises(InputError, match="not as it was released"):
            refuse_edited(path.parent)


def test_labels_that_were_deleted_after_their_release_come_back(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    path = workspace.annotations_dir / "desk" / "labels.jsonl"
    with opened(workspace) as store:
        label_some(store, workspace)
        release_labels(store, workspace, "desk", by="lea")
        whole = path.read_bytes()
        path.unlink()
        with pytest.raises(InputError, match="not as it was released"):
            refuse_edited(path.parent)
        assert not preview_release(store, workspace, "desk").unchanged
        assert finish_releases(store, workspace, "desk")
        assert path.read_bytes() == whole
        assert preview_release(store, workspace, "desk").unchanged


def test_labels_of_other_means_are_not_overwritten_before_they_are_imported(
    tmp_path: Path,
) -> None:
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    write_rows(folder / "labels.jsonl", [{"item_id": case(1), "annotator": "zoe", "label": "pass"}])
    with opened(workspace) as store:
        label_some(store, workspace)
        with pytest.raises(LabelConflict, match="import"):
            release_labels(store, workspace, "desk", by="lea")


def test_every_guideline_that_labels_were_given_under_is_kept_in_its_words(
    tmp_path: Path,
) -> None:
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    (folder / "guideline.md").write_text("Read it once.\n")
    with opened(workspace) as store:
        label_some(store, workspace)
        second = GuidelineVersion(version="V2/draft", text="Read it twice. Señor.\n")
        store.projects.change_guideline("desk", second, actor="lea")
        give(store, "ana", "fail", case(4))
        unused = GuidelineVersion(version="v3", text="Read it thrice.\n")
        store.projects.change_guideline("desk", unused, actor="lea")
        made = release_labels(store, workspace, "desk", by="lea")
    kept = {path.name: path.read_text() for path in (folder / "guidelines").iterdir()}
    assert kept == {"v1.md": "Read it once.\n", "%562%2fdraft.md": "Read it twice. Señor.\n"}
    assert {name for name in made.files if name.startswith("guidelines/")} == {
        f"guidelines/{name}" for name in kept
    }


def test_items_that_only_the_project_has_are_added_to_the_items_file(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    with opened(workspace) as store:
        label_some(store, workspace)
        before = (folder / "items.jsonl").read_bytes()
        fresh = load_dataset(folder).items[0].model_copy(update={"id": "fresh", "output": "é"})
        store.projects.import_items("desk", [fresh], actor="lea")
        give(store, "ana", "pass", "fresh")
        release_labels(store, workspace, "desk", by="lea")
    after = (folder / "items.jsonl").read_bytes()
    assert after.startswith(before)
    assert load_dataset(folder).items[-1] == fresh


@pytest.mark.parametrize("version", ["3/../../x", "", "4", "a b", "x" * 65, "."])
def test_a_version_that_is_taken_or_no_file_name_is_refused(tmp_path: Path, version: str) -> None:
    workspace = make_workspace(tmp_path)
    with opened(workspace) as store:
        label_some(store, workspace)
        release_labels(store, workspace, "desk", by="lea")
        give(store, "ana", "pass", case(4))
        with pytest.raises(InputError, match="version"):
            release_labels(store, workspace, "desk", by="lea", version=version)


def test_a_version_that_is_no_number_cannot_be_counted_up(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    path = workspace.annotations_dir / "desk" / "dataset.yaml"
    path.write_text(path.read_text().replace('"3"', '"november"'))
    with opened(workspace) as store:
        label_some(store, workspace)
        with pytest.raises(InputError, match="--version"):
            release_labels(store, workspace, "desk", by="lea")
        assert release_labels(store, workspace, "desk", by="lea", version="dec").version == "dec"


def test_nothing_labelled_is_nothing_to_release(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    with opened(workspace) as store:
        open_desk(store, workspace)
        with pytest.raises(InputError, match="no label"):
            release_labels(store, workspace, "desk", by="lea")


def test_an_older_release_is_read_whole_unless_it_was_edited(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    with opened(workspace) as store:
        label_some(store, workspace)
        release_labels(store, workspace, "desk", by="lea")
        old = (folder / "labels.jsonl").read_bytes()
        give(store, "ana", "fail", case(4))
        release_labels(store, workspace, "desk", by="lea")
    assert release_labels_path(folder, "4").read_bytes() == old
    (folder / "releases" / "4.jsonl").write_bytes(old + b"\n")
    with pytest.raises(InputError, match="edited"):
        release_labels_path(folder, "4")
    with pytest.raises(InputError, match="no release"):
        release_labels_path(folder, "9")


def test_a_log_that_was_edited_by_hand_stops_a_release(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    with opened(workspace) as store:
        label_some(store, workspace)
        path = folder / "events" / "ben.jsonl"
        path.write_text(path.read_text().replace('"fail"', '"pass"'))
        with pytest.raises(LabelConflict, match="another thing about the event") as caught:
            release_labels(store, workspace, "desk", by="lea")
        assert str(path) in str(caught.value)
    assert not (folder / "releases").exists()


def test_a_log_that_was_deleted_is_written_again_by_a_release(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    folder = workspace.annotations_dir / "desk"
    with opened(workspace) as store:
        label_some(store, workspace)
        whole = (folder / "events" / "ben.jsonl").read_bytes()
        (folder / "events" / "ben.jsonl").unlink()
        made = release_labels(store, workspace, "desk", by="lea")
    assert (folder / "events" / "ben.jsonl").read_bytes() == whole
    assert made.events["ben.jsonl"].sha256 == bytes_hash(whole)
