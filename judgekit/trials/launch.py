"""Start one attempt of an agent in isolation and read what it answers."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from judgekit.model.agent import Agent, Limits
from judgekit.trials.request import TrialAnswer, TrialRequest

TEMPORARY_FAILURE = 75
"""Exit code by which a command says that it failed through no fault of its own (EX_TEMPFAIL)."""
MAX_ANSWER = 32 * 1024 * 1024
_KEPT = ("PATH", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
_ERROR_TEXT = 2_000


class Ended(NamedTuple):
    """How an attempt ended: the answer where one was read, else the reason.

    `how` is finished, crashed, timeout or infrastructure.
    """

    how: str
    answer: TrialAnswer | None
    error: str | None
    latency_s: float


async def launch(
    agent: Agent,
    request: TrialRequest,
    *,
    root: Path,
    variables: Mapping[str, str] | None = None,
) -> Ended:
    """Run one attempt and return how it ended; it never raises for what the agent does.

    A function or command runs in a process and folder of its own, with an environment of its own
    (fixed PYTHONHASHSEED, TZ, locale; only the variables that the agent's scope names), and
    the whole process group is killed when it is out of time. `variables` are added to it.
    """
    started = time.perf_counter()
    if agent.kind == "http":
        from judgekit.trials.http_agent import ask

        how, answer, error = await ask(agent, request)
    else:
        how, answer, error = await _in_process(agent, request, root, variables or {})
    return Ended(how, answer, error, time.perf_counter() - started)


async def _in_process(
    agent: Agent, request: TrialRequest, root: Path, variables: Mapping[str, str]
) -> tuple[str, TrialAnswer | None, str | None]:
    with tempfile.TemporaryDirectory(prefix="judgekit-trial-") as folder:
        answer_path = Path(folder) / "answer.json"
        process = await asyncio.create_subprocess_exec(
            *_command(agent),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder,
            env={**environment_of(agent, request, root, Path(folder)), **variables},
            start_new_session=True,
            preexec_fn=_limiter(agent.limits),
            limit=MAX_ANSWER,
        )
        body = request.model_dump_json(by_alias=True).encode()
        try:
            out, err = await asyncio.wait_for(process.communicate(body), agent.limits.timeout_s)
        except TimeoutError:
            await _kill(process)
            return "timeout", None, f"no answer within {agent.limits.timeout_s:g} s"
        except asyncio.CancelledError:
            await _kill(process)
            raise
        await _kill(process)
        if answer_path.is_file():
            out = answer_path.read_bytes()
        return _read(process.returncode or 0, out, err.decode("utf-8", "replace"))


def _command(agent: Agent) -> tuple[str, ...]:
    if agent.command is not None:
        return agent.command
    return (sys.executable, "-m", "judgekit.trials.worker", agent.function or "")


def environment_of(agent: Agent, request: TrialRequest, root: Path, folder: Path) -> dict[str, str]:
    """Return the environment of one attempt: nothing of ours but what is named here."""
    named = (*_KEPT, *agent.scope.credentials)
    kept = {name: os.environ[name] for name in named if name in os.environ}
    paths = [str(root), *(path for path in sys.path if path)]
    return {
        **kept,
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "PYTHONHASHSEED": str(request.seed % 2**32),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TZ": request.timezone,
        "LANG": request.locale,
        "LC_ALL": request.locale,
        "JUDGEKIT_TRIAL": request.identifier,
        "JUDGEKIT_NOW": request.now,
        "JUDGEKIT_SEED": str(request.seed),
        "JUDGEKIT_ANSWER": str(folder / "answer.json"),
        "JUDGEKIT_WORKSPACE": str(root),
        **agent.environment,
    }


def read_answer(out: bytes) -> TrialAnswer:
    """Return the answer in what an agent wrote: a JSON object, or the last line that is one.

    Raises:
        ValueError: there is none, or it does not fit.
    """
    text = out.decode("utf-8", "replace").strip()
    if not text:
        raise ValueError("the agent answered nothing")
    lines = text.splitlines()
    for candidate in (text, lines[-1]):
        try:
            body = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(body, Mapping):
            return _fitting(body)
    raise ValueError(f"the answer is no JSON object: {text[-200:]!r}")


def _fitting(body: Mapping[str, Any]) -> TrialAnswer:
    try:
        return TrialAnswer.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"the answer does not fit: {place}: {first['msg']}") from error


def _read(code: int, out: bytes, err: str) -> tuple[str, TrialAnswer | None, str | None]:
    if code == TEMPORARY_FAILURE:
        return "infrastructure", None, _last(err) or "the agent reported a temporary failure"
    if code < 0:
        return "crashed", None, f"killed by {signal.Signals(-code).name}. {_last(err)}".strip()
    try:
        answer = read_answer(out)
    except ValueError as error:
        why = f"exit code {code}. {_last(err)}" if code else str(error)
        return "crashed", None, why.strip()
    if answer.infrastructure is not None:
        return "infrastructure", answer, answer.infrastructure
    if code:
        return "crashed", answer, f"exit code {code}. {_last(err)}".strip()
    return "finished", answer, answer.error


def _last(err: str) -> str:
    return err.strip()[-_ERROR_TEXT:]


def _limiter(limits: Limits) -> Callable[[], None]:
    """Return what the new process does before it starts: obey the limits, and die with us."""

    def limit() -> None:
        _die_with_parent()
        if limits.memory_mb is not None:
            size = limits.memory_mb * 1024 * 1024
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        if limits.cpu_s is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 1))

    return limit


def _die_with_parent() -> None:
    """Ask Linux to kill this process when judgekit dies, even by SIGKILL; elsewhere do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


async def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill the process and whatever it started, and wait until it is gone."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        await process.wait()
