"""The agent under test: how it is started, what it may do, and what it is made of."""

from __future__ import annotations

from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from judgekit.model.base import TypedRecord
from judgekit.model.canonical import content_hash


class Limits(TypedRecord):
    """What one attempt may use. None = no limit is set.

    `memory_mb` and `cpu_s` are enforced for functions and commands by the operating system, for
    each process; an HTTP endpoint runs elsewhere, and only `timeout_s` holds there.
    """

    timeout_s: float = Field(default=300.0, gt=0)
    memory_mb: int | None = Field(default=None, ge=16)
    cpu_s: int | None = Field(default=None, ge=1)


class Scope(TypedRecord):
    """What the agent may reach: recorded with each set, and compared; not enforced by judgekit.

    `credentials` are names of environment variables that are passed on (never their values).
    """

    network: Literal["none", "loopback", "any"] = "any"
    credentials: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()


class Agent(TypedRecord):
    """One agent: exactly one of `function` (`module:function`), `command` and `url`.

    A command starts in a folder of its own: a first word with a slash is taken from the workspace,
    and `{workspace}` in any word stands for it.

    `settings` are the sampling settings that each trial is told; `temperature` among them is what
    `repeat --temperature` changes. `configuration` names what the agent is made of (prompt, tools,
    model, revision, policies, harness, retrieval snapshot ...): texts, or `file:` paths whose
    content is hashed. `fixture` is a JSON file with the state each attempt starts from.
    """

    function: str | None = Field(default=None, pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
    command: tuple[str, ...] | None = Field(default=None, min_length=1)
    url: str | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    configuration: dict[str, Any] = Field(default_factory=dict)
    fixture: str | None = None
    environment: dict[str, str] = Field(default_factory=dict)
    limits: Limits = Limits()
    scope: Scope = Scope()
    timezone: str = "UTC"
    locale: str = "C.UTF-8"

    @model_validator(mode="after")
    def _can_be_passed_on(self) -> Self:
        """Refuse what no process can be started with: it would fail in the middle of a session."""
        texts = [*(self.command or ()), self.timezone, self.locale, *self.scope.credentials]
        for name, value in self.environment.items():
            if not name or "=" in name:
                raise ValueError(f"environment: a name without `=`, not {name!r}")
            texts += [name, value]
        wrong = next((text for text in texts if not _can_be_passed(text)), None)
        if wrong is not None:
            raise ValueError(f"text that a process can be given (no NUL), not {wrong!r:.80}")
        return self

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = [self.function, self.command, self.url]
        if sum(way is not None for way in ways) != 1:
            raise ValueError("exactly one of function, command and url")
        if self.url is not None and not _is_address(self.url):
            raise ValueError("url: http:// or https:// and a host")
        return self

    @property
    def kind(self) -> Literal["function", "command", "http"]:
        """Return how the agent is started."""
        if self.function is not None:
            return "function"
        return "command" if self.command is not None else "http"


def _can_be_passed(text: str) -> bool:
    try:
        return b"\0" not in text.encode("utf-8")
    except UnicodeEncodeError:
        return False


def _is_address(url: str) -> bool:
    try:
        found = urlsplit(url)
        return found.scheme in ("http", "https") and bool(found.hostname) and found.port != 0
    except ValueError:  # brackets that do not close, a port that is no number
        return False


class TrialSet(TypedRecord):
    """What shaped a set of trials: recorded beside it, so that two sets can be held together.

    `components` are the hashes and words that make up `configuration`; None where something is not
    known (no git repository, no lock file). The commit is one of them only where the agent's own
    source is not known: a commit that leaves the source alone makes no other agent. `commits` are
    those that trials were made at, in order.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    agent: str
    configuration: str
    components: dict[str, str | None]
    k: int
    seed: str
    limits: Limits
    scope: Scope
    machine: str
    commits: tuple[str, ...] = ()

    @classmethod
    def hash_of(cls, components: dict[str, str | None]) -> str:
        """Return the hash over the components."""
        known = components.get("source") is not None
        return content_hash({n: v for n, v in components.items() if n != "commit" or not known})
