"""The gate of the guide to comparing configurations says no in the example workspace."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from judgekit.cli.demo_workspace import copy_example
from judgekit.cli.main import run_cli

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"
TEXT = (GUIDES / "compare-configurations.md").read_text(encoding="utf-8").replace("\\\n", "")
OUTCOMES = {
    "pass@1": "worse",
    "no tool error": "unclear",
    "availability": "unclear",
    "cost": "not recorded",
}
COMMANDS = re.findall(r"^    judgekit (.*both.*)$", TEXT, re.M)


def test_the_agent_with_a_fault_is_worse_as_the_guide_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = (GUIDES / "score-agents.md").read_text(encoding="utf-8")
    agent = re.search(r"^      buggy:\n(?:        .*\n)+", guide, re.M)
    assert agent is not None
    root = copy_example(tmp_path / "desk")
    with (root / "judgekit.yaml").open("a", encoding="utf-8") as settings:
        settings.write(agent.group().replace("\n    ", "\n").removeprefix("    "))
    monkeypatch.chdir(root)
    assert [command.split()[0] for command in COMMANDS] == ["repeat", "process"]
    for command in COMMANDS:
        assert run_cli(shlex.split(command.replace("--k 4", "--k 1"))) == 1, command
    said = capsys.readouterr().out
    gate = said[said.index("buggy against refund-agent: worse") :]
    for name, outcome in OUTCOMES.items():
        (row,) = re.findall(rf"^{name} .*", gate, re.M)
        assert re.search(rf"  {outcome}\b", row), row
