from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from golden_records import BODY, golden
from pydantic import ValidationError

from judgekit.errors import InputError
from judgekit.model.golden import Golden, pointer, pointer_keys
from judgekit.store.goldens_file import dataset_goldens, goldens_text, read_goldens, write_goldens


def _written(tmp_path: Path, *lines: dict[str, Any] | str) -> Path:
    path = tmp_path / "goldens.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return path


def _refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_goldens(path)
    return str(caught.value)


def test_a_golden_comes_back_as_it_was_written_and_so_do_the_bytes(tmp_path: Path) -> None:
    """G1: what is saved is what is loaded, byte for byte."""
    path = tmp_path / "annotations" / "desk" / "goldens.jsonl"
    goldens = (golden(), golden(id="case-2", state=None))
    write_goldens(path, goldens)
    first = path.read_bytes()
    assert read_goldens(path) == goldens
    assert dataset_goldens(path.parent) == goldens
    write_goldens(path, reversed(read_goldens(path)))
    assert path.read_bytes() == first


def test_one_case_is_one_line_and_a_change_of_one_case_changes_one_line() -> None:
    """G2: lines are sorted by id, keys are sorted, and defaults are not written."""
    cases = [golden(id=name) for name in ("c", "a", "b")]
    before = goldens_text(cases).split("\n")
    after = goldens_text([*cases[:2], golden(id="b", scenario="hard")]).split("\n")
    assert [json.loads(line)["id"] for line in before[:-1]] == ["a", "b", "c"]
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False, True, True]
    line = json.loads(before[0])
    assert list(line) == sorted(line)
    assert line["fields"]["coupon"] == {"expect": "missing"}
    assert "context" not in line


def test_missing_null_and_empty_stay_three_different_things(tmp_path: Path) -> None:
    """G3: missing, null, empty text and nested null survive the file."""
    write_goldens(tmp_path / "goldens.jsonl", [golden()])
    fields = read_goldens(tmp_path / "goldens.jsonl")[0].fields
    assert (fields["coupon"].expect, fields["refused_because"].expect) == ("missing", "null")
    assert (fields["note"].expect, fields["note"].value) == ("value", "")
    assert fields["nested"].value == {"inner": None, "list": []}


@pytest.mark.parametrize(
    ("change", "field", "expected"),
    [
        ({"fields": {"a": {"valu": 1}}}, "fields.a.valu", "'value'"),
        ({"fields": {"a": {}}}, "fields.a", '"expect": "null"'),
        ({"fields": {"a": {"expect": "null", "value": 1}}}, "fields.a", "no value"),
        (
            {"fields": {"a": {"value": 1, "compare": {"kind": "text"}}}},
            "fields.a.compare",
            "a text was expected, not int",
        ),
        (
            {"fields": {"a": {"value": "x", "compare": {"kind": "pattern", "regex": "("}}}},
            "fields.a.compare",
            "not a regular expression",
        ),
        (
            {"fields": {"a": {"value": "x", "compare": {"kind": "txt"}}}},
            "fields.a.compare",
            "'txt'",
        ),
        ({"paths": {"P 1": {}}}, "paths", "pattern"),
        ({"paths": {"p1": {"match": "fuzzy"}}}, "paths.p1.match", "any_order"),
        ({"scenario": "easy"}, "scenario", "routine"),
        ({"state": {"rows": {}}}, "state.rows", "tables"),
        ({"unscored": [{"part": "tone", "status": "ambiguous", "reason": "x"}]}, "part", "pattern"),
        (
            {"unscored": [{"part": "/fields/note", "status": "ambiguous", "reason": "x"}]},
            "unscored",
            "a part without expectation",
        ),
        ({"redefined": [{"part": "/fields/tone", "reason": "x"}]}, "redefined", "once"),
        ({"reviewers": []}, "reviewers", "at least 1 item"),
        ({"surprise": 1}, "surprise", "one of fields"),
    ],
)
def test_a_wrong_line_is_named_by_file_line_field_found_and_expected(
    tmp_path: Path, change: dict[str, Any], field: str, expected: str
) -> None:
    """G4: the loader says file, line, field, found and expected."""
    good = json.loads(goldens_text([golden()]))
    text = _refusal(_written(tmp_path, good, {**good, "id": "case-2", **change}))
    assert f"{tmp_path / 'goldens.jsonl'}:2 " in text
    assert field in text.splitlines()[1]
    assert expected in text


@pytest.mark.parametrize("weight", [True, "2"])
def test_a_number_that_is_none_is_refused_before_the_hash_is_looked_at(
    tmp_path: Path, weight: object
) -> None:
    line = golden().as_line()
    line["fields"]["refused_because"]["weight"] = weight
    refusal = _refusal(_written(tmp_path, line))
    assert "goldens.jsonl:1 fields.refused_because.weight" in refusal
    assert "a valid number" in refusal


def test_broken_json_and_an_id_given_twice_name_their_line(tmp_path: Path) -> None:
    """G4: faults of the file itself are line-precise too."""
    good = json.loads(goldens_text([golden()]))
    text = _refusal(_written(tmp_path, good, "{broken", good))
    assert "2 rows of 'goldens.jsonl' are refused" in text
    assert "line 2" in text
    assert "line 3: id: found 'case-1', which line 1 has too" in text


def test_a_line_that_was_edited_by_hand_no_longer_fits_its_hash(tmp_path: Path) -> None:
    """G5: a golden is what was approved; an edited line is refused with the way to mend it."""
    good = json.loads(goldens_text([golden()]))
    good["fields"]["amount"]["value"] = 99.0
    text = _refusal(_written(tmp_path, good))
    assert "goldens.jsonl:1 hash" in text
    assert "proposed and approved again" in text


def test_the_hash_covers_what_is_scored_and_not_who_reviewed_it() -> None:
    """G5: other reviewers, the same hash; another weight, another hash."""
    assert golden(reviewers=["eve", "dan"], source={}).hash == golden().hash
    heavier = {**BODY["fields"], "note": {"value": "", "weight": 2.0}}
    assert golden(fields=heavier).hash != golden().hash


@pytest.mark.parametrize("approver", ["ann", "bob"])
def test_neither_the_proposer_nor_an_expert_is_the_approver(approver: str) -> None:
    """G9: the record itself refuses them."""
    with pytest.raises(ValidationError, match="neither proposer nor reviewer"):
        golden(approver=approver)


def test_a_path_in_dispute_takes_the_tool_calls_out_of_scoring() -> None:
    """G8: an undecided path would make a right agent wrong, so none is compared."""
    assert golden().scores_paths
    open_path = {"part": "/paths/p3", "status": "ambiguous", "reason": "the experts differ"}
    open_argument = {**open_path, "part": "/paths/p1/calls/1/arguments/order"}
    assert not golden(unscored=[open_path]).scores_paths
    assert golden(unscored=[open_argument]).scores_paths
    assert not golden(paths={}).scores_paths


def test_a_dataset_without_goldens_has_none(tmp_path: Path) -> None:
    assert dataset_goldens(tmp_path) == ()


def test_a_pointer_names_its_keys_whatever_is_in_them() -> None:
    keys = ["state", "files", "a/b~c.txt", "content"]
    assert pointer_keys(pointer(*keys)) == keys
    assert isinstance(golden(), Golden)
