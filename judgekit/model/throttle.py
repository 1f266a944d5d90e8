"""The throttle: who may send the next request, and what came of the last one."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

Outcome = Literal["ok", "overload", "error"]


@runtime_checkable
class Throttle(Protocol):
    """Limit the requests of one endpoint. Every HTTP attempt acquires once and releases once."""

    async def acquire(self, tokens: int) -> None:
        """Wait until a request of about `tokens` tokens may be sent."""
        ...

    def release(self, outcome: Outcome, retry_after_s: float | None = None) -> None:
        """Report what came of the attempt.

        `overload` means that the provider asked for less (HTTP 429 or 529); `retry_after_s` is
        what it asked us to wait, in seconds, or None.
        """
        ...
