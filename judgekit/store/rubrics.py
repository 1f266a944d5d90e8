"""Rubric files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from judgekit.errors import RubricError
from judgekit.model.rubric import Rubric
from judgekit.store.formats.yaml_file import load_yaml


def load_rubric(path: Path) -> Rubric:
    """Return the rubric in a YAML file.

    Raises:
        RubricError: the YAML is broken or a key is unknown, missing, repeated or wrong; `where`
            is file:line and key.
        InputError: there is no such file.
    """
    return load_yaml(path, Rubric, error=RubricError)


def rubric_json_schema() -> dict[str, Any]:
    """Return the JSON schema of rubric files, for editors (`rubrics/rubric.schema.json`)."""
    schema = Rubric.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def builtin_rubrics() -> Path:
    """Return the folder of the rubrics that come with judgekit."""
    package = Path(__file__).resolve().parent.parent
    bundled = package / "_bundled" / "rubrics"
    return bundled if bundled.is_dir() else package.parent / "rubrics"
