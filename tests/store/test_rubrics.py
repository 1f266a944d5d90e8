"""Rubric files load into records, and the schema for editors agrees with them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from judgekit.store.rubrics import builtin_rubrics, load_rubric, rubric_json_schema


def test_the_built_in_rubric_judges_task_completion_without_a_reference() -> None:
    rubric = load_rubric(builtin_rubrics() / "task_completion.yaml")
    assert rubric.name == "task_completion"
    assert rubric.shows == ("input", "output", "trial")
    assert rubric.abstain is True
    assert rubric.criterion_ids == (
        "goals_reached",
        "conditions_kept",
        "claims_borne_out",
        "nothing_unasked",
    )


def test_every_rubric_that_ships_loads_and_fits_the_schema() -> None:
    validator = jsonschema.Draft202012Validator(rubric_json_schema())
    paths = sorted(builtin_rubrics().glob("*.yaml"))
    assert paths
    for path in paths:
        assert load_rubric(path).name == path.stem
        assert list(validator.iter_errors(YAML(typ="safe", pure=True).load(path))) == []


def test_the_schema_is_valid_and_names_the_keys_of_the_file() -> None:
    schema = rubric_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert {"schema", "name", "criteria", "failure_modes", "pass_rule"} <= set(schema["properties"])
    assert schema["additionalProperties"] is False


def test_the_schema_file_beside_the_rubrics_is_current() -> None:
    written = (builtin_rubrics() / "rubric.schema.json").read_text(encoding="utf-8")
    assert json.loads(written) == rubric_json_schema()


@pytest.mark.parametrize("text", ["{at_least: 1}", "all", "critical"])
def test_every_pass_rule_can_be_written(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(
        f"name: r\ntask: T\npass_rule: {text}\n"
        "criteria: [{id: a, description: A, critical: true}, {id: b, description: B}]\n"
        "failure_modes: [{id: m, description: M}]\n"
    )
    assert load_rubric(path).passes(frozenset({"a"})) is (text != "all")
