"""Any provider, with each of its replies kept in a cassette. It stays the provider that it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from judgekit.providers.base import (
    AttemptFailed,
    Capabilities,
    Endpoint,
    Mode,
    Prepared,
    Provider,
    Reply,
)
from judgekit.providers.reply_tape import ReplyTape


class RecordingProvider:
    """Send through another provider and keep what comes back, failures too.

    Name, endpoint, requests and fingerprint are those of the other provider: what is recorded is
    what a real call said.
    """

    def __init__(self, inner: Provider, path: Path) -> None:
        self._inner = inner
        self._tape = ReplyTape(path)

    def __getattr__(self, name: str) -> Any:
        """Return what else the provider has, such as `secret_headers`."""
        return getattr(self._inner, name)

    @property
    def name(self) -> str:
        """Return the real provider's name."""
        return self._inner.name

    @property
    def endpoint(self) -> Endpoint:
        """Return where requests go."""
        return self._inner.endpoint

    def capabilities(self, model: str) -> Capabilities:
        """Return what `model` accepts."""
        return self._inner.capabilities(model)

    def prepare(
        self,
        response_model: type[BaseModel],
        *,
        model: str,
        mode: Mode,
        settings: Mapping[str, Any],
    ) -> Prepared:
        """Prepare the request; makes no network call."""
        inner = self._inner.prepare(response_model, model=model, mode=mode, settings=settings)
        return _RecordingPrepared(self._inner, inner, self._tape)

    def fingerprint_parts(self, model: str) -> dict[str, str]:
        """Return the real provider's further components."""
        return self._inner.fingerprint_parts(model)

    async def aclose(self) -> None:
        """Release what the real provider holds."""
        await self._inner.aclose()


class _RecordingPrepared:
    def __init__(self, provider: Provider, inner: Prepared, tape: ReplyTape) -> None:
        self._provider = provider
        self._inner = inner
        self._tape = tape

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def body_for(self, system: str, prompt: str) -> bytes:
        """Return the exact request body."""
        return self._inner.body_for(system, prompt)

    async def send(self, system: str, prompt: str) -> Reply:
        """Send one request and keep what comes back."""
        try:
            came: Reply | AttemptFailed = await self._inner.send(system, prompt)
        except AttemptFailed as failure:
            came = failure
        secrets: tuple[str, ...] = getattr(self._provider, "secrets", ())
        self._tape.keep(self.name, self.body_for(system, prompt), came, secrets)
        if isinstance(came, AttemptFailed):
            raise came
        return came

    @property
    def name(self) -> str:
        """Return the provider's name."""
        return self._provider.name
