"""Send one HTTP request: one connection pool per event loop and endpoint, failures typed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import (  # type: ignore[attr-defined]  # typeshed leaves the second out
    getproxies_environment,
    proxy_bypass_environment,
)
from weakref import WeakKeyDictionary

from judgekit.errors import InputError, NotRun
from judgekit.model.base import Record
from judgekit.providers.base import AttemptFailed, Endpoint

if TYPE_CHECKING:
    import aiohttp

_Pool = dict[str, "tuple[aiohttp.ClientSession, list[int]]"]
_pools: WeakKeyDictionary[asyncio.AbstractEventLoop, _Pool] = WeakKeyDictionary()


class HttpReply(Record):
    """The raw reply of the other side."""

    status: int
    headers: dict[str, str]
    body: bytes


class Transport:
    """Send bodies to one endpoint through a pool that all graders of the endpoint share."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._key = endpoint.model_dump_json()
        self._held: tuple[asyncio.AbstractEventLoop, str] | None = None
        self._query = from_environment(endpoint.query_env)
        self._proxies: dict[str, str | None] = {}

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> HttpReply:
        """Send one POST and return what came back, whatever its status.

        Raises:
            AttemptFailed: kind `timeout` or `connection`.
        """
        import aiohttp

        try:
            async with self._session().post(
                url,
                data=body,
                headers=headers,
                params=self._query or None,
                proxy=self._proxy(url),
                allow_redirects=False,
            ) as response:
                content = await response.read()
                found = {name.lower(): value for name, value in response.headers.items()}
                return HttpReply(status=response.status, headers=found, body=content)
        except TimeoutError as error:
            raise AttemptFailed(
                f"no answer within {self._endpoint.timeout_s:g} s", kind="timeout", retryable=True
            ) from error
        except (aiohttp.ClientError, ConnectionError, OSError) as error:
            raise AttemptFailed(
                f"connection to {urlsplit(url).hostname!r} failed: {type(error).__name__}",
                kind="connection",
                retryable=True,
            ) from None

    def _proxy(self, url: str) -> str | None:
        if url not in self._proxies:
            self._proxies[url] = proxy_for(url)
        return self._proxies[url]

    def _session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        key = self._key
        pool = _pools.setdefault(loop, {})
        if key not in pool or pool[key][0].closed:
            pool[key] = (_open_session(self._endpoint), [0])
        session, users = pool[key]
        if self._held != (loop, key):
            users[0] += 1
            self._held = (loop, key)
        return session

    async def aclose(self) -> None:
        """Leave the pool; the last one to leave closes it."""
        held, self._held = self._held, None
        if held is None:
            return
        loop, key = held
        session, users = _pools[loop][key]
        users[0] -= 1
        if users[0] <= 0:
            del _pools[loop][key]
            await session.close()


def _open_session(endpoint: Endpoint) -> aiohttp.ClientSession:
    import aiohttp

    connector = aiohttp.TCPConnector(
        limit=max(endpoint.concurrency, 100), keepalive_timeout=60, ssl=tls_context(endpoint)
    )
    timeout = aiohttp.ClientTimeout(total=endpoint.timeout_s)
    return aiohttp.ClientSession(
        connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()
    )


def tls_context(endpoint: Endpoint) -> ssl.SSLContext | bool:
    """Return the TLS settings: the endpoint's own authority, else the system's.

    Raises:
        InputError: `ca_file` cannot be read as certificates.
    """
    if endpoint.ca_file is None:
        return True
    try:
        return ssl.create_default_context(cafile=endpoint.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise InputError(
            f"ca_file {endpoint.ca_file!r} cannot be read as certificates",
            where=f"endpoints.{endpoint.name}.ca_file",
            expected="a PEM file",
        ) from error


def proxy_for(url: str) -> str | None:
    """Return the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY ask for, or None."""
    parts = urlsplit(url)
    proxies = getproxies_environment()
    host = parts.hostname or ""
    if not proxies or proxy_bypass_environment(host, proxies):
        return None
    return proxies.get(parts.scheme) or proxies.get("all")


def from_environment(names: Mapping[str, str]) -> dict[str, str]:
    """Return the values of environment variables by the keys they are named for.

    Raises:
        NotRun: a variable is not set.
    """
    return {key: secret(variable) for key, variable in names.items()}


def secret(variable: str) -> str:
    """Return the value of an environment variable.

    Raises:
        NotRun: it is not set or empty.
    """
    value = os.environ.get(variable, "").strip()
    if not value:
        raise NotRun(
            f"the environment variable {variable!r} is not set", mend=f"export {variable}=..."
        )
    return value


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that `retry-after-ms` or `retry-after` ask for, or None.

    Example:
        >>> retry_after_s({"retry-after-ms": "250", "retry-after": "1"})
        0.25
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with contextlib.suppress(KeyError, ValueError):
            return max(0.0, float(headers[name]) * scale)
    return _seconds_until(headers.get("retry-after"))


def _seconds_until(date: str | None) -> float | None:
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    if not date:
        return None
    try:
        when = parsedate_to_datetime(date)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
