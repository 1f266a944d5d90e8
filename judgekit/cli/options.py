"""Options that many commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

WorkspacePath = Annotated[
    Path | None,
    typer.Option(
        "--workspace", help="The folder with judgekit.yaml; default: here, or the nearest above."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
