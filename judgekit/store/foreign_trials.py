"""Messages and calls as agents' recordings have them, in our form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool"}


def message_of(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return one message in our form: role, text, calls; content blocks become their texts."""
    role = str(raw.get("role", ""))
    body: dict[str, Any] = {"role": _ROLES.get(role, role)}
    content = raw.get("content")
    if content is not None:
        body["content"] = content if isinstance(content, str) else _blocks(content)
    for name in ("tool_call_id", "name"):
        if raw.get(name) is not None:
            body[name] = str(raw[name])
    if raw.get("tool_calls"):
        body["tool_calls"] = [call_of(call) for call in raw["tool_calls"]]
    return body


def call_of(raw: Mapping[str, Any] | str) -> dict[str, Any]:
    """Return one call in our form; arguments that are no JSON object are kept as `malformed`.

    A text is the name of a tool.

    Raises:
        ValueError: the call names no tool.
    """
    if isinstance(raw, str):
        raw = {"name": raw}
    function = raw.get("function")
    inner = function if isinstance(function, Mapping) else raw
    if not inner.get("name"):
        raise ValueError(f"a call without the name of a tool: {dict(raw)!r:.80}")
    body: dict[str, Any] = {"name": str(inner["name"])}
    if raw.get("id") is not None:
        body["id"] = str(raw["id"])
    given = inner.get("arguments", {})
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else {}
        except (ValueError, RecursionError) as error:
            return {**body, "malformed": f"arguments are no JSON: {error}"}
    if given is None:
        return body
    if not isinstance(given, dict):
        return {**body, "malformed": f"arguments are a {type(given).__name__}, no object"}
    return {**body, "arguments": given}


def tool_calls_of(
    listed: Sequence[Mapping[str, Any] | str],
    messages: Sequence[Mapping[str, Any]],
    error_prefix: str | None,
) -> list[dict[str, Any]]:
    """Return the listed calls, each with the result that the messages give it.

    The n-th listed call is the n-th call of the messages where both name the same tools; else the
    results are left out rather than guessed.
    """
    calls = [call_of(call) for call in listed]
    within = [call for message in messages for call in message.get("tool_calls") or ()]
    names = [call_of(call)["name"] for call in within]
    if names != [call["name"] for call in calls]:
        return calls
    results = {
        str(message["tool_call_id"]): message.get("content")
        for message in messages
        if message.get("tool_call_id") is not None
    }
    for call, raw in zip(calls, within, strict=True):
        result = results.get(str(raw.get("id")))
        if result is None:
            continue
        failed = error_prefix is not None and str(result).startswith(error_prefix)
        call["error" if failed else "result"] = result
    return calls


def _blocks(content: Any) -> str:
    if not isinstance(content, list):
        return json.dumps(content, ensure_ascii=False)
    texts = [
        block if isinstance(block, str) else str(block.get("text", ""))
        for block in content
        if isinstance(block, str | Mapping)
    ]
    return "\n".join(text for text in texts if text)
