"""`judgekit demo`: the whole path on the example workspace, offline, in a scratch copy."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgekit.cli.options import AsJson
from judgekit.cli.output import emit_json, print_text, say

if TYPE_CHECKING:
    from judgekit.cli.demo_steps import Step

DEVIATED = 1


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    out: Annotated[
        Path | None, typer.Option("--out", help="A new or empty folder; default: a temporary one.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Calibrate, approve and gate on a synthetic example. No key, no network, under 3 minutes."""
    from judgekit.cli.demo_workspace import copy_example

    began = time.monotonic()
    root = copy_example(out)
    say(f"scratch copy of the example workspace: {root}")
    steps = []
    for step in _steps(root):
        steps.append(step)
        if not as_json:
            print_text(step_text(len(steps), step))
    code = 0 if all(step.as_expected for step in steps) else DEVIATED
    if as_json:
        emit_json(demo_object(root, steps, code))
    if code:
        titles = ", ".join(repr(step.title) for step in steps if not step.as_expected)
        say(f"the demo went otherwise than it should in: {titles}")
    else:
        say("every exit code above is as meant: 1 says no, 4 that an approval does not hold")
    say(f"done in {time.monotonic() - began:.0f} s; the workspace stays in {root}")
    return code


def _steps(root: Path) -> Iterator[Step]:
    from judgekit.cli import demo_decisions as decisions
    from judgekit.cli import demo_steps as first

    opening: tuple[Callable[[Path], Step], ...] = (
        first.show_configuration,
        first.judge_live,
        first.run_rules,
    )
    for make in opening:
        yield make(root)
    calibrated = decisions.calibrate_all(root)
    yield calibrated
    yield decisions.approve_earned(root, calibrated)
    yield decisions.gate_versions(root)
    yield decisions.change_one_word(root)
    yield decisions.write_report(root, calibrated)


def step_text(number: int, step: Step) -> str:
    """Return one step for a reader: the title, the commands with exit codes, what came of it."""
    lines = [f"{number}. {step.title}"]
    lines += [f"   $ {ran.line}   -> exit {ran.exit_code}" for ran in step.ran]
    lines += [f"   {line}" for line in step.lines]
    return "\n".join(lines) + "\n"


def demo_object(root: Path, steps: list[Step], code: int) -> dict[str, Any]:
    """Return what `--json` prints."""
    from judgekit.cli.demo_decisions import REPORT

    return {
        "workspace": str(root),
        "report": str(root / REPORT),
        "exit_code": code,
        "steps": [
            {
                "title": step.title,
                "as_expected": step.as_expected,
                "lines": list(step.lines),
                "commands": [{"command": r.line, "exit_code": r.exit_code} for r in step.ran],
            }
            for step in steps
        ],
    }
