"""What `judgekit label` opens, and which rubric is asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from judgekit.cli.output import say
from judgekit.errors import InputError, UsageError

if TYPE_CHECKING:
    from judgekit.store.label_store import LabelStore, Project
    from judgekit.store.workspace import Workspace

SYSTEM = "judgekit"


class Wanted(NamedTuple):
    """What is to be labelled, and how; without an owner nobody is invited."""

    dataset: str | None
    rubric: str | None
    review: Path | None
    criteria: bool
    every_criterion: bool
    modes: bool
    owner: str | None


def open_wanted(workspace: Workspace, wanted: Wanted) -> Project | None:
    """Open the project that is to be labelled, and return it; None leaves that to Admin.

    Raises:
        UsageError: the owner's alias cannot be used.
        InputError: the dataset, the review file or the rubric cannot be used.
    """
    from judgekit.cli.labels_store import opened
    from judgekit.store.label_files.project_source import open_project
    from judgekit.store.label_files.review_queue import open_review

    actor = wanted.owner or SYSTEM
    name = wanted.dataset or workspace.settings.dataset
    with opened(workspace, None) as store:
        _ensure_owner(store, wanted.owner)
        if wanted.review is not None:
            asked = rubric_of(workspace, wanted.rubric)
            return open_review(store, workspace, wanted.review, rubric=asked, actor=actor)
        if name is None:
            say("no dataset is named: a lead opens a project in Admin, or give --dataset")
            return None
        project = open_project(
            store,
            workspace,
            dataset=name,
            rubric=rubric_for(store, workspace, name, wanted.rubric),
            actor=actor,
            ask_criteria=wanted.criteria or None,
            criteria_required=wanted.every_criterion or None,
            mode_required=wanted.modes or None,
        )
        _tell_what_is_lacking(store, workspace, project)
        return project


def _tell_what_is_lacking(store: LabelStore, workspace: Workspace, project: Project) -> None:
    """Warn where work could go on without what the files hold: an import would then refuse it."""
    from judgekit.store.label_files.importing.lacking import n_lacking

    n = n_lacking(store, workspace.annotations_dir, project)
    if n:
        say(
            f"warning: the files hold {n} events of {project.name!r} that this database lacks; "
            f"before anybody works, import them with: judgekit labels import --dataset "
            f"{project.dataset} --project {project.name}"
        )


def rubric_for(store: LabelStore, workspace: Workspace, project: str, wanted: str | None) -> str:
    """Return the rubric wanted, else that of the project of that name, else as `rubric_of`."""
    known = {p.name: p.label_schema.rubric for p in store.projects.list(archived=True)}
    return wanted or known.get(project) or rubric_of(workspace, None)


def _ensure_owner(store: LabelStore, owner: str | None) -> None:
    if owner is None:
        return
    from pydantic import ValidationError

    from judgekit.store.label_settings import ROLES
    from judgekit.store.label_store import Person

    try:
        person = Person(alias=owner, roles=ROLES)
    except ValidationError as error:
        raise UsageError(
            "the owner's alias cannot be used",
            found=repr(owner),
            expected="small letters, digits, '.', '_' and '-', at most 64",
        ) from error
    store.people.ensure(person, actor=owner)


def rubric_of(workspace: Workspace, wanted: str | None) -> str:
    """Return the rubric that is asked: the one wanted, else the only one that graders use.

    Raises:
        InputError: the graders use several, or none is there.
    """
    if wanted is not None:
        return wanted
    used = sorted({g.rubric for g in workspace.settings.graders.values() if g.rubric})
    own = sorted(path.stem for path in (workspace.root / "rubrics").glob("*.yaml"))
    found = used or own
    if len(found) == 1:
        return found[0]
    raise InputError(
        "which rubric is labelled is not clear",
        where=str(workspace.root),
        found=", ".join(found) or "no rubric",
        expected="one",
        mend="judgekit label --rubric NAME",
    )
