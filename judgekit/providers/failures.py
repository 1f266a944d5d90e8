"""Read the kind of failure from a raw HTTP reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from judgekit.errors import FailureKind
from judgekit.providers.base import AttemptFailed
from judgekit.providers.transport import HttpReply, retry_after_s

_RETRYABLE = frozenset({408, 409, 425, 429})
_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_error"})


def payload_of(reply: HttpReply, *, secrets: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the JSON object of a successful reply.

    Raises:
        AttemptFailed: the status is an error, or the body is not a JSON object.
    """
    data = _json_object(reply.body)
    error = data.get("error") if data else None
    if reply.status >= 300 or error:
        raise http_failure(reply, data or {}, secrets=secrets)
    if data is None:
        raise AttemptFailed(
            "the reply is not a JSON object",
            kind="server",
            retryable=True,
            http_status=reply.status,
        )
    return data


def http_failure(
    reply: HttpReply, data: Mapping[str, Any], *, secrets: tuple[str, ...] = ()
) -> AttemptFailed:
    """Return the typed failure of an HTTP error reply."""
    status = _status(reply, data)
    detail, code = _detail(data)
    for value in secrets:
        detail = detail.replace(value, "***")
    return AttemptFailed(
        f"HTTP {status}" + (f": {detail[:300]}" if detail else ""),
        kind=_kind(status),
        retryable=(status in _RETRYABLE or status >= 500) and code not in _QUOTA,
        retry_after_s=retry_after_s(reply.headers),
        http_status=status,
        mend=_mend(status),
    )


def _mend(status: int) -> str | None:
    if status in (401, 403):
        return "check the key and its environment variable"
    if status in (404, 405):
        return "check the endpoint's base_url and the grader's model"
    return "set the endpoint's base_url to where it redirects" if 300 <= status < 400 else None


def _status(reply: HttpReply, data: Mapping[str, Any]) -> int:
    # Gateways answer 200 with an error object that holds the real status.
    error = data.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if reply.status < 300:
        return code if isinstance(code, int) and 400 <= code < 600 else 500
    return reply.status


def _kind(status: int) -> FailureKind:
    if status == 429:
        return "rate_limit"
    if status in (408, 504):
        return "timeout"
    return "server" if status >= 500 else "request"


def _detail(data: Mapping[str, Any]) -> tuple[str, str]:
    error = data.get("error")
    if isinstance(error, dict):
        code = error.get("code") or error.get("type") or ""
        return str(error.get("message") or ""), str(code)
    return (str(error) if error else ""), ""


def _json_object(body: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None
