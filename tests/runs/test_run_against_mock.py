"""Whole runs through both protocols against a loopback server that fails on purpose."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judgekit.runs.report import RunReport
from judgekit.runs.runner import run
from judgekit.store.journal import read_verdict_journal
from judgekit.store.workspace import Workspace, find_workspace
from judgekit.wiring import build_graders, cost_estimator, journal_dir

ROOT = Path(__file__).parents[2]
MOCK = ROOT.parent / "shared/bench/mock_llm.py"
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not MOCK.is_file(), reason="../shared is not there"),
]
SETTINGS = """\
schema: 1
dataset: desk
endpoints:
  chat: {{base_url: "http://127.0.0.1:{port}/v1", api_key_env: MOCK_KEY, concurrency: 64}}
  messages: {{base_url: "http://127.0.0.1:{port}", api_key_env: MOCK_KEY, concurrency: 64}}
graders:
  chat: {{provider: openai, endpoint: chat, model: mock, rubric: right}}
  messages: {{provider: anthropic, endpoint: messages, model: mock, rubric: right, mode: tools}}
prices:
  mock: {{input_usd_per_million: 1, output_usd_per_million: 1}}
"""
RUBRIC = """\
schema: 1
name: right
task: Is the reply right?
criteria: [{id: correct, description: The reply is right., absence: true}]
failure_modes: [{id: wrong, description: It is wrong.}]
"""


class Mock:
    def __init__(self, folder: Path, *arguments: str) -> None:
        port_file = folder / "port"
        command = [sys.executable, str(MOCK), "--port", "0", "--port-file", str(port_file)]
        self.process = subprocess.Popen(
            [*command, "--max-life-s", "600", *arguments], stdout=subprocess.DEVNULL
        )
        while not port_file.exists() or not port_file.read_text():
            assert self.process.poll() is None
            time.sleep(0.01)
        self.port = int(port_file.read_text())

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/stats") as reply:
            found: dict[str, Any] = json.load(reply)
        return found

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def make_workspace(root: Path, port: int, n: int) -> Workspace:
    items = [{"id": f"i{k}", "input": "q", "output": f"text {k}"} for k in range(n)]
    files = {
        "judgekit.yaml": SETTINGS.format(port=port),
        "rubrics/right.yaml": RUBRIC,
        "annotations/desk/dataset.yaml": "schema: 1\nname: desk\n",
        "annotations/desk/items.jsonl": "".join(json.dumps(x) + "\n" for x in items),
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return find_workspace(root)


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mock]:
    monkeypatch.setenv("MOCK_KEY", "k")
    rates = [f"--rate={fault}=0.04" for fault in ("429", "500", "529", "length", "malformed")]
    mock = Mock(tmp_path, "--latency-ms", "2", "--retry-after", "0.05", *rates)
    yield mock
    mock.close()


async def _run(workspace: Workspace, names: tuple[str, ...]) -> RunReport:
    graders = build_graders(workspace, names)
    try:
        return await run(
            graders,
            workspace.dataset().items,
            journal_dir=journal_dir(workspace),
            concurrency=64,
            max_cost=1000.0,
            estimate=cost_estimator(workspace),
        )
    finally:
        for grader in graders:
            await grader.aclose()


@pytest.mark.parametrize("name", ["chat", "messages"])
async def test_of_1000_items_under_faults_none_is_lost_and_none_is_paid_twice(
    tmp_path: Path, faulty: Mock, name: str
) -> None:
    workspace = make_workspace(tmp_path, faulty.port, 1000)
    report = (await _run(workspace, (name,))).graders[0]
    stats = faulty.stats()
    path = journal_dir(workspace) / f"{name}.jsonl"
    verdicts = read_verdict_journal(path)
    attempts = Counter(a.kind for v in verdicts for a in v.attempts)
    assert sorted(v.item_id for v in verdicts) == sorted(f"i{k}" for k in range(1000))
    assert all(v.status == "scored" or v.reason for v in verdicts)
    assert report.n == 1000
    assert sum(stats["faults"].values()) > 150
    assert report.attempts == stats["requests"]
    assert attempts["rate_limit"] == stats["by_status"]["429"]
    assert attempts["truncated"] == stats["faults"]["length"]
    assert (report.input_tokens, report.output_tokens) == (
        stats["input_tokens"],
        stats["output_tokens"],
    )
    assert report.unpriced_attempts == 0
    tokens = stats["input_tokens"] + stats["output_tokens"]
    assert report.cost_usd == pytest.approx(tokens / 1e6)

    second = (await _run(workspace, (name,))).graders[0]
    again = faulty.stats()["requests"] - stats["requests"]
    assert second.cached == 1000 - report.n_failed
    assert second.attempts == again


@pytest.mark.parametrize("seed", range(4))
def test_after_kill_9_at_most_concurrency_requests_are_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("MOCK_KEY", "k")
    n, concurrency = 500, 16
    mock = Mock(tmp_path, "--latency-ms", "20")
    make_workspace(tmp_path, mock.port, n)
    journal = tmp_path / ".judgekit/verdicts/chat.jsonl"
    command = [sys.executable, "-m", "judgekit", "run", "--workspace", str(tmp_path)]
    command += ["--grader", "chat", "--concurrency", str(concurrency), "--json"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        process = subprocess.Popen(command, env=env, **quiet)
        moment = random.Random(seed).randrange(1, n - 60)
        while not journal.exists() or journal.read_bytes().count(b"\n") < moment:
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert moment <= journal.read_bytes().count(b"\n") < n
        subprocess.run(command, env=env, **quiet, check=False)
        subprocess.run(command, env=env, **quiet, check=False)
        stats = mock.stats()
    finally:
        mock.close()
    ids = [v.item_id for v in read_verdict_journal(journal)]
    assert sorted(ids) == sorted(f"i{k}" for k in range(n))
    assert journal.read_bytes().count(b"\n") == n
    assert stats["unique_bodies"] == n
    assert stats["repeated_bodies"] <= concurrency
