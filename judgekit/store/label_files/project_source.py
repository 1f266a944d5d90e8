"""Open a project from files: a dataset folder, its rubric, its guideline and its design."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from judgekit.errors import InputError, LabelConflict
from judgekit.model.item import Item
from judgekit.model.review import REVIEW_KEY, SUSPECTED_KEY
from judgekit.model.rubric import Rubric
from judgekit.store.dataset import Dataset
from judgekit.store.files import read_bytes
from judgekit.store.label_store import (
    NAME_PATTERN,
    PAIRWISE_LABELS,
    GuidelineVersion,
    LabelSchema,
    LabelStore,
    Project,
    ProjectSettings,
)
from judgekit.store.workspace import Workspace

GUIDELINE_FILE = "guideline.md"
SUSPECTED_SHOWS = ("input", "context", "output", "trial")
Progress = Callable[[int, int], None]


def open_project(
    store: LabelStore,
    workspace: Workspace,
    *,
    dataset: str,
    rubric: str,
    actor: str,
    name: str | None = None,
    settings: ProjectSettings | None = None,
    ask_criteria: bool | None = None,
    criteria_required: bool | None = None,
    mode_required: bool | None = None,
    progress: Progress | None = None,
) -> Project:
    """Open a dataset for labelling under a rubric, or bring an open project up to date.

    A project that is there keeps its settings unless some are given; new items are added, and a
    changed rubric or guideline makes a new version. Called twice it changes nothing.

    Args:
        actor: the alias under which the audit log keeps this.
        settings: how it is labelled; None takes the `label:` section of judgekit.yaml and the
            sampling design of dataset.yaml.
        ask_criteria: whether criteria are asked one by one; None leaves it, or means no when new.
        criteria_required: whether every criterion must be answered; None as above.
        mode_required: whether a fail needs a failure mode; None as above.
        progress: called with (items written, items in all), at the start and at the end.

    Raises:
        InputError: a file cannot be used, or an item is in the project with other content.
    """
    data = workspace.dataset(dataset)
    for text, what in ((dataset, "dataset"), (name or dataset, "project")):
        _check_name(text, what)
    open_now = _open_now(store, name or dataset)
    asks = _asks(open_now, ask_criteria, criteria_required, mode_required)
    fresh = _project(workspace, data, name or dataset, workspace.rubric(rubric), asks, settings)
    _describe(store, open_now, fresh, data, actor, new_settings=settings is not None)
    _add_with_progress(store, fresh.name, data, actor, progress)
    return store.projects.get(fresh.name)


def label_schema(rubric: Rubric, items: tuple[Item, ...], **asks: bool) -> LabelSchema:
    """Return what annotators are asked: what the rubric asks, or which of two outputs is better.

    Of trials that code suspects it is asked whether they are in order, and all is shown.
    """
    if is_suspected(items):
        return LabelSchema(rubric=rubric.name, rubric_version=rubric.version, shows=SUSPECTED_SHOWS)
    schema = LabelSchema.from_rubric(rubric, **asks)
    if not items or not all(item.output_1 is not None for item in items):
        return schema
    shows = tuple(name for name in schema.shows if name.split(".", 1)[0] != "output")
    return schema.model_copy(
        update={"labels": PAIRWISE_LABELS, "shows": (*shows, "output_1", "output_2")}
    )


def guideline_of(dataset: Dataset, rubric: Rubric) -> GuidelineVersion:
    """Return the guideline: `guideline.md` of the dataset, else what the rubric says.

    Its version is the `guideline` of dataset.yaml, else the rubric's name and version.
    """
    path = dataset.folder / GUIDELINE_FILE
    text = rubric.guidelines or rubric_text(rubric)
    if path.is_file():
        try:
            text = read_bytes(path).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(
                "the guideline is not UTF-8",
                where=str(path),
                found=f"byte 0x{error.object[error.start]:02x}",
                expected="UTF-8",
            ) from error
    version = dataset.manifest.guideline or f"{rubric.name}-{rubric.version}"
    return GuidelineVersion(version=version[:64], text=text.replace("\r\n", "\n"))


def rubric_text(rubric: Rubric) -> str:
    """Return the rubric as text for people."""
    lines = [rubric.task.strip(), "", "An item passes when these hold:"]
    lines += [f"- {c.id}: {c.description}" for c in rubric.criteria]
    lines += ["", "Ways to fail:"]
    lines += [f"- {m.id}: {m.description}" for m in rubric.failure_modes]
    return "\n".join(lines) + "\n"


def default_settings(workspace: Workspace, dataset: Dataset) -> ProjectSettings:
    """Return the settings of judgekit.yaml with the dataset's sampling design."""
    label = workspace.settings.label
    return ProjectSettings(
        seed=label.seed,
        overlap_share=label.overlap_share,
        overlap_min=label.overlap_min,
        repeat_share=label.repeat_share,
        repeat_gap=label.repeat_gap,
        design=dataset.design or "random",
    )


def is_suspected(items: Sequence[Item]) -> bool:
    """Tell whether these are the trials of a review file of `judgekit score`."""
    return bool(items) and all(item.metadata.get(SUSPECTED_KEY) is True for item in items)


def review_design(item: Item) -> str | None:
    """Return `targeted` for an item of the gate's review file: it was picked, not drawn."""
    return "targeted" if REVIEW_KEY in item.metadata else None


def _open_now(store: LabelStore, name: str) -> Project | None:
    return {p.name: p for p in store.projects.list(archived=True)}.get(name)


def _asks(
    open_now: Project | None, criteria: bool | None, every: bool | None, mode: bool | None
) -> dict[str, bool]:
    before = open_now.label_schema if open_now else None
    given = {"ask_criteria": criteria, "criteria_required": every, "mode_required": mode}
    return {
        name: bool(getattr(before, name, False) if value is None else value)
        for name, value in given.items()
    }


def _project(
    workspace: Workspace,
    data: Dataset,
    name: str,
    rubric: Rubric,
    asks: dict[str, bool],
    settings: ProjectSettings | None,
) -> Project:
    return Project(
        name=name,
        dataset=data.folder.name,
        title=data.manifest.title,
        label_schema=label_schema(rubric, data.items, **asks),
        guideline=guideline_of(data, rubric),
        settings=settings or default_settings(workspace, data),
    )


def _describe(
    store: LabelStore,
    open_now: Project | None,
    fresh: Project,
    data: Dataset,
    actor: str,
    *,
    new_settings: bool,
) -> None:
    """Create the project, or change the open one; refused before anything is written."""
    if open_now is None:
        store.projects.create(fresh, actor=actor)
        return
    _refuse_other_dataset(open_now, fresh.dataset)
    _add_items(store, fresh.name, data, actor, dry_run=True)
    _change(store, fresh, actor, new_settings=new_settings)


def _change(store: LabelStore, project: Project, actor: str, *, new_settings: bool) -> None:
    if project.guideline is not None:
        store.projects.change_guideline(project.name, project.guideline, actor=actor)
    store.projects.change_schema(project.name, project.label_schema, actor=actor)
    if new_settings:
        store.projects.change_settings(project.name, project.settings, actor=actor)


def _add_with_progress(
    store: LabelStore, name: str, dataset: Dataset, actor: str, progress: Progress | None
) -> None:
    tell = progress or (lambda _done, _all: None)
    tell(0, len(dataset.items))
    _add_items(store, name, dataset, actor, dry_run=False)
    tell(len(dataset.items), len(dataset.items))


def _add_items(
    store: LabelStore, name: str, dataset: Dataset, actor: str, *, dry_run: bool
) -> None:
    designs = {item.id: d for item in dataset.items if (d := review_design(item))}
    done = store.projects.import_items(
        name,
        dataset.items,
        actor=actor,
        source=f"annotations/{dataset.folder.name}",
        designs=designs,
        dry_run=dry_run,
    )
    if done.conflicting:
        raise LabelConflict(
            f"{len(done.conflicting)} items of the project {name!r} have other content now",
            where=str(dataset.folder),
            found=", ".join(repr(item_id) for item_id in done.conflicting[:5]),
            expected="items that were labelled, as they were labelled",
            mend="restore them, or give the changed items new ids",
        )


def _check_name(name: str, what: str) -> None:
    if re.fullmatch(NAME_PATTERN, name) is None:
        raise InputError(
            f"this cannot be the name of a {what} that is labelled",
            found=repr(name[:80]),
            expected="letters, digits, '.', '_' and '-', at most 64, a letter or digit first",
        )


def _refuse_other_dataset(project: Project, dataset: str) -> None:
    if project.dataset != dataset:
        raise InputError(
            f"the project {project.name!r} labels another dataset",
            found=repr(project.dataset),
            expected=repr(dataset),
            mend="choose another name for the project",
        )
