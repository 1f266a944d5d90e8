"""A judge recorded from a provider and replayed: the same verdicts, and never its approval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from werkzeug import Request, Response

from judgekit.cli.main import run_cli

RUBRIC = """
schema: 1
name: right
version: "1"
task: Does the reply state the refund?
criteria:
  - {id: amount, description: states the amount, absence: true}
failure_modes:
  - {id: vague, description: names no amount}
"""
SETTINGS = """
schema: 1
dataset: desk
endpoints:
  real: {{base_url: "{url}", api_key_env: DESK_KEY, cassette: cassettes/judge.jsonl}}
  played: {{base_url: "http://127.0.0.1:9/v1", cassette: cassettes/judge.jsonl, replays: openai}}
graders:
  judge: {{provider: openai, endpoint: real, model: m-2026-01-01, rubric: right}}
  again: {{provider: replay, endpoint: played, model: m-2026-01-01, rubric: right}}
"""


def reply(request: Request) -> Response:
    passed = "good reply" in json.loads(request.get_data())["messages"][-1]["content"]
    verdict = {
        "evidence": [],
        "passed_criteria": ["amount"] if passed else [],
        "failed_criteria": [] if passed else ["amount"],
        "failure_mode": None if passed else "vague",
        "passed": passed,
    }
    choice = {"message": {"content": json.dumps(verdict)}, "finish_reason": "stop"}
    body = {
        "model": "m",
        "choices": [choice],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2},
    }
    return Response(json.dumps(body), content_type="application/json")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, httpserver) -> Path:
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(reply)
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "right.yaml").write_text(RUBRIC)
    folder = tmp_path / "annotations" / "desk"
    folder.mkdir(parents=True)
    (folder / "dataset.yaml").write_text("schema: 1\nname: desk\nversion: '1'\n")
    rows = [
        {"id": f"i{n}", "input": "refund?", "output": f"{('good', 'bad')[n % 2]} reply {n}"}
        for n in range(6)
    ]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "judgekit.yaml").write_text(SETTINGS.format(url=httpserver.url_for("/v1")))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DESK_KEY", "planted-key-0123456789")
    return tmp_path


def verdicts(name: str) -> dict[str, tuple[str, bool | None, str]]:
    lines = Path(f".judgekit/verdicts/{name}.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["item_id"]: (row["status"], row.get("passed"), row["fingerprint"]) for row in rows}


def test_a_recorded_judge_gives_the_same_verdicts_without_key_and_network(
    desk, httpserver, monkeypatch, capsys
):
    assert run_cli(["run", "--grader", "judge"]) == 0
    assert b"planted-key" not in Path("cassettes/judge.jsonl").read_bytes()
    monkeypatch.delenv("DESK_KEY")
    sent = len(httpserver.log)
    assert run_cli(["run", "--grader", "again", "--max-cost", "0.01"]) == 0
    assert len(httpserver.log) == sent == 6
    real, played = verdicts("judge"), verdicts("again")
    assert {key: row[:2] for key, row in real.items()} == {
        key: row[:2] for key, row in played.items()
    }
    assert {row[:2] for row in real.values()} == {("scored", True), ("scored", False)}
    assert {row[2] for row in real.values()}.isdisjoint({row[2] for row in played.values()})


def test_an_item_that_was_not_recorded_fails_once_and_says_so(desk, httpserver, monkeypatch):
    assert run_cli(["run", "--grader", "judge", "--limit", "2"]) == 0
    run_cli(["run", "--grader", "again"])
    rows = [json.loads(x) for x in Path(".judgekit/verdicts/again.jsonl").read_text().splitlines()]
    failed = [row for row in rows if row["status"] == "failed"]
    assert len(failed) == 4
    assert {(row["kind"], len(row["attempts"])) for row in failed} == {("request", 1)}
    assert all("holds no such request" in row["reason"] for row in failed)
