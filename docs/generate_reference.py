"""Write the generated pages of docs/reference; `tests/docs` checks that they are current."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).resolve().parent / "reference"
_HEAD = "<!-- Written by docs/generate_reference.py; do not edit. -->\n"


def commands_page() -> str:
    """Return the page of all commands with their options."""
    import typer.main

    from judgekit.cli.main import build_app

    group: Any = typer.main.get_command(build_app())
    parts = [_HEAD, "# Commands\n", "Exit codes: [exit codes](exit-codes.md).\n"]
    for name, command in _commands(group):
        parts += [f"## judgekit {name}\n", f"{' '.join((command.help or '').split())}\n"]
        rows = [_option_row(parameter) for parameter in command.params]
        parts.append("\n".join(["| option | meaning |", "| --- | --- |", *rows]) + "\n")
    return "\n".join(parts)


def _commands(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


def _option_row(parameter: Any) -> str:
    names = [*parameter.opts, *getattr(parameter, "secondary_opts", [])]
    if parameter.param_type_name == "argument":
        names = [parameter.metavar or parameter.name]
    text = " ".join((getattr(parameter, "help", None) or "").split())
    needed = " Required." if parameter.required else ""
    return f"| `{', '.join(names)}` | {text}{needed} |".replace(" |  |", " | |")


def rubric_page() -> str:
    """Return the page of all rubric fields."""
    from judgekit.model.rubric import AtLeast, Criterion, Example, FailureMode, Rubric

    parts = [_HEAD, "# Rubric fields\n"]
    for model in (Rubric, Criterion, FailureMode, AtLeast, Example):
        parts += [f"## {model.__name__}\n", f"{' '.join((model.__doc__ or '').split())}\n"]
        rows = ["| field | default |", "| --- | --- |"]
        for name, field in model.model_fields.items():
            default = "required" if field.is_required() else f"`{field.default!r}`"
            rows.append(f"| `{field.alias or name}` | {default} |")
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def pages() -> dict[Path, str]:
    """Return every generated page by its path."""
    return {REFERENCE / "commands.md": commands_page(), REFERENCE / "rubric.md": rubric_page()}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
