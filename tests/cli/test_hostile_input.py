"""What a user's code prints, exits with or leaves behind never changes what the command says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from judgekit.cli import main as main_module
from judgekit.cli.gate_command import _write_summary
from judgekit.cli.main import run_cli
from judgekit.cli.output import emit_json
from judgekit.gate.report import GateReport

ROWS = {
    "l.jsonl": '{"item_id": "1", "annotator": "a", "label": "pass"}\n',
    "v.jsonl": '{"item_id": "1", "judge": "j", "label": "pass"}\n',
}


def app_that(does: Callable[[], object]) -> Callable[[], typer.Typer]:
    app = typer.Typer()
    app.callback()(lambda: None)

    @app.command("act")
    def act(as_json: bool = typer.Option(False, "--json")) -> object:
        return does()

    return lambda: app


def test_what_a_grader_prints_stays_out_of_the_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def noisy() -> int:
        print("hello from a grader")
        emit_json({"decision": "approved"})
        return 0

    monkeypatch.setattr(main_module, "build_app", app_that(noisy))
    assert run_cli(["act", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"schema": 1, "decision": "approved"}
    assert err == "hello from a grader\n"


def test_a_grader_that_exits_with_0_is_not_a_yes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(main_module, "build_app", app_that(lambda: sys.exit(0)))
    assert run_cli(["act", "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["exit_code"] == 2
    assert "called exit" in err


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(
    "option", ["--max-false-pass-rate", "--max-false-fail-rate", "--min-kappa", "--confidence"]
)
def test_a_limit_that_is_no_finite_number_is_bad_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    for name, text in ROWS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = ["--labels", str(tmp_path / "l.jsonl"), "--verdicts", str(tmp_path / "v.jsonl")]
    assert run_cli(["calibrate", *files, f"{option}={value}", "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["exit_code"] == 2
    assert option in err
    assert "no finite number" in err


@pytest.fixture
def report() -> GateReport:
    return GateReport(
        outcome="passed",
        exit_code=0,
        warning=False,
        policy="default",
        n_items=1,
        n_scored=1,
        n_groups=1,
        pass_rate=1.0,
        conditions=(),
        graders=(),
        items=(),
        reasons=(),
    )


def test_the_summary_of_a_github_job_is_appended_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, report: GateReport
) -> None:
    shared = tmp_path / "summary.md"
    shared.write_text("# an earlier step", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shared))
    _write_summary(tmp_path / "." / "summary.md", report)
    text = shared.read_text(encoding="utf-8")
    assert text.startswith("# an earlier step\n## Gate passed\n")


def test_any_other_summary_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, report: GateReport
) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("old", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    _write_summary(mine, report)
    assert mine.read_text(encoding="utf-8").startswith("## Gate passed\n")
    assert not (tmp_path / "summary.md").exists()


@pytest.mark.parametrize("more", [[], ["--json"]])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_a_store_failure(more: list[str]) -> None:
    code = "from judgekit.cli.output import print_text, emit_json, only_json\n"
    run = (
        "import sys, judgekit.cli.main as m, typer\n"
        f"{code}app = typer.Typer()\napp.callback()(lambda: None)\n"
        "@app.command('act')\ndef act(json: bool = False) -> int:\n"
        "    emit_json({}) if json else print_text('x')\n    return 0\n"
        "m.build_app = lambda: app\nm.main()\n"
    )
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", run, "act", *more],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert "cannot be written to stdout" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_closed_pipe_leaves_no_traceback(more: list[str]) -> None:
    command = [sys.executable, "-m", "judgekit", "calibrate", "--labels", "none", *more]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_reader_that_is_gone_is_no_rejection(more: list[str]) -> None:
    run = (
        "import judgekit.cli.main as m, typer\n"
        "from judgekit.cli.output import print_text, emit_json\n"
        "app = typer.Typer()\napp.callback()(lambda: None)\n"
        "@app.command('act')\ndef act(json: bool = False) -> int:\n"
        "    emit_json({}) if json else print_text('x')\n    return 0\n"
        "m.build_app = lambda: app\nm.main()\n"
    )
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", run, "act", *more]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (5, "")
