"""Options that many commands share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

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
