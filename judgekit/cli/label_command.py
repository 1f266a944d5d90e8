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
from judgekit.errors import UsageError

if TYPE_CHECKING:
    from judgekit.store.workspace import Workspace

LOOPBACK = "127.0.0.1"
PORT = 8501
DEMO_OWNER = "demo"

DatasetName = Annotated[
    str | None, typer.Option("--dataset", help="A folder in annotations/ to label.")
]
RubricName = Annotated[
    str | None, typer.Option("--rubric", help="What is asked; default: the graders' rubric.")
]
ReviewFile = Annotated[
    Path | None,
    typer.Option("--review", help="Label what `gate` or `score` sent to review."),
]
Criteria = Annotated[
    bool, typer.Option("--criteria", help="Ask the rubric's criteria one by one as well.")
]
EveryCriterion = Annotated[
    bool, typer.Option("--require-criteria", help="Ask the criteria; each needs an answer.")
]
Modes = Annotated[bool, typer.Option("--require-mode", help="A fail needs a failure mode.")]
Owner = Annotated[
    str | None,
    typer.Option("--owner", help="Who has every role at first (sign-in mode local only)."),
]
Demo = Annotated[bool, typer.Option("--demo", help="Start on the example workspace.")]
Out = Annotated[Path | None, typer.Option("--out", help="With --demo: a new folder for its copy.")]
Port = Annotated[
    int | None,
    typer.Option("--port", min=1, max=65535, help=f"Default: {PORT}, or the next free one."),
]
Address = Annotated[
    str, typer.Option("--address", help="Where the app listens; other machines need a sign-in.")
]
PlaceAsJson = Annotated[
    bool, typer.Option("--json", help="Print where the app is as one JSON object first.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("label")(label)


def label(
    workspace: WorkspacePath = None,
    dataset: DatasetName = None,
    rubric: RubricName = None,
    review: ReviewFile = None,
    criteria: Criteria = False,
    every_criterion: EveryCriterion = False,
    modes: Modes = False,
    owner: Owner = None,
    demo: Demo = False,
    out: Out = None,
    port: Port = None,
    address: Address = LOOPBACK,
    as_json: PlaceAsJson = False,
) -> int:
    """Open the annotation app: label, adjudicate, compare judges, approve. Ctrl-C ends it."""
    from judgekit.cli.label_inputs import Wanted, open_wanted
    from judgekit.cli.label_server import serve
    from judgekit.cli.labels_store import refuse_without_extra

    refuse_without_extra()
    space = _workspace(workspace, demo=demo, out=out)
    owner = owner or (DEMO_OWNER if demo else None)
    refuse_unsafe(space, address, owner)
    place = free_port(address, port)
    wanted = Wanted(dataset, rubric, review, criteria, every_criterion, modes, owner)
    project = open_wanted(space, wanted)
    name = project.name if project else None
    url = page_url(address, place, name, owner if demo else None)
    if as_json:
        emit_json({"url": url, "workspace": str(space.root), "project": name})
    say(f"workspace: {space.root}")
    say(f"the annotation app: {url}  (Ctrl-C ends it; every label is on the disk)")
    serve(space, address=address, port=place, owner=owner)
    return 0


def _workspace(path: Path | None, *, demo: bool, out: Path | None) -> Workspace:
    from judgekit.cli.demo_workspace import copy_example
    from judgekit.store.workspace import find_workspace

    if out is not None and not demo:
        raise UsageError("--out belongs to --demo", mend="judgekit label --demo --out FOLDER")
    if demo and path is not None:
        raise UsageError("--demo brings its own workspace", found="--workspace as well")
    if not demo:
        return find_workspace(path)
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
