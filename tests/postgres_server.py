"""A PostgreSQL server for the tests: on loopback, in a temporary folder, ended with the block."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def missing_postgres() -> str | None:
    """Return why no server can be started here, or None."""
    if _binaries() is None:
        return "there is no PostgreSQL here (.ci/install.sh brings one)"
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        return "PostgreSQL does not start as root, and there is no runuser"
    return None


@contextmanager
def running_postgres() -> Iterator[str]:
    """Start a server that anybody on loopback may use; yield its URL without a database."""
    binaries = _binaries()
    assert binaries is not None, missing_postgres()
    folder = Path(tempfile.mkdtemp(prefix="judgekit-pg-", dir="/tmp"))
    data, port = folder / "data", _free_port()
    try:
        folder.chmod(0o755)
        data.mkdir(mode=0o700)
        if os.geteuid() == 0:
            shutil.chown(data, "postgres", "postgres")
        _run(binaries, "initdb", "-D", data, "-A", "trust", "--no-sync", "--locale=C.UTF-8",
             "-E", "UTF8", "-U", "postgres")  # fmt: skip
        options = f"-p {port} -h 127.0.0.1 -k {data} -c fsync=off -c max_connections=200"
        log = data / "server.log"
        _run(binaries, "pg_ctl", "-D", data, "-w", "-l", log, "-o", options, "start")
        try:
            yield f"postgresql+psycopg://postgres@127.0.0.1:{port}"
        finally:
            _run(binaries, "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fresh_database(server_url: str) -> str:
    """Make an empty database and return its URL."""
    from psycopg import connect

    name = f"labels_{uuid.uuid4().hex[:12]}"
    plain = server_url.replace("postgresql+psycopg", "postgresql")
    with connect(f"{plain}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return f"{server_url}/{name}"


def _binaries() -> Path | None:
    named = shutil.which("initdb")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return Path(named).parent if named else found[-1].parent if found else None


def _run(binaries: Path, program: str, *arguments: object) -> None:
    command = [str(binaries / program), *map(str, arguments)]
    if os.geteuid() == 0:
        command = ["runuser", "-u", "postgres", "--", *command]
    # A server that inherited a pipe would hold it open, so the output goes to a file.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(command, stdout=output, stderr=output, cwd="/", check=False)
        output.seek(0)
        assert done.returncode == 0, output.read().decode(errors="replace")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
