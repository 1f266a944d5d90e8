"""The app's server: how it is started so that nothing depends on the user's own Streamlit."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.cli.output import say
from judgekit.errors import UsageError

if TYPE_CHECKING:
    from judgekit.store.workspace import Workspace

NOWHERE = "http://127.0.0.1:9"  # the discard port: refused at once
SERVER = "judgekit.cli.label_process"
LOCAL_NAMES = ("127.0.0.1", "localhost", "::1")


def store_url(workspace: Workspace) -> str | None:
    """Return the database's URL; None is `.judgekit/labels.db` in the workspace."""
    settings = workspace.settings.label
    if settings.store.path is not None:
        return f"sqlite:///{(workspace.root / settings.store.path).resolve()}"
    return settings.database_url(os.environ)


def app_file() -> Path:
    """Return the app's entry file: bundled in the package, else beside it in the repository.

    Raises:
        UsageError: neither is there; the installation is broken.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_bundled" / "app", package.parent / "app"):
        if (folder / "streamlit_app.py").is_file():
            return folder / "streamlit_app.py"
    raise UsageError(
        "the app is missing from this installation",
        expected="judgekit/_bundled/app in the package",
        mend="install judgekit again from the wheel",
    )


def serve_command(workspace: Workspace, *, address: str, port: int) -> list[str]:
    """Return the command that starts the server: every setting that matters for safety is given.

    `-P` keeps the current folder off the import path, so that no file of the workspace is taken
    for a module of the app.
    """
    options = {
        "server.address": address,
        "server.port": str(port),
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "server.runOnSave": "false",
        "server.allowRunOnSave": "false",
        "server.enableCORS": "true",
        "server.enableXsrfProtection": "true",
        "server.enableStaticServing": "false",
        "server.showEmailPrompt": "false",
        "browser.gatherUsageStats": "false",
        # Keys pressed fast let Streamlit refer to a message that the browser has just dropped
        # ("Cached ForwardMsg MISS"), which ends the session: every message is sent whole.
        "global.minCachedMessageSize": "1e12",
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        "client.showErrorLinks": "false",
        "runner.magicEnabled": "false",
        # A full collection after each run took 80 ms of every key; the automatic one is enough.
        "runner.postScriptGC": "false",
        "global.developmentMode": "false",
        "logger.hideWelcomeMessage": "true",
    }
    secrets = workspace.root / ".streamlit" / "secrets.toml"
    flags = [f"--{name}={value}" for name, value in options.items()]
    if secrets.is_file():
        flags.append(f"--secrets.files={secrets}")
    if workspace.settings.label.sign_in.mode == "local":
        # Else a web page whose name points at this machine (DNS rebinding) could act as anybody.
        flags += [f"--server.allowedHosts={name}" for name in sorted({address, *LOCAL_NAMES})]
    return [sys.executable, "-P", "-m", SERVER, "run", str(app_file()), *flags]


def serve_environment(workspace: Workspace, *, owner: str | None) -> dict[str, str]:
    """Return the server's environment: no STREAMLIT_ variable of the user's reaches it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("STREAMLIT_", "JUDGEKIT_L"))}
    url = store_url(workspace)
    ours = {
        "JUDGEKIT_LABEL_WORKSPACE": str(workspace.root),
        "JUDGEKIT_LABEL_STORE": url or "",
        "JUDGEKIT_LABEL_OWNER": owner or "",
        # Else the server puts X-Forwarded-For in the place of the peer's address.
        "FORWARDED_ALLOW_IPS": "",
    }
    if workspace.settings.label.sign_in.mode == "local":
        # Streamlit asks a public address for this machine's own whenever a foreign page tries to
        # connect, and waits for it. On this machine alone nothing needs to be asked.
        ours |= dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOWHERE)
        ours |= dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
    return {**kept, **ours}


def serve(workspace: Workspace, *, address: str, port: int, owner: str | None) -> None:
    """Become the app's server. Its own words go to stderr."""
    command = serve_command(workspace, address=address, port=port)
    environment = serve_environment(workspace, owner=owner)
    if os.environ.get("JUDGEKIT_TRACEBACK"):
        say(f"starting {shlex.join(command)}")
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(2, 1)
    os.chdir(workspace.root)
    os.execve(command[0], command, environment)
