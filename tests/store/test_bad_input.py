"""Every bad input gives one clear error with file, line, key, what was found and expected."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from bad_files import refused, write

from judgekit.errors import StoreFailed
from judgekit.store.files import append_line, atomic_write
from judgekit.store.formats import rows
from judgekit.store.readers import read_items, read_labels, read_rows
from judgekit.store.recorded import read_verdicts

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
