"""From a run to a revoked approval, through the command line, on the example workspace."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import run_cli

REPOSITORY = Path(__file__).parents[2]
JUDGE = "policy-rules"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    shutil.copy(REPOSITORY / "judgekit.yaml", tmp_path)
    for folder in ("rubrics", "annotations", "graders"):
        shutil.copytree(REPOSITORY / folder, tmp_path / folder)
    return tmp_path


def run(workspace: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    code = run_cli([*words, "--workspace", str(workspace), "--json"])
    return code, json.loads(capsys.readouterr().out)


def approve(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(workspace, capsys, "run", "--grader", JUDGE)[0] == 0
    code, _ = run(
        workspace, capsys, "approve", "--judge", JUDGE, "--approver", "carla", "--reason", "holdout"
    )
    assert code == 0


def fresh(workspace: Path, version: str) -> str:
    return str(workspace / "annotations" / "refund_desk" / f"agent_{version}.jsonl")


def test_an_approved_judge_gates_fresh_outputs(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    approve(workspace, capsys)
    code, good = run(workspace, capsys, "gate", "--items", fresh(workspace, "fixed"))
    assert (code, good["outcome"]) == (0, "passed")
    junit, summary = workspace / "j.xml", workspace / "s.md"
    code, bad = run(
        workspace, capsys, "gate", "--items", fresh(workspace, "buggy"),
        "--junit", str(junit), "--summary", str(summary),
    )  # fmt: skip
    assert (code, bad["outcome"]) == (1, "failed")
    assert summary.read_text(encoding="utf-8").startswith("## Gate failed")
    assert b"<failure" in junit.read_bytes()


def test_the_gate_leaves_json_alone_and_annotates_on_stderr(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    approve(workspace, capsys)
    code = run_cli(
        ["gate", "--items", fresh(workspace, "buggy"), "--workspace", str(workspace),
         "--github", "--json"]
    )  # fmt: skip
    captured = capsys.readouterr()
    assert (code, json.loads(captured.out)["exit_code"]) == (1, 1)
    assert "::error file=" in captured.err


def test_every_number_recomputes_until_something_is_edited(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    approve(workspace, capsys)
    looks = (workspace / "annotations/refund_desk/looks.jsonl").read_text(encoding="utf-8")
    assert run(workspace, capsys, "verify")[0] == 0
    kept = workspace / "annotations/refund_desk/verdicts" / f"{JUDGE}.jsonl"
    lines = kept.read_text(encoding="utf-8").splitlines(keepends=True)
    kept.write_text("".join(lines[1:]), encoding="utf-8")
    code, result = run(workspace, capsys, "verify")
    names = [d["name"] for d in result["approvals"][0]["differences"]]
    assert code == 4
    assert {"verdicts_hash", "n_pairs"} <= set(names)
    kept.unlink()
    assert run(workspace, capsys, "verify")[0] == 4
    now = (workspace / "annotations/refund_desk/looks.jsonl").read_text(encoding="utf-8")
    assert now == looks


def test_a_judge_that_is_no_longer_configured_does_not_verify(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    approve(workspace, capsys)
    settings = workspace / "judgekit.yaml"
    text = settings.read_text(encoding="utf-8").replace(JUDGE, "renamed")
    settings.write_text(text, encoding="utf-8")
    code, result = run(workspace, capsys, "verify")
    assert (code, result["approvals"][0]["differences"][0]["name"]) == (4, "current")


def test_a_changed_policy_closes_the_gate(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    approve(workspace, capsys)
    settings = workspace / "judgekit.yaml"
    text = settings.read_text(encoding="utf-8")
    changed = text.replace("max_false_pass_rate: 0.15", "max_false_pass_rate: 0.2")
    assert changed != text
    settings.write_text(changed, encoding="utf-8")
    code, result = run(workspace, capsys, "gate", "--items", fresh(workspace, "fixed"))
    assert (code, result["graders"][-1]["standing"]) == (4, "policy")


def test_a_revoked_judge_no_longer_gates(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    approve(workspace, capsys)
    words = ("revoke", "--judge", JUDGE, "--approver", "dora", "--reason", "drift")
    assert run(workspace, capsys, *words)[0] == 0
    code, result = run(workspace, capsys, "gate", "--items", fresh(workspace, "fixed"))
    assert (code, result["graders"][-1]["standing"], result["review"]) == (4, "revoked", 80)
    assert run(workspace, capsys, "verify")[0] == 4


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("approve", "--judge", JUDGE, "--approver", "carla"), 2),
        (("approve", "--judge", "nobody", "--approver", "c", "--reason", "r"), 2),
        (("verify",), 4),
        (("revoke", "--judge", JUDGE, "--approver", "c", "--reason", "r"), 4),
        (("gate", "--items", "none.jsonl"), 2),
        (("gate", "--items", "x", "--policy", "none"), 2),
    ],
)
def test_what_cannot_be_done_says_so_with_its_exit_code(
    workspace: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int
) -> None:
    found, result = run(workspace, capsys, *words)
    assert (found, result["error"]["exit_code"]) == (code, code)
    assert not (workspace / "judges.lock").exists()


def test_a_dataset_without_a_holdout_cannot_approve(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(workspace, capsys, "run", "--grader", JUDGE)[0] == 0
    manifest = workspace / "annotations/refund_desk/dataset.yaml"
    manifest.write_text("schema: 1\nname: refund_desk\n", encoding="utf-8")
    items = workspace / "annotations/refund_desk/items.jsonl"
    rows = [json.loads(line) for line in items.read_text(encoding="utf-8").splitlines()]
    bare = [json.dumps({k: v for k, v in row.items() if k != "split"}) + "\n" for row in rows]
    items.write_text("".join(bare), encoding="utf-8")
    words = ("approve", "--judge", JUDGE, "--approver", "c", "--reason", "r")
    code, result = run(workspace, capsys, *words)
    assert (code, "no items in split" in result["error"]["message"]) == (2, True)


def test_the_readable_output_is_the_diff_and_the_sentences(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ("--workspace", str(workspace))
    run_cli(["run", "--grader", JUDGE, *place])
    capsys.readouterr()
    run_cli(["approve", "--judge", JUDGE, "--approver", "c", "--reason", "r", *place])
    captured = capsys.readouterr()
    assert captured.out.startswith("--- a/judges.lock\n+++ b/judges.lock\n")
    assert "warning: labels of origin model or synthetic" in captured.err
    assert run_cli(["verify", *place]) == 0
    assert capsys.readouterr().out == f"{JUDGE} (_overall): every number recomputes\n"
    assert run_cli(["gate", "--items", fresh(workspace, "fixed"), *place]) == 0
    assert capsys.readouterr().out.startswith("gate passed: 80 of 80 items scored, pass rate")
    assert run_cli(["gate", "--items", fresh(workspace, "fixed"), "--dry-run", *place]) == 0
    revoke = ["revoke", "--judge", JUDGE, "--approver", "c", "--reason", "r", *place]
    assert run_cli(revoke) == 0
    assert "+[approval.revoked]" in capsys.readouterr().out


def test_a_baseline_is_read_back_by_the_next_gate(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = workspace / "judgekit.yaml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(
        text.replace(
            "min_pass_rate: 0.80", "max_drop: 0.1, min_pass_rate: 0.3".replace(", ", "\n      ")
        ),
        encoding="utf-8",
    )
    approve(workspace, capsys)
    without = run(workspace, capsys, "gate", "--items", fresh(workspace, "fixed"))
    assert (without[0], "--baseline" in without[1]["error"]["mend"]) == (2, True)
    earlier = workspace / "earlier.json"
    earlier.write_text('{"schema": 1, "outcome": "passed", "pass_rate": 0.97}', encoding="utf-8")
    words = ("gate", "--items", fresh(workspace, "buggy"), "--baseline", str(earlier))
    code, result = run(workspace, capsys, *words)
    assert (code, [c["outcome"] for c in result["conditions"]][:2]) == (1, ["passed", "failed"])


def test_a_rejected_judge_cannot_be_approved(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(workspace, capsys, "run", "--grader", "always-pass")
    words = ("approve", "--judge", "always-pass", "--approver", "c", "--reason", "r")
    assert run(workspace, capsys, *words)[0] == 1
    assert not (workspace / "judges.lock").exists()
