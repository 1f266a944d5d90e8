"""Foreign recordings of trials through a mapping: what is read, and what is refused by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import InputError
from judgekit.store.trial_mapping import (
    ForeignTrials,
    TrialMapping,
    load_trial_mapping,
    read_foreign_trials,
)

MAPPING = {
    "case": "trial.task",
    "messages": "trial.messages",
    "tool_calls": "trial.calls",
    "final": "trial.answer",
    "outcome": "trial.reward",
    "success": 1.0,
    "expected_calls": {"at": "trial.expected"},
    "tool_error": "Error",
}
ROW: dict[str, Any] = {
    "task": "t1",
    "messages": [
        {"role": "human", "content": [{"type": "text", "text": "Refund it."}]},
        {"role": "ai", "tool_calls": [{"id": "1", "function": {"name": "pay", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "Error: closed"},
    ],
    "calls": [{"name": "pay", "arguments": {}}],
    "answer": {"eur": 5},
    "reward": 1.0,
    "expected": [{"name": "pay", "arguments": {"eur": 5, "note": None}}],
}


def read(folder: Path, *rows: dict[str, Any], **mapping: Any) -> ForeignTrials:
    path = folder / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return read_foreign_trials(
        path, TrialMapping.model_validate({"schema": 1, **MAPPING, **mapping})
    )


def test_messages_calls_results_and_expectations_are_read(tmp_path: Path) -> None:
    found = read(tmp_path, ROW)
    (trial,), (case,) = found.trials, found.cases
    assert [message.role for message in trial.messages] == ["user", "assistant", "tool"]
    assert trial.messages[0].content == "Refund it."
    assert (trial.tool_calls[0].name, trial.tool_calls[0].error) == ("pay", "Error: closed")
    assert (trial.final, trial.outcome, trial.number) == ({"eur": 5}, True, 0)
    (call,) = case.paths["expected"].calls
    assert {key: one.wanted for key, one in call.arguments.items()} == {"eur": 5, "note": None}


def test_rows_of_one_case_are_counted_and_the_case_is_one(tmp_path: Path) -> None:
    found = read(tmp_path, ROW, ROW, {**ROW, "task": "t2"})
    assert [(one.case_id, one.number) for one in found.trials] == [("t1", 0), ("t1", 1), ("t2", 0)]
    assert [case.id for case in found.cases] == ["t1", "t2"]


def test_calls_may_be_names_only_and_an_answer_may_be_a_text(tmp_path: Path) -> None:
    row = {**ROW, "calls": ["pay", "look"], "expected": ["pay"], "answer": "Done."}
    found = read(tmp_path, row)
    assert [call.name for call in found.trials[0].tool_calls] == ["pay", "look"]
    assert found.trials[0].final == {"output": "Done."}


def test_arguments_that_are_no_json_are_kept_as_the_agents_fault(tmp_path: Path) -> None:
    (trial,) = read(tmp_path, {**ROW, "calls": [{"name": "pay", "arguments": "{eur: 5"}]}).trials
    assert "no JSON" in (trial.tool_calls[0].malformed or "")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"task": None}, "a text or whole number names the case"),
        ({"task": ""}, "names the case"),
        ({"messages": "hello"}, "trial.messages: a list of objects"),
        ({"messages": [1]}, "trial.messages: a list of objects"),
        ({"messages": [{"role": "robot"}]}, "role"),
        ({"calls": [{}]}, "a call without the name of a tool"),
        ({"calls": {"name": "pay"}}, "trial.calls: a list"),
        ({"calls": [5]}, "trial.calls: a list"),
        ({"expected": [{"arguments": {}}]}, "a call without the name"),
        ({"expected": [{"name": "pay", "arguments": "{"}]}, "an expected call of pay"),
        ({"reward": "good"}, "is no number"),
        ({"reward": [1]}, "is no number"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_with_its_line(tmp_path: Path, change, words) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, ROW, {**ROW, "task": "t2", **change})
    shown = str(caught.value) + str(vars(caught.value))
    assert words in shown
    assert "2" in shown


@pytest.mark.parametrize("number", [None, "one", -1, 1.5, True, [1]])
def test_a_number_of_a_trial_is_whole(tmp_path: Path, number) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, {**ROW, "n": number}, number="trial.n")
    assert "whole number" in str(vars(caught.value))


def test_one_trial_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, {**ROW, "n": 1}, {**ROW, "n": 1}, number="trial.n")
    assert "has trial 1 on line 1 already" in str(vars(caught.value))


def test_two_rows_of_a_case_that_expect_different_things_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, ROW, {**ROW, "expected": []})
    assert "expects something else than on an earlier line" in str(vars(caught.value))


@pytest.mark.parametrize(
    ("value", "outcome"),
    [(True, True), ("pass", True), ("FAILED", False), (1, True), (0, False), (None, None)],
)
def test_outcomes_are_read_in_the_usual_words(tmp_path: Path, value, outcome) -> None:
    (trial,) = read(tmp_path, {**ROW, "reward": value}, success=None).trials
    assert trial.outcome is outcome


def test_an_outcome_in_other_words_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, {**ROW, "reward": "so-so"}, success=None)
    assert "neither pass nor fail" in str(vars(caught.value))


def test_a_mapping_with_an_unknown_key_or_root_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mapping.yaml"
    for line, words in (("cases: x", "cases"), ("group: task", "begins with trial. or item.")):
        path.write_text(f"schema: 1\ncase: trial.task\n{line}\n")
        with pytest.raises(InputError) as caught:
            load_trial_mapping(path)
        assert words in str(caught.value) + str(vars(caught.value))
        assert "mapping.yaml:3" in str(vars(caught.value))
