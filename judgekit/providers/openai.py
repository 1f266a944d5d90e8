"""OpenAI's chat completions and any compatible `base_url`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from judgekit.model.verdict import Usage
from judgekit.providers.base import AttemptFailed, Capabilities, Endpoint, Mode, Reply
from judgekit.providers.client import HttpPrepared, HttpProvider
from judgekit.providers.codeblock import json_of_text
from judgekit.providers.prepared import PROMPT, SYSTEM, Captured, capture
from judgekit.providers.shape import first_record, record, tokens, word

BASE_URL = "https://api.openai.com/v1"
_REASONING = re.compile(r"^(o\d|gpt-5)")
_COMMON = ("max_completion_tokens", "seed", "service_tier", "store", "user", "metadata")
_SAMPLING = ("temperature", "top_p", "max_tokens", "presence_penalty", "frequency_penalty")


class OpenAIProvider(HttpProvider):
    """Chat completions through instructor's request and our own transport."""

    name = "openai"
    default_base_url = BASE_URL
    default_key_env = "OPENAI_API_KEY"
    path = "/chat/completions"

    def capabilities(self, model: str) -> Capabilities:
        """Return the accepted settings; a custom `base_url` may accept any."""
        settings: tuple[str, ...] | None = _COMMON + _SAMPLING
        if self.endpoint.base_url is not None:
            settings = None
        elif _REASONING.match(model):
            settings = (*_COMMON, "reasoning_effort", "verbosity")
        return Capabilities(settings=settings, modes=("json_schema", "tools", "prompt_json"))

    def auth_headers(self, key: str) -> dict[str, str]:
        """Return the header that carries the key."""
        return {"authorization": f"Bearer {key}"}

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
        captured = capture_chat(response_model, model=model, mode=mode, settings=settings)
        return HttpPrepared(self, captured, read_chat)


def capture_chat(
    response_model: type[BaseModel] | None,
    *,
    model: str,
    mode: Mode,
    settings: Mapping[str, Any],
) -> Captured:
    """Return the chat completion request of instructor for one grader."""
    import instructor
    import openai

    modes = {
        "json_schema": instructor.Mode.JSON_SCHEMA,
        "tools": instructor.Mode.TOOLS,
        "prompt_json": instructor.Mode.MD_JSON,
    }
    extra = dict(settings)
    if mode == "json_schema" and response_model is not None:
        extra["response_format"] = strict_format(response_model)

    def call(http_client: Any) -> None:
        sdk = openai.OpenAI(
            api_key="none", base_url="http://endpoint/v1", http_client=http_client, max_retries=0
        )
        client: Any = instructor.from_openai(sdk, mode=modes[mode])
        client.create(
            model=model,
            response_model=response_model,
            messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": PROMPT}],
            max_retries=0,
            extra_body=extra,
        )

    return capture(call)


def strict_format(response_model: type[BaseModel]) -> dict[str, Any]:
    """Return `response_format` with `strict: true`, which instructor leaves out."""
    return {
        "type": "json_schema",
        "json_schema": {
            "name": response_model.__name__,
            "strict": True,
            "schema": response_model.model_json_schema(),
        },
    }


def read_chat(data: Mapping[str, Any], status: int) -> Reply:
    """Return the answer of a chat completion.

    Raises:
        AttemptFailed: refusal, truncated, or no choice at all.
    """
    usage = chat_usage(data.get("usage"))
    choice = _first_choice(data, status, usage)
    message = record(choice.get("message"))
    finish, model = word(choice.get("finish_reason")), word(data.get("model"))
    known: dict[str, Any] = {
        "http_status": status,
        "usage": usage,
        "finish_reason": finish,
        "model": model,
    }
    if message.get("refusal") or finish == "content_filter":
        said = str(message.get("refusal") or "content filter")
        raise AttemptFailed(f"the model refused: {said[:200]}", kind="refusal", **known)
    if finish == "length":
        raise AttemptFailed(
            "the reply was cut off at the token limit",
            kind="truncated",
            mend="raise max_tokens in the grader's settings",
            **known,
        )
    return Reply(text=_answer(message), **known)


def _first_choice(data: Mapping[str, Any], status: int, usage: Usage) -> dict[str, Any]:
    choices = data.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    raise AttemptFailed(
        "the reply holds no choice",
        kind="server",
        retryable=True,
        http_status=status,
        usage=usage,
    )


def _answer(message: Mapping[str, Any]) -> str:
    calls = message.get("tool_calls")
    if calls:
        return str(record(first_record(calls).get("function")).get("arguments") or "")
    return json_of_text(message.get("content"))


def chat_usage(usage: Any) -> Usage:
    """Return the tokens of a chat completion; None where it does not say."""
    if not isinstance(usage, dict):
        return Usage()
    prompt = record(usage.get("prompt_tokens_details"))
    completion = record(usage.get("completion_tokens_details"))
    return Usage(
        input_tokens=tokens(usage.get("prompt_tokens")),
        output_tokens=tokens(usage.get("completion_tokens")),
        cached_tokens=tokens(prompt.get("cached_tokens")),
        cache_write_tokens=tokens(prompt.get("cache_write_tokens")),
        reasoning_tokens=tokens(completion.get("reasoning_tokens")),
    )


def build_provider(endpoint: Endpoint, *, weights: str | None = None) -> OpenAIProvider:
    """Return the provider for `endpoint`; it has no weights of its own."""
    del weights
    return OpenAIProvider(endpoint)
