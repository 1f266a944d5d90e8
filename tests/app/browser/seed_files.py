"""A workspace for the browser checks: one rubric, one dataset, people of every role.

Everything that an annotator must not see carries a canary: a word that occurs nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

DATASET = "desk"
RUBRIC = "desk_reply"
JUDGE = "zzjudgecanary"
OTHER_JUDGE = "zzotherjudge"
MODEL = "zzmodelcanary"
RATIONALE = "zzrationalecanary"
SCORE = "0.987654321"
SECRETS = (JUDGE, OTHER_JUDGE, MODEL, RATIONALE, SCORE)

PEOPLE: dict[str, list[str]] = {
    "ann": ["annotator"],
    "bob": ["annotator"],
    "cyd": ["annotator"],
    "ada": ["adjudicator"],
    "abe": ["adjudicator"],
    "eve": ["engineer"],
    "lea": ["lead"],
    "leo": ["lead"],
}

_RUBRIC = """\
schema: 1
name: desk_reply
version: "1"
title: Reply of the desk
task: Decide whether the reply may be sent.
shows: [input, output]
pass_rule: all
criteria:
  - id: correct
    description: The reply is right.
  - id: polite
    description: The reply is polite.
failure_modes:
  - id: wrong_fact
    description: A fact is wrong.
  - id: rude
    description: The reply is rude.
  - id: empty
    description: The reply says nothing.
guidelines: Read the question first. Then read the reply, and decide.
"""

_DATASET = """\
schema: 1
name: desk
version: "1"
source: written for the tests of the app
licence: Apache-2.0
synthetic: true
guideline: desk-1
splits: {development: 0.4, holdout: 0.6}
design: random
"""


def write_workspace(
    folder: Path,
    items: Iterable[Mapping[str, Any]],
    *,
    settings: str = "",
    people: Mapping[str, list[str]] = PEOPLE,
) -> Path:
    """Write a workspace with `items` and canary verdicts on each; return `folder`."""
    rows = list(items)
    dataset = folder / "annotations" / DATASET
    (dataset / "verdicts").mkdir(parents=True)
    (folder / "rubrics").mkdir()
    (folder / "judgekit.yaml").write_text(_settings(people) + settings, encoding="utf-8")
    (folder / "rubrics" / f"{RUBRIC}.yaml").write_text(_RUBRIC, encoding="utf-8")
    (dataset / "dataset.yaml").write_text(_DATASET, encoding="utf-8")
    _write_lines(dataset / "items.jsonl", rows)
    for judge in (JUDGE, OTHER_JUDGE):
        verdicts = [_verdict(row["id"], judge, number) for number, row in enumerate(rows)]
        _write_lines(dataset / "verdicts" / f"{judge}.jsonl", verdicts)
    return folder


def _settings(people: Mapping[str, list[str]]) -> str:
    lines = [f"schema: 1\ndataset: {DATASET}\ngraders:"]
    for judge in (JUDGE, OTHER_JUDGE):
        lines.append(
            f"  {judge}: {{provider: recorded, rubric: {RUBRIC},"
            f" verdicts: annotations/{DATASET}/verdicts/{judge}.jsonl}}"
        )
    lines.append("policies:\n  default: {max_false_pass_rate: 0.2, confidence: 0.95}")
    lines.append("label:\n  people:")
    lines += [f"    {alias}: {{roles: [{', '.join(roles)}]}}" for alias, roles in people.items()]
    return "\n".join(lines) + "\n"


def plain_items(count: int) -> list[dict[str, Any]]:
    """Return `count` short items of two kinds of length, each with its number in its text."""
    return [
        {
            "id": f"case-{number:05d}",
            "input": f"Question {number:05d}: when does order R-{number} arrive?",
            "output": f"Reply {number:05d}: it arrives 📦 on day {number % 28 + 1}. " * 3,
            "metadata": {"model": MODEL, "score": float(SCORE)},
        }
        for number in range(count)
    ]


def _verdict(item_id: str, judge: str, number: int) -> dict[str, Any]:
    passes = number % 5 != 0 if judge == JUDGE else number % 3 != 1
    return {
        "item_id": item_id,
        "judge": judge,
        "model": MODEL,
        "label": "pass" if passes else "fail",
        "raw": f"{RATIONALE}: <img src=x onerror=window.__hostile=9> because of {item_id}",
    }


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")
