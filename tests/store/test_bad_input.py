"""Every bad input gives one clear error with file, line, key, what was found and expected."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from judgekit.errors import InputError, RubricError, StoreFailed
from judgekit.store.dataset import load_dataset
from judgekit.store.files import append_line, atomic_write
from judgekit.store.formats import rows, yaml_file
from judgekit.store.mapping import load_mapping, parse_pass_if
from judgekit.store.readers import read_items, read_labels, read_rows
from judgekit.store.recorded import read_verdicts
from judgekit.store.rubrics import load_rubric
from judgekit.store.workspace import find_workspace, load_settings

GOOD = b'{"id": "a", "output": "x"}\n'

ROWS: dict[str, tuple[bytes, int, str]] = {
    "broken JSON": (b'{"id": "b"', 2, "broken JSON"),
    "two objects on a line": (b'{"id": "b"} {"id": "c"}', 2, "broken JSON"),
    "NaN": (b'{"id": "b", "metadata": {"n": NaN}}', 2, "NaN"),
    "Infinity": (b'{"id": "b", "metadata": {"n": -Infinity}}', 2, "-Infinity"),
    "a number beyond any float": (b'{"id": "b", "metadata": {"n": 1e999}}', 2, "1e999"),
    "a number of 5000 digits": (
        b'{"id": "b", "metadata": {"n": ' + b"9" * 5000 + b"}}",
        2,
        "digits",
    ),
    "nesting without end": (b'{"id": ' + b"[" * 100_000 + b"}", 2, "nested too deeply"),
    "a duplicate JSON key": (b'{"id": "b", "id": "c"}', 2, "the key 'id' twice"),
    "a duplicate nested key": (b'{"id": "b", "metadata": {"k": 1, "k": 2}}', 2, "'k' twice"),
    "an array": (b'["b"]', 2, "a JSON array"),
    "a bare string": (b'"b"', 2, "a JSON string"),
    "a lone surrogate": (b'{"id": "b", "output": "\\ud800"}', 2, "lone surrogate"),
    "a NUL byte": (b'{"id": "b\0"}', 2, "NUL"),
    "an unknown key": (b'{"id": "b", "outptu": "x"}', 2, "the key 'outptu'"),
    "a missing id": (b'{"output": "x"}', 2, "nothing"),
    "an empty id": (b'{"id": ""}', 2, "''"),
    "an id that is null": (b'{"id": null}', 2, "null"),
    "a wrong type": (b'{"id": "b", "output": ["x"]}', 2, "['x']"),
    "an unknown split": (b'{"id": "b", "split": "test"}', 2, "'test'"),
    "an unknown trial key": (b'{"id": "b", "trial": {"steps": []}}', 2, "the key 'steps'"),
    "a duplicate id": (b'{"id": "a"}', 2, "'a', which line 1 has too"),
}


def write(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(call: Callable[[], object], kind: type[InputError] = InputError) -> InputError:
    with pytest.raises(kind) as caught:
        call()
    return caught.value


@pytest.mark.parametrize("name", ROWS)
def test_a_bad_row_is_named_by_file_and_line(tmp_path: Path, name: str) -> None:
    row, line, found = ROWS[name]
    path = write(tmp_path / "items.jsonl", GOOD + row + b"\n")
    error = refused(lambda: read_items(path))
    assert error.where is not None
    assert error.where.startswith(f"{path}:{line}")
    assert found in str(error.found)
    assert error.expected
    assert error.exit_code == 2


def test_an_unknown_key_is_answered_with_the_nearest_known_one(tmp_path: Path) -> None:
    path = write(tmp_path / "items.jsonl", '{"id": "b", "outptu": "x"}')
    error = refused(lambda: read_items(path))
    assert (error.where, error.expected) == (f"{path}:1 outptu", "'output' or 'output_2'")


def test_a_wrong_type_names_both_types_that_would_do(tmp_path: Path) -> None:
    path = write(tmp_path / "items.jsonl", '{"id": "b", "input": ["x"]}')
    error = refused(lambda: read_items(path))
    assert error.expected == "a valid string or a valid dictionary"


def test_every_refused_row_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "items.jsonl", '{"id": 1.5}\n{"id": "b"}\nnope\n')
    error = refused(lambda: read_items(path))
    assert error.message == "2 rows of 'items.jsonl' are refused"
    assert str(error.found).splitlines()[0].startswith("line 1: id: found 1.5, expected")
    assert error.where == f"{path}:1 id"
    assert str(error.found).splitlines()[1].strip().startswith("line 3: found broken JSON")


def test_rows_refused_for_one_reason_say_it_once_and_the_first_twenty_in_full(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "verdicts.jsonl", '{"item_id": "a", "label": "tie"}\n' * 25)
    error = refused(lambda: read_verdicts(path))
    lines = [line.strip() for line in str(error.found).splitlines()]
    assert lines[1] == "line 2: label: found 'tie'"
    assert (len(lines), lines[-1]) == (21, "and 5 more")


@pytest.mark.parametrize(
    ("content", "found", "encoding"),
    [
        (GOOD + '{"id": "é"}'.encode("latin-1"), "byte 0xe9 at column 9", "ISO-8859-1"),
        ('{"id": "a"}'.encode("utf-16"), "UTF-16", "UTF-16"),
        ('\ufeff{"id": "a"}'.encode("utf-16-be"), "UTF-16", "UTF-16"),
    ],
)
def test_another_encoding_is_named_with_the_command_that_mends_it(
    tmp_path: Path, content: bytes, found: str, encoding: str
) -> None:
    path = write(tmp_path / "items.jsonl", content)
    error = refused(lambda: read_items(path))
    assert (error.found, error.expected) == (found, "UTF-8")
    assert error.mend is not None
    assert f"iconv -f {encoding} -t UTF-8" in error.mend


def test_utf_16_without_a_mark_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "items.jsonl", '{"id": "a"}\n'.encode("utf-16-le"))
    assert "NUL" in str(refused(lambda: read_items(path)).found)


@pytest.mark.parametrize("content", [b"", b"\n \n\t\r\n\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("read", [read_items, read_labels, read_verdicts])
def test_a_file_without_rows_is_refused(
    tmp_path: Path, content: bytes, read: Callable[[Path], object]
) -> None:
    path = write(tmp_path / "rows.jsonl", content)
    error = refused(lambda: read(path))
    assert (error.where, error.found) == (str(path), "no row")


def test_a_line_beyond_the_limit_is_refused_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_LINE_BYTES", 1024 * 1024)
    long = b'{"id": "b", "output": "' + b"x" * 1024 * 1024 + b'"}\n'
    path = write(tmp_path / "items.jsonl", GOOD + long + b'{"id": "c"}\n')
    found = list(rows.scan_rows(path))
    assert found[1] == rows.Refusal(line=2, found="a longer line", expected="at most 1 MiB")
    assert found[2] == (3, {"id": "c"})


def test_a_csv_line_beyond_the_limit_ends_the_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_LINE_BYTES", 1024)
    path = write(tmp_path / "labels.csv", "item_id,label\na," + "x" * 2000 + "\n")
    error = refused(lambda: read_labels(path))
    assert (error.where, error.found) == (f"{path}:2", "a longer line")


def test_a_long_last_line_without_an_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_LINE_BYTES", 100)
    path = write(tmp_path / "items.jsonl", GOOD + b"x" * 250)
    assert [entry.line for entry in rows.scan_rows(path) if isinstance(entry, rows.Refusal)] == [2]


def test_the_limit_of_a_line_is_32_mebibytes() -> None:
    assert rows.MAX_LINE_BYTES == 32 * 1024 * 1024


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    error = refused(lambda: read_items(tmp_path / "items.jsonl"))
    assert error.message == "there is no file 'items.jsonl'"


def test_a_folder_in_place_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").mkdir()
    error = refused(lambda: read_items(tmp_path / "items.jsonl"))
    assert (error.found, error.expected) == ("a folder", "a file")


def test_a_file_in_place_of_a_folder_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "file", b"")
    error = refused(lambda: read_items(path / "items.jsonl"))
    assert error.message == "'items.jsonl' cannot be read"
    assert error.found == "Not a directory"


def test_a_link_that_leads_to_itself_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.symlink_to(path)
    assert refused(lambda: read_items(path)).message == "'items.jsonl' cannot be read"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_cannot_be_read(tmp_path: Path) -> None:
    path = write(tmp_path / "items.jsonl", GOOD)
    path.chmod(0)
    assert refused(lambda: read_items(path)).found == "Permission denied"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreFailed, match="cannot be written"):
        atomic_write(tmp_path / "x", b"1")


@pytest.mark.parametrize("call", [lambda p: atomic_write(p, b"1"), lambda p: append_line(p, "1")])
def test_a_path_below_a_file_cannot_be_written(
    tmp_path: Path, call: Callable[[Path], None]
) -> None:
    path = write(tmp_path / "file", b"") / "x"
    with pytest.raises(StoreFailed) as caught:
        call(path)
    assert (caught.value.exit_code, caught.value.where) == (5, str(path))


def test_a_line_feed_cannot_be_appended_inside_a_line(tmp_path: Path) -> None:
    with pytest.raises(StoreFailed, match="line feed"):
        append_line(tmp_path / "x", "a\nb")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("name", ["items.json", "items.xlsx", "items"])
def test_an_unknown_suffix_is_refused_with_those_that_are_known(tmp_path: Path, name: str) -> None:
    error = refused(lambda: read_items(write(tmp_path / name, GOOD)))
    assert error.expected == ".csv, .jsonl, .ndjson, .parquet, .tsv"


@pytest.mark.parametrize(
    ("content", "where", "found"),
    [
        ("item_id,,label\na,b,pass\n", 1, "a column without a name"),
        ("item_id,label,label\na,b,pass\n", 1, "'label' twice"),
        ("item_id,label\na,pass\nb\n", 3, "1 cells"),
        ("item_id,label\na,pass,x\n", 2, "3 cells"),
        ('item_id,label\na,"pass\n', 2, "a broken row"),
        ('item_id,label\n"a"x,pass\n', 2, "a broken row"),
        ("a,pass\nb,fail\n", 2, "nothing"),
        ('item_id,"label\n', 1, "unexpected end of data"),
        ("item_id,label\na,pa\0ss\n", 2, None),
    ],
)
def test_a_bad_csv_is_named_by_line(
    tmp_path: Path, content: str, where: int, found: str | None
) -> None:
    path = write(tmp_path / "labels.csv", content)
    error = refused(lambda: read_labels(path))
    assert str(error.where).startswith(f"{path}:{where}")
    assert found is None or found in str(error.found)


def test_what_is_no_parquet_is_refused(tmp_path: Path) -> None:
    error = refused(lambda: read_labels(write(tmp_path / "labels.parquet", GOOD)))
    assert error.message == "'labels.parquet' is not a Parquet file that can be read"


def test_nan_in_a_parquet_file_is_refused(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "verdicts.parquet"
    table = pyarrow.table({"item_id": ["a", "b"], "score": [1.0, float("nan")]})
    parquet.write_table(table, path)
    error = refused(lambda: read_verdicts(path, pass_if=">= 1"))
    assert (error.where, error.found) == (f"{path}:2 score", "NaN or an infinity")


def test_read_rows_stops_at_the_first_bad_row(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", GOOD + b"nope\n")
    stream = read_rows(path)
    assert next(stream) == (1, {"id": "a", "output": "x"})
    assert str(refused(lambda: next(stream)).where) == f"{path}:2"


@pytest.mark.parametrize(
    ("row", "field", "found"),
    [
        ({"label": "pass"}, "item_id", "nothing"),
        ({"item_id": "a"}, "label", "nothing"),
        ({"item_id": "a", "label": ""}, "label", "an empty text"),
        ({"item_id": "a", "label": ["pass"]}, "label", "['pass']"),
        ({"item_id": "a", "label": "pass", "weight": 0}, "weight", "0"),
        ({"item_id": "a", "label": "pass", "origin": "alien"}, "origin", "'alien'"),
        ({"item_id": "a", "label": "pass", "labelled_at": "2026-01-01T10:00"}, "labelled_at", ""),
    ],
)
def test_a_bad_label_names_the_field(
    tmp_path: Path, row: dict[str, object], field: str, found: str
) -> None:
    path = write(tmp_path / "labels.jsonl", json.dumps(row))
    error = refused(lambda: read_labels(path))
    assert error.where == f"{path}:1 {field}"
    assert found in str(error.found)


def test_lenient_reading_counts_what_it_refuses(tmp_path: Path) -> None:
    path = write(tmp_path / "labels.jsonl", '{"item_id": "a", "label": "pass"}\n{"label": 1}\n')
    read = read_labels(path, lenient=True)
    assert [label.item_id for label in read.labels] == ["a"]
    assert [refusal.sentence() for refusal in read.refused] == [
        "line 2: item_id: found nothing, expected the key 'item_id'"
    ]


def test_lenient_reading_of_refused_rows_alone_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "labels.jsonl", "nope\n")
    assert refused(lambda: read_labels(path, lenient=True)).found == "1 refused rows"


VERDICTS = [
    ({"item_id": "a", "judge": "j", "label": "tie"}, {}, "label", "'tie'"),
    ({"item_id": "a", "judge": "j"}, {}, "label", "nothing"),
    ({"item_id": "a", "judge": "j", "score": 4}, {}, "score", "4.0"),
    ({"item_id": "a", "judge": "j", "score": "high"}, {"pass_if": ">= 4"}, "score", "'high'"),
    ({"item_id": "a", "judge": "j", "label": "pass", "regrade": -1}, {}, "regrade", "-1"),
    ({"judge": "j", "label": "pass"}, {}, "item_id", "nothing"),
]


@pytest.mark.parametrize(("row", "options", "field", "found"), VERDICTS)
def test_a_bad_recorded_verdict_names_the_field(
    tmp_path: Path, row: dict[str, object], options: dict[str, str], field: str, found: str
) -> None:
    path = write(tmp_path / "verdicts.jsonl", json.dumps(row))
    error = refused(lambda: read_verdicts(path, **options))  # type: ignore[arg-type]
    assert error.where == f"{path}:1 {field}"
    assert found in str(error.found)


def test_two_verdicts_of_one_judge_about_one_item_are_refused(tmp_path: Path) -> None:
    row = json.dumps({"item_id": "a", "judge": "j", "label": "pass"})
    path = write(tmp_path / "verdicts.jsonl", f"{row}\n{row}\n")
    assert refused(lambda: read_verdicts(path)).found == "'a' by 'j', as in line 1"


def test_a_judge_that_is_not_in_the_file_is_refused_with_those_that_are(tmp_path: Path) -> None:
    path = write(tmp_path / "verdicts.jsonl", '{"item_id": "a", "judge": "j", "label": "pass"}')
    error = refused(lambda: read_verdicts(path, judges=["k"]))
    assert (error.message, error.found) == ("'verdicts.jsonl' holds no verdict of 'k'", "j")


def test_lenient_reading_never_makes_a_category_a_pass(tmp_path: Path) -> None:
    rows_ = [{"item_id": "a", "label": "1"}, {"item_id": "b", "label": "2"}]
    path = write(tmp_path / "verdicts.jsonl", "\n".join(json.dumps(row) for row in rows_))
    error = refused(lambda: read_verdicts(path, lenient=True))
    assert "--positive" in str(error.expected)


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


def test_a_folder_without_a_workspace_is_answered_with_init(tmp_path: Path) -> None:
    error = refused(lambda: find_workspace(tmp_path))
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
