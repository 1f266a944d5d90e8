"""Real answers labelled on the real page: two annotators replayed, adjudicated, released, used."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from adjudicate_page import decide as decide_case
from adjudicate_page import open_case
from app_server import AppServer
from browser_driver import Visitor
from label_page import decide, open_label
from seed_full import release
from seed_store import PLAIN, open_store, until
from sklearn.metrics import cohen_kappa_score

from judgekit.model.release import Release
from judgekit.stats.agreement import cohen_kappa
from judgekit.stats.confusion import Confusion
from judgekit.store.dataset import read_manifest
from judgekit.store.label_files.project_source import open_project
from judgekit.store.workspace import find_workspace

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "openqa_nq301"
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.exists(), reason="../shared/data is absent"),
]
COUNT, DIFFERING = 60, 10
PROJECT = "openqa"
SETTINGS = """\
schema: 1
dataset: openqa
label:
  people:
    a1: {roles: [annotator]}
    a2: {roles: [annotator]}
    ada: {roles: [adjudicator]}
    lea: {roles: [lead]}
"""
RUBRIC = """\
schema: 1
name: openqa
task: Decide whether the answer to the question is correct.
shows: [input, reference, output]
criteria: [{id: correct_answer, description: The answer is correct.}]
failure_modes: [{id: wrong, description: The answer is wrong.}]
"""


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def people() -> dict[str, dict[str, str]]:
    """What a1, a2 and gold said about sixty items, ten of which a1 and a2 differ on."""
    said: dict[str, dict[str, str]] = {}
    for row in _rows("labels.jsonl"):
        said.setdefault(row["item_id"], {})[row["annotator"]] = row["label"]
    whole = {item: who for item, who in said.items() if {"a1", "a2", "gold"} <= set(who)}
    differ = [item for item, who in whole.items() if who["a1"] != who["a2"]][:DIFFERING]
    agree = [item for item, who in whole.items() if who["a1"] == who["a2"]]
    kept = differ + agree[:: len(agree) // (COUNT - DIFFERING)][: COUNT - DIFFERING]
    return {item: whole[item] for item in kept}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, people: dict[str, dict[str, str]]) -> Path:
    folder = tmp_path_factory.mktemp("openqa")
    dataset = folder / "annotations" / PROJECT
    (dataset / "verdicts").mkdir(parents=True)
    (folder / "rubrics").mkdir()
    (folder / "judgekit.yaml").write_text(SETTINGS, encoding="utf-8")
    (folder / "rubrics" / "openqa.yaml").write_text(RUBRIC, encoding="utf-8")
    (dataset / "dataset.yaml").write_text("schema: 1\nname: openqa\ndesign: random\n")
    items = [row for row in _rows("items.jsonl") if row["id"] in people]
    verdicts = [
        row
        for row in _rows("verdicts.jsonl")
        if row["item_id"] in people and row["judge"] == "gpt4-eval"
    ]
    for path, rows in (("items.jsonl", items), ("verdicts/gpt4-eval.jsonl", verdicts)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (dataset / path).write_text(text, encoding="utf-8")
    with open_store(folder) as store:
        open_project(
            store, find_workspace(folder), dataset=PROJECT, rubric="openqa", actor="lea",
            settings=PLAIN,
        )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def test_sixty_real_items_from_two_annotators_to_a_calibrated_judge(
    visit: Callable[..., Visitor], workspace: Path, people: dict[str, dict[str, str]]
) -> None:
    """Acceptance F."""
    for annotator in ("a1", "a2"):
        _replay(visit(), annotator, people)
    _adjudicate(visit(), people)
    release(workspace)

    released = read_manifest(workspace / "annotations" / PROJECT).releases[-1]
    _agree_like_the_library(released, people)
    report = _calibrated(workspace)
    counts = _expected_counts(people)
    assert report["confusion"] == counts
    assert report["n_pairs"] == sum(counts.values())


def _replay(visitor: Visitor, annotator: str, people: dict[str, dict[str, str]]) -> None:
    shown = open_label(visitor, annotator)
    for _ in people:
        label = people[shown["item"]][annotator]
        shown = decide(visitor, *(("p",) if label == "pass" else ("f", "1")))
    assert shown["item"] == ""


def _adjudicate(visitor: Visitor, people: dict[str, dict[str, str]]) -> None:
    shown = open_case(visitor, "ada")
    for _ in range(DIFFERING):
        gold = people[shown["item"]]["gold"]
        first = visitor.seen_text(".st-key-answer-a").lower()
        shown = decide_case(visitor, "1" if gold in first else "2", "s")
    until(lambda: visitor.probe()["item"] == "", "all cases to be decided")


def _agree_like_the_library(released: Release, people: dict[str, dict[str, str]]) -> None:
    first = [who["a1"] for who in people.values()]
    second = [who["a2"] for who in people.values()]
    kappa = released.agreement["_overall"].kappa.value
    assert released.agreement["_overall"].n_pairs == COUNT
    assert kappa == pytest.approx(cohen_kappa(Confusion.of(zip(first, second, strict=True))).value)
    assert kappa == pytest.approx(cohen_kappa_score(first, second))


def _calibrated(workspace: Path) -> dict[str, Any]:
    dataset = workspace / "annotations" / PROJECT
    command = [sys.executable, "-m", "judgekit", "calibrate", "--judge", "gpt4-eval", "--json"]
    for option in ("items", "labels", "verdicts/gpt4-eval"):
        command += [f"--{option.partition('/')[0]}", str(dataset / f"{option}.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def _expected_counts(people: dict[str, dict[str, str]]) -> dict[str, int]:
    counts = dict.fromkeys((f"human_{h}_judge_{j}" for h in _SIDES for j in _SIDES), 0)
    for row in _rows("verdicts.jsonl"):
        if row["item_id"] in people and row["judge"] == "gpt4-eval" and row["label"] in _SIDES:
            who = people[row["item_id"]]
            human = who["a1"] if who["a1"] == who["a2"] else who["gold"]
            counts[f"human_{human}_judge_{row['label']}"] += 1
    return counts


_SIDES = ("pass", "fail")
