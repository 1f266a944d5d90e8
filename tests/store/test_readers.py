"""Items and labels are read from JSONL, CSV and Parquet as they are written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.model.trial import ToolCall, Trial
from judgekit.store.mapping import Mapping
from judgekit.store.readers import read_items, read_labels, read_rows


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("utf-8"))
    return path


def parquet_file(path: Path, columns: dict[str, list[object]]) -> Path:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), path)
    return path


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_line_ends_and_blank_lines_do_not_matter(tmp_path: Path, mark: str, end: str) -> None:
    text = mark + end.join(['{"id": "a"}', "", '{"id": "b"}'])
    assert read_items(write(tmp_path / "items.jsonl", text)) == (Item(id="a"), Item(id="b"))


def test_lines_end_at_a_line_feed_only(tmp_path: Path) -> None:
    text = '{"id": "a", "output": "one\u2028two\u2029three\u0085four"}\n{"id": "b"}\n'
    rows = list(read_rows(write(tmp_path / "items.jsonl", text)))
    assert rows == [
        (1, {"id": "a", "output": "one\u2028two\u2029three\u0085four"}),
        (2, {"id": "b"}),
    ]


def test_a_csv_cell_may_hold_line_separators_and_line_feeds(tmp_path: Path) -> None:
    text = 'id,output\r\na,"one\u2028two\r\nthree"\r\nb,x\r\n'
    rows = list(read_rows(write(tmp_path / "items.csv", text)))
    assert rows == [
        (2, {"id": "a", "output": "one\u2028two\r\nthree"}),
        (4, {"id": "b", "output": "x"}),
    ]


def test_pairs_of_surrogates_and_escaped_nul_are_text(tmp_path: Path) -> None:
    path = write(tmp_path / "items.jsonl", '{"id": "a", "output": "\\ud83d\\ude00\\u0000"}')
    assert read_items(path)[0].output == "😀\0"


def test_numbers_and_booleans_given_as_text_are_read_as_their_json(tmp_path: Path) -> None:
    path = write(tmp_path / "items.jsonl", '{"id": 7, "group": 3, "input": 1.5, "output": true}')
    assert read_items(path) == (Item(id="7", group="3", input="1.5", output="true"),)


def test_a_csv_of_items_may_hold_json_in_cells(tmp_path: Path) -> None:
    text = (
        "id,group,input,context,output,metadata,consequential\n"
        'a,g,[note] hello,[1] see,"{""reply"": ""x""}","{""n"": 1}",true\n'
    )
    assert read_items(write(tmp_path / "items.csv", text)) == (
        Item(
            id="a",
            group="g",
            input="[note] hello",
            context="[1] see",
            output={"reply": "x"},
            metadata={"n": 1},
            consequential=True,
        ),
    )


def test_parquet_nulls_are_absent_values(tmp_path: Path) -> None:
    columns: dict[str, list[object]] = {
        "id": ["a", "b"],
        "input": ["x", None],
        "output": ["y", "z"],
    }
    path = parquet_file(tmp_path / "items.parquet", columns)
    assert read_items(path) == (Item(id="a", input="x", output="y"), Item(id="b", output="z"))


def test_parquet_structs_and_lists_are_objects(tmp_path: Path) -> None:
    trial = {"tool_calls": [{"name": "refund", "error": None}], "error": None}
    columns: dict[str, list[object]] = {"id": ["a"], "trial": [trial], "metadata": [{"n": [1.5]}]}
    items = read_items(parquet_file(tmp_path / "items.parquet", columns))
    trial_read = Trial(tool_calls=(ToolCall(name="refund"),))
    assert items == (Item(id="a", trial=trial_read, metadata={"n": [1.5]}),)


def test_blank_rows_of_a_csv_are_skipped(tmp_path: Path) -> None:
    rows = list(read_rows(write(tmp_path / "x.csv", "id,output\n\na,x\n , \n")))
    assert rows == [(3, {"id": "a", "output": "x"})]


def test_parquet_times_are_read(tmp_path: Path) -> None:
    when = datetime(2026, 1, 2, tzinfo=UTC)
    columns: dict[str, list[object]] = {"item_id": ["a"], "label": ["pass"], "labelled_at": [when]}
    read = read_labels(parquet_file(tmp_path / "labels.parquet", columns))
    assert read.labels[0].labelled_at == when


def test_an_aliased_label_file_is_read_with_unknown_keys_kept_and_counted(tmp_path: Path) -> None:
    text = "id,human_label,judge_label,team\na,1,0,x\nb,0,0,y\n"
    read = read_labels(write(tmp_path / "both.csv", text))
    assert read.labels == (
        Label(item_id="a", annotator="human", label="1", extra=extra("0", "x"), line=2),
        Label(item_id="b", annotator="human", label="0", extra=extra("0", "y"), line=3),
    )
    assert read.extra_keys == {"judge_label": 2, "team": 2}


def extra(judge: str, team: str) -> dict[str, object]:
    return {"judge_label": judge, "team": team}


@pytest.mark.parametrize("name", ["label", "human", "human_label"])
def test_every_alias_of_a_human_label_is_read(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "labels.jsonl", f'{{"item_id": "a", "{name}": "fail"}}')
    assert read_labels(path).labels[0].label == "fail"


def test_the_judges_verdict_is_never_read_as_a_human_label(tmp_path: Path) -> None:
    path = write(tmp_path / "both.jsonl", '{"item_id": "a", "human": "fail", "verdict": "pass"}')
    assert read_labels(path).labels[0].label == "fail"


def test_gold_and_env_are_objective_by_default(tmp_path: Path) -> None:
    rows = [f'{{"item_id": "a", "annotator": "{n}", "label": "pass"}}' for n in ("gold", "ann")]
    read = read_labels(write(tmp_path / "labels.jsonl", "\n".join(rows)))
    assert [label.effective_origin for label in read.labels] == ["objective", "human"]


def test_evidence_may_be_one_text(tmp_path: Path) -> None:
    row = '{"item_id": "a", "label": "fail", "evidence": "free voucher", "failure_mode": "promise"}'
    label = read_labels(write(tmp_path / "labels.jsonl", row)).labels[0]
    assert (label.evidence, label.failure_mode) == (("free voucher",), "promise")


@pytest.mark.parametrize("value", ["3", "4.5", '"tie"', "true", '"Pass"'])
def test_a_label_stays_as_it_is_written(tmp_path: Path, value: str) -> None:
    import json

    path = write(tmp_path / "labels.jsonl", f'{{"item_id": "a", "label": {value}}}')
    label = read_labels(path).labels[0].label
    assert label == json.loads(value)
    assert type(label) is type(json.loads(value))


def test_a_mapping_leaves_out_ids_and_counts_them(tmp_path: Path) -> None:
    rows = [f'{{"item_id": "{n}", "label": "pass"}}' for n in ("real-1", "synth-1", "synth-2")]
    path = write(tmp_path / "labels.jsonl", "\n".join(rows))
    read = read_labels(path, mapping=Mapping(where={"id": "real-*"}))
    assert [label.item_id for label in read.labels] == ["real-1"]
    assert read.dropped == {"where": 2}


@pytest.mark.parametrize("read", [read_items, read_labels])
def test_the_three_formats_give_the_same_records(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    items = read is read_items
    key, other = ("id", "output") if items else ("item_id", "label")
    jsonl = write(tmp_path / "x.jsonl", f'{{"{key}": "a", "{other}": "fail"}}\n')
    table = write(tmp_path / "x.csv", f"{key},{other}\na,fail\n")
    tabs = write(tmp_path / "x.tsv", f"{key}\t{other}\na\tfail\n")
    columns = parquet_file(tmp_path / "x.parquet", {key: ["a"], other: ["fail"]})
    results = [read(path) for path in (jsonl, table, tabs, columns)]
    used = results if items else [result.labels for result in results]  # type: ignore[attr-defined]
    plain = [[record.model_dump() for record in records] for records in used]
    assert plain[0] == plain[1] == plain[2] == plain[3]
