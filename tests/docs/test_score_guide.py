"""The commands and settings of the guide to scoring agents run as they are written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from pydantic import BaseModel
from ruamel.yaml import YAML

from judgekit.cli.demo_workspace import copy_example
from judgekit.cli.main import run_cli
from judgekit.model.item import Item
from judgekit.model.scoring import Caps, FieldRule, ScoringRules, StateRules, ToolRules
from judgekit.model.tool_spec import ToolSpec
from judgekit.scorers.base import Scorer
from judgekit.scorers.faults.base import detectors

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "score-agents.md"
TEXT = GUIDE.read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    judgekit (.*)$", TEXT, re.M)


def test_the_commands_run_one_after_the_other_in_the_example_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(copy_example(tmp_path / "desk"))
    assert [command.split()[0] for command in COMMANDS] == ["repeat", *["score"] * 5]
    for command in COMMANDS:
        words, _, file = command.partition(" > ")
        capsys.readouterr()
        assert run_cli(shlex.split(words)) == 0, command
        if file:
            Path(file).write_text(capsys.readouterr().out, encoding="utf-8")


def test_the_agent_with_a_planted_fault_fails_as_the_guide_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    block = re.search(r"^    agents:\n(?:     .*\n)+", TEXT, re.M)
    assert block is not None
    root = copy_example(tmp_path / "desk")
    settings = (root / "judgekit.yaml").read_text(encoding="utf-8")
    shown = block.group().replace("\n    ", "\n").removeprefix("    ")
    settings, found = re.subn(r"^agents:.*\n(?:  .*\n)+", shown, settings, flags=re.M)
    assert found == 1
    (root / "judgekit.yaml").write_text(settings, encoding="utf-8")
    monkeypatch.chdir(root)
    for command in (COMMANDS[0], next(line for line in COMMANDS if "--explain" in line)):
        words = shlex.split(command.replace("refund-agent", "buggy"))
        assert run_cli([*words, "--case", "teapot"]) == 0
    assert "first wrong: check_refund_policy.date" in capsys.readouterr().out


def test_every_fault_is_in_the_table_and_no_other() -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", TEXT, re.M)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(detectors())


@pytest.mark.parametrize("model", [ScoringRules, ToolRules, StateRules, Caps, FieldRule, ToolSpec])
def test_every_key_of_scoring_rules_is_in_the_reference(model: type[BaseModel]) -> None:
    page = (GUIDE.parents[1] / "reference" / "files.md").read_text(encoding="utf-8")
    names = model.model_fields.keys() - {"schema_version"}
    assert [name for name in names if f"`{name}`" not in page] == []


def test_the_settings_of_the_grader_are_usable(tmp_path: Path) -> None:
    block = re.search(r"^    graders:\n(?:    .*\n)+", TEXT, re.M)
    assert block is not None
    settings = YAML(typ="safe").load(block.group())["graders"]["right"]
    root = copy_example(tmp_path / "desk")
    assert Scorer("right", settings["function"], settings["settings"], root=root)


def test_the_item_with_a_trial_is_one_that_the_gate_takes() -> None:
    (line,) = re.findall(r'^    (\{"id": .*\})$', TEXT, re.M)
    item = Item.model_validate_json(line)
    assert item.trial is not None
    assert (item.trial.case_id, item.group) == ("teapot", "teapot")
