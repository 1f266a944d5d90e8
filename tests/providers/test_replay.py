from __future__ import annotations

import json
from pathlib import Path

import pytest
from provider_fakes import ANSWER, chat, prepared

from judgekit.errors import InputError, UsageError
from judgekit.providers.base import AttemptFailed, Endpoint, Reply
from judgekit.providers.catalog import load_provider
from judgekit.providers.prices import price_of

KEY = "planted-key-0123456789"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cassettes" / "gpt.jsonl"


@pytest.fixture
async def recorder(httpserver, path, monkeypatch):
    monkeypatch.setenv("DESK_API_KEY", KEY)
    endpoint = Endpoint(
        name="real",
        base_url=httpserver.url_for("/v1"),
        api_key_env="DESK_API_KEY",
        cassette=str(path),
    )
    provider = load_provider("openai", endpoint)
    yield provider
    await provider.aclose()


def replay(path: Path, **changes) -> object:
    return load_provider(
        "replay", Endpoint(name="played", cassette=str(path), **{"replays": "openai", **changes})
    )


async def test_what_a_provider_said_is_played_without_a_key_or_a_network(
    recorder, path, httpserver, reply_model, monkeypatch
):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat())
    said = await prepared(recorder, reply_model, temperature=0).send("rules", "case 1")
    sent = len(httpserver.log)
    monkeypatch.delenv("DESK_API_KEY")
    played = await prepared(replay(path), reply_model, temperature=0).send("rules", "case 1")
    assert played == said
    assert (played.text, played.model, played.usage.input_tokens) == (ANSWER, "m-2026", 11)
    assert len(httpserver.log) == sent == 1


async def test_the_file_is_one_line_a_request_with_what_came_back_first(
    recorder, path, httpserver, reply_model
):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat())
    await prepared(recorder, reply_model).send("rules", "case é")
    (line,) = path.read_text("utf-8").splitlines()
    body = json.loads(line)
    assert list(body) == ["schema", "provider", "occurrence", "reply", "request"]
    assert (body["provider"], body["occurrence"], body["reply"]["text"]) == ("openai", 0, ANSWER)
    assert body["request"]["messages"][1]["content"] == "case é"


async def test_the_same_request_again_gets_the_next_reply_and_then_none(
    recorder, path, httpserver, reply_model
):
    for finish in ("stop", "end"):
        httpserver.expect_ordered_request("/v1/chat/completions").respond_with_json(
            chat(finish=finish)
        )
    request = prepared(recorder, reply_model)
    for _ in range(2):
        await request.send("rules", "case")
    again = prepared(replay(path), reply_model)
    assert [(await again.send("rules", "case")).finish_reason for _ in range(2)] == ["stop", "end"]
    with pytest.raises(AttemptFailed, match="2 times and not once more"):
        await again.send("rules", "case")


@pytest.mark.parametrize(
    ("system", "prompt", "settings"),
    [
        ("rules", "another case", {"temperature": 0}),
        ("other rules", "case", {"temperature": 0}),
        ("rules", "case", {"temperature": 1}),
    ],
)
async def test_a_request_that_differs_in_anything_is_a_final_miss_that_costs_nothing(
    recorder, path, httpserver, reply_model, system, prompt, settings
):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat())
    await prepared(recorder, reply_model, temperature=0).send("rules", "case")
    with pytest.raises(AttemptFailed) as caught:
        await prepared(replay(path), reply_model, **settings).send(system, prompt)
    missed = caught.value
    assert (missed.kind, missed.retryable, missed.billed) == ("request", False, False)
    assert missed.message == "the cassette 'gpt.jsonl' holds no such request (occurrence 0)"
    assert "record it again" in missed.mend


async def test_failures_are_played_as_they_were(recorder, path, httpserver, reply_model):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        {"error": {"message": f"slow down, {KEY}"}}, status=429
    )
    with pytest.raises(AttemptFailed) as real:
        await prepared(recorder, reply_model).send("rules", "case")
    with pytest.raises(AttemptFailed) as played:
        await prepared(replay(path), reply_model).send("rules", "case")
    for name in ("message", "kind", "retryable", "http_status", "usage"):
        assert getattr(played.value, name) == getattr(real.value, name), name
    assert played.value.kind == "rate_limit"


async def test_secrets_are_never_written_and_do_not_hinder_replay(
    recorder, path, httpserver, reply_model, monkeypatch
):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        chat(ANSWER.replace("[]", '["sk-planted0123456789abcdef"]', 1))
    )
    prompt = "the customer wrote Bearer planted0bearer0token and ghp_planted0123456789abcd"
    await prepared(recorder, reply_model).send(f"rules with {KEY}", "case")
    await prepared(recorder, reply_model).send("rules", prompt)
    written = path.read_text("utf-8")
    assert KEY not in written
    assert "planted0" not in written
    assert KEY in httpserver.log[0][0].headers["Authorization"]
    monkeypatch.delenv("DESK_API_KEY")
    played = await prepared(replay(path), reply_model).send("rules", prompt)
    assert json.loads(played.text)["evidence"] == ["<secret>"]


async def test_recording_goes_on_in_a_file_that_is_there(recorder, path, httpserver, reply_model):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat())
    await prepared(recorder, reply_model).send("rules", "case")
    again = load_provider("openai", recorder.endpoint)
    await prepared(again, reply_model).send("rules", "case")
    await again.aclose()
    assert [json.loads(one)["occurrence"] for one in path.read_text().splitlines()] == [0, 1]


async def test_a_recording_provider_is_the_provider_that_it_records(recorder, path, reply_model):
    plain = load_provider("openai", recorder.endpoint.model_copy(update={"cassette": None}))
    assert recorder.name == plain.name == "openai"
    assert recorder.fingerprint_parts("m") == plain.fingerprint_parts("m")
    assert recorder.secret_headers() == plain.secret_headers()
    bodies = [prepared(one, reply_model).body_for("s", "p") for one in (recorder, plain)]
    assert bodies[0] == bodies[1]
    assert not path.exists()


async def test_a_replayed_judge_has_another_fingerprint_which_follows_the_cassette(
    recorder, path, httpserver, reply_model
):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat())
    await prepared(recorder, reply_model).send("rules", "case")
    played = replay(path)
    assert played.name == "replay"
    before = played.fingerprint_parts("m")
    assert set(before) == {"replays", "cassette"}
    await prepared(recorder, reply_model).send("rules", "case")
    assert replay(path).fingerprint_parts("m")["cassette"] != before["cassette"]
    assert not hasattr(played, "secret_headers")


@pytest.mark.parametrize("changes", [{"replays": None}, {"replays": "replay"}, {"cassette": None}])
def test_an_endpoint_that_does_not_say_what_to_replay_is_refused(path, changes):
    endpoint = Endpoint(name="played", **{"cassette": str(path), "replays": "openai", **changes})
    with pytest.raises(UsageError, match="plays what another provider said") as caught:
        load_provider("replay", endpoint)
    assert caught.value.where == "judgekit.yaml: endpoints.played"


def test_a_cassette_that_is_not_there_is_refused(path):
    with pytest.raises(InputError, match="is not there"):
        replay(path)


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        '{"schema": 1, "provider": "openai", "occurrence": 0, "request": {}}',
        '{"schema": 2, "provider": "openai", "occurrence": 0, "reply": {"text": ""}, "request": 1}',
        '{"schema": 1, "provider": "p", "occurrence": 0, "reply": {"txt": ""}, "request": {}}',
    ],
)
def test_a_line_that_is_no_reply_is_named_with_its_place(path, line):
    path.parent.mkdir()
    path.write_text("\n" + line + "\n")
    with pytest.raises(InputError, match="no recorded reply") as caught:
        replay(path)
    assert caught.value.where == f"{path}:2"


def test_a_played_reply_is_free_even_where_the_model_has_a_price():
    class Price:
        input_usd_per_million = 5.0
        output_usd_per_million = 5.0
        cached_usd_per_million = None

    usage = Reply(text="").usage.model_copy(update={"input_tokens": 9, "output_tokens": 9})
    assert price_of("m", "replay", {"m": Price()})(usage) == 0.0
    assert price_of("m", "openai", {"m": Price()})(usage) > 0.0
