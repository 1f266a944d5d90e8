"""The throttle of one endpoint: fewer requests at once while it is overloaded, limits per minute.

Additive increase, multiplicative decrease (Chiu and Jain 1989, doi:10.1016/0169-7552(89)90019-6):
an overload (429, 529) halves the number in flight, each good reply raises it a little again.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Literal

Outcome = Literal["ok", "overload", "error"]
BURST_SHARE = 0.1


class MinuteLimit:
    """At most `per_minute` units in any 60 s: a tenth at once, the rest evenly spread.

    Args:
        per_minute: the limit; None = no limit.
    """

    def __init__(self, per_minute: float | None) -> None:
        self._burst = max(1.0, per_minute * BURST_SHARE) if per_minute else 0.0
        steady = max((per_minute or 0.0) - self._burst, (per_minute or 0.0) * BURST_SHARE)
        self._per_second = steady / 60 if per_minute else 0.0
        self._level = self._burst
        self._at = 0.0

    def reserve(self, units: float, now: float) -> float:
        """Book `units` and return the seconds to wait before using them."""
        if not self._per_second:
            return 0.0
        gained = max(0.0, now - self._at) * self._per_second
        self._level = min(self._burst, self._level + gained)
        self._at = now
        room = min(units, self._burst)
        wait_s = max(0.0, (room - self._level) / self._per_second)
        self._level -= units
        return wait_s


class AdaptiveThrottle:
    """Hold each HTTP request until the endpoint can be expected to take it.

    Args:
        concurrency: most requests in flight; where the throttle starts.
        requests_per_minute: None = no limit.
        tokens_per_minute: None = no limit.
        clock: seconds, monotonic.
        sleep: how to wait.
    """

    def __init__(
        self,
        *,
        concurrency: int = 16,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._most = float(max(1, concurrency))
        self._limit = self._most
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._requests = MinuteLimit(requests_per_minute)
        self._tokens = MinuteLimit(tokens_per_minute)
        self._paused_until = 0.0
        self._cut_at = -1.0
        self._clock = clock
        self._sleep = sleep

    @property
    def limit(self) -> int:
        """Return how many requests may be in flight now (at least 1)."""
        return int(self._limit)

    @property
    def in_flight(self) -> int:
        """Return how many requests hold a place."""
        return self._in_flight

    async def acquire(self, tokens: int) -> None:
        """Wait for a place; `tokens` is the expected size of request and reply."""
        await self._take_place()
        try:
            now = self._clock()
            wait_s = max(self._requests.reserve(1, now), self._tokens.reserve(tokens, now))
            if wait_s > 0:
                await self._sleep(wait_s)
            while (pause_s := self._paused_until - self._clock()) > 0:
                await self._sleep(pause_s)
        except BaseException:
            self._leave()
            raise

    def release(self, outcome: Outcome, retry_after_s: float | None = None) -> None:
        """Give the place back and learn from what came of the request."""
        now = self._clock()
        if outcome == "overload":
            self._cut(now, retry_after_s)
        elif outcome == "ok":
            self._limit = min(self._most, self._limit + 1 / self._limit)
        self._leave()

    def _cut(self, now: float, retry_after_s: float | None) -> None:
        pause_s = min(retry_after_s or 0.0, 60.0)
        self._paused_until = max(self._paused_until, now + pause_s)
        if now >= self._cut_at:
            self._limit = max(1.0, self._limit / 2)
            self._cut_at = now + max(0.2, pause_s)

    async def _take_place(self) -> None:
        while self._in_flight >= self.limit:
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._wake()
                raise
        self._in_flight += 1

    def _leave(self) -> None:
        self._in_flight -= 1
        self._wake()

    def _wake(self) -> None:
        room = self.limit - self._in_flight
        while room > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                room -= 1
