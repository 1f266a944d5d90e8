"""Files of trials larger than what `score` and `process` keep of them. The trials are synthetic."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judgekit.model.golden import Golden

ROOT = Path(__file__).resolve().parents[2]
TEXT = "word " * 8_000 + "\U0001f600"
"""Its last character makes it four bytes a character in memory."""
RULES = """
schema: 1
name: long
fields: {answer: {}}
tools: {traceable: {look: [id]}}
"""
SCRIPT = """
import os, sys
from pathlib import Path
from judgekit.cli.main import run_cli

def peak_mb():  # of this program alone: ru_maxrss may be that of the process that started it
    status = Path("/proc/self/status").read_text().partition("VmHWM:")[2]
    return int(status.split()[0]) / 1024

def ran(*argv):
    return run_cli([*argv, "--goldens", "goldens.jsonl", "--rules", "rules.yaml", "--json"])

sys.stdout = open(os.devnull, "w")
assert ran(*sys.argv[1:], "--trials", "few.jsonl") == 0
start = peak_mb()
assert ran(*sys.argv[1:], "--trials", "many.jsonl") == 0
print(peak_mb() - start, file=sys.__stdout__)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with 100 and with 1,000 trials of 40 kB."""
    folder = tmp_path_factory.mktemp("long")
    known = {"input": "?", "reviewers": ["synthetic"], "proposer": "one", "approver": "other"}
    cases = [Golden.sealed({"id": f"c{n}", "fields": ANSWER, **known}) for n in range(10)]
    lines = [json.dumps(case.as_line()) for case in cases]
    (folder / "goldens.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "rules.yaml").write_text(RULES, "utf-8")
    for name, times in (("few", 10), ("many", 100)):
        lines = [line(f"c{n}", number) for number in range(times) for n in range(10)]
        (folder / f"{name}.jsonl").write_text("".join(lines), "utf-8")
    return folder


ANSWER: dict[str, Any] = {"answer": {"value": "right"}}


def line(case: str, number: int) -> str:
    body = {
        "case_id": case,
        "number": number,
        "messages": [{"role": "assistant", "content": f"{TEXT} {number}"}],
        "tool_calls": [{"name": "look", "arguments": {"id": "never said"}}],
        "final": {"answer": "right"},
        "ending": "finished",
    }
    return json.dumps(body, ensure_ascii=False) + "\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is read from /proc")
@pytest.mark.parametrize("command", [["score"], ["score", "--review", "r.jsonl"], ["process"]])
def test_what_is_kept_of_a_file_of_trials_is_less_than_a_quarter_of_it(
    place: Path, command: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *command],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    size_mb = (place / "many.jsonl").stat().st_size / 1024 / 1024
    assert size_mb > 35
    assert float(done.stdout) < size_mb / 4
    if "--review" in command:  # every trial has a suspicion, so that it is as long as the trials
        assert (place / "r.jsonl").read_text("utf-8").count("\n") == 1_000
