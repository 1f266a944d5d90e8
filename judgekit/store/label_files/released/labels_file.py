"""labels.jsonl and `releases/`: which release they are, and what is no release's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.errors import InputError, LabelConflict
from judgekit.model.canonical import bytes_hash
from judgekit.model.label import Label
from judgekit.model.release import LABELS_FILE, Release
from judgekit.store.dataset import read_manifest
from judgekit.store.files import atomic_write, read_bytes
from judgekit.store.readers import read_labels

if TYPE_CHECKING:
    from judgekit.store.label_files.fold import Folded

RELEASES_FOLDER = "releases"


def is_released(folder: Path) -> bool:
    """Tell whether labels.jsonl is a release's, empty or absent."""
    found = current_hash(folder)
    if found is None or (folder / LABELS_FILE).stat().st_size == 0:
        return True
    return _holding(read_manifest(folder).releases, found) is not None


def refuse_edited(folder: Path) -> None:
    """Refuse a dataset whose labels.jsonl is no release although releases were made.

    Raises:
        InputError: labels.jsonl was edited or deleted after its release.
    """
    releases = read_manifest(folder).releases
    found = current_hash(folder)
    if not releases or _holding(releases, found) is not None:
        return
    last = releases[-1]
    if found is not None and found == last.replaces:
        return  # its writer died; the labels are those of before
    raise InputError(
        f"{LABELS_FILE!r} is not as it was released",
        where=str(folder / LABELS_FILE),
        found=found or "no file",
        expected=f"{last.labels_hash}, release {last.version!r}",
        mend="restore it from version control, or name the release: --release",
    )


def labels_file_state(folder: Path) -> str:
    """Return what labels.jsonl is, in words: a release, absent, or something else."""
    found = current_hash(folder)
    if found is None:
        return "not there yet"
    release = _holding(read_manifest(folder).releases, found)
    if release is not None:
        return f"release {release.version}"
    return "of no release: it was made or edited by other means"


def mend_labels_file(folder: Path) -> bool:
    """Finish a release whose writer died before labels.jsonl; return whether there was one.

    Only where labels.jsonl is still the one that the release replaces, or is gone.
    """
    releases = read_manifest(folder).releases
    if not releases:
        return False
    last = releases[-1]
    wanted, found = last.labels_hash, current_hash(folder)
    kept = release_path(folder, last.version)
    if found == wanted or found not in (None, last.replaces) or not kept.is_file():
        return False
    data = read_bytes(kept)
    if bytes_hash(data) != wanted:
        return False
    atomic_write(folder / LABELS_FILE, data)
    return True


def release_labels_path(folder: Path, version: str) -> Path:
    """Return the labels of a release, whole, as they were released.

    Raises:
        InputError: there is no such release, or its file is gone or was edited.
    """
    found = {r.version: r for r in read_manifest(folder).releases}
    path = release_path(folder, version)
    if version not in found:
        raise InputError(
            f"there is no release {version!r}",
            where=str(folder),
            found=repr(version),
            expected=", ".join(found) or "no release is there yet",
        )
    wanted = found[version].labels_hash
    data = read_bytes(path)
    if bytes_hash(data) != wanted:
        raise InputError(
            f"the labels of release {version!r} were edited",
            where=str(path),
            found=bytes_hash(data),
            expected=wanted,
            mend="restore the file from version control",
        )
    return path


def refuse_unknown_labels(folder: Path, releases: tuple[Release, ...], folded: Folded) -> None:
    """Refuse to overwrite labels that came into labels.jsonl by another way than a release.

    Raises:
        LabelConflict: a label is not in the log, or was edited after its release.
    """
    path = folder / LABELS_FILE
    found = current_hash(folder)
    if found is None or path.stat().st_size == 0:
        return
    if any(found in (r.labels_hash, r.replaces) for r in releases[-1:]):
        return  # the last release's, or what it replaces where its writer died
    if _holding(releases, found) is not None:
        return
    known = {(x.item_id, x.criterion, x.annotator): x.label for x in folded.labels}
    closed = {(gone.item_id, gone.criterion) for gone in folded.exclusions}
    for label in read_labels(path).labels:
        place = (label.item_id, label.criterion)
        if place in closed:
            continue
        answer = known.get((*place, label.annotator))
        if answer is not None and releases and answer != label.label:
            raise _edited(path, label, answer, releases[-1].version)
        if answer is None:
            raise LabelConflict(
                f"{path.name!r} holds labels that the label database does not",
                where=f"{path}:{label.line}",
                found=f"the label of {label.annotator!r} about {label.item_id!r}",
                expected="labels that are in the database",
                mend=f"judgekit labels import --file {path} first",
            )


def _edited(path: Path, label: Label, answer: object, version: str) -> LabelConflict:
    return LabelConflict(
        f"{path.name!r} was edited after release {version!r}",
        where=f"{path}:{label.line}",
        found=f"{label.label!r} by {label.annotator!r} about {label.item_id!r}",
        expected=f"{answer!r}, as it was given",
        mend=f"restore it: cp {release_path(path.parent, version)} {path}; a changed mind is a "
        "new answer in the app, never an edit",
    )


def released_text(folder: Path, last: Release | None) -> str:
    """Return the labels of a release, empty text without one.

    Raises:
        InputError: their file is gone or was edited.
    """
    if last is None:
        return ""
    return read_bytes(release_labels_path(folder, last.version)).decode("utf-8")


def release_path(folder: Path, version: str) -> Path:
    """Return where the labels of a release are kept."""
    return folder / RELEASES_FOLDER / f"{version}.jsonl"


def _holding(releases: tuple[Release, ...], found: str | None) -> Release | None:
    """Return the newest release whose labels have this hash, None where none has."""
    return next((one for one in reversed(releases) if one.labels_hash == found), None)


def current_hash(folder: Path) -> str | None:
    """Return the hash of labels.jsonl, None where it is not there."""
    path = folder / LABELS_FILE
    return bytes_hash(read_bytes(path)) if path.is_file() else None
