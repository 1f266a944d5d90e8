"""Release labels: fold the log, measure how people agree, write labels.jsonl. One way for all."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.calibration.label_agreement import label_agreement, unit_agreement
from judgekit.errors import LabelConflict
from judgekit.model.label import Label
from judgekit.model.release import Release, UnitAgreement
from judgekit.store.files import held

if TYPE_CHECKING:
    from judgekit.store.label_files.released.release import ReleasePreview
    from judgekit.store.label_store import LabelStore
    from judgekit.store.workspace import Workspace


def preview_release(
    store: LabelStore,
    workspace: Workspace,
    project: str,
    *,
    version: str | None = None,
    until: int | None = None,
) -> ReleasePreview:
    """Return what a release would write now, and how it differs from the last one.

    Args:
        version: the release's version; None counts the dataset's up by one.
        until: the place in the log to fold at; None is its end.

    Raises:
        InputError: there is no such project, the version is taken, or labels.jsonl holds labels
            that are not in the log.
    """
    from judgekit.store.label_files.released.release import preview

    items = tuple(stored.item for stored in store.projects.items(project))
    schema = store.projects.get(project).label_schema

    def agreement(labels: tuple[Label, ...]) -> dict[str, UnitAgreement]:
        return unit_agreement(label_agreement(labels, items=items, answers=schema.labels))

    return preview(
        store,
        project,
        dataset_folder(store, workspace, project),
        agreement=agreement,
        version=version,
        until=until,
    )


def release_labels(
    store: LabelStore,
    workspace: Workspace,
    project: str,
    *,
    by: str,
    version: str | None = None,
    until: int | None = None,
    sha256: str | None = None,
    at: datetime | None = None,
) -> Release:
    """Write a release, record it in the store and return it.

    With `version`, `until` and `sha256` of a preview, exactly what was previewed is written; labels
    given since stay for the next release.

    Raises:
        LabelConflict: another release was finished since this one was previewed, the labels would
            not be those of `sha256`, or an event file was edited.
        StoreFailed: a file cannot be written; the old release stands.
    """
    from judgekit.store.label_files.mirror import catch_up
    from judgekit.store.label_files.released.release import write_release

    folder = dataset_folder(store, workspace, project)
    with _alone(workspace, folder):
        _finish(store, folder, project)
        if sha256 is not None:
            _refuse_overtaken(store, folder, project, version, until)
        # The files of the log must tell what the database does: the release holds their hashes.
        catch_up(workspace.annotations_dir, store.events.since(0, project=project))
        plan = preview_release(store, workspace, project, version=version, until=until)
        if sha256 is not None and plan.unchanged:
            raise _overtaken(folder)  # nobody releases what the preview calls unchanged
        release = write_release(store, folder, plan, by=by, sha256=sha256, at=at)
        _record(store, folder, project, release)
    return release


def finish_releases(store: LabelStore, workspace: Workspace, project: str) -> bool:
    """Finish what a process left that died while it released; return whether there was anything.

    labels.jsonl becomes the release that dataset.yaml lists last, and the store learns of every
    release that it does not know. A process that releases now is waited for: it is not dead.
    """
    folder = dataset_folder(store, workspace, project)
    with _alone(workspace, folder):
        return _finish(store, folder, project)


def _alone(workspace: Workspace, folder: Path) -> AbstractContextManager[None]:
    return held(workspace.state_dir / f"release-{folder.name}.lock")


def _finish(store: LabelStore, folder: Path, project: str) -> bool:
    from judgekit.store.dataset import read_manifest
    from judgekit.store.label_files.released.labels_file import mend_labels_file

    mended = mend_labels_file(folder)
    known = {release.version for release in store.releases.list(project)}
    missing = [
        release
        for release in read_manifest(folder).releases
        if release.project == project and release.version not in known
    ]
    for release in missing:
        _record(store, folder, project, release)
    return mended or bool(missing)


def _refuse_overtaken(
    store: LabelStore, folder: Path, project: str, version: str | None, until: int | None
) -> None:
    """Refuse a previewed release whose version, or a later place in the log, is released by now."""
    made = store.releases.list(project)
    behind = until is not None and any(until < release.last_seq for release in made)
    if behind or version in {release.version for release in made}:
        raise _overtaken(folder)


def _overtaken(folder: Path) -> LabelConflict:
    from judgekit.store.dataset import MANIFEST_FILE, read_manifest

    last = read_manifest(folder).releases[-1]
    return LabelConflict(
        f"another release of the dataset {folder.name!r} was finished meanwhile",
        where=str(folder / MANIFEST_FILE),
        found=f"release {last.version!r} by {last.by!r} at {last.at:%Y-%m-%d %H:%M:%S} UTC",
        expected="no release since this one was previewed or proposed",
        mend=f"judgekit labels export --dataset {folder.name} --dry-run shows what is not in it; "
        "then export again, or send the proposal back and propose again",
    )


def _record(store: LabelStore, folder: Path, project: str, release: Release) -> None:
    from judgekit.store.label_store import Release as StoredRelease

    body = release.model_dump(mode="json")
    store.releases.add(
        StoredRelease(
            project=project,
            dataset=folder.name,
            version=release.version,
            last_seq=min(release.last_seq, store.events.last_seq(project)),
            hashes=release.files,
            counts=release.counts,
            agreement=body["agreement"],
            exclusions=tuple(body["exclusions"]),
            actor=release.by,
            at=release.at,
        )
    )


def dataset_folder(store: LabelStore, workspace: Workspace, project: str) -> Path:
    """Return the dataset folder that a project labels."""
    return workspace.annotations_dir / store.projects.get(project).dataset
