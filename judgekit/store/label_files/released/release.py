"""Releases: labels.jsonl frozen, its hashes in dataset.yaml, every older one kept.

A release is written in an order that any death leaves whole: first
`releases/<version>.jsonl`, then dataset.yaml (from here on the release exists), then labels.jsonl
as a copy. `mend_labels_file` makes up for a death before the last step.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from judgekit.errors import InputError, LabelConflict
from judgekit.model.base import Record
from judgekit.model.canonical import bytes_hash
from judgekit.model.label import Label
from judgekit.model.release import LABELS_FILE, EventsSeen, Exclusion, Release, UnitAgreement
from judgekit.store.dataset import read_manifest
from judgekit.store.files import atomic_write, read_bytes
from judgekit.store.label_files.fold import Folded, fold, labels_text
from judgekit.store.label_files.mirror import event_files
from judgekit.store.label_files.released.diff import ReleaseDiff, diff_of
from judgekit.store.label_files.released.guideline_files import guideline_files
from judgekit.store.label_files.released.items_file import items_with
from judgekit.store.label_files.released.labels_file import (
    current_hash,
    refuse_unknown_labels,
    release_path,
    released_text,
)
from judgekit.store.label_files.released.manifest import manifest_with, write_manifest
from judgekit.store.label_store import LabelEvent, LabelStore, Project

VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
Agreement = Callable[[tuple[Label, ...]], Mapping[str, UnitAgreement]]


class ReleasePreview(Record):
    """What a release would write now. `text` is labels.jsonl and `sha256` its hash."""

    project: str
    version: str
    last_seq: int
    text: str
    sha256: str
    labels: tuple[Label, ...]
    exclusions: tuple[Exclusion, ...]
    counts: dict[str, int]
    left_out: dict[str, int]
    agreement: dict[str, UnitAgreement]
    events: dict[str, EventsSeen]
    diff: ReleaseDiff
    unchanged: bool


def preview(
    store: LabelStore,
    project: str,
    folder: Path,
    *,
    agreement: Agreement,
    version: str | None = None,
    until: int | None = None,
) -> ReleasePreview:
    """Return what a release of a project would write, folding the log up to `until`.

    Raises:
        InputError: no such project, another project's labels are released in this folder, the
            version is taken or no file's name, or labels.jsonl has labels that the log has not.
    """
    known = store.projects.get(project)
    manifest = read_manifest(folder)
    _refuse_other_project(known, manifest.releases, folder)
    last_seq, log = _log(store, project, until)
    folded = fold(log)
    text = labels_text(folded.labels)
    refuse_unknown_labels(folder, manifest.releases, folded)
    sha256 = bytes_hash(text.encode("utf-8"))
    last = manifest.releases[-1] if manifest.releases else None
    same = last is not None and last.labels_hash == sha256 == current_hash(folder)
    return ReleasePreview(
        project=project,
        version=_version(version, manifest.version, manifest.releases),
        last_seq=last_seq,
        text=text,
        sha256=sha256,
        labels=folded.labels,
        exclusions=folded.exclusions,
        counts=_counts(folded),
        left_out=folded.left_out,
        agreement=dict(agreement(folded.labels)),
        events=_events_seen(log),
        diff=diff_of(released_text(folder, last), text, folded.exclusions),
        unchanged=last is not None and same and last.exclusions == folded.exclusions,
    )


def _log(store: LabelStore, project: str, until: int | None) -> tuple[int, tuple[LabelEvent, ...]]:
    """Return the place in the log where a release ends, and the events up to it."""
    end = store.events.last_seq(project)
    last_seq = min(until, end) if until else end
    return last_seq, tuple(store.events.since(0, project=project, until=last_seq))


def write_release(
    store: LabelStore,
    folder: Path,
    plan: ReleasePreview,
    *,
    by: str,
    sha256: str | None = None,
    at: datetime | None = None,
) -> Release:
    """Write a previewed release and return its record.

    Args:
        by: the alias of who releases.
        sha256: the hash of labels.jsonl that was approved; another one is refused.

    Raises:
        LabelConflict: what would be written is not what was approved.
        StoreFailed: a file cannot be written; the old release stands.
    """
    _refuse(plan, sha256, folder)
    labels = plan.text.encode("utf-8")
    items = items_with(store, plan.project, folder)
    guidelines = guideline_files(store, plan.project, plan.labels)
    hashed = {items.name: items.data, **guidelines}
    release = _record(plan, hashed, folder, by, at)
    manifest = manifest_with(folder, release)
    if items.changed:
        atomic_write(folder / items.name, items.data)
    for name, data in guidelines.items():
        if not (folder / name).is_file() or read_bytes(folder / name) != data:
            atomic_write(folder / name, data)
    atomic_write(release_path(folder, plan.version), labels)
    write_manifest(folder, manifest)
    atomic_write(folder / LABELS_FILE, labels)
    return release


def _refuse(plan: ReleasePreview, sha256: str | None, folder: Path) -> None:
    if sha256 is not None and sha256 != plan.sha256:
        raise LabelConflict(
            "the labels are not those that were approved",
            where=str(folder / LABELS_FILE),
            found=plan.sha256,
            expected=sha256,
            mend="preview the release again",
        )
    if not plan.labels:
        raise InputError(
            f"the project {plan.project!r} has no label to release",
            found="no label",
            expected="at least one",
            mend="judgekit label",
        )


def _record(
    plan: ReleasePreview, beside: dict[str, bytes], folder: Path, by: str, at: datetime | None
) -> Release:
    hashes = {name: bytes_hash(data) for name, data in beside.items()}
    return Release(
        version=plan.version,
        project=plan.project,
        at=(at or datetime.now(UTC)).replace(microsecond=0),
        by=by,
        last_seq=plan.last_seq,
        files={LABELS_FILE: plan.sha256, **hashes},
        replaces=current_hash(folder),
        events=plan.events,
        counts=plan.counts,
        left_out=plan.left_out,
        agreement=plan.agreement,
        exclusions=plan.exclusions,
    )


def _version(given: str | None, current: str, releases: tuple[Release, ...]) -> str:
    version = given
    if version is None:
        if not current.isdigit():
            raise InputError(
                "the next version cannot be counted from this one",
                found=f"version {current!r} in dataset.yaml",
                expected="a number",
                mend="give --version",
            )
        version = str(int(current) + 1)
    if VERSION.fullmatch(version) is None:
        raise InputError(
            "this cannot be the version of a release",
            found=repr(version),
            expected="a new version of letters, digits, '.', '_' and '-', at most 64",
        )
    if made := [release for release in releases if release.version == version]:
        raise InputError(
            f"there is a release of version {version!r} already",
            found=f"made by {made[0].by!r} at {made[0].at:%Y-%m-%d %H:%M:%S} UTC",
            expected="a version that is free",
            mend="give another --version, or none: it is counted up",
        )
    return version


def _counts(folded: Folded) -> dict[str, int]:
    answers = Counter(str(label.label) for label in folded.labels)
    return {
        "labels": len(folded.labels),
        "items": len({label.item_id for label in folded.labels}),
        "annotators": len({x.annotator for x in folded.labels if x.origin != "adjudicated"}),
        "adjudicated": sum(label.origin == "adjudicated" for label in folded.labels),
        **{f"label {answer}": n for answer, n in sorted(answers.items())},
    }


def _events_seen(log: tuple[LabelEvent, ...]) -> dict[str, EventsSeen]:
    return {
        name: EventsSeen(lines=data.count(b"\n"), sha256=bytes_hash(data))
        for name, data in event_files(log).items()
    }


def _refuse_other_project(project: Project, releases: tuple[Release, ...], folder: Path) -> None:
    if project.dataset != folder.name:
        raise InputError(
            f"the project {project.name!r} labels another dataset",
            where=str(folder),
            found=repr(project.dataset),
            expected=repr(folder.name),
        )
    others = {release.project for release in releases} - {project.name}
    if others:
        raise InputError(
            f"the dataset {folder.name!r} holds the labels of another project",
            where=str(folder),
            found=repr(min(others)),
            expected=repr(project.name),
            mend="one dataset has one labels.jsonl: give the other project a dataset of its own",
        )
