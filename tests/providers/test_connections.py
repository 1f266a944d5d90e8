"""Keys, proxies, certificates and connections of the HTTP providers."""

from __future__ import annotations

import asyncio
import json
import shutil
import ssl
import subprocess

import pytest
from provider_fakes import ANSWER, chat, prepared
from werkzeug import Request, Response

from judgekit.errors import InputError, NotRun
from judgekit.providers.base import AttemptFailed, Endpoint
from judgekit.providers.openai import OpenAIProvider


async def test_a_missing_key_is_named(monkeypatch, reply_model):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(NotRun, match="OPENAI_API_KEY"):
        await prepared(OpenAIProvider(Endpoint()), reply_model).send("s", "p")


async def test_keys_headers_and_query_come_from_the_environment_and_stay_secret(
    httpserver, monkeypatch, reply_model
):
    monkeypatch.setenv("MY_KEY", "sk-secret-1")
    monkeypatch.setenv("MY_TEAM", "team-secret-2")
    monkeypatch.setenv("MY_VERSION", "2026-11")
    echo = {"error": {"message": "bad key sk-secret-1 of team-secret-2"}}
    httpserver.expect_request(
        "/v1/chat/completions",
        headers={"authorization": "Bearer sk-secret-1", "x-team": "team-secret-2"},
        query_string={"api-version": "2026-11"},
    ).respond_with_json(echo, status=403)
    endpoint = Endpoint(
        base_url=httpserver.url_for("/v1"),
        api_key_env="MY_KEY",
        headers_env={"x-team": "MY_TEAM"},
        query_env={"api-version": "MY_VERSION"},
    )
    provider = OpenAIProvider(endpoint)
    request = prepared(provider, reply_model)
    with pytest.raises(AttemptFailed) as caught:
        await request.send("s", "p")
    await provider.aclose()
    assert (caught.value.kind, caught.value.http_status) == ("request", 403)
    seen = str(caught.value) + repr(caught.value.__dict__) + request.body_for("s", "p").decode()
    assert "secret" not in seen
    assert "secret" not in endpoint.model_dump_json()


async def test_a_key_is_not_sent_to_a_host_it_was_not_named_for(
    httpserver, monkeypatch, openai, reply_model
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-vendor")
    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat())
    await prepared(openai, reply_model).send("s", "p")
    assert "authorization" not in httpserver.log[0][0].headers


async def test_a_proxy_is_used_unless_the_host_is_exempt(httpserver, monkeypatch, reply_model):
    def answer(request: Request) -> Response:
        return Response(json.dumps(chat()), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answer)
    monkeypatch.setenv("http_proxy", httpserver.url_for(""))
    monkeypatch.setenv("no_proxy", "exempt.invalid")
    proxied = OpenAIProvider(Endpoint(base_url="http://model.invalid/v1"))
    exempt = OpenAIProvider(Endpoint(base_url="http://exempt.invalid/v1"))
    reply = await prepared(proxied, reply_model).send("s", "p")
    with pytest.raises(AttemptFailed):
        await prepared(exempt, reply_model).send("s", "p")
    await proxied.aclose()
    await exempt.aclose()
    assert reply.text == ANSWER
    assert httpserver.log[0][0].headers["host"] == "model.invalid"


async def test_graders_of_one_endpoint_share_their_connections(httpserver, reply_model):
    from judgekit.providers import transport

    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat())
    endpoint = Endpoint(base_url=httpserver.url_for("/v1"))
    first, second = OpenAIProvider(endpoint), OpenAIProvider(endpoint)
    await prepared(first, reply_model).send("s", "p")
    await prepared(second, reply_model).send("s", "p")
    pool = transport._pools[asyncio.get_running_loop()]
    assert len(pool) == 1
    await first.aclose()
    assert len(pool) == 1
    await second.aclose()
    assert pool == {}


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
async def test_a_custom_authority_is_trusted_and_only_where_it_is_named(tmp_path, reply_model):
    key, certificate = tmp_path / "key.pem", tmp_path / "ca.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        body = json.dumps(chat()).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    base = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    trusting = OpenAIProvider(Endpoint(base_url=base, ca_file=str(certificate)))
    other = OpenAIProvider(Endpoint(base_url=base))
    reply = await prepared(trusting, reply_model).send("s", "p")
    with pytest.raises(AttemptFailed) as caught:
        await prepared(other, reply_model).send("s", "p")
    await trusting.aclose()
    await other.aclose()
    server.close()
    assert reply.text == ANSWER
    assert caught.value.kind == "connection"


async def test_a_ca_file_that_holds_no_certificate_is_named(tmp_path, reply_model):
    (tmp_path / "ca.pem").write_text("nothing")
    endpoint = Endpoint(base_url="https://127.0.0.1:1/v1", ca_file=str(tmp_path / "ca.pem"))
    with pytest.raises(InputError, match="cannot be read as certificates"):
        await prepared(OpenAIProvider(endpoint), reply_model).send("s", "p")
