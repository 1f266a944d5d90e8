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
from judgekit.cli.main import command_files, run_cli
from judgekit.cli.output import clean, command_ci, emit_json, print_text, say
from judgekit.errors import NotRun, StoreFailed

ROOT = Path(__file__).parents[2]


def app_that(does: Callable[[], object]) -> Callable[[], typer.Typer]:
    app = typer.Typer()
    app.callback()(lambda: None)

    @app.command("act")
    def act(as_json: bool = typer.Option(False, "--json")) -> object:
        return does()

    return lambda: app


def raise_(error: BaseException) -> Callable[[], object]:
    def act() -> object:
        raise error

    return act


@pytest.mark.parametrize(
    ("does", "code"),
    [
        (lambda: None, 0),
        (lambda: 3, 3),
        (raise_(typer.Exit(4)), 4),
        (raise_(StoreFailed("disk full")), 5),
        (raise_(NotRun("no key")), 6),
        (raise_(KeyboardInterrupt()), 130),
        (raise_(ZeroDivisionError("oops")), 70),
    ],
)
def test_what_a_command_does_becomes_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, does: Callable[[], object], code: int
) -> None:
    monkeypatch.setattr(main_module, "build_app", app_that(does))
    assert run_cli(["act"]) == code


def test_an_error_names_everything_on_stderr_and_is_an_object_under_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = StoreFailed("disk full", where="a\x1b[31mb", mend="free space")
    monkeypatch.setattr(main_module, "build_app", app_that(raise_(error)))
    assert run_cli(["act", "--json"]) == 5
    said = capsys.readouterr()
    assert said.err == "error: disk full\n  where: a[31mb\n  mend: free space\n"
    assert json.loads(said.out) == {
        "schema": 1,
        "error": {
            "type": "StoreFailed",
            "message": "disk full",
            "where": "a\x1b[31mb",
            "mend": "free space",
            "exit_code": 5,
        },
    }


def test_an_interrupted_command_is_an_object_under_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(main_module, "build_app", app_that(raise_(KeyboardInterrupt())))
    assert run_cli(["act", "--json"]) == 130
    assert json.loads(capsys.readouterr().out)["error"]["type"] == "Interrupted"


def test_a_bug_says_how_to_report_it_and_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(main_module, "build_app", app_that(raise_(ZeroDivisionError("oops"))))
    run_cli(["act"])
    said = capsys.readouterr()
    assert "a bug in judgekit (ZeroDivisionError: oops)" in said.err
    assert "JUDGEKIT_TRACEBACK=1" in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["run", "--nonsense"], ["run", "--limit", "x"]]
)
def test_bad_usage_is_2_and_points_to_the_help_page(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(arguments) == 2
    assert "--help" in capsys.readouterr().err


def test_no_arguments_print_the_help_page_and_are_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli([]) == 2
    assert "Usage: judgekit" in capsys.readouterr().err


def test_every_command_file_is_registered_and_in_the_help_page(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_cli(["--help"]) == 0
    page = capsys.readouterr().out
    assert {"judgekit.cli.run_command", "judgekit.cli.show_command"} <= set(command_files())
    assert page.index("\n  run ") < page.index("\n  show ")


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["--version"]) == 0
    assert capsys.readouterr().out.startswith("judgekit 0")


def test_text_for_a_terminal_loses_what_could_steer_it() -> None:
    assert clean("a\x1b]0;x\x07\u202eb\x9b31m\tc\nd") == "a]0;xb31m\tc\nd"


def test_json_output_carries_a_schema_and_refuses_nan(capsys: pytest.CaptureFixture[str]) -> None:
    emit_json({"a": "é"})
    assert json.loads(capsys.readouterr().out) == {"schema": 1, "a": "é"}
    with pytest.raises(ValueError):
        emit_json({"a": float("nan")})


def test_the_help_page_loads_no_records() -> None:
    code = (
        "import sys\nfrom judgekit.cli.main import run_cli\nrun_cli(['--help'])\n"
        "sys.exit('pydantic' in sys.modules)"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    found = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True)
    assert (found.returncode, found.stderr) == (0, b"")


@pytest.mark.parametrize("out", [say, print_text])
def test_no_text_can_command_the_runner_of_github_actions(
    out: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "a::b\n::error::x\n \t ::stop-commands::y\n::\x1b::z\nc ##[error]d"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    out(text)
    said = "".join(capsys.readouterr())
    assert said == "a::b\n: :error::x\n \t : :stop-commands::y\n: :::z\nc ## [error]d\n"
    monkeypatch.delenv("GITHUB_ACTIONS")
    out("::error::x")
    assert "".join(capsys.readouterr()) == "::error::x\n"


def test_a_command_of_ours_reaches_the_runner(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    command_ci("::error::gate failed")
    assert capsys.readouterr().out == "::error::gate failed\n"
