"""The one owner of retries: send until a reply, a final failure or the end of patience."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from pydantic import Field

from judgekit.errors import ProviderFailed
from judgekit.model.base import Record
from judgekit.model.throttle import Outcome, Throttle
from judgekit.model.verdict import Attempt, Usage
from judgekit.providers.base import Prepared, Reply

if TYPE_CHECKING:
    from tenacity import RetryCallState

PriceOf = Callable[[Usage], float | None]
_OVERLOAD = frozenset({429, 529})
_REPLY_TOKENS = 300


class RetryPolicy(Record):
    """How often and how long a failed request is sent again.

    `attempts` counts the first one. Waits grow from `min_wait_s` to `max_wait_s` with jitter and
    are never shorter than the provider asked for. `total_s` bounds all waiting of one item.
    """

    attempts: int = Field(default=6, ge=1)
    min_wait_s: float = Field(default=0.5, ge=0)
    max_wait_s: float = Field(default=30.0, ge=0)
    total_s: float = Field(default=300.0, gt=0)


class Sender:
    """Send prepared requests through the throttle, and record every attempt with its cost."""

    def __init__(
        self,
        *,
        retry: RetryPolicy,
        throttle: Throttle | None,
        price: PriceOf | None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._retry = retry
        self._throttle = throttle
        self._price = price
        self._sleep = sleep

    async def send(
        self, prepared: Prepared, system: str, prompt: str, attempts: list[Attempt]
    ) -> Reply:
        """Return the reply, adding every attempt to `attempts`.

        Raises:
            ProviderFailed: the last failure, when it is final or patience has ended.
        """
        try:
            return await self._once(prepared, system, prompt, attempts)
        except ProviderFailed as failure:
            if not failure.retryable or self._retry.attempts == 1:
                raise
            first = failure
        return await self._resume(first, prepared, system, prompt, attempts)

    async def _resume(
        self,
        first: ProviderFailed,
        prepared: Prepared,
        system: str,
        prompt: str,
        attempts: list[Attempt],
    ) -> Reply:
        # The common case, a reply at once, does not pay for tenacity: it enters after a failure,
        # replays that failure as its first attempt and so waits before it sends again.
        from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt
        from tenacity.stop import stop_before_delay

        pending = [first]

        async def attempt() -> Reply:
            if pending:
                raise pending.pop()
            return await self._once(prepared, system, prompt, attempts)

        retrying = AsyncRetrying(
            retry=retry_if_exception(_retryable),
            stop=stop_after_attempt(self._retry.attempts) | stop_before_delay(self._retry.total_s),
            wait=self._wait(),
            sleep=self._sleep,
            reraise=True,
        )
        reply: Reply = await retrying(attempt)
        return reply

    def _wait(self) -> Callable[[RetryCallState], float]:
        from tenacity import wait_random_exponential

        policy = self._retry
        backoff = wait_random_exponential(
            multiplier=policy.min_wait_s, min=min(policy.min_wait_s, policy.max_wait_s),
            max=policy.max_wait_s,
        )  # fmt: skip

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            asked = error.retry_after_s if isinstance(error, ProviderFailed) else None
            return max(asked or 0.0, backoff(state))

        return wait

    async def _once(
        self, prepared: Prepared, system: str, prompt: str, attempts: list[Attempt]
    ) -> Reply:
        throttle = self._throttle
        if throttle is not None:
            await throttle.acquire((len(system) + len(prompt)) // 4 + _REPLY_TOKENS)
        outcome: Outcome = "error"
        retry_after: float | None = None
        started = time.perf_counter()
        try:
            reply = await prepared.send(system, prompt)
            outcome = "ok"
        except ProviderFailed as failure:
            retry_after = failure.retry_after_s
            overloaded = getattr(failure, "http_status", None) in _OVERLOAD
            outcome = "overload" if overloaded else _outcome_of(failure)
            attempts.append(self._failed(failure, time.perf_counter() - started))
            raise
        finally:
            if throttle is not None:
                throttle.release(outcome, retry_after)
        attempts.append(self._answered(reply, time.perf_counter() - started))
        return reply

    def _answered(self, reply: Reply, latency_s: float) -> Attempt:
        return Attempt(
            http_status=reply.http_status,
            usage=reply.usage,
            cost_usd=self._price(reply.usage) if self._price else None,
            latency_s=latency_s,
            finish_reason=reply.finish_reason,
        )

    def _failed(self, failure: ProviderFailed, latency_s: float) -> Attempt:
        usage: Usage | None = getattr(failure, "usage", None)
        cost = self._price(usage) if self._price and usage else None
        return Attempt(
            kind=failure.kind,
            http_status=getattr(failure, "http_status", None),
            usage=usage or Usage(),
            # An HTTP error is not billed; a lost connection may have been.
            cost_usd=cost if getattr(failure, "billed", True) else 0.0,
            latency_s=latency_s,
            finish_reason=getattr(failure, "finish_reason", None),
            message=failure.message,
        )


def _outcome_of(failure: ProviderFailed) -> Outcome:
    # A refusal or a truncated reply is an answer: the endpoint is well.
    return "ok" if failure.kind in ("refusal", "truncated", "request") else "error"


def _retryable(error: BaseException) -> bool:
    return isinstance(error, ProviderFailed) and error.retryable
