"""A desk of synthetic agents that `judgekit repeat` is tried on."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from judgekit.cli.main import run_cli
from judgekit.store.trials_file import read_trials

ROOT = Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "annotations" / "refund_desk" / "goldens.jsonl"
N_CASES = 10
SETTINGS = """
schema: 1
agents:
  quick: {command: [sh, -c, 'echo "$JUDGEKIT_TRIAL" > {workspace}/started; echo "{\\"cost_usd\\": 0.1}"']}
  slow: {command: [sh, -c, 'echo "$$" > {workspace}/started; exec sleep 600']}
  plain: {function: "desk:plain"}
  twin: {function: "desk:twin"}
  worse: {function: "desk:worse"}
  down: {function: "desk:down"}
  flaky: {function: "desk:flaky"}
  luck: {function: "desk:luck"}
  calls: {function: "desk:calls"}
  far: {url: "http://127.0.0.1:9/none"}
"""  # noqa: E501
DESK = '''
"""Synthetic agents; they read the order and know what is right by its number."""
import os
from judgekit import open_cassette

CREDIT = {"R-10005", "R-10006", "R-10007", "R-10008", "R-10009"}


def plain(request):
    return {"final": {"decision": "refund", "order": request["input"]["order"]}, "cost_usd": 0.1}


twin = plain


def worse(request):
    return {"final": {"decision": "nothing at all"}, "cost_usd": 0.1}


def down(request):
    return {"infrastructure": "the provider is down"}


class Busy(Exception):
    pass


def toss():
    if os.urandom(1)[0] < 128:
        raise Busy("try later")
    return {"price": os.urandom(4).hex()}


def flaky(request):
    """Its tool fails at random, and so does it."""
    tape = open_cassette()
    try:
        found = tape.call("look", {"order": request["input"]["order"]}, toss)
    except Busy:
        raise RuntimeError("the tool was busy and I gave up")
    return {"final": {"decision": "refund", "price": found["price"]},
            "tool_calls": [{"name": "look", "arguments": {"order": request["input"]["order"]}}]}


def luck(request):
    """Its own coin decides, and so does its tool's."""
    tool = open_cassette().call("look", {}, lambda: os.urandom(1)[0] < 128)
    mine = os.urandom(1)[0] < 128
    return {"final": {"decision": "refund" if tool and mine else "wrong"}}


def calls(request):
    """Makes a call that no recording holds, and hides what came of it."""
    tape = open_cassette()
    try:
        tape.call("look", {"random": os.urandom(8).hex()}, lambda: 1)
    except Exception:
        pass
    return {"final": {"decision": "refund"}}
'''


def make_desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a workspace of synthetic agents and go there."""
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "judgekit.yaml").write_text(SETTINGS)
    (folder / "desk.py").write_text(DESK)
    monkeypatch.chdir(folder)
    return folder


def repeat(*words: str) -> int:
    return run_cli(["repeat", "--goldens", str(GOLDENS), "--out", "out", *words])


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = repeat(*words, "--json")
    return code, json.loads(capsys.readouterr().out)


def trials(name: str):
    return read_trials(Path("out") / f"{name}.trials.jsonl")


def started(desk: Path) -> int:
    """Return a pipe in which each attempt of `quick` and `slow` announces itself."""
    os.mkfifo(desk / "started")
    return os.open(desk / "started", os.O_RDWR | os.O_NONBLOCK)


def lines_of(pipe: int, least: int) -> list[str]:
    """Return what was announced, waiting until there are `least` lines."""
    found = b""
    while found.count(b"\n") < least:
        assert select.select([pipe], [], [], 120)[0], "nothing was started in two minutes"
        found += os.read(pipe, 65_536)
    return found.decode().splitlines()


def rest_of(pipe: int) -> list[str]:
    """Return what was announced and not read yet."""
    found = b""
    while select.select([pipe], [], [], 0)[0]:
        found += os.read(pipe, 65_536)
    return found.decode().splitlines()


def has_ended(pid: int) -> bool:
    """Tell whether a process is gone; the kernel may take a moment."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], 20)[0])
    finally:
        os.close(fd)


def start(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "judgekit", "repeat", "--goldens", str(GOLDENS), *words]
    return subprocess.Popen(
        [*command, "--out", "out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
