"""Options that many commands share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgekit.errors import UsageError

if TYPE_CHECKING:
    from pydantic import ValidationError

WorkspacePath = Annotated[
    Path | None,
    typer.Option(
        "--workspace", help="The folder with judgekit.yaml; default: here, or the nearest above."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def picked(names: Iterable[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of these names, as the command was given them."""
    return {name: given[name] for name in names if name in given}


def flag(name: str) -> str:
    """Return the option of a parameter: `max_false_pass_rate` is `--max-false-pass-rate`."""
    return "--" + name.strip("_").replace("_", "-")


def unusable_value(error: ValidationError) -> UsageError:
    """Return the error for the first option whose value a record refused."""
    problem = error.errors()[0]
    return UsageError(
        f"the value of {flag(str(problem['loc'][0]))} cannot be used",
        found=str(problem.get("input")),
        expected=problem["msg"],
    )
