"""Recorded replies in place of a provider: no key, no network, and strict about what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from judgekit.errors import InputError, UsageError
from judgekit.providers.base import Capabilities, Endpoint, Mode, Prepared, Provider, Reply
from judgekit.providers.reply_tape import ReplyTape

NAME = "replay"


class ReplayProvider:
    """Make the requests of the provider that was recorded, and answer them from its cassette.

    A request that is not held fails (kind `request`, never sent again). The fingerprint names
    `replay` and the cassette's content, so that an approval of the real judge does not cover it.

    Raises:
        UsageError: the endpoint does not say which provider was recorded, or where.
        InputError: the cassette is not there, or a line of it is no recorded reply.
    """

    name = NAME

    def __init__(self, endpoint: Endpoint) -> None:
        from judgekit.providers.catalog import load_provider

        self._endpoint = endpoint
        if endpoint.cassette is None or endpoint.replays in (None, NAME):
            raise UsageError(
                "provider 'replay' plays what another provider said, from a cassette",
                where=f"judgekit.yaml: endpoints.{endpoint.name}",
                expected="replays: openai (or another provider), and cassette: a file",
            )
        path = Path(endpoint.cassette)
        if not path.is_file():
            raise InputError(
                f"the cassette {path.name!r} is not there",
                where=str(path),
                mend="record one: the same `cassette:` at the endpoint of the real provider",
            )
        real = endpoint.model_copy(update={"cassette": None})
        self._inner: Provider = load_provider(str(endpoint.replays), real)
        self._tape = ReplyTape(path)

    @property
    def endpoint(self) -> Endpoint:
        """Return the endpoint that names the cassette."""
        return self._endpoint

    def capabilities(self, model: str) -> Capabilities:
        """Return what the recorded provider's model accepts."""
        return self._inner.capabilities(model)

    def prepare(
        self,
        response_model: type[BaseModel],
        *,
        model: str,
        mode: Mode,
        settings: Mapping[str, Any],
    ) -> Prepared:
        """Prepare the recorded provider's request."""
        inner = self._inner.prepare(response_model, model=model, mode=mode, settings=settings)
        return _ReplayPrepared(inner, self._tape)

    def fingerprint_parts(self, model: str) -> dict[str, str]:
        """Return which provider was recorded, and the hash of the cassette."""
        del model
        return {"replays": self._inner.name, "cassette": self._tape.content_hash}

    async def aclose(self) -> None:
        """Release what the recorded provider holds: nothing was sent."""
        await self._inner.aclose()


class _ReplayPrepared:
    def __init__(self, inner: Prepared, tape: ReplyTape) -> None:
        self._inner = inner
        self._tape = tape

    def body_for(self, system: str, prompt: str) -> bytes:
        """Return the request body that is looked for."""
        return self._inner.body_for(system, prompt)

    async def send(self, system: str, prompt: str) -> Reply:
        """Return the recorded reply; sends nothing."""
        return self._tape.play(self.body_for(system, prompt))


def build_provider(endpoint: Endpoint, *, weights: str | None = None) -> ReplayProvider:
    """Return the provider for `endpoint`; it has no weights."""
    del weights
    return ReplayProvider(endpoint)
