from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import run_cli
from judgekit.runs.report import Progress
from judgekit.store.journal import Journal, read_verdict_journal

ROOT = Path(__file__).parents[2]
SETTINGS = """\
schema: 1
dataset: desk
endpoints:
  gateway: {base_url: "http://127.0.0.1:9/v1", api_key_env: JUDGEKIT_TEST_KEY}
graders:
  even: {provider: python, kind: scorer, function: "rules.even:even"}
  careful: {provider: openai, endpoint: gateway, model: some-model, rubric: right}
prices:
  some-model: {input_usd_per_million: 1000, output_usd_per_million: 1000}
"""
RUBRIC = """\
schema: 1
name: right
task: Is the reply right?
criteria: [{id: correct, description: The reply is right.}]
failure_modes: [{id: wrong, description: It is wrong.}]
"""
EVEN = """\
import time
def even(item):
    time.sleep(0.005 if item.metadata.get("slow") else 0)
    return int(item.id[1:]) % 2 == 0
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("JUDGEKIT_TEST_KEY", raising=False)
    write(tmp_path, n=20)
    return tmp_path


def write(root: Path, *, n: int, slow: bool = False) -> None:
    lines = [
        {"id": f"i{k}", "output": f"text {k}", "input": "q", "metadata": {"slow": slow}}
        for k in range(n)
    ]
    label = {"item_id": "i3", "annotator": "ann", "label": "fail"}
    files = {
        "judgekit.yaml": SETTINGS,
        "rubrics/right.yaml": RUBRIC,
        "rules/even.py": EVEN,
        "annotations/desk/dataset.yaml": "schema: 1\nname: desk\n",
        "annotations/desk/items.jsonl": "".join(json.dumps(x) + "\n" for x in lines),
        "annotations/desk/labels.jsonl": json.dumps(label) + "\n",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run_json(
    capsys: pytest.CaptureFixture[str], workspace: Path, *arguments: str
) -> tuple[int, dict[str, Any], str]:
    code = run_cli([arguments[0], "--workspace", str(workspace), "--json", *arguments[1:]])
    said = capsys.readouterr()
    return code, json.loads(said.out), said.err


def test_a_run_grades_every_item_and_a_second_one_costs_nothing(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, first, err = run_json(capsys, workspace, "run", "--grader", "even")
    _, second, _ = run_json(capsys, workspace, "run", "--grader", "even")
    assert code == 0
    assert err.startswith("even: 20 of 20 to run (0 cached), estimated cost 0.0000 USD")
    assert first["graders"][0]["scored"] == 20
    assert first["graders"][0]["cached"] == 0
    assert second["graders"][0]["cached"] == 20
    assert second["plan"]["to_run"] == 0


def test_limit_and_item_choose_items(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, limited, _ = run_json(capsys, workspace, "run", "--grader", "even", "--limit", "3")
    _, chosen, _ = run_json(
        capsys, workspace, "run", "--grader", "even", "--item", "i9", "--item", "i1"
    )
    assert limited["plan"]["to_run"] == 3
    assert chosen["graders"][0] | {"wall_s": 0} == limited["graders"][0] | {
        "wall_s": 0,
        "n": 2,
        "scored": 2,
        "cached": 1,
    }


def test_an_unknown_item_is_2_with_the_nearest_id(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer, _ = run_json(capsys, workspace, "run", "--grader", "even", "--item", "i33")
    assert code == 2
    assert answer["error"]["mend"] == "did you mean 'i3'?"


def test_an_unknown_grader_is_2(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer, _ = run_json(capsys, workspace, "run", "--grader", "evn")
    assert code == 2
    assert answer["error"]["mend"] == "did you mean 'even'?"


def test_a_folder_without_a_workspace_is_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer, _ = run_json(capsys, tmp_path, "run")
    assert (code, answer["error"]["type"]) == (2, "UsageError")


def test_regrade_grades_each_item_again(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, answer, _ = run_json(
        capsys, workspace, "run", "--grader", "even", "--limit", "2", "--regrade", "2"
    )
    kept = read_verdict_journal(workspace / ".judgekit/verdicts/even.jsonl")
    assert answer["graders"][0]["n"] == 6
    assert sorted((v.item_id, v.regrade) for v in kept) == [
        (f"i{k}", r) for k in range(2) for r in range(3)
    ]


def test_without_a_key_nothing_runs_and_the_variable_is_named(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer, _ = run_json(capsys, workspace, "run")
    assert code == 6
    assert "'JUDGEKIT_TEST_KEY' is not set" in answer["error"]["message"]
    assert answer["error"]["where"] == "judgekit.yaml: graders.careful"
    assert not (workspace / ".judgekit").exists()


def test_a_dry_run_needs_no_key_and_prints_the_estimate(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer, err = run_json(capsys, workspace, "run", "--dry-run")
    cost = answer["plan"]["cost_usd"]
    assert code == 0
    assert answer["plan"]["to_run"] == 40
    assert 20 * 0.3 < cost < 20 * 3
    assert f"careful: 20 of 20 to run (0 cached), estimated cost {cost:.4f} USD" in err
    assert not (workspace / ".judgekit").exists()


def test_show_prompt_prints_the_exact_request_without_a_key(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer, _ = run_json(
        capsys, workspace, "run", "--show-prompt", "--grader", "careful", "--item", "i7"
    )
    assert code == 0
    assert answer["prompts"][0]["item_id"] == "i7"
    assert answer["prompts"][0]["request"]["model"] == "some-model"
    assert "text 7" in json.dumps(answer["prompts"][0]["request"])


def test_show_prompt_of_graders_without_prompts_is_2(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, _ = run_json(capsys, workspace, "run", "--show-prompt", "--grader", "even")
    assert code == 2


def test_a_budget_below_one_verdict_stops_with_5_and_sends_nothing(
    workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGEKIT_TEST_KEY", "k")
    code, answer, err = run_json(
        capsys, workspace, "run", "--grader", "careful", "--max-cost", "0.01"
    )
    assert code == 5
    assert answer["stopped"] == "budget"
    assert answer["graders"][0]["failed"] == {"budget": 20}
    assert answer["graders"][0]["attempts"] == 0
    assert "the estimate is above --max-cost 0.01" in err


def test_a_budget_with_an_unknown_price_refuses_to_start(
    workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGEKIT_TEST_KEY", "k")
    (workspace / "judgekit.yaml").write_text(SETTINGS.split("prices:")[0])
    code, answer, err = run_json(capsys, workspace, "run", "--max-cost", "5")
    assert code == 5
    assert answer["error"]["type"] == "BudgetExceeded"
    assert "careful: 20 of 20 to run (0 cached), estimated cost unknown" in err
    assert not (workspace / ".judgekit").exists()


def test_a_journal_held_by_another_run_is_one_clear_refusal(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Journal(workspace / ".judgekit/verdicts/even.jsonl"):
        code, answer, _ = run_json(capsys, workspace, "run", "--grader", "even")
    assert code == 5
    assert answer["error"]["message"] == "another process is writing this journal"


def test_a_grader_that_raises_ends_with_5_and_keeps_the_rest(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / "rules/even.py").write_text(
        "def even(item):\n    return 1 / int(item.id[1:]) > 0\n"
    )
    code = run_cli(["run", "--workspace", str(workspace), "--grader", "even"])
    said = capsys.readouterr()
    assert code == 5
    assert "even: 20 verdicts: 19 scored, 0 abstained, 0 invalid, 1 failed (grader)" in said.out
    assert "  first failed (grader): item i0: ZeroDivisionError: division by zero\n" in said.out
    assert "mend the grader or its items, then run the same command again" in said.out
    assert "only what failed is asked again" in said.out


def hear_interrupts() -> None:
    # What a shell starts in the background ignores SIGINT, and so would what is started here.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["int", "term"])
def test_an_interrupted_run_is_130_and_keeps_what_was_finished(
    tmp_path: Path, number: signal.Signals
) -> None:
    write(tmp_path, n=3000, slow=True)
    journal = tmp_path / ".judgekit/verdicts/even.jsonl"
    command = [sys.executable, "-m", "judgekit", "run", "--grader", "even", "--concurrency", "2"]
    process = subprocess.Popen(
        [*command, "--workspace", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    )
    while not journal.exists() or journal.read_bytes().count(b"\n") < 20:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.endswith("interrupted; what was finished is kept\n")
    assert 20 <= len(read_verdict_journal(journal)) < 3000


def test_of_two_runs_at_once_one_is_refused_and_the_other_finishes(tmp_path: Path) -> None:
    write(tmp_path, n=400, slow=True)
    command = [sys.executable, "-m", "judgekit", "run", "--grader", "even", "--concurrency", "2"]
    running = [
        subprocess.Popen(
            [*command, "--workspace", str(tmp_path)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[1] for process in running]
    refused = [text for text in said if "another process is writing this journal" in text]
    assert sorted(process.returncode for process in running) == [0, 5]
    assert len(refused) == 1
    assert len(read_verdict_journal(tmp_path / ".judgekit/verdicts/even.jsonl")) == 400


def test_show_prints_one_item_with_labels_and_verdicts(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_json(capsys, workspace, "run", "--grader", "even", "--item", "i3")
    code, answer, _ = run_json(capsys, workspace, "show", "i3")
    run_cli(["show", "i3", "--workspace", str(workspace)])
    text = capsys.readouterr().out
    assert code == 0
    assert answer["item"]["output"] == "text 3"
    assert [label["label"] for label in answer["labels"]] == ["fail"]
    assert [(v["grader"], v["passed"], v["current"]) for v in answer["verdicts"]] == [
        ("even", False, True)
    ]
    assert "  ann, _overall: fail\n" in text
    assert "  even: fail\n" in text


def test_show_marks_verdicts_of_an_older_fingerprint(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_json(capsys, workspace, "run", "--grader", "even", "--item", "i3")
    (workspace / "rules/even.py").write_text("def even(item):\n    return True\n")
    _, answer, _ = run_json(capsys, workspace, "show", "i3")
    assert [v["current"] for v in answer["verdicts"]] == [False]


def test_show_lists_the_current_verdict_before_an_older_one(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = (workspace / "rules/even.py").read_text()
    (workspace / "rules/even.py").write_text("def even(item):\n    return 'nonsense'\n")
    run_json(capsys, workspace, "run", "--grader", "even", "--item", "i3")
    (workspace / "rules/even.py").write_text(right)
    run_json(capsys, workspace, "run", "--grader", "even", "--item", "i3")
    _, answer, _ = run_json(capsys, workspace, "show", "i3")
    assert [(v["status"], v["current"]) for v in answer["verdicts"]] == [
        ("scored", True),
        ("invalid", False),
    ]


def test_the_progress_line_says_rate_cost_and_time_left() -> None:
    from judgekit.cli.progress import progress_text

    progress = Progress(
        done=120, total=500, cached=20, failed=1, cost_usd=0.031, per_second=14.2, eta_s=26.8
    )
    assert progress_text(progress) == (
        "120/500 done (20 cached, 1 failed), 14.2/s, 0.0310 USD, 27 s left"
    )


def test_a_run_in_the_background_of_a_script_ends_quietly_at_sigterm(tmp_path: Path) -> None:
    write(tmp_path, n=3000, slow=True)
    journal = tmp_path / ".judgekit" / "verdicts" / "even.jsonl"
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "sys.argv[1:] = ['run', '--grader', 'even']; from judgekit.cli.main import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not journal.exists() or journal.read_bytes().count(b"\n") < 20:
        assert process.poll() is None
        time.sleep(0.01)
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.endswith("interrupted; what was finished is kept\n")
    assert "Traceback" not in err
