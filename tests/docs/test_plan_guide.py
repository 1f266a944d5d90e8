"""The commands of the guide to planning labels run as they are written."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from judgekit.cli.main import run_cli

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "plan-your-labels.md"
COMMANDS = re.findall(r"^    judgekit (plan .*)$", GUIDE.read_text(encoding="utf-8"), re.M)
OPTIONS = re.findall(r"^- `(--[^`]*)`", GUIDE.read_text(encoding="utf-8"), re.M)
SETTINGS = """\
schema: 1
dataset: desk
graders: {my-judge: {provider: recorded, verdicts: verdicts.jsonl}}
policies: {default: {max_false_pass_rate: 0.1, split: all}}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "annotations" / "desk"
    folder.mkdir(parents=True)
    items = [json.dumps({"id": f"i{k}", "output": "text"}) for k in range(100)]
    verdicts = [
        json.dumps({"item_id": f"i{k}", "judge": "my-judge", "label": "fail" if k % 3 else "pass"})
        for k in range(100)
    ]
    (tmp_path / "judgekit.yaml").write_text(SETTINGS)
    (tmp_path / "verdicts.jsonl").write_text("\n".join(verdicts) + "\n")
    (folder / "items.jsonl").write_text("\n".join(items) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_guide_shows_a_plan_and_a_list_of_next_items() -> None:
    assert [command.split()[1] for command in COMMANDS] == ["--limit", "--next"]
    assert len(OPTIONS) == 3


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_guide_runs(here: Path, command: str) -> None:
    assert run_cli(shlex.split(command)) == 0


@pytest.mark.parametrize("options", OPTIONS)
def test_every_option_of_the_guide_changes_the_plan(
    options: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["plan", "--json", "--limit", "0.1", "--expected-rate", "0.02"]
    assert run_cli(asked) == 0
    plain = json.loads(capsys.readouterr().out)
    assert run_cli([*asked, *shlex.split(options)]) == 0
    other = json.loads(capsys.readouterr().out)
    assert other["n_first"] > plain["n_first"]
