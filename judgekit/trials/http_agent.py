"""An agent behind an HTTP endpoint: one POST an attempt."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from judgekit.model.agent import Agent
from judgekit.trials.answer import Attempted, ending, first_words, read_answer
from judgekit.trials.process import MAX_ANSWER
from judgekit.trials.request import TrialRequest

if TYPE_CHECKING:
    from aiohttp import ClientResponse

_UNAVAILABLE = (408, 425, 429, 502, 503, 504)


async def ask(agent: Agent, request: TrialRequest, secrets: tuple[str, ...] = ()) -> Attempted:
    """POST the request and return how the attempt ended.

    No connection, a rate limit, a gateway that is down and a redirect (it is not followed: the
    credentials are for this host) are failures of the infrastructure; every other status but 2xx
    is a crash of the agent. The variables that the agent's scope names are sent as headers
    `X-Judgekit-<NAME>`, so that no key is written in judgekit.yaml. `secrets` are taken out of
    what an error quotes.
    """
    import aiohttp

    timeout = aiohttp.ClientTimeout(total=agent.limits.timeout_s)
    headers = {"Content-Type": "application/json", **_credentials(agent)}
    body = request.model_dump_json(by_alias=True).encode()
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=True) as session,
            session.post(
                agent.url or "", data=body, headers=headers, allow_redirects=False
            ) as reply,
        ):
            return _read(reply.status, await _bounded(reply), secrets)
    except TimeoutError:
        return Attempted("timeout", None, f"no answer within {agent.limits.timeout_s:g} s")
    except (aiohttp.ClientError, OSError, ValueError) as error:
        why = f"no connection: {type(error).__name__}: {error}"
        return Attempted("infrastructure", None, first_words(why, secrets))


async def _bounded(reply: ClientResponse) -> bytes:
    found = bytearray()
    async for chunk in reply.content.iter_chunked(65_536):
        found += chunk
        if len(found) > MAX_ANSWER:
            break
    return bytes(found)


def _read(status: int, body: bytes, secrets: tuple[str, ...]) -> Attempted:
    if status in _UNAVAILABLE or 300 <= status < 400:
        mend = "; set the agent's url to where it redirects" if status < 400 else ""
        return Attempted("infrastructure", None, f"HTTP {status}{mend}")
    if len(body) > MAX_ANSWER:
        most = MAX_ANSWER // 1024 // 1024
        return Attempted("crashed", None, f"the answer is longer than {most} MiB")
    if not 200 <= status < 300:
        return Attempted("crashed", None, f"HTTP {status}: {first_words(body, secrets)}")
    try:
        return ending(read_answer(body, secrets))
    except ValueError as error:
        return Attempted("crashed", None, str(error))


def _credentials(agent: Agent) -> dict[str, str]:
    return {
        f"X-Judgekit-{name.replace('_', '-').title()}": os.environ[name]
        for name in agent.scope.credentials
        if name in os.environ
    }
