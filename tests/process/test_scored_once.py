"""A comparison of the user's own counts how often `judgekit process` asks it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from trial_sets import trial

from judgekit.cli.main import run_cli
from judgekit.model.base import Record
from judgekit.model.golden import Golden

COUNTED = """
from pathlib import Path

def same(expected, found):
    with Path(__file__).with_name("asked").open("a") as file:
        file.write("asked\\n")
    return expected == found
"""
RULES = """
schema: 1
name: counted
fields: {answer: {compare: {kind: custom, function: "counted_rule:same"}}}
"""


def test_each_trial_of_candidate_and_baseline_is_scored_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"c{n}" for n in range(12)]
    body = {"input": "?", "fields": {"answer": {"value": "right"}}, "reviewers": ["synthetic"]}
    known = {**body, "proposer": "one", "approver": "other"}
    goldens = [Golden.sealed({"id": name, **known}) for name in names]
    Path("goldens.jsonl").write_text("".join(json_line(one) for one in goldens), "utf-8")
    Path("counted_rule.py").write_text(COUNTED, "utf-8")
    Path("rules.yaml").write_text(RULES, "utf-8")
    for side in ("new", "old"):
        lines = [json_line(trial(name, 0)) for name in names]
        Path(f"{side}.trials.jsonl").write_text("".join(lines), "utf-8")
    code = run_cli(
        ["process", "--trials", "new.trials.jsonl", "--baseline", "old.trials.jsonl",
         "--changed", "unrecorded", "--goldens", "goldens.jsonl", "--rules", "rules.yaml"]
    )  # fmt: skip
    assert code == 3  # twelve cases are too few to tell
    # one trial of a case on each side: nothing else compares fields (consistency needs two)
    assert Path("asked").read_text("utf-8").count("asked") == 2 * len(names)


def test_trials_that_ended_alike_are_compared_with_the_others_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    body = {"input": "?", "fields": {"answer": {"value": "right"}}, "reviewers": ["synthetic"]}
    golden = Golden.sealed({"id": "c", **body, "proposer": "one", "approver": "other"})
    Path("goldens.jsonl").write_text(json_line(golden), "utf-8")
    Path("counted_rule.py").write_text(COUNTED, "utf-8")
    Path("rules.yaml").write_text(RULES, "utf-8")
    lines = [json_line(trial("c", n, n % 2 == 0)) for n in range(60)]
    Path("t.jsonl").write_text("".join(lines), "utf-8")
    run_cli(
        ["process", "--trials", "t.jsonl", "--goldens", "goldens.jsonl", "--rules", "rules.yaml",
         "--json"]
    )  # fmt: skip
    repeat = json.loads(capsys.readouterr().out)["configurations"][0]["repeat"]
    assert repeat["consistency"]["value"] == pytest.approx(2 * 435 / 1770)  # 30 over 2, twice
    assert Path("asked").read_text("utf-8").count("asked") == 60 + 1


def json_line(record: Record) -> str:
    body = record.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return json.dumps(body) + "\n"
