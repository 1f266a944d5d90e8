"""Capture the request that instructor builds, once per grader, and fill in texts afterwards.

instructor shapes the schema, the tools and the prompt. It is asked once, with sentinel texts, on a
client whose transport records the request. The recorded body is split at the sentinels; filling
in the JSON-escaped texts gives byte for byte what instructor would send, far faster.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable
from typing import Any

from judgekit.errors import ItemError, JudgekitError
from judgekit.model.base import Record

SYSTEM = "judgekit-sentinel-system-5f1c2d"
PROMPT = "judgekit-sentinel-prompt-8a4e7b"


class Captured(Record):
    """The recorded request: path below the base URL, vendor headers and the body's pieces."""

    url: str
    headers: dict[str, str]
    pieces: tuple[bytes, bytes, bytes]
    system_first: bool

    def fill(self, system: str, prompt: str) -> bytes:
        """Return the body with the two texts filled in.

        Raises:
            ItemError: the prompt is empty or holds text that UTF-8 cannot carry.
        """
        if not prompt:
            raise ItemError("the prompt is empty", expected="text to be judged")
        first, second = (system, prompt) if self.system_first else (prompt, system)
        start, middle, end = self.pieces
        return b"".join((start, _escaped(first), middle, _escaped(second), end))


def _escaped(text: str) -> bytes:
    try:
        return json.dumps(text, ensure_ascii=False)[1:-1].encode()
    except UnicodeEncodeError as error:
        raise ItemError("the text holds a lone surrogate, which UTF-8 cannot carry") from error


def capture(call: Callable[[Any], Any]) -> Captured:
    """Return the request that `call(http_client)` sends; nothing leaves the process.

    Args:
        call: builds an instructor client on the given HTTP client and calls it once with the
            texts `SYSTEM` and `PROMPT`.
    """
    import httpx2

    seen: list[httpx2.Request] = []

    def record(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(400, json={"error": {"message": "recorded"}})

    logging.getLogger("instructor").setLevel(logging.CRITICAL + 1)
    client = httpx2.Client(transport=httpx2.MockTransport(record))
    failure: Exception | None = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(client)
    except Exception as error:  # noqa: BLE001  (the recorded answer is an error by design)
        failure = error
    finally:
        client.close()
    if not seen:
        raise JudgekitError(f"the request could not be prepared: {failure}") from failure
    return _split(seen[0].url.path, dict(seen[0].headers), seen[0].content)


def _split(url: str, headers: dict[str, str], body: bytes) -> Captured:
    system, prompt = SYSTEM.encode(), PROMPT.encode()
    if body.count(system) != 1 or body.count(prompt) != 1:
        raise JudgekitError("the prepared request does not hold each text exactly once")
    system_first = body.index(system) < body.index(prompt)
    first, second = (system, prompt) if system_first else (prompt, system)
    start, _, rest = body.partition(first)
    middle, _, end = rest.partition(second)
    return Captured(
        url=url, headers=headers, pieces=(start, middle, end), system_first=system_first
    )
