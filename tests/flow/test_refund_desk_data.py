"""The example dataset is what its dataset.yaml and the README say it is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from judgekit.model.item import Item
from judgekit.model.label import Label

ROOT = Path(__file__).resolve().parents[2]
WHO = ("ana", "lead")
DESK = ROOT / "annotations" / "refund_desk"


def items_of(name: str) -> list[Item]:
    lines = (DESK / name).read_text("utf-8").splitlines()
    return [Item.model_validate_json(line) for line in lines]


def truth() -> dict[str, str]:
    lines = (DESK / "labels.jsonl").read_text("utf-8").splitlines()
    labels = [Label.model_validate_json(line) for line in lines]
    first = {label.item_id: str(label.label) for label in labels if label.annotator == "ana"}
    return first | {
        label.item_id: str(label.label) for label in labels if label.annotator == "lead"
    }


def test_the_generator_writes_the_committed_files_byte_by_byte() -> None:
    done = subprocess.run(
        [sys.executable, str(DESK / "make_items.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_dataset_is_large_enough_to_decide_on_the_holdout() -> None:
    items, right = items_of("items.jsonl"), truth()
    holdout = [item for item in items if item.split == "holdout"]
    answers = Counter(right[item.id] for item in holdout)
    assert len(items) >= 480
    assert len({item.group for item in items}) >= 120
    assert len(holdout) >= 240
    assert len({item.group for item in holdout}) >= 60
    assert answers["fail"] >= 110
    assert answers["pass"] >= 110


def test_no_conversation_is_divided_between_splits() -> None:
    splits: dict[str, set[str | None]] = {}
    for item in items_of("items.jsonl"):
        splits.setdefault(item.group_key, set()).add(item.split)
    assert all(len(found) == 1 for found in splits.values())


def test_nothing_in_an_item_tells_how_its_reply_was_built() -> None:
    modes = {"unsupported_promise", "missing_condition", "policy_contradicted", "empty_reply"}
    for item in items_of("items.jsonl"):
        assert set(item.metadata) == {"language"}
        assert not modes & set(json.dumps(item.model_dump(mode="json")).split('"'))


def test_every_label_is_marked_synthetic_or_is_a_synthetic_adjudication() -> None:
    for line in (DESK / "labels.jsonl").read_text("utf-8").splitlines():
        label = Label.model_validate_json(line)
        if label.origin != "synthetic":
            assert label.origin == "adjudicated"
            assert (label.note or "").startswith("synthetic adjudication")


def test_every_disagreement_of_the_two_annotators_is_adjudicated() -> None:
    by_item: dict[str, dict[str, str]] = {}
    for line in (DESK / "labels.jsonl").read_text("utf-8").splitlines():
        label = Label.model_validate_json(line)
        by_item.setdefault(label.item_id, {})[label.annotator] = str(label.label)
    disputed = [votes for votes in by_item.values() if votes["ana"] != votes["ben"]]
    assert 5 <= len(disputed) <= 40
    assert all("lead" in votes for votes in disputed)


@pytest.mark.parametrize("version", ["buggy", "fixed"])
def test_the_agent_outputs_are_fresh_cases(version: str) -> None:
    outputs = items_of(f"agent_{version}.jsonl")
    seen = {str(item.output) for item in items_of("items.jsonl")}
    assert 60 <= len(outputs) <= 90
    assert not any(item.id.startswith("case-") for item in outputs)
    assert sum(str(item.output) in seen for item in outputs) <= 5


def test_both_agents_answer_the_same_customers() -> None:
    buggy, fixed = items_of("agent_buggy.jsonl"), items_of("agent_fixed.jsonl")
    assert [(i.id, i.input) for i in buggy] == [(i.id, i.input) for i in fixed]
    assert any(a.output != b.output for a, b in zip(buggy, fixed, strict=True))
