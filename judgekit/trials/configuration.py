"""What a set of trials was made with: every component hashed, so that two sets can be compared."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from pathlib import Path
from typing import Any

from judgekit.errors import InputError
from judgekit.model.agent import Agent, TrialSet
from judgekit.model.canonical import bytes_hash, content_hash
from judgekit.model.case import Case
from judgekit.model.secrets import scrub
from judgekit.store.formats.rows import parse_object

LOCK_FILES = ("requirements.lock", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")


def trial_set(
    name: str,
    agent: Agent,
    cases: tuple[Case, ...],
    *,
    root: Path,
    k: int,
    seed: str,
    settings: dict[str, Any],
    rules_hash: str | None,
    tapes: str | None = None,
) -> TrialSet:
    """Return the record of a set of trials.

    `cases` are all of the dataset, also where fewer are tried. `tapes` says what trials are played
    from; None = they happen.

    Raises:
        InputError: a `file:` of the configuration or the fixture is not there.
    """
    components = _components(agent, cases, root, settings)
    components["scoring_rules"] = rules_hash
    if tapes is not None:
        components["cassettes"] = tapes
    commit = components["commit"]
    return TrialSet(
        agent=name,
        configuration=TrialSet.hash_of(components),
        components=components,
        k=k,
        seed=seed,
        limits=agent.limits,
        scope=agent.scope,
        machine=f"{platform.machine()}, {platform.system()}",
        commits=() if commit is None else (commit,),
    )


def _components(
    agent: Agent, cases: tuple[Case, ...], root: Path, settings: dict[str, Any]
) -> dict[str, str | None]:
    found: dict[str, str | None] = {
        "agent": scrub(agent.function or " ".join(agent.command or ()) or agent.url),
        "source": _source(agent, root),
        "settings": content_hash(settings),
        "environment": content_hash(agent.environment),
        "fixture": None if agent.fixture is None else bytes_hash(_bytes(root, agent.fixture)),
        "inputs": content_hash({case.id: [case.input, case.context] for case in cases}),
        "commit": _commit(root),
        "lock_file": _lock(root),
        "python": platform.python_version(),
        "limits": content_hash(agent.limits.model_dump(mode="json")),
        "scope": content_hash(agent.scope.model_dump(mode="json")),
        "timezone": agent.timezone,
        "locale": agent.locale,
    }
    for key, value in sorted(agent.configuration.items()):
        found[f"configuration.{key}"] = _component(root, key, value)
    return found


def fixture_of(agent: Agent, root: Path) -> dict[str, Any] | None:
    """Return the state each attempt starts from, or None where there is no fixture.

    Raises:
        InputError: the file is not there or holds no JSON object.
    """
    if agent.fixture is None:
        return None
    try:
        return parse_object(_bytes(root, agent.fixture).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"the fixture {agent.fixture!r} cannot be used",
            where=str(root / agent.fixture),
            found=str(error)[:200],
            expected="a JSON object {table: {key: row}}",
        ) from error


def _component(root: Path, key: str, value: Any) -> str:
    if isinstance(value, str) and value.startswith("file:"):
        return bytes_hash(_bytes(root, value.removeprefix("file:")))
    plain = isinstance(value, str) and len(value) <= 80 and scrub({key: value}) == {key: value}
    return str(value) if plain else content_hash(value)


def _bytes(root: Path, name: str) -> bytes:
    path = root / name
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # a ValueError: the name holds a NUL
        why = getattr(error, "strerror", None) or error
        raise InputError(
            f"{name!r} cannot be read: {why}", where=str(path), expected="a file"
        ) from error


def _source(agent: Agent, root: Path) -> str | None:
    """Return the hash of a function's module below the workspace, None where it is elsewhere."""
    from judgekit.scorers.source import source_hash

    if agent.function is None:
        return None
    try:
        return source_hash(agent.function.partition(":")[0], root)
    except (InputError, OSError):
        return None


def _commit(root: Path) -> str | None:
    """Return the commit, marked where files differ from it; None outside a repository.

    Where git cannot tell the difference in time, the commit is marked as unread, not as clean.
    """
    head = _git(root, "rev-parse", "HEAD")
    if not head:
        return None
    changed = _git(root, "diff", "--no-ext-diff", "HEAD")
    name = head.decode("ascii", "replace")
    if changed is None:
        return f"{name}+unread"
    return f"{name}+{hashlib.sha256(changed).hexdigest()[:12]}" if changed else name


def _git(root: Path, *words: str) -> bytes | None:
    """Return what git printed; None where it is not installed, refuses, or takes too long."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words],
            capture_output=True,
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _lock(root: Path) -> str | None:
    for name in LOCK_FILES:
        if (root / name).is_file():
            return bytes_hash((root / name).read_bytes())
    return None
