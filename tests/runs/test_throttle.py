from __future__ import annotations

import asyncio
import heapq

from judgekit.model.throttle import Throttle
from judgekit.runs.throttle import AdaptiveThrottle, MinuteLimit


class FakeTime:
    """A clock that jumps to the next sleeper whenever everybody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._n = 0

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._n += 1
        heapq.heappush(self._sleepers, (self.now + seconds, self._n, future))
        await future

    async def run(self, work: asyncio.Task[None]) -> None:
        while not work.done():
            for _ in range(20):
                await asyncio.sleep(0)
            if self._sleepers and not work.done():
                self.now, _, future = heapq.heappop(self._sleepers)
                if not future.done():
                    future.set_result(None)
        await work


def throttle_on(time: FakeTime, **limits: float) -> AdaptiveThrottle:
    return AdaptiveThrottle(clock=time.clock, sleep=time.sleep, **limits)  # type: ignore[arg-type]


async def send_times(
    throttle: AdaptiveThrottle, time: FakeTime, n: int, tokens: int
) -> list[float]:
    times: list[float] = []

    async def send_all() -> None:
        for _ in range(n):
            await throttle.acquire(tokens)
            times.append(time.now)
            throttle.release("ok")

    await time.run(asyncio.create_task(send_all()))
    return times


def most_in_a_minute(times: list[float]) -> int:
    return max(sum(1 for t in times if start <= t < start + 60) for start in times)


def test_it_fits_the_protocol() -> None:
    assert isinstance(AdaptiveThrottle(), Throttle)


async def test_no_minute_holds_more_than_the_request_limit() -> None:
    time = FakeTime()
    times = await send_times(throttle_on(time, requests_per_minute=60), time, 300, 1)
    assert most_in_a_minute(times) <= 60
    assert times[5] == 0.0
    assert times[-1] < 340


async def test_no_minute_holds_more_than_the_token_limit() -> None:
    time = FakeTime()
    times = await send_times(throttle_on(time, tokens_per_minute=6000), time, 200, 100)
    assert most_in_a_minute(times) <= 60


async def test_a_request_larger_than_the_burst_still_goes_out() -> None:
    time = FakeTime()
    times = await send_times(throttle_on(time, tokens_per_minute=1000), time, 3, 900)
    assert len(times) == 3
    assert times[1] >= 53


def test_without_a_limit_nothing_waits() -> None:
    assert MinuteLimit(None).reserve(1e9, 0.0) == 0.0


async def test_an_overload_halves_the_places_once_per_burst_and_good_replies_raise_them() -> None:
    time = FakeTime()
    throttle = throttle_on(time, concurrency=16)
    for _ in range(16):
        await throttle.acquire(1)
    for _ in range(16):
        throttle.release("overload")
    assert throttle.limit == 8
    time.now = 1.0
    await throttle.acquire(1)
    throttle.release("overload")
    assert throttle.limit == 4
    for _ in range(200):
        await throttle.acquire(1)
        throttle.release("ok")
    assert throttle.limit == 16
    assert throttle.in_flight == 0


async def test_errors_that_are_not_overloads_change_nothing() -> None:
    throttle = AdaptiveThrottle(concurrency=8)
    await throttle.acquire(1)
    throttle.release("error")
    assert throttle.limit == 8


async def test_retry_after_holds_every_request_back() -> None:
    time = FakeTime()
    throttle = throttle_on(time, concurrency=4)
    await throttle.acquire(1)
    throttle.release("overload", 7.5)
    assert await send_times(throttle, time, 2, 1) == [7.5, 7.5]


async def test_never_more_in_flight_than_places_and_a_cancelled_waiter_loses_none() -> None:
    throttle = AdaptiveThrottle(concurrency=2)
    await throttle.acquire(1)
    await throttle.acquire(1)
    waiters = [asyncio.create_task(throttle.acquire(1)) for _ in range(3)]
    await asyncio.sleep(0)
    assert throttle.in_flight == 2
    waiters[0].cancel()
    throttle.release("ok")
    throttle.release("ok")
    await asyncio.wait(waiters, timeout=5)
    assert throttle.in_flight == 2
    assert [w.cancelled() for w in waiters] == [True, False, False]
