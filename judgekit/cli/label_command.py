"""`judgekit label`: the annotation app on a workspace, on this machine unless said otherwise."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

import typer

from judgekit.cli.options import WorkspacePath
from judgekit.cli.output import emit_json, say
from judgekit.errors import InputError, UsageError

if TYPE_CHECKING:
    from judgekit.store.label_store import LabelStore, Project
    from judgekit.store.workspace import Workspace

LOOPBACK = "127.0.0.1"
PORT = 8501
DEMO_OWNER = "demo"
SYSTEM = "judgekit"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("label")(label)


def label(
    workspace: WorkspacePath = None,
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="A folder in annotations/ to label.")
    ] = None,
    rubric: Annotated[
        str | None, typer.Option("--rubric", help="What is asked; default: the graders' rubric.")
    ] = None,
    review: Annotated[
        Path | None, typer.Option("--review", help="Label what `judgekit gate` sent to review.")
    ] = None,
    criteria: Annotated[
        bool, typer.Option("--criteria", help="Ask the rubric's criteria one by one as well.")
    ] = False,
    modes: Annotated[
        bool, typer.Option("--require-mode", help="A fail needs a failure mode.")
    ] = False,
    owner: Annotated[
        str | None,
        typer.Option("--owner", help="Who has every role at first (sign-in mode local only)."),
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Start on the example workspace.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="With --demo: a new folder for its copy.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=1, max=65535, help=f"Default: {PORT}, or the next free one."),
    ] = None,
    address: Annotated[
        str, typer.Option("--address", help="Where the app listens; other machines need a sign-in.")
    ] = LOOPBACK,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print where the app is as one JSON object first.")
    ] = False,
) -> int:
    """Open the annotation app: label, adjudicate, compare judges, approve. Ctrl-C ends it."""
    from judgekit.cli.label_server import serve
    from judgekit.cli.labels_store import refuse_without_extra

    refuse_without_extra()
    if out is not None and not demo:
        raise UsageError("--out belongs to --demo", mend="judgekit label --demo --out FOLDER")
    if demo and workspace is not None:
        raise UsageError("--demo brings its own workspace", found="--workspace as well")
    space = _workspace(workspace, demo=demo, out=out)
    owner = owner or (DEMO_OWNER if demo else None)
    refuse_unsafe(space, address, owner)
    place = free_port(address, port)
    project = _open(
        space, dataset=dataset, rubric=rubric, review=review, criteria=criteria, modes=modes,
        owner=owner,
    )  # fmt: skip
    url = page_url(address, place, project.name if project else None, owner if demo else None)
    if as_json:
        emit_json({"url": url, "workspace": str(space.root), "project": _name(project)})
    say(f"workspace: {space.root}")
    say(f"the annotation app: {url}  (Ctrl-C ends it; every label is on the disk)")
    serve(space, address=address, port=place, owner=owner)
    return 0


def _name(project: Project | None) -> str | None:
    return project.name if project else None


def _workspace(path: Path | None, *, demo: bool, out: Path | None) -> Workspace:
    from judgekit.store.workspace import find_workspace

    if not demo:
        return find_workspace(path)
    from judgekit.cli.demo_workspace import copy_example

    root = copy_example(out)
    say(f"copy of the example workspace: {root}")
    return find_workspace(root)


def refuse_unsafe(workspace: Workspace, address: str, owner: str | None) -> None:
    """Check that nobody from elsewhere could sign in by picking a name, and that secrets are set.

    Raises:
        UsageError: sign-in mode `local` on another address than loopback, or an owner elsewhere.
        InputError: an environment variable that judgekit.yaml names is not set.
    """
    settings = workspace.settings.label
    mode = settings.sign_in.mode
    if mode == "local" and not is_loopback(address):
        raise UsageError(
            "people sign in by picking a name, so the app may only listen on this machine",
            where=f"{workspace.root / 'judgekit.yaml'}: label.sign_in.mode",
            found=f"mode local, --address {address}",
            expected=f"--address {LOOPBACK}, or the sign-in mode oidc or proxy",
        )
    if owner is not None and mode != "local":
        raise UsageError(
            "--owner is for the sign-in mode local",
            found=f"mode {mode}",
            mend="name the first lead under label.people in judgekit.yaml",
        )
    settings.database_url(os.environ)
    if mode == "proxy":
        settings.proxy_secret(os.environ)


def is_loopback(address: str) -> bool:
    """Return whether `address` is this machine: 127.0.0.0/8, ::1 or localhost."""
    from ipaddress import ip_address

    if address == "localhost":
        return True
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def free_port(address: str, wanted: int | None) -> int:
    """Return the wanted port, or without a wish the first free one from 8501 on.

    Raises:
        UsageError: the wanted port is taken, or the address is not this machine's.
    """
    last = "in use"
    for port in [wanted] if wanted else range(PORT, PORT + 100):
        try:
            with socket.create_server((address, port), family=_family(address)):
                return port
        except OSError as error:
            last = error.strerror or str(error)
    raise UsageError(
        f"the app cannot listen on {address} port {wanted or PORT}",
        found=last,
        mend="give another --port or --address",
    )


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def page_url(address: str, port: int, project: str | None, user: str | None) -> str:
    """Return the address to open, on the project that was named."""
    host = f"[{address}]" if ":" in address else address
    query = {name: value for name, value in (("user", user), ("project", project)) if value}
    return f"http://{host}:{port}/" + (f"?{urlencode(query)}" if query else "")


def _open(
    workspace: Workspace,
    *,
    dataset: str | None,
    rubric: str | None,
    review: Path | None,
    criteria: bool,
    modes: bool,
    owner: str | None,
) -> Project | None:
    """Open the project that is to be labelled, and return it; None leaves that to Admin."""
    from judgekit.cli.labels_store import opened
    from judgekit.store.label_files.project_source import open_project
    from judgekit.store.label_files.review_queue import open_review

    actor = owner or SYSTEM
    name = dataset or workspace.settings.dataset
    with opened(workspace, None) as store:
        _ensure_owner(store, owner)
        if review is not None:
            asked = rubric_of(workspace, rubric)
            return open_review(store, workspace, review, rubric=asked, actor=actor)
        if name is None:
            say("no dataset is named: a lead opens a project in Admin, or give --dataset")
            return None
        return open_project(
            store, workspace, dataset=name, rubric=rubric_for(store, workspace, name, rubric),
            actor=actor,
            ask_criteria=criteria or None, mode_required=modes or None,
        )  # fmt: skip


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
