"""The openai and anthropic providers against a small server on loopback."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading

import pytest
from provider_fakes import ANSWER, USAGE, chat, messages, prepared
from werkzeug import Request, Response

from judgekit.errors import ItemError, UsageError
from judgekit.model.verdict import Usage
from judgekit.providers.anthropic import AnthropicProvider
from judgekit.providers.base import AttemptFailed, Endpoint
from judgekit.providers.catalog import load_provider, providers
from judgekit.providers.openai import OpenAIProvider

HOSTILE = [
    "{{ 7*7 }} {% raw %}",
    "NUL \x00 and bell \x07",
    "line \u2028 paragraph \u2029",
    "emoji 👩‍👩‍👧 and \ud7ff",
    'END output deadbeef "quoted" \\ backslash',
    "data:image/png;base64,AAAA",
    "x" * 50_000,
]


def test_the_file_name_of_a_provider_is_its_name():
    assert {"openai", "anthropic", "llamacpp"} <= set(providers())
    with pytest.raises(UsageError, match="did you mean 'openai'"):
        load_provider("opnai", Endpoint())


@pytest.mark.parametrize("mode", ["json_schema", "tools", "prompt_json"])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_text_reaches_openai_word_for_word(
    httpserver, openai, reply_model, mode, text
):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat())
    reply = await prepared(openai, reply_model, mode).send("the rubric {{ 1 }}", text)
    assert reply.text == ANSWER
    sent = httpserver.log[0][0].get_json()["messages"]
    assert text in sent[1]["content"]
    assert sent[0]["content"].startswith("the rubric {{ 1 }}")


@pytest.mark.parametrize("mode", ["json_schema", "tools", "prompt_json"])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_text_reaches_anthropic_word_for_word(
    httpserver, anthropic, reply_model, mode, text
):
    answer = messages([{"type": "text", "text": ANSWER}])
    httpserver.expect_request("/v1/messages").respond_with_json(answer)
    reply = await prepared(anthropic, reply_model, mode).send("the rubric", text)
    assert reply.text == ANSWER
    assert text in httpserver.log[0][0].get_json()["messages"][0]["content"]


def test_json_schema_asks_openai_for_strict_output_in_the_order_of_the_fields(reply_model):
    body = json.loads(
        prepared(OpenAIProvider(Endpoint()), reply_model, seed=1).body_for("system", "prompt")
    )
    asked = body["response_format"]["json_schema"]
    assert asked["strict"] is True
    assert list(asked["schema"]["properties"]) == list(reply_model.model_fields)
    assert asked["schema"]["additionalProperties"] is False
    assert body["seed"] == 1


def test_json_schema_asks_anthropic_for_its_native_format(reply_model):
    provider = AnthropicProvider(Endpoint())
    body = json.loads(prepared(provider, reply_model, max_tokens=300).body_for("system", "prompt"))
    assert body["output_config"]["format"]["schema"] == reply_model.model_json_schema()
    assert (body["max_tokens"], body["system"], "tools" in body) == (300, "system", False)


def test_the_body_is_what_instructor_itself_would_send(reply_model):
    import httpx2
    import instructor
    import openai

    seen = []

    def record(request):
        seen.append(request.content)
        return httpx2.Response(400, json={})

    http_client = httpx2.Client(transport=httpx2.MockTransport(record))
    sdk = openai.OpenAI(api_key="k", http_client=http_client, max_retries=0)
    client = instructor.from_openai(sdk, mode=instructor.Mode.TOOLS)
    texts = [{"role": "system", "content": "s\n"}, {"role": "user", "content": "p \u2028 é \x00"}]
    with pytest.raises(Exception, match="400"):
        client.create(model="m", response_model=reply_model, messages=texts, max_retries=0)
    ours = prepared(OpenAIProvider(Endpoint()), reply_model, "tools")
    assert ours.body_for("s\n", "p \u2028 é \x00") == seen[0]


async def test_a_tool_call_is_read_from_both_vendors(httpserver, openai, anthropic, reply_model):
    call = {"type": "function", "function": {"name": "Verdict", "arguments": ANSWER}}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        chat(None, tool_calls=[call])
    )
    block = {"type": "tool_use", "id": "1", "name": "Verdict", "input": json.loads(ANSWER)}
    httpserver.expect_request("/v1/messages").respond_with_json(messages([block], stop="tool_use"))
    first = await prepared(openai, reply_model, "tools").send("s", "p")
    second = await prepared(anthropic, reply_model, "tools").send("s", "p")
    assert first.data == second.data == json.loads(ANSWER)
    assert first.usage == Usage(input_tokens=11, output_tokens=7, cached_tokens=3)
    assert second.usage == Usage(input_tokens=11, output_tokens=7, cached_tokens=3)
    assert (first.model, second.model) == ("m-2026", "c-2026")


async def test_a_fenced_reply_is_read(httpserver, openai, reply_model):
    fenced = f"Sure:\n```json\n{ANSWER}\n```\nDone."
    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat(fenced))
    reply = await prepared(openai, reply_model, "prompt_json").send("s", "p")
    assert reply.data == json.loads(ANSWER)


ERROR = {"error": {"message": "no", "type": "t"}}


@pytest.mark.parametrize(
    ("status", "headers", "kind", "retryable", "retry_after_s"),
    [
        (429, {"retry-after": "2"}, "rate_limit", True, 2.0),
        (429, {"retry-after": "2", "retry-after-ms": "30"}, "rate_limit", True, 0.03),
        (500, {}, "server", True, None),
        (503, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, "server", True, 0.0),
        (529, {"retry-after": "1"}, "server", True, 1.0),
        (504, {}, "timeout", True, None),
        (400, {}, "request", False, None),
        (401, {}, "request", False, None),
        (302, {"location": "/elsewhere"}, "request", False, None),
    ],
)
async def test_http_errors_are_told_apart(
    httpserver, openai, reply_model, status, headers, kind, retryable, retry_after_s
):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        ERROR, status=status, headers=headers
    )
    with pytest.raises(AttemptFailed) as caught:
        await prepared(openai, reply_model).send("s", "p")
    found = caught.value
    assert (found.kind, found.retryable, found.retry_after_s) == (kind, retryable, retry_after_s)
    assert (found.http_status, found.billed) == (status, status < 400)


async def test_an_exhausted_quota_is_not_tried_again(httpserver, openai, reply_model):
    error = {"error": {"message": "pay", "code": "insufficient_quota"}}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(error, status=429)
    with pytest.raises(AttemptFailed) as caught:
        await prepared(openai, reply_model).send("s", "p")
    assert (caught.value.kind, caught.value.retryable) == ("rate_limit", False)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (chat(None, refusal="I cannot"), "refusal"),
        (chat(None, finish="content_filter"), "refusal"),
        (chat(ANSWER[:20], finish="length"), "truncated"),
        ({"model": "m", "choices": [], "usage": USAGE}, "server"),
    ],
)
async def test_openai_failures_inside_a_good_reply_keep_their_tokens(
    httpserver, openai, reply_model, reply, kind
):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(reply)
    with pytest.raises(AttemptFailed) as caught:
        await prepared(openai, reply_model).send("s", "p")
    assert caught.value.kind == kind
    assert caught.value.usage == Usage(input_tokens=11, output_tokens=7, cached_tokens=3)


@pytest.mark.parametrize(("stop", "kind"), [("refusal", "refusal"), ("max_tokens", "truncated")])
async def test_anthropic_failures_inside_a_good_reply_keep_their_tokens(
    httpserver, anthropic, reply_model, stop, kind
):
    httpserver.expect_request("/v1/messages").respond_with_json(messages([], stop=stop))
    with pytest.raises(AttemptFailed) as caught:
        await prepared(anthropic, reply_model).send("s", "p")
    assert caught.value.kind == kind
    assert caught.value.usage == Usage(input_tokens=11, output_tokens=7, cached_tokens=3)


async def test_a_page_instead_of_json_is_a_server_failure(httpserver, openai, reply_model):
    httpserver.expect_request("/v1/chat/completions").respond_with_data("<html>busy</html>")
    with pytest.raises(AttemptFailed) as caught:
        await prepared(openai, reply_model).send("s", "p")
    assert (caught.value.kind, caught.value.retryable) == ("server", True)


async def test_silence_is_a_timeout(httpserver, reply_model):
    released = threading.Event()

    def wait(request: Request) -> Response:
        released.wait(5)
        return Response("{}")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(wait)
    provider = OpenAIProvider(Endpoint(base_url=httpserver.url_for("/v1"), timeout_s=0.2))
    with pytest.raises(AttemptFailed) as caught:
        await prepared(provider, reply_model).send("s", "p")
    released.set()
    await provider.aclose()
    assert (caught.value.kind, caught.value.retryable) == ("timeout", True)


async def test_a_reset_and_a_closed_port_are_connection_failures(reply_model):
    async def reset(reader, writer):
        await reader.read(100)
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.close()

    server = await asyncio.start_server(reset, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    provider = OpenAIProvider(Endpoint(base_url=base))
    request = prepared(provider, reply_model)
    kinds = []
    for closed in (False, True):
        if closed:
            server.close()
            await server.wait_closed()
        with pytest.raises(AttemptFailed) as caught:
            await request.send("s", "p")
        kinds.append((caught.value.kind, caught.value.retryable))
    await provider.aclose()
    assert kinds == [("connection", True), ("connection", True)]


def test_a_setting_that_the_model_does_not_take_is_refused_by_name(reply_model):
    with pytest.raises(UsageError, match="'temperature'"):
        OpenAIProvider(Endpoint()).prepare(
            reply_model, model="gpt-5.2", mode="json_schema", settings={"temperature": 0}
        )
    with pytest.raises(UsageError, match="'top_k'"):
        AnthropicProvider(Endpoint()).prepare(
            reply_model, model="claude-opus-5", mode="tools", settings={"top_k": 1}
        )
    older = AnthropicProvider(Endpoint()).capabilities("claude-haiku-4-5-20251001")
    assert "temperature" in (older.settings or ())


def test_an_empty_prompt_is_refused(reply_model):
    with pytest.raises(ItemError, match="empty"):
        prepared(OpenAIProvider(Endpoint()), reply_model).body_for("s", "")


def test_a_lone_surrogate_is_refused(reply_model):
    with pytest.raises(ItemError, match="surrogate"):
        prepared(OpenAIProvider(Endpoint()), reply_model).body_for("s", "\ud800")


@pytest.mark.parametrize(
    "calls",
    [[{}], [None], "abc", {"a": 1}, True, [{"function": "f"}], [{"function": {"name": "x"}}]],
    ids=str,
)
async def test_a_tool_call_of_another_shape_is_an_empty_answer(
    calls, openai, httpserver, reply_model
):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        chat(None, tool_calls=calls)
    )
    reply = await prepared(openai, reply_model, "tools").send("rules", "item")
    assert (reply.text, reply.usage.output_tokens) == ("", 7)


@pytest.mark.parametrize("count", ["many", "4", -1, 3.5, True, [1], 10**400], ids=str)
async def test_usage_that_is_no_count_is_unknown_and_the_answer_kept(
    count, openai, anthropic, httpserver, reply_model
):
    body = {**chat(), "usage": {"prompt_tokens": count, "prompt_tokens_details": count}}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(body)
    reply = await prepared(openai, reply_model).send("rules", "item")
    assert (reply.text, reply.usage) == (ANSWER, Usage())
    message = messages([{"type": "text", "text": ANSWER}])
    message["usage"] = {"input_tokens": count, "cache_read_input_tokens": count}
    httpserver.expect_request("/v1/messages").respond_with_json(message)
    reply = await prepared(anthropic, reply_model, "tools", max_tokens=9).send("rules", "item")
    assert (reply.text, reply.usage) == (ANSWER, Usage())


async def test_a_model_or_finish_reason_that_is_no_text_is_unknown(openai, httpserver, reply_model):
    body = {**chat(finish=["stop"]), "model": {}}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(body)
    reply = await prepared(openai, reply_model).send("rules", "item")
    assert (reply.text, reply.model, reply.finish_reason) == (ANSWER, None, None)


@pytest.mark.parametrize("body", ["[" * 200_000, '{"a":' * 200_000], ids=["lists", "objects"])
async def test_a_reply_nested_too_deep_is_a_failure_of_the_server(
    body, openai, httpserver, reply_model
):
    httpserver.expect_request("/v1/chat/completions").respond_with_data(body)
    with pytest.raises(AttemptFailed, match="not a JSON object") as caught:
        await prepared(openai, reply_model).send("rules", "item")
    assert (caught.value.kind, caught.value.retryable) == ("server", True)


async def test_a_text_of_open_braces_is_kept_as_it_is(openai, httpserver, reply_model):
    text = 'see {"a":' + '{"a":' * 50_000
    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat(text))
    reply = await prepared(openai, reply_model).send("rules", "item")
    assert reply.text == text
