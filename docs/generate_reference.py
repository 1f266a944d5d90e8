"""Write the generated pages of docs/reference; `tests/docs` checks that they are current."""

from __future__ import annotations

import inspect
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


COMPARATORS = """# Comparators

How one value is compared with another: `compare:` of a field, an argument or a column, in
`scoring/<name>.yaml` or beside an expected value in a golden. A kind alone (`compare: text`) or a
kind with options (`compare: {kind: number, absolute: 0.01}`). Why code compares first, and what a
score is made of: [scoring](../concepts/scoring.md).

Whatever the kind:

- The answer is `match`, `mismatch` or `undecided`. Undecided (a date with two readings, say) is
  neither right nor wrong, and nothing is guessed.
- Missing, null and empty are three things. Missing and null match only themselves, whatever the
  comparator (`json_schema` alone takes null as a value). A field rule may join them:
  `null_is_missing`, `empty_is_missing`.
- A found value that is not of the kind is a mismatch. An expected value that is not is refused when
  the golden is read; one that only the scoring rules make unreadable is undecided.
- Credit is 1 for a match and 0 for a mismatch, but for lists with `partial`; None where undecided.
- A readable value matches itself, and no JSON value makes a comparison fail. The order of two
  readable values does not count, but for `number` with `relative` (the expected value sets the
  room), `pattern` and `json_schema` (the expected value is not looked at) and `custom` (up to the
  function). `tests/model/comparators` checks all of this on random values.

A kind of one's own is a class in a package with the entry point group `judgekit.comparators`; one
comparison of one's own is `custom`.
"""


def comparators_page() -> str:
    """Return the page of all comparators with their options."""
    from judgekit.model.comparators.catalog import comparators

    parts = [_HEAD, COMPARATORS]
    for name in sorted(comparators()):
        kind = comparators().get(name)
        prose, _, example = inspect.cleandoc(kind.__doc__ or "").partition("\n\nExample:\n")
        rows = [_field_row(field.alias or key, field) for key, field in kind.model_fields.items()]
        table = ["| option | default |", "| --- | --- |", *rows[1:]]
        parts += [f"## {name}\n", f"{prose}\n"]
        parts += ["\n".join(table) + "\n"] if rows[1:] else []
        imported = f">>> from {kind.__module__} import {kind.__name__}"
        shown = f"```pycon\n{imported}\n{inspect.cleandoc(example)}\n```\n"
        parts += [shown] if example else []
    return "\n".join(parts)


def _field_row(name: str, field: Any) -> str:
    default = field.get_default(call_default_factory=True)
    shown = default.model_dump()["kind"] if hasattr(default, "model_dump") else repr(default)
    return f"| `{name}` | {'required' if field.is_required() else f'`{shown}`'} |"


def pages() -> dict[Path, str]:
    """Return every generated page by its path."""
    return {
        REFERENCE / "commands.md": commands_page(),
        REFERENCE / "comparators.md": comparators_page(),
        REFERENCE / "rubric.md": rubric_page(),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
