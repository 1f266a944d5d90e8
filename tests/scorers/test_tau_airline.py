"""120 recorded trials of tau-bench (airline): every flag of the reference, trial by trial.

`reference.json` was computed without judgekit (its README.md says how): canonical JSON of names and
arguments, sorted keys, no coercion of types.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import run_cli
from judgekit.model.trial_score import TrialScore
from judgekit.scorers.trajectory.calls import call_key, calls_of
from judgekit.scorers.trajectory.matching import match_calls
from judgekit.scorers.trial_scoring import score_trial
from judgekit.store.scoring_rules import load_scoring_rules
from judgekit.store.trial_mapping import (
    ForeignTrials,
    load_trial_mapping,
    read_foreign_trials,
)

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "tau_airline_gpt4o"
MAPPING = ROOT / "tests" / "data" / "mappings" / "tau_airline.yaml"
RULES = ROOT / "tests" / "data" / "scoring" / "tau_airline.yaml"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data/tau_airline_gpt4o is absent"),
]


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / "reference.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    lines = (DATA / "trajectories.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def foreign() -> ForeignTrials:
    mapping = load_trial_mapping(MAPPING)
    return read_foreign_trials(DATA / "trajectories.jsonl", mapping, items=DATA / "items.jsonl")


@pytest.fixture(scope="module")
def scores(foreign: ForeignTrials) -> list[TrialScore]:
    cases, rules = {case.id: case for case in foreign.cases}, load_scoring_rules(RULES)
    return [score_trial(cases[str(trial.case_id)], trial, rules) for trial in foreign.trials]


def flags(score: TrialScore) -> dict[str, bool]:
    path = score.path
    assert path is not None
    assert path.writes is not None
    return {
        "exact": path.calls.exact.passed,
        "in_order": path.calls.in_order.passed,
        "any_order": path.calls.any_order.passed,
        "names_in_order": path.names.in_order.passed,
        "names_any_order": path.names.any_order.passed,
        "writes_exact": path.writes.exact.passed,
        "writes_any_order_equal": path.writes.same_calls,
    }


def test_every_flag_of_every_trial_is_that_of_the_reference(
    scores: list[TrialScore], rows: list[dict[str, Any]], reference: dict[str, Any]
) -> None:
    expected = reference["tool_match_per_item"]
    assert len(scores) == len(rows) == len(expected) == 120
    for row, score in zip(rows, scores, strict=True):
        wanted = expected[row["item_id"]]
        assert flags(score) == {name: wanted[name] for name in flags(score)}, row["item_id"]
        assert score.path is not None
        counts = score.path.calls.exact
        assert (counts.n_expected, counts.n_called) == (wanted["n_expected"], wanted["n_actual"])
        assert score.outcome is (wanted["reward"] == 1.0)


def test_in_order_passes_exactly_where_its_recall_is_one(scores: list[TrialScore]) -> None:
    for score in scores:
        assert score.path is not None
        match = score.path.calls.in_order
        assert match.passed is (match.recall is None or match.recall == 1)


def test_the_shares_over_all_trials_are_those_of_the_reference(
    scores: list[TrialScore], reference: dict[str, Any]
) -> None:
    whole = Counter(name for score in scores for name, passed in flags(score).items() if passed)
    for name in flags(scores[0]):
        assert whole[name] / 120 == pytest.approx(reference["tool_match_aggregate"][name], abs=1e-6)


def test_equal_calls_are_counted_as_in_the_reference(
    foreign: ForeignTrials, rows: list[dict[str, Any]], reference: dict[str, Any]
) -> None:
    for row, trial in zip(rows, foreign.trials, strict=True):
        wanted = reference["tool_match_per_item"][row["item_id"]]
        counts = Counter(map(call_key, calls_of(trial)))
        assert max(counts.values(), default=0) == wanted["max_identical_calls"], row["item_id"]


def test_more_than_two_equal_calls_are_a_fault_and_no_others_are(
    scores: list[TrialScore], rows: list[dict[str, Any]], reference: dict[str, Any]
) -> None:
    expected = reference["tool_match_per_item"]
    for row, score in zip(rows, scores, strict=True):
        kinds = {fault.kind for fault in score.faults}
        often = expected[row["item_id"]]["max_identical_calls"] > 2
        assert bool(kinds & {"repeated_call", "loop"}) is often, row["item_id"]


def test_calls_compared_without_a_mapping_give_the_same_flags(
    rows: list[dict[str, Any]], reference: dict[str, Any]
) -> None:
    """The second way through: `match_calls` on the raw rows, by canonical JSON."""
    lines = (DATA / "items.jsonl").read_text(encoding="utf-8").splitlines()
    items = {item["id"]: item for item in map(json.loads, lines)}
    for row in rows:
        wanted = reference["tool_match_per_item"][row["item_id"]]
        expected = items[row["item_id"]]["reference"]["expected_actions"]
        for mode in ("exact", "in_order", "any_order"):
            assert match_calls(row["tool_calls"], expected, mode).passed is wanted[mode]
        for mode in ("in_order", "any_order"):
            named = match_calls(row["tool_calls"], expected, mode, what="names")
            assert named.passed is wanted[f"names_{mode}"]


def test_the_command_line_gives_the_same_flags(
    capsys: pytest.CaptureFixture[str], rows: list[dict[str, Any]], reference: dict[str, Any]
) -> None:
    options = ["--trials", str(DATA / "trajectories.jsonl"), "--items", str(DATA / "items.jsonl")]
    rules = ["--mapping", str(MAPPING), "--rules", str(RULES)]
    assert run_cli(["score", *options, *rules, "--json", "--explain"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["n_cases"], report["n_trials"], report["undecided"]) == (30, 120, 0)
    assert report["correct"]["value"] == pytest.approx(reference["pass^1"])
    for row, trial in zip(rows, report["trials"], strict=True):
        wanted = reference["tool_match_per_item"][row["item_id"]]
        for mode in ("exact", "in_order", "any_order"):
            assert trial["path"]["calls"][mode]["passed"] is wanted[mode]
    passed = {(one["what"], one["mode"]): one["passed"]["value"] for one in report["modes"]}
    shares = reference["tool_match_aggregate"]
    assert passed["calls", "any_order"] == pytest.approx(shares["any_order"], abs=1e-6)
    assert passed["names", "any_order"] == pytest.approx(shares["names_any_order"], abs=1e-6)
    assert passed["writes", "exact"] == pytest.approx(shares["writes_exact"], abs=1e-6)
