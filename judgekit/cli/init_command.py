"""`judgekit init`: a commented workspace to start from; nothing is ever overwritten."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from judgekit.cli.options import AsJson
from judgekit.cli.output import emit_json, say
from judgekit.errors import UsageError

STARTER = Path(__file__).resolve().parent / "starter"
IGNORED = ".judgekit/\n"
BASE_LIMIT = 0.10
MOST_LENIENT = 0.30
CONFIDENCE, LOOKS = 0.95, 3


@dataclass(frozen=True, kw_only=True)
class Limits:  # not a Record: pydantic would load for every --help
    """The two limits that init writes, and the sentence that says where they come from."""

    false_pass: float
    false_fail: float
    sentence: str


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("init")(init_command)


def init_command(
    workspace: Annotated[
        Path, typer.Option("--workspace", help="The folder to write to; default: here.")
    ] = Path(),
    labels: Annotated[
        Path | None,
        typer.Option("--labels", help="Labels you have: warns where they are too few."),
    ] = None,
    cost_false_pass: Annotated[
        float | None,
        typer.Option("--cost-false-pass", help="Cost of one false pass, in any unit."),
    ] = None,
    cost_false_fail: Annotated[
        float | None,
        typer.Option("--cost-false-fail", help="Cost of one false fail, in the same unit."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Write a commented workspace that passes `judgekit doctor`. Nothing is overwritten."""
    refuse_overwriting(workspace)
    limits = limits_from_costs(
        _cost("false pass (the judge lets a bad output through)", cost_false_pass),
        _cost("false fail (the judge holds back a good output)", cost_false_fail),
    )
    warnings = unreachable(labels, limits) if labels else []
    written = write_starter(workspace, limits)
    if as_json:
        emit_json({"written": written, "limits": asdict(limits), "warnings": warnings})
    for warning in warnings:
        say(f"warning: {warning}")
    say(f"wrote {len(written)} files in {workspace.resolve()}")
    say(next_steps(workspace))
    return 0


def next_steps(root: Path) -> str:
    """Return what to do with the new workspace, with commands that work where the user stands."""
    here = root.resolve() == Path.cwd()
    enter = "" if here else f"`cd {shlex.quote(str(root))}`, "
    return (
        f"next: {enter}edit rubrics/my_rubric.yaml, replace the example items and labels in "
        "annotations/examples/ by your own, then `judgekit doctor`"
    )


def _cost(what: str, given: float | None) -> float | None:
    if given is None and sys.stdin.isatty() and sys.stderr.isatty():
        answer = typer.prompt(f"cost of one {what}, 0 = unknown", type=float, default=0, err=True)
        given = float(answer) or None
    if given is not None and not 0 < given < float("inf"):
        raise UsageError("a cost must be above 0", found=f"{given:g}", expected="such as 5")
    return given


def limits_from_costs(false_pass: float | None, false_fail: float | None) -> Limits:
    """Return a strict limit for the dearer error and a laxer one for the other.

    The laxer one is the strict one times the ratio of the costs, at most 0.30. It is a suggestion
    to start from and says so in the file.
    """
    if false_pass is None or false_fail is None:
        sentence = "Costs were not given: these limits are placeholders."
        return Limits(false_pass=BASE_LIMIT, false_fail=2 * BASE_LIMIT, sentence=sentence)
    lenient = min(BASE_LIMIT * max(false_pass / false_fail, false_fail / false_pass), MOST_LENIENT)
    lenient = round(lenient, 2)
    dearer_pass = false_pass >= false_fail
    return Limits(
        false_pass=BASE_LIMIT if dearer_pass else lenient,
        false_fail=lenient if dearer_pass else BASE_LIMIT,
        sentence=f"Suggested from costs {false_pass:g} and {false_fail:g}.",
    )


def unreachable(labels: Path, limits: Limits) -> list[str]:
    """Return one warning for each limit that these labels cannot reach even without an error.

    Raises:
        InputError: the label file cannot be read.
    """
    from judgekit.calibration.reference import reference_labels
    from judgekit.stats.planning import least_n_without_errors
    from judgekit.store.readers import read_labels

    found = reference_labels(read_labels(labels).labels, rule="auto")
    level = (1 - CONFIDENCE) / LOOKS
    warnings = []
    for answer, limit, name in (
        ("fail", limits.false_pass, "max_false_pass_rate"),
        ("pass", limits.false_fail, "max_false_fail_rate"),
    ):
        have = sum(reference.answer == answer for reference in found.references)
        need = least_n_without_errors(limit, level)
        if have < need:
            warnings.append(
                f"{name} {limit:g} cannot be reached: {have} human {answer} labels, and even a "
                f"judge without an error needs {need} on the holdout"
            )
    return warnings


def refuse_overwriting(root: Path) -> None:
    """Check that no file of the starter is there already.

    Raises:
        UsageError: one is; nothing was written.
    """
    there = [str(path) for path in _starter_files() if (root / path).exists()]
    if root.exists() and not root.is_dir():
        raise UsageError(f"{str(root)!r} is a file", expected="a folder")
    if there:
        raise UsageError(
            "a workspace is here already, and nothing of it is overwritten",
            where=str(root.resolve()),
            found=", ".join(there),
            mend="judgekit init --workspace <new folder>, or judgekit doctor to check this one",
        )


def _starter_files() -> list[Path]:
    return sorted(p.relative_to(STARTER) for p in STARTER.rglob("*") if p.is_file())


def write_starter(root: Path, limits: Limits) -> list[str]:
    """Write the starter files, and .gitignore where there is none; return their names."""
    from judgekit.store.files import atomic_write

    filled = {
        "@COSTS@": limits.sentence,
        "@FALSE_PASS@": f"{limits.false_pass:.2f}",
        "@FALSE_FAIL@": f"{limits.false_fail:.2f}",
    }
    written = []
    for path in _starter_files():
        text = (STARTER / path).read_text(encoding="utf-8")
        for mark, value in filled.items():
            text = text.replace(mark, value)
        atomic_write(root / path, text.encode("utf-8"))
        written.append(path.as_posix())
    if (root / ".gitignore").exists():
        say("add .judgekit/ to .gitignore: journal and cache lie there")
    else:
        atomic_write(root / ".gitignore", IGNORED.encode("utf-8"))
        written.append(".gitignore")
    return written
