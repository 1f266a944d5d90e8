"""One process of an attempt: started alone, read within bounds, killed with all that it started.

Not asyncio's own subprocess: that one waits until the pipes close, which a forked child that keeps
them open delays for as long as it likes.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from judgekit.model.agent import Limits

MAX_ANSWER = 16 * 1024 * 1024
MAX_MESSAGES = 64 * 1024
_CHUNK = 65_536
_POLL_S = 0.02
_ROUNDS = 10
"""How often processes are looked for that were started while others were being killed."""
_PRCTL = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None


class Output(NamedTuple):
    """What a process left: its exit code (None = it was out of time) and what it wrote.

    `out` is at most `MAX_ANSWER` bytes and one, `err` the last `MAX_MESSAGES`.
    """

    code: int | None
    out: bytes
    err: bytes


async def run_process(
    command: Sequence[str],
    body: bytes,
    *,
    folder: Path,
    environment: Mapping[str, str],
    limits: Limits,
) -> Output:
    """Run a command with `body` on its standard input and return what it left.

    When it ends, is out of time or is cancelled, its process group is killed, and on Linux also
    what left the group but still carries its environment.

    Raises:
        OSError: it cannot be started.
    """
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=dict(environment),
        start_new_session=True,
        preexec_fn=_limiter(limits),
    )
    pipes = _Pipes(process, body)
    code: int | None = None
    try:
        async with asyncio.timeout(limits.timeout_s):
            code = await _exit_code(process)
    except TimeoutError:
        pass  # the output says so: it has no exit code
    finally:
        _kill(process, folder)
        pipes.close()
    return Output(code, bytes(pipes.out), bytes(pipes.err))


class _Pipes:
    """Feeds standard input and reads both outputs without ever blocking or growing."""

    def __init__(self, process: subprocess.Popen[bytes], body: bytes) -> None:
        given, out, err = process.stdin, process.stdout, process.stderr
        if given is None or out is None or err is None:
            raise ValueError("a process without pipes")
        self.out = bytearray()
        self.err = bytearray()
        self._loop = asyncio.get_running_loop()
        self._rest = memoryview(body)
        self._in: IO[bytes] = given
        self._reads: dict[int, tuple[IO[bytes], Callable[[bytes], None]]] = {
            out.fileno(): (out, self._keep_head),
            err.fileno(): (err, self._keep_tail),
        }
        for fd in (*self._reads, self._in.fileno()):
            os.set_blocking(fd, False)
        for fd in self._reads:
            self._loop.add_reader(fd, self._read, fd)
        self._loop.add_writer(self._in.fileno(), self._write)

    def close(self) -> None:
        """Take what is still in the pipes and close them; nobody is left to write more."""
        self._close_input()
        for fd, (stream, _) in self._reads.items():
            most = 64  # an escaped process may still be writing
            while most and self._read(fd):
                most -= 1
            self._loop.remove_reader(fd)
            stream.close()

    def _read(self, fd: int) -> bool:
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if data:
            self._reads[fd][1](data)
        else:
            self._loop.remove_reader(fd)
        return bool(data)

    def _write(self) -> None:
        try:
            self._rest = self._rest[os.write(self._in.fileno(), self._rest[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # it does not read, which is its right
            self._rest = self._rest[:0]
        if not self._rest:
            self._close_input()

    def _close_input(self) -> None:
        if not self._in.closed:
            self._loop.remove_writer(self._in.fileno())
            self._in.close()

    def _keep_head(self, data: bytes) -> None:
        self.out += data[: MAX_ANSWER + 1 - len(self.out)]

    def _keep_tail(self, data: bytes) -> None:
        self.err += data
        del self.err[:-MAX_MESSAGES]


async def _exit_code(process: subprocess.Popen[bytes]) -> int:
    """Wait for the process itself, whoever else holds its pipes."""
    try:
        fd = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # not Linux, or not allowed
        while (code := process.poll()) is None:
            await asyncio.sleep(_POLL_S)
        return code
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(fd, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(fd)
        os.close(fd)
    return process.wait()


def _kill(process: subprocess.Popen[bytes], folder: Path) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for _ in range(_ROUNDS):
        strays = _strays(folder)
        for pid in strays:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not strays:
            return


def _strays(folder: Path) -> list[int]:
    """Return the processes that carry the attempt's own folder in their environment (Linux)."""
    mark = b"\0TMPDIR=" + os.fsencode(folder) + b"\0"
    found = []
    for entry in Path("/proc").glob("[0-9]*") if sys.platform == "linux" else ():
        with suppress(OSError):
            if mark in b"\0" + (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def _limiter(limits: Limits) -> Callable[[], None]:
    """Return what the new process does before it starts: obey the limits, and die with us."""
    parent = os.getpid()

    def limit() -> None:
        if _PRCTL is not None:  # PR_SET_PDEATHSIG: killed when judgekit dies, even by SIGKILL
            _PRCTL(1, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
        _lower(resource.RLIMIT_CORE, 0, 0)
        if limits.memory_mb is not None:
            size = limits.memory_mb * 1024 * 1024
            _lower(resource.RLIMIT_AS, size, size)
        if limits.cpu_s is not None:
            _lower(resource.RLIMIT_CPU, limits.cpu_s, limits.cpu_s + 1)

    return limit


def _lower(what: int, soft: int, hard: int) -> None:
    """Set a limit, or keep the system's own where that is lower: it cannot be raised."""
    most = resource.getrlimit(what)[1]
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(what, (soft, hard))
