"""What HTTP providers share: credentials read once, one request per send."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from judgekit.providers.base import Endpoint, Reply
from judgekit.providers.failures import payload_of
from judgekit.providers.prepared import Captured
from judgekit.providers.transport import Transport, from_environment, secret

ReadReply = Callable[[Mapping[str, Any], int], Reply]
_KEPT = ("accept", "content-type", "user-agent", "anthropic-version")


class HttpProvider:
    """Base of the providers that speak HTTP."""

    name: ClassVar[str]
    default_base_url: ClassVar[str]
    default_key_env: ClassVar[str]
    path: ClassVar[str]

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._transport: Transport | None = None
        self._headers: dict[str, str] | None = None
        self._secrets: tuple[str, ...] = ()

    @property
    def endpoint(self) -> Endpoint:
        """Return where requests go."""
        return self._endpoint

    @property
    def base_url(self) -> str:
        """Return the base URL without a slash at the end."""
        return (self._endpoint.base_url or self.default_base_url).rstrip("/")

    @property
    def transport(self) -> Transport:
        """Return the transport, made when first used."""
        if self._transport is None:
            self._transport = Transport(self._endpoint)
        return self._transport

    def auth_headers(self, key: str) -> dict[str, str]:
        """Return the header that carries the key."""
        raise AttributeError(f"{self.name} names no header for its key: {len(key)} characters")

    def secret_headers(self) -> dict[str, str]:
        """Return the headers that carry secrets, read from the environment once.

        Raises:
            NotRun: a variable that is needed is not set.
        """
        if self._headers is None:
            extra = from_environment(self._endpoint.headers_env)
            key = self._key()
            self._headers = {**(self.auth_headers(key) if key else {}), **extra}
            hidden = [*extra.values(), *from_environment(self._endpoint.query_env).values()]
            self._secrets = tuple(v for v in [key, *hidden] if v)
        return self._headers

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the values that must never appear in a message."""
        return self._secrets

    def _key(self) -> str | None:
        # The vendor's own key is never sent to another host: a custom base_url names its key.
        named = self._endpoint.api_key_env
        if named is None and self._endpoint.base_url is not None:
            return None
        return secret(named or self.default_key_env)

    def fingerprint_parts(self, model: str) -> dict[str, str]:
        """Return no further component: the request says everything."""
        del model
        return {}

    async def aclose(self) -> None:
        """Leave the connection pool."""
        if self._transport is not None:
            await self._transport.aclose()


class HttpPrepared:
    """A captured request of one grader and the way to read its replies."""

    def __init__(self, provider: HttpProvider, captured: Captured, read: ReadReply) -> None:
        self._provider = provider
        self._captured = captured
        self._read = read
        self._headers = {n: v for n, v in captured.headers.items() if n in _KEPT}

    def body_for(self, system: str, prompt: str) -> bytes:
        """Return the exact request body."""
        return self._captured.fill(system, prompt)

    @property
    def url(self) -> str:
        """Return the address the request goes to."""
        return self._provider.base_url + self._provider.path

    async def send(self, system: str, prompt: str) -> Reply:
        """Send one HTTP request and read the reply."""
        headers = {**self._headers, **self._provider.secret_headers()}
        raw = await self._provider.transport.post(self.url, self.body_for(system, prompt), headers)
        data = payload_of(raw, secrets=self._provider.secrets)
        return self._read(data, raw.status)
