"""What `judgekit labels export` does: a release, or a copy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from judgekit.errors import InputError, UsageError

if TYPE_CHECKING:
    from judgekit.store.label_store import LabelStore, Project
    from judgekit.store.workspace import Workspace


class ExportOptions(NamedTuple):
    """The options of one `judgekit labels export`, as given."""

    dataset: str | None
    project: str | None
    version: str | None
    by: str | None
    out: Path | None
    csv: Path | None
    dry_run: bool
    workspace: Path | None
    url: str | None


def run_export(options: ExportOptions) -> dict[str, Any]:
    """Release or copy, as the options say, and return what was done.

    Raises:
        UsageError: a release and nobody who makes it.
        InputError: there is nothing to release, or a file cannot be used.
        StoreFailed: a file cannot be written; what was there stands.
    """
    from judgekit.cli.labels_store import opened_to_read, project_of
    from judgekit.store.workspace import find_workspace

    copies = options.out is not None or options.csv is not None
    if copies and (options.version or options.by):
        raise UsageError(
            "a copy is no release", found="--out or --csv with --version or --by", expected="either"
        )
    if not copies and not options.by and not options.dry_run:
        raise UsageError("who releases is never guessed", expected="--by ALIAS")
    if options.csv is not None and options.csv.suffix.lower() != ".csv":
        raise UsageError(
            "a copy as CSV would overwrite a file of another kind",
            found=f"--csv {options.csv}",
            expected="a name that ends in .csv",
        )
    workspace = find_workspace(options.workspace)
    with opened_to_read(workspace, options.url) as store:
        project = project_of(store, workspace, options.dataset, options.project)
        if copies:
            return _copy(options, workspace, store, project)
        return _release(options, workspace, store, project)


def _release(
    options: ExportOptions, workspace: Workspace, store: LabelStore, project: Project
) -> dict[str, Any]:
    from judgekit.approval.label_release import finish_releases, preview_release, release_labels
    from judgekit.store.label_files.aliases import check_alias

    by = check_alias(options.by, where="--by") if options.by else ""
    if not options.dry_run:
        finish_releases(store, workspace, project.name)
    plan = preview_release(store, workspace, project.name, version=options.version)
    done = {
        "project": project.name,
        "dataset": project.dataset,
        "version": plan.version,
        "last_seq": plan.last_seq,
        "sha256": plan.sha256,
        "counts": plan.counts,
        "left_out": plan.left_out,
        "agreement": {name: a.model_dump(mode="json") for name, a in plan.agreement.items()},
        "exclusions": [gone.model_dump() for gone in plan.exclusions],
        "added": len(plan.diff.added),
        "changed": len(plan.diff.changed),
        "removed": len(plan.diff.removed),
        "unchanged": plan.unchanged,
        "last_release": _last_release(workspace.annotations_dir / project.dataset),
        "to_adjudicate": store.adjudication.counts(project.name).open,
        "written": False,
    }
    if plan.unchanged or options.dry_run:
        return done
    release_labels(
        store,
        workspace,
        project.name,
        by=by,
        version=plan.version,
        until=plan.last_seq,
        sha256=plan.sha256,
    )
    return {**done, "written": True}


def _last_release(folder: Path) -> dict[str, str] | None:
    from judgekit.store.dataset import read_manifest

    releases = read_manifest(folder).releases
    if not releases:
        return None
    last = releases[-1]
    return {"version": last.version, "by": last.by, "at": f"{last.at:%Y-%m-%d %H:%M:%S} UTC"}


def _copy(
    options: ExportOptions, workspace: Workspace, store: LabelStore, project: Project
) -> dict[str, Any]:
    from judgekit.store.files import atomic_write
    from judgekit.store.label_files.released.copy import copy_files
    from judgekit.store.label_files.tables import labels_csv

    files = copy_files(store, workspace.annotations_dir / project.dataset, project.name)
    written: dict[Path, bytes] = {}
    if options.out is not None:
        _refuse_filled(options.out)
        written |= {options.out / name: data for name, data in files.files.items()}
    if options.csv is not None:
        written[options.csv] = labels_csv(files.labels).encode("utf-8")
    if not options.dry_run:
        for path, data in written.items():
            atomic_write(path, data)
    return {
        "project": project.name,
        "dataset": project.dataset,
        "labels": len(files.labels),
        "files": [str(path) for path in written],
        "written": not options.dry_run,
    }


def _refuse_filled(folder: Path) -> None:
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise InputError(
            "the folder for the copy is not empty",
            where=str(folder),
            expected="a new or empty folder",
        )


def export_text(done: dict[str, Any]) -> str:
    """Return what was done, for people."""
    if "files" in done:
        verb = "wrote" if done["written"] else "would write"
        return "\n".join([f"{verb} {_counted(done['labels'], 'label')}:", *done["files"]])
    parts = _parts(done)
    if done["unchanged"]:
        last = done["last_release"]
        made = f"release {last['version']} by {last['by']} at {last['at']}"
        return f"{done['dataset']}: nothing changed since {made} ({parts})"
    verb = "released" if done["written"] else "would release"
    words = f"{verb} {done['dataset']} version {done['version']}: {parts}\n{done['sha256']}"
    if waiting := done["to_adjudicate"]:
        items = "1 item still waits" if waiting == 1 else f"{waiting} items still wait"
        words += f"\nnote: {items} for adjudication; where labels differ, all are released"
    return words


def _parts(done: dict[str, Any]) -> str:
    """Return what is in a release and what is new in it, in one line."""
    counts = done["counts"]
    decided = counts["adjudicated"]
    people = _counted(counts["annotators"], "annotator")
    labels = f"{_counted(counts['labels'], 'label')} about {_counted(counts['items'], 'item')}"
    by = f"{counts['labels'] - decided} of {people}"
    adjudicated = f" and {decided} of adjudication" if decided else ""
    since = "since the last release" if done["last_release"] else "no release before:"
    return (
        f"{labels}, {by}{adjudicated}; {since} {done['added']} added, {done['changed']} changed, "
        f"{done['removed']} removed; {_counted(len(done['exclusions']), 'field')} excluded"
    )


def _counted(n: int, one: str) -> str:
    return f"{n} {one if n == 1 else one + 's'}"
