"""Goldens and scoring rules as a grader of `judgekit run` and `judgekit gate`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import run_cli
from judgekit.errors import InputError, UsageError
from judgekit.model.golden import Golden
from judgekit.model.item import Item
from judgekit.model.verdict import Verdict
from judgekit.scorers.base import Scorer
from judgekit.store.goldens_file import write_goldens

RULES = "schema: 1\nname: desk\nfields: {eur: {compare: {kind: number, absolute: 0.01}}}\n"
SETTINGS = """\
schema: 1
dataset: desk
graders:
  right:
    provider: scorer
    kind: scorer
    function: golden
    settings: {goldens: annotations/desk/goldens.jsonl, rules: desk}
policies:
  default:
    max_false_pass_rate: 0.1
    split: all
    gate: {min_pass_rate: 0.9}
gate: {policy: default, scorers: [right], judges: []}
"""


def golden(name: str, eur: float | None = 5.0) -> Golden:
    people = {"reviewers": ["a", "b"], "proposer": "p", "approver": "q"}
    fields = {} if eur is None else {"eur": {"value": eur}}
    return Golden.sealed({"schema": 1, "id": name, "fields": fields, **people})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "annotations" / "desk"
    folder.mkdir(parents=True)
    (tmp_path / "scoring").mkdir()
    (tmp_path / "scoring/desk.yaml").write_text(RULES)
    (tmp_path / "judgekit.yaml").write_text(SETTINGS)
    write_goldens(folder / "goldens.jsonl", [golden("one"), golden("bare", None)])
    items = [
        {"id": "one", "trial": {"final": {"eur": 5.004}}},
        *({"id": f"w{n}", "trial": {"case_id": "one", "final": {"eur": 6}}} for n in range(30)),
    ]
    (folder / "items.jsonl").write_text("\n".join(map(json.dumps, items)) + "\n")
    return tmp_path


def grader(root: Path, **options: Any) -> Scorer:
    given = {"goldens": "annotations/desk/goldens.jsonl", "rules": "desk", **options}
    return Scorer("right", "golden", given, root=root)


def verdict(root: Path, **options: Any) -> Verdict:
    item = Item.model_validate(options)
    return asyncio.run(grader(root, failure_mode="wrong_amount").grade(item))


@pytest.mark.parametrize(
    "item",
    [
        {"id": "one", "trial": {"final": {"eur": 5.0}}},
        {"id": "x", "trial": {"final": {"eur": 5.0}, "case_id": "one"}},
        {"id": "x", "trial": {"final": {"eur": 5.0}}, "metadata": {"case": "one"}},
    ],
)
def test_the_case_is_named_by_the_trial_the_metadata_or_the_id(root: Path, item) -> None:
    assert verdict(root, **item).passed is True


def test_a_wrong_trial_fails_with_the_cause_and_the_failure_mode(root: Path) -> None:
    found = verdict(root, id="one", trial={"final": {"eur": 6}})
    assert (found.passed, found.failure_mode) == (False, "wrong_amount")
    assert found.reason is not None
    assert found.reason.startswith("eur: 6 is not 5.0")


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        ({"case_id": "bare"}, "nothing is expected"),
        ({"case_id": "one", "ending": "infrastructure", "error": "x"}, "no fault of the agent"),
    ],
)
def test_what_cannot_be_decided_is_no_answer(root: Path, trial, words) -> None:
    found = verdict(root, id="x", trial=trial)
    assert (found.status, found.passed) == ("abstained", None)
    assert words in (found.reason or "")


@pytest.mark.parametrize(
    ("item", "words"),
    [({"id": "one"}, "has no trial"), ({"id": "x", "trial": {}}, "which has no golden")],
)
def test_an_item_without_a_trial_or_a_case_is_a_failed_grading(root: Path, item, words) -> None:
    found = verdict(root, **item)
    assert (found.status, found.kind) == ("failed", "grader")
    assert words in (found.reason or "")


def test_the_fingerprint_covers_the_goldens_and_the_rules(root: Path) -> None:
    first = grader(root).fingerprint
    assert {"goldens", "rules"} <= first.components.keys()
    assert grader(root).fingerprint == first
    write_goldens(root / "annotations/desk/goldens.jsonl", [golden("one", 7.0)])
    second = grader(root).fingerprint
    assert first.changed(second.components) == ("goldens",)
    (root / "scoring/desk.yaml").write_text(RULES.replace("0.01", "0.1"))
    assert second.changed(grader(root).fingerprint.components) == ("rules",)


def test_wrong_options_and_missing_files_are_told_before_the_first_item(root: Path) -> None:
    with pytest.raises(UsageError, match="do not fit"):
        Scorer("right", "golden", {}, root=root)
    with pytest.raises(UsageError, match="do not fit"):
        grader(root, chosen=None)
    with pytest.raises(InputError, match="nowhere"):
        grader(root, goldens="nowhere.jsonl")
    with pytest.raises(InputError, match="no scoring rules called 'other'"):
        grader(root, rules="other")
    (root / "own.yaml").write_text(RULES)
    assert grader(root, rules="./own.yaml")


def test_run_grades_items_with_their_trials(root: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(root)
    assert run_cli(["run", "--grader", "right", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["grader"], one["scored"]) for one in found["graders"]] == [("right", 31)]


def test_the_gate_fails_a_change_that_breaks_a_case(root: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(root)
    code = run_cli(["gate", "--items", "annotations/desk/items.jsonl"])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert code == 1, captured
    assert "1 of 31 passed" in captured.out
    assert "item w7: failed by right" in captured.out
