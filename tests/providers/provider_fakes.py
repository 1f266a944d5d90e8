"""Replies of both vendors, and a prepared provider."""

from __future__ import annotations

ANSWER = (
    '{"evidence":[],"passed_criteria":[],"failed_criteria":[],"failure_mode":null,"passed":true}'
)
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 3}}


def chat(content=ANSWER, *, finish="stop", **message):
    body = {"role": "assistant", "content": content, **message}
    return {
        "model": "m-2026",
        "choices": [{"message": body, "finish_reason": finish}],
        "usage": USAGE,
    }


def messages(content, *, stop="end_turn"):
    usage = {"input_tokens": 8, "output_tokens": 7, "cache_read_input_tokens": 3}
    return {"model": "c-2026", "content": content, "stop_reason": stop, "usage": usage}


def prepared(provider, reply_model, mode="json_schema", **settings):
    return provider.prepare(reply_model, model="m", mode=mode, settings=settings)
