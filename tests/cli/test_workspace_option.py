"""`--workspace` names a workspace: another one around it is never taken in its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from judgekit.cli.main import build_app, run_cli

COMMANDS = {
    "approve": ["--judge", "j", "--approver", "lea", "--reason", "fits"],
    "calibrate": [],
    "compare": [],
    "estimate": ["--assume", "random"],
    "gate": ["--items", "items.jsonl"],
    "label": [],
    "labels export": ["--by", "lea"],
    "labels import": [],
    "labels status": [],
    "plan": ["--next", "3"],
    "process": ["--trials", "trials.jsonl"],
    "repeat": ["--agent", "a"],
    "revoke": ["--judge", "j", "--approver", "lea", "--reason", "stale"],
    "run": [],
    "score": ["--trials", "trials.jsonl"],
    "show": ["i1"],
    "verify": [],
}
RECORDED = ["--labels", "labels.jsonl", "--verdicts", "verdicts.jsonl"]


@pytest.fixture(autouse=True)
def standing_in_a_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "judgekit.yaml").write_text("schema: 1\n")
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


def error_of(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    code = run_cli([*words, "--json"])
    error: dict[str, Any] = json.loads(capsys.readouterr().out)["error"]
    assert (code, error["exit_code"]) == (2, 2)
    return error


def test_every_command_that_reads_a_workspace_is_tried_here() -> None:
    group = typer.main.get_command(build_app())
    found = {n for n, c in commands(group) for p in c.params if "--workspace" in p.opts}
    assert found - {"doctor", "init"} == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_is_not_there_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*name.split(), *COMMANDS[name], "--workspace", "nowhere"]
    assert error_of(capsys, *words) == {
        "type": "UsageError",
        "message": "the workspace 'nowhere' is not there",
        "where": str(tmp_path / "nowhere"),
        "found": "no such folder",
        "expected": "a folder with judgekit.yaml",
        "mend": "name the folder as it is called, or make one: judgekit init --workspace FOLDER",
        "exit_code": 2,
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_inside_a_workspace_is_refused_and_the_workspace_named(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = error_of(capsys, *name.split(), *COMMANDS[name], "--workspace", "inner")
    assert error["message"] == "the folder 'inner' is no workspace"
    assert error["mend"] == f"name the one around it: --workspace {tmp_path}"


@pytest.mark.parametrize(
    "command", [["calibrate"], ["compare"], ["estimate", *COMMANDS["estimate"]]]
)
def test_recorded_files_need_no_workspace_and_yet_none_that_is_not_there(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    error = error_of(capsys, *command, *RECORDED, "--workspace", "nowhere")
    assert error["message"] == "the workspace 'nowhere' is not there"


def test_doctor_finds_that_the_workspace_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["doctor", "--workspace", "nowhere", "--json"]) == 2
    finding = json.loads(capsys.readouterr().out)["findings"][-1]
    assert (finding["check"], finding["level"]) == ("workspace", "error")
    assert finding["where"] == str(tmp_path / "nowhere")
