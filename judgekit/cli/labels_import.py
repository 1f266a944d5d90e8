"""What `judgekit labels import` does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from judgekit.cli.output import say
from judgekit.errors import UsageError

if TYPE_CHECKING:
    from judgekit.store.label_files.import_plan import ImportKind, ImportPlan, ImportReport
    from judgekit.store.label_store import LabelStore
    from judgekit.store.workspace import Workspace


DESIGNS = {
    "random": "rates can be estimated from these labels",
    "stratified": (
        "a rate can be estimated from these labels where the strata are the judge's verdicts"
    ),
    "targeted": (
        "no rate can be estimated from these labels; from random or stratified ones it can"
    ),
}
"""What each sampling design means for the labels, in words."""


class ImportOptions(NamedTuple):
    """The options of one `judgekit labels import`, as given."""

    file: Path | None
    kind: str | None
    dataset: str | None
    project: str | None
    rubric: str | None
    design: str | None
    mapping: Path | None
    by: str
    dry_run: bool
    workspace: Path | None
    url: str | None


def run_import(options: ImportOptions) -> tuple[ImportReport, ...]:
    """Import what the options name and return the reports.

    Raises:
        LabelConflict: a conflict or a bad line; nothing was changed.
        InputError: a file or the project cannot be used.
    """
    from judgekit.cli.labels_store import opened, rehearsal
    from judgekit.store.label_files.aliases import check_alias
    from judgekit.store.workspace import find_workspace

    workspace = find_workspace(options.workspace)
    check_alias(options.by, where="--by")
    if options.design is not None:
        _check_design(options.design)
    if options.file is None:
        _refuse_kind(options.kind)
        reports = _rehearsed(options, workspace)
        if options.dry_run:
            _tell_design(workspace, options)
            return reports
    open_store = rehearsal if options.dry_run else opened
    with open_store(workspace, options.url) as store:
        reports = tuple(_steps(options, workspace, store))
    _hint(workspace, options)
    _tell_design(workspace, options)
    return reports


def _hint(workspace: Workspace, options: ImportOptions) -> None:
    """Say so where the folder has labels that no release wrote: a release would refuse them."""
    from judgekit.model.release import LABELS_FILE
    from judgekit.store.label_files.released.labels_file import is_released

    name = options.dataset or workspace.settings.dataset
    if options.file is None and name and not is_released(workspace.annotations_dir / name):
        path = f"annotations/{name}/{LABELS_FILE}"
        say(
            f"note: {path} holds labels of no release; take them in before the next one:\n"
            f"  judgekit labels import --file {path}"
        )


def _tell_design(workspace: Workspace, options: ImportOptions) -> None:
    """Say what the declared design of the items means for their labels."""
    from judgekit.store.dataset import read_manifest

    name = options.dataset or workspace.settings.dataset
    folder = workspace.annotations_dir / name if name else None
    declared = None if folder is None or not folder.is_dir() else read_manifest(folder).design
    design = options.design or declared
    if design is not None:
        say(f"design {design}: {DESIGNS[design.partition(':')[0]]}")


def _rehearsed(options: ImportOptions, workspace: Workspace) -> tuple[ImportReport, ...]:
    """Take the whole folder into a copy of the database, so that a fault leaves it untouched."""
    from judgekit.cli.labels_store import rehearsal, scratch
    from judgekit.store.label_files.importing.replica import replicate

    name = options.project or options.dataset or workspace.settings.dataset
    with rehearsal(workspace, options.url) as store, scratch(workspace) as copy:
        for project in store.projects.list(archived=True):
            if project.name == name:
                replicate(store, copy, project)
        reports = tuple(_dataset_steps(options, workspace, copy))
    return tuple(report.model_copy(update={"written": False}) for report in reports)


def _steps(
    options: ImportOptions, workspace: Workspace, store: LabelStore
) -> Iterator[ImportReport]:
    from judgekit.cli.labels_store import project_of

    if options.file is None:
        yield from _dataset_steps(options, workspace, store)
        return
    project = project_of(store, workspace, options.dataset, options.project)
    kind = kind_of(options.file, options.kind)
    yield _take(options, store, project.name, options.file, kind, dry_run=options.dry_run)


def _refuse_kind(kind: str | None) -> None:
    if kind in ("items", "labels"):
        raise UsageError(f"--kind {kind} needs a file", found="no --file", expected="--file FILE")


def _dataset_steps(
    options: ImportOptions, workspace: Workspace, store: LabelStore
) -> Iterator[ImportReport]:
    """Open the dataset's project, or bring it up to date, then read its log."""
    data = workspace.dataset(options.dataset)
    name = options.project or data.folder.name
    yield _open(options, workspace, store, name, len(data.items))
    if any((data.folder / "events").rglob("*.jsonl")):
        yield _take(options, store, name, data.folder, "events", dry_run=False)


def _open(
    options: ImportOptions,
    workspace: Workspace,
    store: LabelStore,
    name: str,
    n_items: int,
) -> ImportReport:
    from judgekit.cli.label_inputs import rubric_for
    from judgekit.store.label_files.import_plan import ImportReport
    from judgekit.store.label_files.project_source import open_project

    before = {p.name: p.n_items for p in store.projects.list(archived=True)}
    project = open_project(
        store,
        workspace,
        dataset=options.dataset or workspace.settings.dataset or name,
        rubric=rubric_for(store, workspace, name, options.rubric),
        actor=options.by,
        name=name,
    )
    n_new = project.n_items - before.get(name, 0)
    return ImportReport(
        kind="items",
        project=name,
        files=(f"annotations/{project.dataset}",),
        n_new=n_new,
        n_known=n_items - n_new,
        written=True,
    )


def _take(
    options: ImportOptions,
    store: LabelStore,
    project: str,
    file: Path,
    kind: ImportKind,
    *,
    dry_run: bool,
) -> ImportReport:
    from judgekit.goldens.two_experts import entry_texts
    from judgekit.store.label_files.imports import apply_import, import_refused, plan_import
    from judgekit.store.mapping import load_mapping

    mapping = load_mapping(options.mapping) if options.mapping else None
    plan: ImportPlan = plan_import(
        store,
        project,
        file,
        kind=kind,
        actor=options.by,
        design=options.design,
        mapping=mapping,
        check_entry=entry_texts,
    )
    for problem in plan.report.problems[:20]:
        say(problem.sentence())
    if plan.report.blocked:
        raise import_refused(plan.report)
    return plan.report if dry_run else apply_import(store, plan, actor=options.by)


def kind_of(file: Path, wanted: str | None) -> ImportKind:
    """Return what a file holds: as wanted, else read from its first row.

    Raises:
        UsageError: the first row does not tell.
        InputError: the file cannot be read.
    """
    from judgekit.store.formats.problems import Refusal
    from judgekit.store.formats.rows import scan_rows

    kinds: dict[str, Literal["items", "events", "labels"]] = {
        "items": "items",
        "events": "events",
        "labels": "labels",
    }
    if wanted in kinds:
        return kinds[wanted]
    if file.is_dir():
        return "events"
    first = next(iter(scan_rows(file)), None)
    if first is None or isinstance(first, Refusal):
        raise UsageError(
            f"what {file.name!r} holds cannot be read from its first row",
            where=str(file),
            found="an empty file" if first is None else first.sentence(),
            mend="say it with --kind items, events or labels",
        )
    row = first[1]
    if "op_id" in row:
        return "events"
    return "labels" if {"item_id", "label", "human_label", "human"} & row.keys() else "items"


def _check_design(design: str) -> None:
    import re

    if not re.fullmatch(r"random|targeted|stratified:.+", design):
        raise UsageError(
            "this is no sampling design",
            found=f"--design {design}",
            expected="random, targeted or stratified:<stratum>",
        )
