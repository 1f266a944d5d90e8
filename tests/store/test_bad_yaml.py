"""Bad YAML files and datasets are refused with file, line, key, found and expected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bad_files import refused, write

from judgekit.errors import RubricError
from judgekit.store.dataset import load_dataset
from judgekit.store.formats import yaml_file
from judgekit.store.mapping import load_mapping, parse_pass_if
from judgekit.store.rubrics import load_rubric
from judgekit.store.workspace import find_workspace, load_settings

GOOD = b'{"id": "a", "output": "x"}\n'


RUBRIC = """schema: 1
name: tone
task: Judge the tone.
criteria:
  - id: polite
    description: It is polite.
failure_modes:
  - id: rude
    description: It is rude.
"""
RUBRICS = [
    (RUBRIC + "colour: red\n", 10, "colour", "the key 'colour'"),
    (
        RUBRIC.replace("description: It is p", "describtion: It is p"),
        6,
        "criteria[0].describtion",
        "the key",
    ),
    (RUBRIC.replace("id: rude", "id: Rude!"), 8, "failure_modes[0].id", "'Rude!'"),
    (
        RUBRIC.replace("failure_modes", "  - {id: polite, description: Twice.}\nfailure_modes"),
        1,
        "",
        "combination",
    ),
    (RUBRIC + "pass_rule: most\n", 10, "pass_rule", "'most'"),
    (RUBRIC + "pass_rule: {at_least: 0}\n", 10, "pass_rule.at_least", "0"),
    (RUBRIC + "pass_rule: {at_least: 2}\n", 1, "", "combination"),
    (RUBRIC + "pass_rule: critical\n", 1, "", "combination"),
    (RUBRIC + "shows: [inptu]\n", 10, "shows", "['inptu']"),
    (RUBRIC + "name: other\n", 10, "", "'name'"),
    (RUBRIC + "guidelines: 'open\n", 11, "", "end of stream"),
    (RUBRIC + "\tabstain: true\n", 10, "", "'\\t'"),
    (RUBRIC.replace("name: tone", "name: [tone]"), 2, "name", "['tone']"),
    (RUBRIC + "version: 1\n", 10, "version", "1"),
    (RUBRIC + "abstain: maybe\n", 10, "abstain", "'maybe'"),
    (RUBRIC + "evidence_min_ratio: 1.5\n", 10, "evidence_min_ratio", "1.5"),
    (RUBRIC.replace("schema: 1", "schema: 2"), 1, "schema", "2"),
    (RUBRIC.split("criteria:")[0] + "criteria: []\nfailure_modes: []\n", 4, "criteria", "[]"),
    ("", 1, "", "an empty file"),
    ("- a\n- b\n", 1, "", "list"),
    (RUBRIC + "guidelines: !!python/object:os.system x\n", 1, "", "python/object:os.system"),
    (RUBRIC + "guidelines: !shell {run: x}\n", 10, "", "the tag '!shell'"),
]


@pytest.mark.parametrize(("text", "line", "key", "found"), RUBRICS)
def test_a_bad_rubric_is_named_by_file_line_and_key(
    tmp_path: Path, text: str, line: int, key: str, found: str
) -> None:
    path = write(tmp_path / "tone.yaml", text)
    error = refused(lambda: load_rubric(path), RubricError)
    assert found in str(error.found)
    assert str(error.where).startswith(f"{path}:{line}" + (f" {key}" if key else ""))
    assert error.expected


def test_one_value_where_a_list_is_wanted_is_answered_with_a_list(tmp_path: Path) -> None:
    path = write(tmp_path / "tone.yaml", (RUBRIC + "shows: output\n").encode())
    with pytest.raises(RubricError) as caught:
        load_rubric(path)
    assert (caught.value.found, caught.value.expected) == ("'output'", "a list")


def test_aliases_cannot_multiply_a_yaml_file_without_end(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    error = refused(lambda: load_rubric(write(tmp_path / "x.yaml", "\n".join(lines))), RubricError)
    assert error.found == "aliases that unfold without end"


def test_a_rubric_in_latin_1_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "tone.yaml", RUBRIC.replace("polite.", "höflich.").encode("latin-1"))
    error = refused(lambda: load_rubric(path), RubricError)
    assert (error.where, error.found) == (f"{path}:6", "byte 0xf6")


def test_a_yaml_file_beyond_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_file, "MAX_BYTES", 1024 * 1024)
    path = write(tmp_path / "tone.yaml", RUBRIC + "#" * 1024 * 1024)
    assert refused(lambda: load_rubric(path), RubricError).expected == "at most 1 MiB"


@pytest.mark.parametrize(
    ("value", "found"),
    [("2026-01-01", "'2026-01-01'"), (".nan", "'nan'"), ("!!binary aGk=", ""), ("[" * 5000, "")],
)
def test_yaml_values_that_json_lacks_are_refused_as_numbers(
    tmp_path: Path, value: str, found: str
) -> None:
    path = write(tmp_path / "tone.yaml", RUBRIC + f"evidence_min_ratio: {value}\n")
    assert found in str(refused(lambda: load_rubric(path), RubricError).found)


def test_a_fault_that_came_through_a_merge_is_named_at_the_merging_key(tmp_path: Path) -> None:
    text = "graders:\n  a: &a {provider: x, reasks: -1}\n  b:\n    <<: *a\n    reasks: 0\n"
    path = write(tmp_path / "judgekit.yaml", text)
    assert refused(lambda: load_settings(path)).where == f"{path}:2 graders.a.reasks"
    path = write(
        path,
        text.replace("{provider: x, reasks: -1}", "{provider: x}") + "  c: {<<: *a, modl: 1}\n",
    )
    assert refused(lambda: load_settings(path)).where == f"{path}:6 graders.c.modl"


SETTINGS = [
    ("schema: 1\ngradres: {}\n", "2 gradres", "'graders'"),
    ("graders:\n  tone:\n    provider: x\n    modle: m\n", "4 graders.tone.modle", "'model'"),
    ("graders:\n  tone: {model: m}\n", "2 graders.tone.provider", "the key 'provider'"),
    ("graders:\n  tone: {provider: x, reasks: -1}\n", "2 graders.tone.reasks", "greater than"),
    ("graders:\n  tone: {provider: x, mode: magic}\n", "2 graders.tone.mode", "json_schema"),
    ("graders:\n  tone: {provider: x, endpoint: e}\n", "2 graders.tone.endpoint", "endpoints"),
    ("graders:\n  tone: {provider: python}\n", "2 graders.tone", "'function'"),
    ("graders:\n  tone: {provider: recorded}\n", "2 graders.tone", "'verdicts'"),
    ("policies:\n  p:\n    max_false_pass_rate: -0.1\n", "3 policies.p.max_false_pass_rate", "> 0"),
    ("policies:\n  p:\n    confidence: 95\n", "3 policies.p.confidence", "less than 1"),
    ("endpoints:\n  e: {requests_per_minute: -5}\n", "2 endpoints.e.requests_per_minute", "1"),
    ("endpoints:\n  e: {api_key: sk}\n", "2 endpoints.e.api_key", "'api_key_env'"),
    ("gate:\n  judges: [tone]\n", "2 gate.judges[0]", "graders"),
    ("gate:\n  policy: strict\n", "2 gate.policy", "policies"),
    ("prices:\n  m: {input_usd_per_million: -1, output_usd_per_million: 1}\n", "2 prices.m", "0"),
]


@pytest.mark.parametrize(("text", "where", "expected"), SETTINGS)
def test_a_bad_judgekit_yaml_is_named_by_line_and_key(
    tmp_path: Path, text: str, where: str, expected: str
) -> None:
    path = write(tmp_path / "judgekit.yaml", text)
    error = refused(lambda: load_settings(path))
    assert str(error.where).startswith(f"{path}:{where}")
    assert expected.replace("> 0", "greater than 0") in str(error.expected)


def test_a_folder_without_a_workspace_is_answered_with_init(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    error = refused(find_workspace)
    assert error.mend == "run `judgekit init`, or give --workspace"


DATASETS = [
    ("name: d\nsplits: {holdout: 0.7, train: 0.7}\n", "2 splits", "not 1.4"),
    ("name: d\nsplits: {}\n", "2 splits", "not 0"),
    ("name: d\nsplits: {holdout: -1}\n", "2 splits.holdout", "greater than or equal to 0"),
    ("name: d\nsplits: {test: 0.5}\n", "2 splits.test", "one of"),
    ("name: d\nsplits: [holdout]\n", "2 splits", "dictionary"),
    ("name: d\ndesign: convenient\n", "2 design", "pattern"),
    ("version: '1'\n", "1 name", "the key 'name'"),
]


@pytest.mark.parametrize(("text", "where", "expected"), DATASETS)
def test_a_bad_dataset_yaml_is_named_by_line_and_key(
    tmp_path: Path, text: str, where: str, expected: str
) -> None:
    write(tmp_path / "items.jsonl", GOOD)
    path = write(tmp_path / "dataset.yaml", text)
    error = refused(lambda: load_dataset(tmp_path))
    assert str(error.where).startswith(f"{path}:{where}")
    assert expected in str(error.expected)


def test_a_label_about_an_unknown_item_is_named_by_line(tmp_path: Path) -> None:
    write(tmp_path / "items.jsonl", GOOD)
    labels = '{"item_id": "a", "label": "pass"}\n\n{"item_id": "z", "label": "pass"}\n'
    path = write(tmp_path / "labels.jsonl", labels)
    error = refused(lambda: load_dataset(tmp_path))
    assert (error.where, error.found) == (f"{path}:3 item_id", "'z'")


def test_a_group_in_two_splits_is_refused(tmp_path: Path) -> None:
    rows_ = [{"id": n, "group": "g", "split": s} for n, s in (("a", "train"), ("b", "holdout"))]
    write(tmp_path / "items.jsonl", "\n".join(json.dumps(row) for row in rows_))
    error = refused(lambda: load_dataset(tmp_path))
    assert (error.message, error.found) == (
        "the group 'g' lies in two splits",
        "train and holdout",
    )


def test_items_in_two_formats_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "items.jsonl", GOOD)
    write(tmp_path / "items.csv", "id\na\n")
    assert refused(lambda: load_dataset(tmp_path)).found == "items.jsonl, items.csv"


def test_a_missing_dataset_folder_is_named(tmp_path: Path) -> None:
    error = refused(lambda: load_dataset(tmp_path / "nowhere"))
    assert error.message == "there is no dataset folder 'nowhere'"


def test_an_unknown_split_is_answered_with_those_there_are(tmp_path: Path) -> None:
    write(tmp_path / "items.jsonl", GOOD)
    error = refused(lambda: load_dataset(tmp_path).items_of("test"))
    assert error.expected == "train, development, holdout"


@pytest.mark.parametrize(
    ("text", "where", "expected"),
    [
        ("pass_if: at least 4\n", "1 pass_if", ">= 4"),
        ("pass_if: '>= four'\n", "1 pass_if", ">= 4"),
        ("refrence: mean\n", "1 refrence", "'reference'"),
        ("name: m\nwhere: {colour: red}\n", "2 where", "metadata.<key>"),
        ("criterion: [a, b]\n", "1 criterion", "dictionary"),
    ],
)
def test_a_bad_mapping_is_named_by_line_and_key(
    tmp_path: Path, text: str, where: str, expected: str
) -> None:
    path = write(tmp_path / "map.yaml", text)
    error = refused(lambda: load_mapping(path))
    assert error.where == f"{path}:{where}"
    assert expected in str(error.expected)


@pytest.mark.parametrize("text", ["", "4", ">= x", ">= 4; import os", "=> 4", ">= nan"])
def test_a_pass_rule_that_is_no_comparison_is_refused(text: str) -> None:
    assert refused(lambda: parse_pass_if(text)).found == repr(text)
