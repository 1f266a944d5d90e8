"""The app's server as a user starts it, for the browser checks: free port, kill -9, restart."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

START_LIMIT_S = 90


def free_port() -> int:
    """Return a port on loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class AppServer:
    """`judgekit label` on one workspace, in a process group of its own."""

    def __init__(self, workspace: Path, log: Path, *options: str, **environment: str) -> None:
        self.workspace, self.port, self.log = workspace, free_port(), log
        self._options, self._environment = options, environment
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where the app answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> AppServer:
        """Start the server and return once it answers."""
        command = [sys.executable, "-m", "judgekit", "label", "--workspace", str(self.workspace)]
        command += ["--port", str(self.port), *self._options]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", **self._environment}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, env=environment, start_new_session=True
            )
        deadline = time.monotonic() + START_LIMIT_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError(f"the app did not start; its log:\n{self.read_log()[-3000:]}")
            time.sleep(0.05)
        return self

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as reply:
                return bool(reply.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def read_log(self) -> str:
        """Return what the server has written so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def kill(self) -> None:
        """End the whole process group at once, as kill -9 does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask the server to end; insist after ten seconds."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        _signal_group(process.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
        # A child that outlived its parent would keep the port.
        _signal_group(process.pid, signal.SIGKILL)
        process.wait(timeout=10)


def _signal_group(group: int, how: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, how)
