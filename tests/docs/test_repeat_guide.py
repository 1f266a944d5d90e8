"""The commands of the guide to repeats run in the example workspace, on one case to be quick."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from judgekit.cli.main import run_cli
from judgekit.model.agent import Agent, Limits, Scope
from judgekit.store.formats.yaml_file import YamlDocument
from judgekit.store.workspace import WorkspaceSettings
from judgekit.trials.request import TrialAnswer, TrialRequest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "guides" / "repeat-trials.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    judgekit (repeat .*)$", TEXT, re.M)
SETTINGS = re.findall(r"^(?:    (?:agents|endpoints|graders):\n(?:     .*\n)+)+", TEXT, re.M)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("agents", "scoring"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "annotations" / "refund_desk", tmp_path / "annotations" / "refund_desk")
    shutil.copy(ROOT / "judgekit.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_of_the_guide_runs_in_its_order(workspace, capsys):
    assert len(COMMANDS) == 6
    for command in COMMANDS:
        code = run_cli([*shlex.split(command), "--k", "1", "--case", "teapot"])
        assert code == 0, (command, capsys.readouterr().err)
    assert "lookup_order answers empty: met in 1 of 1 trials" in capsys.readouterr().out
    made = sorted(path.name for path in workspace.rglob("*.trials.jsonl"))
    assert made == [
        "refund-agent+lookup_order-empty.trials.jsonl",
        "refund-agent+replay.trials.jsonl",
        "refund-agent+tools-played.trials.jsonl",
        *["refund-agent.trials.jsonl"] * 3,
    ]


def test_the_settings_that_the_guide_shows_are_accepted(tmp_path):
    assert len(SETTINGS) == 2
    for number, block in enumerate(SETTINGS):
        path = tmp_path / f"{number}.yaml"
        path.write_text("schema: 1\n" + block.replace("\n    ", "\n").removeprefix("    "))
        assert YamlDocument(path).parse(WorkspaceSettings)


@pytest.mark.parametrize("model", [Agent, Limits, Scope, TrialRequest, TrialAnswer])
def test_every_field_of_agent_request_and_answer_is_explained(model):
    names = set(model.model_fields) - {"schema_version", "tools"}
    assert [name for name in sorted(names) if f"`{name}`" not in TEXT and name not in TEXT] == []
