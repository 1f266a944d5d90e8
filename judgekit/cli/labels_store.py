"""The label database of a workspace, as `label` and the `labels` commands open it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.errors import InputError, UsageError

if TYPE_CHECKING:
    from judgekit.store.label_store import LabelStore, Project
    from judgekit.store.workspace import Workspace

NEEDED = ("streamlit", "sqlalchemy", "alembic", "altair")
INSTALL = "pip install 'judgekit-calibration[app]'"


def refuse_without_extra() -> None:
    """Check that what the app needs is installed.

    Raises:
        UsageError: something is missing; the message holds the command that installs it.
    """
    from importlib.util import find_spec

    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            "the annotation app is not installed",
            found=f"no {', '.join(missing)}",
            expected="the extra `app`",
            mend=INSTALL,
        )


@contextmanager
def opened(workspace: Workspace, url: str | None) -> Iterator[LabelStore]:
    """Open the label database, with the event files beside it; made where there is none."""
    from judgekit.cli.label_server import store_url
    from judgekit.store.label_files.mirror import EventMirror
    from judgekit.store.label_store import open_label_store

    refuse_without_extra()
    mirror = EventMirror(workspace.annotations_dir)
    with open_label_store(url or store_url(workspace), workspace.root, mirror=mirror) as store:
        yield store


@contextmanager
def opened_to_read(workspace: Workspace, url: str | None) -> Iterator[LabelStore]:
    """Open the label database, which has to be there.

    Raises:
        InputError: there is none yet.
    """
    if not exists(workspace, url):
        raise InputError(
            "there is no label database yet",
            where=url or str(workspace.root),
            mend="judgekit labels import --dataset NAME --rubric NAME, or judgekit label",
        )
    with opened(workspace, url) as store:
        yield store


@contextmanager
def rehearsal(workspace: Workspace, url: str | None) -> Iterator[LabelStore]:
    """Open the label database for a dry run: where there is none, one that is thrown away."""
    if exists(workspace, url):
        with opened(workspace, url) as store:
            yield store
        return
    with scratch(workspace) as store:
        yield store


@contextmanager
def scratch(workspace: Workspace) -> Iterator[LabelStore]:
    """Open an empty label database that is thrown away, without event files."""
    from judgekit.store.label_store import open_label_store

    refuse_without_extra()
    with (
        tempfile.TemporaryDirectory(prefix="judgekit-dry-run-") as folder,
        open_label_store(f"sqlite:///{folder}/labels.db", workspace.root) as store,
    ):
        yield store


def exists(workspace: Workspace, url: str | None) -> bool:
    """Tell whether the label database is there; a server's is taken to be."""
    from judgekit.cli.label_server import store_url

    address = url or store_url(workspace)
    if address is None:
        return (workspace.state_dir / "labels.db").exists()
    path = address.removeprefix("sqlite:///").partition("?")[0]
    if address == path or path in ("", ":memory:"):
        return True  # a server's, or an address that opening refuses
    return Path(path).exists()


def project_of(
    store: LabelStore, workspace: Workspace, dataset: str | None, name: str | None
) -> Project:
    """Return the project that is meant: the named one, else the dataset's, else the only one.

    Raises:
        InputError: there is none, or it is not clear which.
    """
    wanted = name or dataset or workspace.settings.dataset
    projects = store.projects.list(archived=True)
    by_name = {project.name: project for project in projects}
    if wanted in by_name:
        return _of_dataset(by_name[wanted], dataset)
    same = [p for p in projects if name is None and p.dataset == wanted]
    if len(same) == 1:
        return same[0]
    if wanted is None and len(projects) == 1:
        return projects[0]
    raise InputError(
        f"there is no project {wanted!r}" if wanted else "no project is named",
        found=repr(wanted) if wanted else "several projects",
        expected=", ".join(sorted(by_name)) or "no project is there yet",
        mend="judgekit labels import --dataset NAME --rubric NAME opens one",
    )


def _of_dataset(project: Project, dataset: str | None) -> Project:
    if dataset is not None and project.dataset != dataset:
        raise InputError(
            f"the project {project.name!r} labels another dataset",
            found=repr(project.dataset),
            expected=repr(dataset),
        )
    return project
