from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from judgekit.errors import InputError, UsageError
from judgekit.trials.cassette import Cassette, CassetteMiss, open_cassette
from judgekit.trials.cassette_file import ReplayedError, read_cassette

KEYS = {
    "openai": "sk-proj-abcdefghij0123456789",
    "github": "ghp_abcdefghij0123456789",
    "aws": "AKIAABCDEFGHIJKLMNOP",
    "jwt": "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4",
}
"""Planted keys; none of them opens anything."""


class BusyError(Exception):
    """As a tool of an agent may raise it, with a status and a constructor that needs two."""

    def __init__(self, tool: str, status: int) -> None:
        super().__init__(f"{tool} is busy")
        self.tool = tool
        self.status = status


def never() -> object:
    raise AssertionError("the call happened")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tapes" / "one.jsonl"


def test_a_recorded_call_is_played_without_happening(path):
    recorded = Cassette(path, "record")
    assert recorded.call("look", {"b": 1, "a": "é"}, lambda: {"found": [1, None]}) == {
        "found": [1, None]
    }
    played = Cassette(path, "replay")
    first = played.call("look", {"a": "é", "b": 1}, never)
    assert first == {"found": [1, None]}
    assert path.read_text("utf-8") == (
        '{"schema": 1, "kind": "tool", "name": "look", "arguments": {"b": 1, "a": "é"}, '
        '"occurrence": 0, "result": {"found": [1, null]}}\n'
    )


def test_the_same_call_again_is_the_next_occurrence(path):
    answers = iter(["busy", "ready"])
    tape = Cassette(path, "record")
    for _ in range(2):
        tape.call("poll", {}, lambda: next(answers))
    played = Cassette(path, "replay")
    assert [played.call("poll", {}, never) for _ in range(2)] == ["busy", "ready"]
    with pytest.raises(CassetteMiss, match="occurrence 2"):
        played.call("poll", {}, never)


def test_the_order_of_different_calls_does_not_matter(path):
    tape = Cassette(path, "record")
    for order in ("R-1", "R-2"):
        tape.call("look", {"order": order}, lambda order=order: order)
    played = Cassette(path, "replay")
    assert [played.call("look", {"order": o}, never) for o in ("R-2", "R-1")] == ["R-2", "R-1"]


def test_strict_replay_says_what_is_held_and_what_was_asked(path):
    Cassette(path, "record").call("look", {"order": "R-1"}, lambda: 1)
    with pytest.raises(CassetteMiss) as caught:
        Cassette(path, "replay").call("look", {"order": "R-9"}, never)
    error = caught.value
    assert error.where == str(path)
    assert (error.found, error.expected) == ('{"order":"R-9"}', '{"order":"R-1"}')
    assert "record it again" in error.mend


def test_auto_plays_what_is_held_and_adds_the_rest(path):
    assert Cassette(path, "auto").call("look", {"order": "R-1"}, lambda: 1) == 1
    again = Cassette(path, "auto")
    assert again.call("look", {"order": "R-1"}, never) == 1
    assert again.call("look", {"order": "R-2"}, lambda: 2) == 2
    assert [call.result for call in read_cassette(path)] == [1, 2]


def test_play_leaves_the_file_as_it_is(path):
    Cassette(path, "record").call("look", {"order": "R-1"}, lambda: 1)
    before = path.read_bytes()
    tape = Cassette(path, "play")
    assert tape.call("look", {"order": "R-1"}, never) == 1
    assert tape.call("look", {"order": "R-2"}, lambda: 2) == 2
    assert (tape.misses, path.read_bytes()) == (1, before)


def test_kinds_that_are_not_played_happen_and_are_not_kept(path):
    Cassette(path, "record").call("ask", {}, lambda: "recorded", kind="model")
    tape = Cassette(path, "replay", kinds=["tool"])
    assert tape.call("ask", {}, lambda: "live", kind="model") == "live"


def test_an_error_is_played_as_its_own_class_with_its_facts(path):
    def busy() -> object:
        raise BusyError("look", 429)

    with pytest.raises(BusyError):
        Cassette(path, "record").call("look", {}, busy)
    with pytest.raises(BusyError, match="look is busy") as caught:
        Cassette(path, "replay").call("look", {}, never)
    assert (caught.value.tool, caught.value.status) == ("look", 429)


@pytest.mark.parametrize("kind", ["no_such_module:Error", "builtins:SystemExit", "os:system", None])
def test_an_error_whose_class_is_not_loaded_or_is_none_is_a_replayed_error(path, kind):
    path.parent.mkdir()
    call = {
        "schema": 1, "kind": "tool", "name": "look", "arguments": {}, "occurrence": 0,
        "error": {"text": "Gone: it is gone", "type": kind},
    }  # fmt: skip
    path.write_text(json.dumps(call) + "\n")
    with pytest.raises(ReplayedError, match="Gone: it is gone"):
        Cassette(path, "replay").call("look", {}, never)


def test_a_call_that_changes_the_sandbox_happens_also_when_its_result_is_played(path):
    state: list[str] = []

    def refund() -> str:
        state.append("refunded")
        return "done"

    Cassette(path, "record").call("refund", {}, refund, sandboxed=True)
    assert Cassette(path, "replay").call("refund", {}, refund, sandboxed=True) == "done"
    assert state == ["refunded", "refunded"]


async def test_asynchronous_calls_are_recorded_and_played(path):
    async def look() -> str:
        return "found"

    async def fails() -> str:
        raise ValueError("gone")

    tape = Cassette(path, "record")
    assert await tape.acall("look", {}, look) == "found"
    with pytest.raises(ValueError, match="gone"):
        await tape.acall("fail", {}, fails)
    played = Cassette(path, "replay")
    assert await played.acall("look", {}, fails) == "found"
    with pytest.raises(ValueError, match="gone"):
        await played.acall("fail", {}, look)


def test_off_changes_nothing_whatever_the_arguments_are():
    odd = object()
    assert Cassette(None).call("look", {"odd": odd, "nan": float("nan")}, lambda: odd) is odd


def test_secrets_are_taken_out_of_arguments_results_and_errors(path, monkeypatch):
    monkeypatch.setenv("DESK_API_KEY", "hunter22 with/slash")
    tape = Cassette(path, "record")

    def refused() -> object:
        raise ConnectionError(f"https://desk:{KEYS['aws']}@example.org said no", KEYS["jwt"])

    tape.call(
        "login",
        {"password": "planted-pass", "token": "planted-token", "note": KEYS["openai"]},
        lambda: {
            "session": {"cookie": "planted-cookie"},
            "header": "Authorization: Bearer planted0bearer0token",
            "echo": "the key is hunter22 with/slash, quoted hunter22%20with%2Fslash",
            KEYS["github"]: "in a key",
            "next_token": "page-2",
            "keyword": "lamp",
            "total_tokens": 12,
        },
    )
    with pytest.raises(ConnectionError):
        tape.call("pay", {}, refused)
    written = path.read_text("utf-8")
    for planted in (*KEYS.values(), "planted", "hunter22"):
        assert planted not in written
    for kept in ("page-2", "lamp", "12"):
        assert kept in written
    played = Cassette(path, "replay").call(
        "login",
        {"password": "another", "token": "another", "note": "sk-another-0123456789abcdef"},
        never,
    )
    assert played["keyword"] == "lamp"


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        "{}",
        '{"schema": 2, "kind": "tool", "name": "a", "arguments": {}, "occurrence": 0, "result": 1}',
        '{"schema": 1, "kind": "odd", "name": "a", "arguments": {}, "occurrence": 0, "result": 1}',
        '{"schema": 1, "kind": "tool", "name": 1, "arguments": {}, "occurrence": 0, "result": 1}',
        '{"schema": 1, "kind": "tool", "name": "a", "arguments": {}, "occurrence": "0", "result": 1}',  # noqa: E501
        '{"schema": 1, "kind": "tool", "name": "a", "arguments": {}, "occurrence": 0}',
        '{"schema": 1, "kind": "tool", "name": "a", "arguments": {}, "occurrence": 0, "error": {}}',
        "[" * 100_000,
    ],
)
def test_a_line_that_is_no_recorded_call_is_named_with_its_place(path, line):
    path.parent.mkdir()
    path.write_text("\n" + line + "\n")
    with pytest.raises(InputError, match="no recorded call") as caught:
        Cassette(path, "replay")
    assert caught.value.where == f"{path}:2"


def test_a_missing_cassette_is_named(path):
    with pytest.raises(InputError, match="cannot be read"):
        Cassette(path, "replay")


@pytest.mark.parametrize("result", [float("nan"), object(), "half \ud83d", {1, 2}])
def test_a_result_that_is_no_json_is_refused_while_recording(path, result):
    with pytest.raises(InputError, match="the result of 'look' cannot be kept"):
        Cassette(path, "record").call("look", {}, lambda: result)


def test_impossible_modes_are_refused(path):
    with pytest.raises(UsageError, match="no cassette mode 'rewind'"):
        Cassette(path, "rewind")
    with pytest.raises(UsageError, match="needs a file"):
        Cassette(None, "record")


def test_threads_may_share_a_cassette(path):
    tape = Cassette(path, "record")
    threads = [
        threading.Thread(target=lambda: [tape.call("poll", {}, lambda: 1) for _ in range(50)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(call.occurrence for call in read_cassette(path)) == list(range(200))


def test_a_process_has_one_cassette_however_often_it_is_opened(path, monkeypatch):
    assert open_cassette().mode == "off"
    monkeypatch.setenv("JUDGEKIT_CASSETTE", str(path))
    monkeypatch.setenv("JUDGEKIT_CASSETTE_MODE", "record")
    assert open_cassette() is open_cassette()
    open_cassette().call("poll", {}, lambda: 1)
    open_cassette().call("poll", {}, lambda: 2)
    assert [call.occurrence for call in read_cassette(path)] == [0, 1]


class LoginError(Exception):
    """As a client raises it: what it tried to sign in with is on it."""

    def __init__(self) -> None:
        super().__init__("no entry")
        self.password = "correct horse"
        self.details = {"token": "plain words"}


def test_facts_of_an_error_that_name_a_secret_are_not_recorded(path):
    def refused() -> object:
        raise LoginError

    with pytest.raises(LoginError):
        Cassette(path, "record").call("sign_in", {}, refused)
    kept = path.read_text("utf-8")
    assert '"attributes": {"password": "<secret>", "details": {"token": "<secret>"}}' in kept
    assert "correct horse" not in kept


def circle() -> list[object]:
    found: list[object] = []
    found.append(found)
    return found


@pytest.mark.parametrize("result", [{(1, 2): 3}, {1, 2}, circle(), float("nan"), "\ud800"])
def test_a_call_that_is_only_noted_happens_whatever_its_result_is(tmp_path, monkeypatch, result):
    monkeypatch.setenv("JUDGEKIT_CALLS", str(tmp_path / "calls.jsonl"))
    assert Cassette(None).call("look", {"a": 1}, lambda: result) is result
    (line,) = (tmp_path / "calls.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["name"] == "look"


def test_a_call_happens_also_where_it_cannot_be_noted(tmp_path, monkeypatch):
    monkeypatch.setenv("JUDGEKIT_CALLS", str(tmp_path / "gone" / "calls.jsonl"))
    assert Cassette(None).call("look", {}, lambda: 7) == 7
