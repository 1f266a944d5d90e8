"""Trials read one by one, as often as they are asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgekit.errors import InputError
from judgekit.model.trial import Trial
from judgekit.store.trial_mapping import ForeignFile, TrialMapping
from judgekit.store.trials_file import TrialsFile, read_trials


def written(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_the_trials_come_in_the_order_of_the_file_each_time(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", {"case_id": "b"}, {"case_id": "a"})
    file = TrialsFile(path)
    assert tuple(file) == tuple(file) == (Trial(case_id="b"), Trial(case_id="a"))


def test_the_first_trial_comes_before_the_rest_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", {"case_id": "a"}, {"case_id": 1})
    assert next(iter(TrialsFile(path))).case_id == "a"


def test_after_a_refused_line_no_trial_comes_and_each_refused_line_is_named(tmp_path: Path) -> None:
    rows = ({"case_id": "a"}, {"case_id": 1}, {"case_id": "b"}, {"case_id": "a"})
    file = iter(TrialsFile(written(tmp_path / "t.jsonl", *rows)))
    assert next(file).case_id == "a"
    with pytest.raises(InputError, match=r"2 rows of .* are refused") as error:
        next(file)
    assert "line 2" in str(error.value.found)
    assert "line 4" in str(error.value.found)


def test_a_file_that_changed_between_two_readings_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", {"case_id": "a"})
    own, foreign = TrialsFile(path), ForeignFile(path, TrialMapping(case="trial.case_id"))
    assert len(tuple(own)) == len(tuple(foreign)) == 1
    written(path, {"case_id": "a"}, {"case_id": "b"})
    for file in (own, foreign):
        with pytest.raises(InputError, match="changed while it was read"):
            tuple(file)
    assert len(read_trials(path)) == 2


def test_cases_of_a_foreign_file_are_known_before_its_trials_are_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", {"task": "b"}, {"task": "a"}, {"task": "b"})
    file = ForeignFile(path, TrialMapping(case="trial.task"))
    assert [case.id for case in file.cases] == ["b", "a"]
    assert [trial.key for trial in file] == [("b", 0), ("a", 0), ("b", 1)]
    assert [case.id for case in file.cases] == ["b", "a"]


@pytest.mark.parametrize(
    ("fields", "where", "found", "expected"),
    [
        ({"number": True}, "number", "true", "a valid integer"),
        ({"number": "1"}, "number", "'1'", "a valid integer"),
        ({"cost_usd": "1"}, "cost_usd", "'1'", "a valid number"),
        ({"outcome": 1}, "outcome", "1", "a valid boolean"),
        (
            {"model_calls": [{"usage": {"input_tokens": True}}]},
            "model_calls[0].usage.input_tokens",
            "true",
            "a valid integer",
        ),
    ],
)
def test_a_number_that_is_none_is_refused_with_its_place(
    tmp_path: Path, fields: dict[str, object], where: str, found: str, expected: str
) -> None:
    path = written(tmp_path / "t.jsonl", {"case_id": "a", **fields})
    with pytest.raises(InputError) as error:
        read_trials(path)
    facts = error.value
    assert (facts.where, facts.found, facts.expected) == (f"{path}:1 {where}", found, expected)


def test_the_cells_of_a_csv_file_are_read_for_what_they_stand_for(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("case_id,number,cost_usd,outcome\na,1,0.5,true\n", "utf-8")
    (own,) = read_trials(path)
    assert own == Trial(case_id="a", number=1, cost_usd=0.5, outcome=True)
    mapping = TrialMapping(case="trial.case_id", number="trial.number", cost_usd="trial.cost_usd")
    (foreign,) = ForeignFile(path, mapping)
    assert foreign == Trial(case_id="a", number=1, cost_usd=0.5)
