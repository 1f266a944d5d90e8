from __future__ import annotations

import json
import socket

import pytest
from trial_fakes import request_of, scope_of
from werkzeug import Response

from judgekit.model.agent import Agent, Limits
from judgekit.trials.launch import launch


async def ask(httpserver, root, **changes):
    agent = Agent(url=httpserver.url_for("/try"), **changes)
    return await launch(agent, request_of(), root=root)


async def test_the_request_is_posted_whole_and_the_answer_read(httpserver, root, monkeypatch):
    monkeypatch.setenv("DESK_KEY", "hunter22")
    httpserver.expect_request(
        "/try",
        method="POST",
        headers={"X-Judgekit-Desk-Key": "hunter22"},
        json=json.loads(request_of().model_dump_json(by_alias=True)),
    ).respond_with_json({"final": {"decision": "refund"}, "cost_usd": 0.5})
    found = await ask(httpserver, root, scope=scope_of("DESK_KEY"))
    assert (found.how, found.error) == ("finished", None)
    assert found.answer.final == {"decision": "refund"}


@pytest.mark.parametrize(
    ("status", "how"),
    [
        (429, "infrastructure"),
        (502, "infrastructure"),
        (503, "infrastructure"),
        (504, "infrastructure"),
        (500, "crashed"),
        (404, "crashed"),
        (401, "crashed"),
    ],
)
async def test_a_gateway_that_is_down_is_infrastructure_and_an_error_is_a_crash(
    httpserver, root, status, how
):
    httpserver.expect_request("/try").respond_with_data("the reason", status=status)
    found = await ask(httpserver, root)
    assert found.how == how
    assert f"HTTP {status}" in found.error


async def test_a_redirect_is_not_followed_with_the_credentials(httpserver, root, monkeypatch):
    monkeypatch.setenv("DESK_KEY", "hunter22")
    seen = []
    httpserver.expect_request("/other").respond_with_handler(
        lambda request: seen.append(request) or Response("{}")
    )
    httpserver.expect_request("/try").respond_with_data(
        "", status=307, headers={"Location": httpserver.url_for("/other")}
    )
    found = await ask(httpserver, root, scope=scope_of("DESK_KEY"))
    assert found.how == "infrastructure"
    assert "set the agent's url to where it redirects" in found.error
    assert seen == []


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("", "answered nothing"),
        ("<html>", "no JSON object"),
        ('{"final": {"a": Infinity}}', "Infinity is no number"),
        ('{"final": {"a": "' + "x" * (17 * 1024 * 1024) + '"}}', "longer than 16 MiB"),
    ],
)
async def test_a_body_that_is_no_answer_is_a_crash(httpserver, root, body, says):
    httpserver.expect_request("/try").respond_with_data(body)
    found = await ask(httpserver, root)
    assert found.how == "crashed"
    assert says in found.error


async def test_an_endpoint_that_says_it_failed_is_infrastructure(httpserver, root):
    httpserver.expect_request("/try").respond_with_json({"infrastructure": "no model"})
    found = await ask(httpserver, root)
    assert (found.how, found.error) == ("infrastructure", "no model")


async def test_an_endpoint_that_never_answers_is_a_timeout(root):
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()  # connections are accepted by the kernel, and nobody answers
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/try"
        agent = Agent(url=url, limits=Limits(timeout_s=0.3))
        found = await launch(agent, request_of(), root=root)
    assert (found.how, found.error) == ("timeout", "no answer within 0.3 s")


async def test_an_endpoint_that_is_not_there_is_infrastructure(root):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/try"
        found = await launch(Agent(url=url), request_of(), root=root)
    assert found.how == "infrastructure"
    assert "no connection" in found.error
