"""Find and read scoring rules: `scoring/<name>.yaml` of a workspace, or a file."""

from __future__ import annotations

from pathlib import Path

from judgekit.errors import InputError
from judgekit.model.scoring import ScoringRules
from judgekit.store.formats.yaml_file import load_yaml

SCORING_FOLDER = "scoring"


def load_scoring_rules(path: Path) -> ScoringRules:
    """Return the rules in a YAML file.

    Raises:
        InputError: the file is missing, a key is unknown or a value is wrong; says file:line, key.
    """
    found = load_yaml(path, ScoringRules)
    if found.sources:
        raise InputError(
            "`sources` is filled in from the code and cannot be written",
            where=str(path),
            mend="leave `sources` out",
        )
    return found


def scoring_rules(root: Path | None, name: str | None) -> ScoringRules:
    """Return the rules called `name`, or in the file `name`; without a name the plain rules.

    The plain rules compare every field exactly and every path as its golden says.

    Raises:
        InputError: there are no such rules; says which there are.
    """
    if name is None:
        return ScoringRules.model_validate({"schema": 1, "name": "plain"})
    if name.endswith((".yaml", ".yml")) or "/" in name:
        return load_scoring_rules(Path(name))
    folder = None if root is None else root / SCORING_FOLDER
    path = None if folder is None else folder / f"{name}.yaml"
    if path is None or not path.is_file():
        known = sorted(found.stem for found in folder.glob("*.yaml")) if folder else []
        raise InputError(
            f"there are no scoring rules called {name!r}",
            where=str(path or "no workspace"),
            expected=", ".join(known) or f"a file {SCORING_FOLDER}/{name}.yaml",
            mend="give the path of a YAML file",
        )
    return load_scoring_rules(path)
