"""What every provider offers: a capability record, a prepared request, typed failures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, Field

from judgekit.errors import FailureKind, ProviderFailed, UsageError
from judgekit.model.base import Record
from judgekit.model.verdict import Usage

Mode = Literal["json_schema", "tools", "prompt_json"]


class Endpoint(Record):
    """Where requests go. Names of environment variables only: the values never leave the transport.

    `name` is the endpoint's name in judgekit.yaml. `headers_env` and `query_env` map a header or
    query parameter to the variable that holds its value. `cassette` is a file that keeps every
    reply, or, for the provider `replay`, that replies are played from; `replays` names the provider
    that was recorded.
    """

    name: str = "default"
    base_url: str | None = None
    api_key_env: str | None = None
    headers_env: dict[str, str] = Field(default_factory=dict)
    query_env: dict[str, str] = Field(default_factory=dict)
    ca_file: str | None = None
    timeout_s: float = Field(default=60.0, gt=0)
    concurrency: int = Field(default=16, ge=1)
    cassette: str | None = None
    replays: str | None = None


class Capabilities(Record):
    """What one model of a provider accepts: setting names (None = any) and output modes."""

    settings: tuple[str, ...] | None
    modes: tuple[Mode, ...]

    def check(self, model: str, mode: Mode, settings: Mapping[str, Any]) -> None:
        """Refuse a mode or a setting that the model does not accept.

        Raises:
            UsageError: it names the setting or the mode.
        """
        if mode not in self.modes:
            raise UsageError(
                f"model {model!r} does not offer mode {mode!r}", expected=", ".join(self.modes)
            )
        refused = [] if self.settings is None else sorted(set(settings) - set(self.settings))
        if refused:
            raise UsageError(
                f"model {model!r} does not accept the setting {refused[0]!r}",
                where=f"settings.{refused[0]}",
                expected=", ".join(self.settings or ()),
                mend=f"remove settings.{refused[0]} from the grader in judgekit.yaml",
            )


class Reply(Record):
    """One usable reply. `text` is the JSON text of the answer, empty where there was none."""

    text: str
    model: str | None = None
    finish_reason: str | None = None
    usage: Usage = Usage()
    http_status: int = 200

    @property
    def data(self) -> Any | None:
        """Return the parsed answer, or None where `text` is not JSON."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None


class AttemptFailed(ProviderFailed):
    """One request gave no usable reply; carries what is known and what it cost.

    Args:
        usage: tokens of the attempt; None where the provider said nothing.
        billed: False where the provider answered with an HTTP error, which costs nothing.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind,
        retryable: bool = False,
        retry_after_s: float | None = None,
        http_status: int | None = None,
        usage: Usage | None = None,
        finish_reason: str | None = None,
        model: str | None = None,
        mend: str | None = None,
    ) -> None:
        super().__init__(
            message, kind=kind, retry_after_s=retry_after_s, retryable=retryable, mend=mend
        )
        self.http_status = http_status
        self.usage = usage
        self.finish_reason = finish_reason
        self.model = model
        self.billed = http_status is None or http_status < 400


@runtime_checkable
class Prepared(Protocol):
    """A request prepared once per grader; only the texts change between items."""

    def body_for(self, system: str, prompt: str) -> bytes:
        """Return the exact request body, without sending it. Holds no secret."""
        ...

    async def send(self, system: str, prompt: str) -> Reply:
        """Send one HTTP request.

        Raises:
            AttemptFailed: no usable reply.
        """
        ...


@runtime_checkable
class Provider(Protocol):
    """A source of replies. The file name of the provider is its name."""

    @property
    def name(self) -> str:
        """Return the provider's name."""
        ...

    @property
    def endpoint(self) -> Endpoint:
        """Return where requests go."""
        ...

    def capabilities(self, model: str) -> Capabilities:
        """Return what `model` accepts."""
        ...

    def prepare(
        self,
        response_model: type[BaseModel],
        *,
        model: str,
        mode: Mode,
        settings: Mapping[str, Any],
    ) -> Prepared:
        """Prepare the request of one grader. Makes no network call."""
        ...

    def fingerprint_parts(self, model: str) -> dict[str, str]:
        """Return further fingerprint components, such as `weights` and `engine`."""
        ...

    async def aclose(self) -> None:
        """Release clients and servers."""
        ...
