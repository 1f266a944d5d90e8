"""`judgekit demo`: the whole path, offline, as a new user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli import demo_steps
from judgekit.cli.demo_workspace import copy_example, example_root
from judgekit.cli.main import run_cli
from judgekit.errors import UsageError

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The answer of one `demo --json` where neither a key nor the extra `local` is present."""
    root = tmp_path_factory.mktemp("demo") / "desk"
    before = content_of_example()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo_steps, "find_spec", lambda name: None)
        for key in KEYS:
            patch.delenv(key, raising=False)
        step = demo_steps.run_command(["demo", "--out", str(root)], root.parent)
    assert step.exit_code == 0, step.messages
    return {**step.answer, "untouched": content_of_example() == before}


def content_of_example() -> dict[str, bytes]:
    root = example_root()
    files = [*root.glob("judges.lock"), *(root / demo_steps.DESK).rglob("*.jsonl")]
    files += [root / "judgekit.yaml", *(root / "rubrics").glob("*.yaml")]
    return {path.name: path.read_bytes() for path in files if path.name != "local-gemma.jsonl"}


def step_of(told: dict[str, Any], word: str) -> dict[str, Any]:
    return next(step for step in told["steps"] if word in step["title"])


def codes(step: dict[str, Any]) -> list[int]:
    return [command["exit_code"] for command in step["commands"]]


def test_the_demo_says_what_is_skipped_and_why(told: dict[str, Any]) -> None:
    text = "\n".join(step_of(told, "configured")["lines"])
    assert "local-gemma (llamacpp): skipped: the extra `local` is not installed" in text
    assert "OPENAI_API_KEY" in text
    assert "ANTHROPIC_API_KEY" in text
    assert "policy-rules (python): ready" in text


def test_the_demo_says_how_many_recorded_verdicts_there_are(told: dict[str, Any]) -> None:
    about = json.loads(
        (example_root() / demo_steps.DESK / "verdicts/local-gemma.recorded.json").read_text("utf-8")
    )
    line = step_of(told, "whole set")["lines"][-1]
    assert f"{about['items']} of {about['items_in_dataset']} items" in line
    assert about["recorded_on"] in line


def test_the_rules_earn_approval_and_the_others_are_rejected(told: dict[str, Any]) -> None:
    step = step_of(told, "Calibrate")
    assert codes(step) == [1, 0, 1]
    assert any(line.startswith("policy-rules: approved") for line in step["lines"])
    assert any(line.startswith("always-pass: rejected") for line in step["lines"])


def test_only_the_judge_that_earned_it_is_in_the_lock_file(told: dict[str, Any]) -> None:
    lock = (Path(told["workspace"]) / "judges.lock").read_text("utf-8")
    assert "policy-rules" in lock
    assert "always-pass" not in lock
    assert "synthetic" in lock


def test_the_gate_stops_the_buggy_agent_and_lets_the_fixed_one_through(
    told: dict[str, Any],
) -> None:
    assert codes(step_of(told, "Gate two")) == [1, 0]


def test_one_changed_word_of_the_rubric_voids_the_approval(told: dict[str, Any]) -> None:
    step = step_of(told, "one word")
    assert codes(step) == [4]
    assert "rubric changed" in step["lines"][0]
    rubric = Path(told["workspace"], "rubrics", "refund_reply.yaml").read_bytes()
    assert rubric == (example_root() / "rubrics" / "refund_reply.yaml").read_bytes()


def test_the_report_is_written_and_asks_nothing_of_the_network(told: dict[str, Any]) -> None:
    page = Path(told["report"]).read_text("utf-8")
    assert "policy-rules" in page
    assert 'src="http' not in page


def test_the_demo_overwrites_nothing_of_the_user(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="is not empty"):
        copy_example(tmp_path)
    assert run_cli(["demo", "--out", str(tmp_path), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["exit_code"] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_the_repository_is_left_as_it_was(told: dict[str, Any]) -> None:
    assert told["untouched"]
    assert Path(told["workspace"]) != example_root()


@pytest.mark.local_model
def test_the_local_model_judges_items_live(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    step = demo_steps.judge_live(copy_example(tmp_path / "desk"))
    assert "verdicts in" in step.lines[0]
    assert step.as_expected
