"""Comparing and estimating in a workspace: verdicts of the journal, splits and the looks ledger."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.demo_workspace import copy_example
from judgekit.cli.main import run_cli

RULES = ["--judge", "policy-rules", "--judge", "always-pass"]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with the verdicts of two graders, and 200 unlabelled outputs as `production`."""
    root = tmp_path_factory.mktemp("compare") / "desk"
    copy_example(root)
    (root / "annotations/refund_desk/looks.jsonl").unlink(missing_ok=True)
    items = (root / "annotations/refund_desk/items.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in items.splitlines()[:200]]
    folder = root / "annotations/production"
    folder.mkdir()
    with (folder / "items.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            row |= {"id": f"p-{row['id']}", "group": f"p-{row.get('group')}", "split": None}
            file.write(json.dumps(row) + "\n")
    for dataset in ("refund_desk", "production"):
        graders = ["--grader", "policy-rules", "--grader", "always-pass"]
        place = ["--workspace", str(root), "--dataset", dataset]
        assert run_cli(["run", *graders, *place]) == 0
    return root


def looks(desk: Path) -> int:
    path = desk / "annotations/refund_desk/looks.jsonl"
    return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0


def told(capsys: pytest.CaptureFixture[str], command: list[str]) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = run_cli([*command, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_the_default_chooses_on_development_and_spends_one_look_to_confirm(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["compare", *RULES, "--workspace", str(desk)]
    before = looks(desk)
    code, data = told(capsys, command)
    assert (code, data["choice"]["winner"]) == (0, "policy-rules")
    assert (data["measured"]["split"], data["confirmed"]["split"]) == ("development", "holdout")
    assert data["confirmed"]["candidates"][0]["figures"]["decision"] == "approved"
    assert looks(desk) == before + 1
    told(capsys, command)
    assert looks(desk) == before + 1


def test_a_named_split_compares_without_choosing_and_without_a_look(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = looks(desk)
    command = ["compare", *RULES, "--workspace", str(desk), "--split", "development"]
    code, data = told(capsys, command)
    assert (code, data["choice"], data["confirmed"]) == (0, None, None)
    assert looks(desk) == before


@pytest.mark.parametrize("assume", ["random", "label-shift"])
def test_outputs_of_another_dataset_get_a_pass_rate(
    desk: Path, capsys: pytest.CaptureFixture[str], assume: str
) -> None:
    command = ["estimate", "--judge", "policy-rules", "--outputs", "production"]
    code, data = told(capsys, [*command, "--assume", assume, "--workspace", str(desk)])
    assert code == 0
    assert (data["n_outputs"], data["grouped"], data["unknown_groups"]) == (200, True, False)
    assert data["pass_rate"]["low"] < data["pass_rate"]["value"] < data["pass_rate"]["high"]
    assert data["calibration"]["split"] == "holdout"
    assert any("look" in warning for warning in data["warnings"])


def test_a_judge_that_passes_everything_gives_no_pass_rate(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["estimate", "--judge", "always-pass", "--outputs", "production"]
    code, data = told(capsys, [*command, "--assume", "random", "--workspace", str(desk)])
    assert code == 3
    assert "not above 0" in data["refused"]


def test_without_unlabelled_outputs_the_run_command_is_named(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["estimate", "--judge", "policy-rules", "--assume", "random"]
    assert run_cli([*command, "--workspace", str(desk)]) == 2
    assert "judgekit run --grader policy-rules" in capsys.readouterr().err
