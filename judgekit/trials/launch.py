"""Start one attempt of an agent in isolation and read what it answers."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from judgekit.errors import InputError
from judgekit.model.agent import Agent, Limits
from judgekit.model.secrets import hidden_values, scrub
from judgekit.trials.answer import (
    SHOWN,
    TEMPORARY,
    Attempted,
    ending,
    last_words,
    logged_calls,
    read_answer,
    written,
)
from judgekit.trials.cassette import CALLS_VARIABLE, MISSES_VARIABLE
from judgekit.trials.folder import own_folder
from judgekit.trials.process import MAX_ANSWER, Output, run_process
from judgekit.trials.request import TrialAnswer, TrialRequest

TEMPORARY_FAILURE = 75
"""Exit code by which an agent says that it failed through no fault of its own (EX_TEMPFAIL)."""
WORKSPACE_WORD = "{workspace}"
_KEPT = (
    "PATH", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY",
    "https_proxy", "http_proxy", "no_proxy",
)  # fmt: skip


class Ended(NamedTuple):
    """How an attempt ended: the answer where one was read, and the reason where there is one.

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
    whatever it started is killed when it ends or is out of time. `variables` are added to it.
    """
    started = time.perf_counter()
    if agent.kind == "http":
        from judgekit.trials.http_agent import ask

        found = await ask(agent, request, credentials(agent))
    else:
        found = await _in_process(agent, request, root, variables or {})
    latency_s = time.perf_counter() - started
    error = None if found.error is None else str(scrub(found.error, credentials(agent)))
    return Ended(found.how, found.answer, error, latency_s)


async def check_agent(agent: Agent, root: Path) -> None:
    """Refuse an agent that cannot even be started, before any attempt is spent on it.

    Raises:
        InputError: the function's module cannot be imported or lacks it, or the command is not
            there.
    """
    if agent.command is not None:
        _check_command(agent.command, root)
    if agent.function is None:
        return
    with own_folder() as folder:
        done = await run_process(
            (*_command(agent, root), "--check"),
            b"",
            folder=folder,
            environment=environment_of(agent, None, root, folder),
            limits=Limits(timeout_s=max(60.0, agent.limits.timeout_s)),
        )
        wrong = _wrong(done, folder / "answer.json")
    if wrong:
        raise InputError(
            f"the agent {agent.function!r} cannot be imported",
            where=str(root),
            found=last_words(wrong, credentials(agent)),
            expected="module:function, importable from the workspace without ending the process",
        )


def _wrong(done: Output, said: Path) -> str:
    """Return what is wrong with a function that was looked up; nothing where it can be called."""
    if done.code is None:
        return "the process did not end after the import"
    if not said.is_file():
        return f"the process ended during the import ({_how_it_left(done.code)})"
    if done.code:
        return f"the process failed after the import ({_how_it_left(done.code)})"
    return written(said, SHOWN).decode("utf-8", "replace")


def credentials(agent: Agent) -> tuple[str, ...]:
    """Return the values of the variables that the agent's scope names, longest first.

    Those that are ordinary text (a region, a flag) are left out: an answer may well hold them.
    """
    return hidden_values(os.environ.get(name, "") for name in agent.scope.credentials)


def environment_of(
    agent: Agent, request: TrialRequest | None, root: Path, folder: Path
) -> dict[str, str]:
    """Return the environment of one attempt: nothing of ours but what is named here."""
    named = (*_KEPT, *agent.scope.credentials)
    kept = {name: os.environ[name] for name in named if name in os.environ}
    paths = [str(root), *(path for path in sys.path if path)]
    seed = 0 if request is None else request.seed
    return {
        **kept,
        "HOME": str(folder),
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "PYTHONHASHSEED": str(seed % 2**32),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TZ": agent.timezone,
        "LANG": agent.locale,
        "LC_ALL": agent.locale,
        "JUDGEKIT_TRIAL": "" if request is None else request.identifier,
        "JUDGEKIT_NOW": "" if request is None else request.now,
        "JUDGEKIT_SEED": str(seed),
        "JUDGEKIT_WORKSPACE": str(root),
        **agent.environment,
        "TMPDIR": str(folder),
        "JUDGEKIT_ANSWER": str(folder / "answer.json"),
    }


async def _in_process(
    agent: Agent, request: TrialRequest, root: Path, variables: Mapping[str, str]
) -> Attempted:
    with own_folder() as folder:
        misses = folder / "cassette-misses"
        environment = {
            **environment_of(agent, request, root, folder),
            MISSES_VARIABLE: str(misses),
            CALLS_VARIABLE: str(folder / "calls.jsonl"),
            **variables,
        }
        try:
            done = await run_process(
                _command(agent, root),
                request.model_dump_json(by_alias=True).encode(),
                folder=folder,
                environment=environment,
                limits=agent.limits,
            )
        except OSError as error:
            return Attempted("infrastructure", None, f"the agent cannot be started: {error}")
        found = _read(agent, done, folder / "answer.json")
        if found.answer is None:
            found = found._replace(answer=logged_calls(folder / "calls.jsonl"))
        if misses.is_file():  # whatever the agent made of it
            missed = written(misses, SHOWN).decode("utf-8", "replace")
            return Attempted("crashed", found.answer, missed)
        return found


def _command(agent: Agent, root: Path) -> tuple[str, ...]:
    if agent.command is not None:
        words = tuple(word.replace(WORKSPACE_WORD, str(root)) for word in agent.command)
        inside = root / words[0]
        return (str(inside) if "/" in words[0] else words[0], *words[1:])
    return (sys.executable, "-m", "judgekit.trials.worker", agent.function or "")


def _check_command(command: tuple[str, ...], root: Path) -> None:
    import shutil

    word = _command(Agent(command=command), root)[0]
    if shutil.which(word) is None:
        raise InputError(
            f"the agent's command {command[0]!r} is not there, or cannot be run",
            where=str(root),
            expected="a program on PATH, or a path from the workspace; {workspace} stands for it",
        )


def _read(agent: Agent, done: Output, path: Path) -> Attempted:
    """Return how the attempt ended; what an unfinished one had answered is kept with it."""
    secrets = credentials(agent)
    err = last_words(done.err, secrets)
    try:
        answer, why = read_answer(_answer_bytes(agent, done, path), secrets), ""
    except (ValueError, OSError) as error:
        answer, why = None, str(error)
    if done.code is None:
        limit = f"no answer within {agent.limits.timeout_s:g} s"
        return Attempted("timeout", answer, f"{limit}. {err}".strip() if err else limit)
    if done.code == TEMPORARY_FAILURE:
        return Attempted("infrastructure", answer, err or TEMPORARY)
    if done.code:
        return Attempted("crashed", answer, f"{_how_it_left(done.code)}. {err}".strip())
    if answer is None:
        return Attempted("crashed", None, f"{why}. {err}".strip() if err else why)
    return ending(answer)


def _answer_bytes(agent: Agent, done: Output, path: Path) -> bytes:
    if path.is_file():
        with path.open("rb") as handle:
            found = handle.read(MAX_ANSWER + 1)
    else:
        found = b"" if agent.function is not None else done.out
    if len(found) > MAX_ANSWER:
        raise ValueError(f"the answer is longer than {MAX_ANSWER // 1024 // 1024} MiB")
    return found


def _how_it_left(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
