"""`calibrate` beside a `run` that is still filling the judge's journal."""

from __future__ import annotations

import fcntl
import json
import shutil
from pathlib import Path

import pytest

from judgekit.cli.main import run_cli
from judgekit.store.locks import is_locked

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for folder in ("annotations", "graders", "rubrics"):
        shutil.copytree(REPOSITORY / folder, tmp_path / folder)
    shutil.copy(REPOSITORY / "judgekit.yaml", tmp_path)
    return tmp_path


def test_a_journal_is_locked_only_while_somebody_writes_it(tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    assert not is_locked(journal)
    journal.touch()
    assert not is_locked(journal)
    with journal.open("ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert is_locked(journal)
    assert not is_locked(journal)


def test_calibrate_warns_and_spends_no_look_while_the_journal_is_being_filled(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--workspace", str(workspace)]
    assert run_cli(["run", "--grader", "policy-rules", *where]) == 0
    journal = workspace / ".judgekit" / "verdicts" / "policy-rules.jsonl"
    looks = workspace / "annotations" / "refund_desk" / "looks.jsonl"
    capsys.readouterr()
    command = ["calibrate", "--judge", "policy-rules", "--json", *where]
    with journal.open("ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        code = run_cli(command)
        out, err = capsys.readouterr()
        signed = ["approve", "--judge", "policy-rules", "--approver", "carla", "--reason", "why"]
        assert run_cli([*signed, *where]) == 2
    report = json.loads(out)
    assert code == 3
    assert "still being written" in err
    assert (report["decision"], report["looks"], report["approvable"]) == (
        "need_labels", None, False,
    )  # fmt: skip
    assert not looks.exists()
    run_cli(command)
    assert json.loads(capsys.readouterr().out)["looks"]["used"] == 1
    assert looks.exists()
