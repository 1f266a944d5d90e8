"""From `init` over `plan --next` to an approval, under the policy that `init` writes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import run_cli

N = 3000
GRADE = '''"""Fail what says so; give no answer to two items that nobody labels."""


def grade(item):
    if item.id in ("i2998", "i2999"):
        return None
    return "bad" not in item.output
'''
GRADER = """\
  my-judge:
    provider: python
    function: graders.reads:grade
    rubric: my_rubric
  unused:
"""


def is_bad(k: int) -> bool:
    return k % 3 == 0


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert run_cli(["init", "--workspace", str(tmp_path)]) == 0
    settings = tmp_path / "judgekit.yaml"
    text = settings.read_text(encoding="utf-8")
    assert "max_unscored_rate: 0.05" in text
    settings.write_text(text.replace("  my-judge:", GRADER, 1), encoding="utf-8")
    (tmp_path / "graders").mkdir()
    (tmp_path / "graders" / "reads.py").write_text(GRADE, encoding="utf-8")
    data = tmp_path / "annotations" / "examples"
    words = {True: "bad", False: "good"}
    items = [
        {"id": f"i{k}", "input": "q", "output": f"{words[is_bad(k)]} {k}", "split": "holdout"}
        for k in range(N)
    ]
    (data / "items.jsonl").write_text(lines(items), encoding="utf-8")
    (data / "dataset.yaml").write_text("schema: 1\nname: examples\n", encoding="utf-8")
    (data / "labels.jsonl").write_text("", encoding="utf-8")
    return tmp_path


def ask(workspace: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    capsys.readouterr()
    code = run_cli([*words, "--workspace", str(workspace), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_labels_of_plan_next_approve_a_good_judge_under_the_starter_policy(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(workspace, capsys, "run", "--grader", "my-judge")[0] in (0, 1)
    code, planned = ask(workspace, capsys, "plan", "--next", "400", "--judge", "my-judge")
    assert code == 0
    drawn = planned["next"]["items"]
    assert {row["design"] for row in drawn} == {"stratified:judge_pass", "stratified:judge_fail"}
    labels = [
        {
            **row,
            "annotator": "ann",
            "label": "fail" if is_bad(int(row["item_id"][1:])) else "pass",
        }
        for row in drawn
    ]
    path = workspace / "annotations" / "examples" / "labels.jsonl"
    path.write_text(lines(labels), encoding="utf-8")
    code, report = ask(workspace, capsys, "calibrate", "--judge", "my-judge")
    cap = next(c for c in report["conditions"] if c["name"] == "unscored_rate")
    assert (cap["outcome"], cap["value"]) == ("safe", pytest.approx(2 / N))
    assert (code, report["decision"], report["approvable"]) == (0, "approved", True)
    signed = ("approve", "--judge", "my-judge", "--approver", "carla", "--reason", "holdout")
    assert ask(workspace, capsys, *signed)[0] == 0
    assert ask(workspace, capsys, "verify")[0] == 0
