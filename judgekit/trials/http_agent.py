"""An agent behind an HTTP endpoint: one POST an attempt."""

from __future__ import annotations

import os

from judgekit.model.agent import Agent
from judgekit.trials.request import TrialAnswer, TrialRequest

Answered = tuple[str, TrialAnswer | None, str | None]
_UNAVAILABLE = (408, 425, 429, 502, 503, 504)


async def ask(agent: Agent, request: TrialRequest) -> Answered:
    """POST the request and return how the attempt ended.

    No connection, a rate limit and a gateway that is down are failures of the infrastructure;
    every other status but 2xx is a crash of the agent. The variables that the agent's scope names
    are sent as headers `X-Judgekit-<NAME>`, so that no key is written in judgekit.yaml.
    """
    import aiohttp

    timeout = aiohttp.ClientTimeout(total=agent.limits.timeout_s)
    headers = {"Content-Type": "application/json", **_credentials(agent)}
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=True) as session,
            session.post(
                agent.url or "", data=request.model_dump_json(by_alias=True), headers=headers
            ) as reply,
        ):
            return _read(reply.status, await reply.read())
    except TimeoutError:
        return "timeout", None, f"no answer within {agent.limits.timeout_s:g} s"
    except (aiohttp.ClientError, OSError) as error:
        return "infrastructure", None, f"no connection: {type(error).__name__}: {error}"[:500]


def _read(status: int, body: bytes) -> Answered:
    from judgekit.trials.launch import read_answer

    if status in _UNAVAILABLE:
        return "infrastructure", None, f"HTTP {status}"
    if not 200 <= status < 300:
        return "crashed", None, f"HTTP {status}: {body[:200].decode('utf-8', 'replace')}"
    try:
        answer = read_answer(body)
    except ValueError as error:
        return "crashed", None, str(error)
    if answer.infrastructure is not None:
        return "infrastructure", answer, answer.infrastructure
    return "finished", answer, answer.error


def _credentials(agent: Agent) -> dict[str, str]:
    return {
        f"X-Judgekit-{name.replace('_', '-').title()}": os.environ[name]
        for name in agent.scope.credentials
        if name in os.environ
    }
