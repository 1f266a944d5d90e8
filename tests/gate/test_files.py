import json
from pathlib import Path

import pytest
from gate_records import NOW, FakeGrader, items, policy

from judgekit.approval.record import Lock
from judgekit.errors import InputError
from judgekit.gate.files import read_baseline, write_review
from judgekit.gate.suite import GateSettings, run_gate
from judgekit.model.item import Item


async def test_a_report_is_the_next_gates_baseline(tmp_path: Path) -> None:
    scorer = FakeGrader("fields", kind="scorer", answer=lambda i: i.id != "i000")
    settings = GateSettings(policy_name="p", policy=policy(min_pass_rate=0.5))
    report = await run_gate([scorer], items(4), Lock(), settings, now=NOW)
    path = tmp_path / "gate.json"
    path.write_text(json.dumps(report.to_json()), encoding="utf-8")
    assert read_baseline(path) == 0.75


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": 1}', '{"schema": 9, "pass_rate": 0.5}',
             '{"schema": 1, "pass_rate": NaN}', '{"schema": 1, "pass_rate": 2}',
             '{"schema": 1, "outcome": "outage", "pass_rate": 0.5}']
)  # fmt: skip
def test_a_baseline_without_a_rate_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "gate.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="baseline"):
        read_baseline(path)


def test_a_missing_baseline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_baseline(tmp_path / "none.json")


async def test_open_items_are_written_whole_with_their_reasons(tmp_path: Path) -> None:
    scorer = FakeGrader(
        "fields", kind="scorer", answer=lambda i: i.id != "i001" or {"status": "abstained"}
    )
    over = items(60, metadata={"a": 1})
    settings = GateSettings(policy_name="p", policy=policy(min_pass_rate=0.5))
    report = await run_gate([scorer], over, Lock(), settings, now=NOW)
    path = tmp_path / "review.jsonl"
    assert write_review(path, report, over) == 1
    line = Item.model_validate_json(path.read_text(encoding="utf-8"))
    assert (line.id, line.output) == ("i001", "text")
    assert line.metadata == {"a": 1, "judgekit_review": ["fields: abstained"]}
