"""Anthropic's messages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from judgekit.model.verdict import Usage
from judgekit.providers.base import AttemptFailed, Capabilities, Endpoint, Mode, Reply
from judgekit.providers.client import HttpPrepared, HttpProvider
from judgekit.providers.codeblock import json_of_text
from judgekit.providers.prepared import PROMPT, SYSTEM, Captured, capture
from judgekit.providers.shape import tokens, word

BASE_URL = "https://api.anthropic.com"
MAX_TOKENS = 1024
# Models from Opus 4.7 on refuse sampling settings.
_SAMPLES = re.compile(r"^claude-(3|instant|2|(opus|sonnet|haiku)-4(-[0-6])?(-\d{8})?$)")
_COMMON = ("max_tokens", "stop_sequences", "service_tier", "thinking")
_SAMPLING = ("temperature", "top_p", "top_k")


class AnthropicProvider(HttpProvider):
    """Messages through instructor's request and our own transport."""

    name = "anthropic"
    default_base_url = BASE_URL
    default_key_env = "ANTHROPIC_API_KEY"
    path = "/v1/messages"

    @property
    def base_url(self) -> str:
        """Return the base URL without `/v1`, which the path carries."""
        return super().base_url.removesuffix("/v1")

    def capabilities(self, model: str) -> Capabilities:
        """Return the accepted settings; a custom `base_url` may accept any."""
        settings: tuple[str, ...] | None = _COMMON
        if self.endpoint.base_url is not None:
            settings = None
        elif _SAMPLES.match(model):
            settings = _COMMON + _SAMPLING
        return Capabilities(settings=settings, modes=("json_schema", "tools", "prompt_json"))

    def auth_headers(self, key: str) -> dict[str, str]:
        """Return the header that carries the key."""
        return {"x-api-key": key}

    def prepare(
        self,
        response_model: type[BaseModel],
        *,
        model: str,
        mode: Mode,
        settings: Mapping[str, Any],
    ) -> HttpPrepared:
        """Prepare the request through instructor; makes no network call."""
        self.capabilities(model).check(model, mode, settings)
        captured = capture_messages(response_model, model=model, mode=mode, settings=settings)
        return HttpPrepared(self, captured, read_message)


def capture_messages(
    response_model: type[BaseModel],
    *,
    model: str,
    mode: Mode,
    settings: Mapping[str, Any],
) -> Captured:
    """Return the messages request of instructor for one grader."""
    import anthropic
    import instructor

    native = mode == "json_schema"
    extra = dict(settings)
    max_tokens = extra.pop("max_tokens", MAX_TOKENS)
    if native:
        # instructor falls back to prompt JSON here, so the native format is set beside it.
        schema = response_model.model_json_schema()
        extra["output_config"] = {"format": {"type": "json_schema", "schema": schema}}

    def call(http_client: Any) -> None:
        sdk = anthropic.Anthropic(
            api_key="none", base_url="http://endpoint", http_client=http_client, max_retries=0
        )
        chosen = instructor.Mode.JSON if mode == "prompt_json" else instructor.Mode.TOOLS
        client: Any = instructor.from_anthropic(sdk, mode=chosen)
        client.create(
            model=model,
            response_model=None if native else response_model,
            system=SYSTEM,
            messages=[{"role": "user", "content": PROMPT}],
            max_tokens=max_tokens,
            max_retries=0,
            extra_body=extra,
        )

    return capture(call)


def read_message(data: Mapping[str, Any], status: int) -> Reply:
    """Return the answer of a message.

    Raises:
        AttemptFailed: refusal, truncated, or no content at all.
    """
    usage = message_usage(data.get("usage"))
    stop, model = word(data.get("stop_reason")), word(data.get("model"))
    known: dict[str, Any] = {
        "http_status": status,
        "usage": usage,
        "finish_reason": stop,
        "model": model,
    }
    content = data.get("content")
    if stop == "refusal":
        raise AttemptFailed("the model refused", kind="refusal", **known)
    if stop in ("max_tokens", "model_context_window_exceeded"):
        raise AttemptFailed(
            "the reply was cut off at the token limit",
            kind="truncated",
            mend="raise max_tokens in the grader's settings",
            **known,
        )
    if not isinstance(content, list):
        raise AttemptFailed("the reply holds no content", kind="server", retryable=True, **known)
    return Reply(
        text=_answer(content), model=model, finish_reason=stop, usage=usage, http_status=status
    )


def _answer(content: list[Any]) -> str:
    blocks = [block for block in content if isinstance(block, dict)]
    for block in blocks:
        if block.get("type") == "tool_use":
            return json.dumps(block.get("input"), ensure_ascii=False)
    return json_of_text([block for block in blocks if block.get("type") == "text"])


def message_usage(usage: Any) -> Usage:
    """Return the tokens of a message; input counts cached tokens too."""
    if not isinstance(usage, dict):
        return Usage()
    read = tokens(usage.get("cache_read_input_tokens"))
    write = tokens(usage.get("cache_creation_input_tokens"))
    fresh = tokens(usage.get("input_tokens"))
    return Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (write or 0),
        output_tokens=tokens(usage.get("output_tokens")),
        cached_tokens=read,
        cache_write_tokens=write,
    )


def build_provider(endpoint: Endpoint, *, weights: str | None = None) -> AnthropicProvider:
    """Return the provider for `endpoint`; it has no weights of its own."""
    del weights
    return AnthropicProvider(endpoint)
