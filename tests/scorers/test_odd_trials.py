"""Whatever an agent records, its trial is scored: no value stops a score or the report."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Trial
from judgekit.process.score_report import score_report
from judgekit.render.score_text import explain_text, score_text
from judgekit.scorers.trial_scoring import score_trial
from judgekit.store.goldens_file import read_cases
from judgekit.store.scoring_rules import load_scoring_rules

ROOT = Path(__file__).resolve().parents[2]
DEEP: Any = json.loads("[" * 200 + "]" * 200)
VALUES: list[Any] = [
    None, True, False, 0, 1.5, -1, 10**400, 1e308, float("nan"), float("inf"), "", "R-10001",
    "2026-13-45", "2026-11-20", "1.2.3,4", "٣٤", "a" * 3000, '{"a":[1}', '{"verified": true}',
    [], {}, [1, [2, {"x": None}]], {"a": {"b": [1]}}, DEEP, "[" * 2000,
]  # fmt: skip
TOOLS = ["lookup_order", "verify_identity", "check_refund_policy", "issue_refund", "ghost", ""]


class Odd:
    """Trials of any shape, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self) -> Any:
        return self.random.choice(VALUES)

    def call(self) -> dict[str, Any]:
        keys = self.random.sample(["order", "email", "amount", "date", "x"], 3)
        return {
            "name": self.random.choice(TOOLS),
            "arguments": {key: self.value() for key in keys},
            "result": self.value(),
            "error": self.random.choice([None, None, "429", ""]),
            "malformed": self.random.choice([None, None, None, "no JSON"]),
            "id": self.random.choice([None, "1", "2"]),
        }

    def message(self) -> dict[str, Any]:
        role = self.random.choice(["user", "assistant", "tool", "system"])
        said = self.random.choice([None, "", "have refunded", "R-10001 \x00"])
        return {
            "role": role,
            "content": said,
            "tool_calls": [self.call()] if role == "assistant" and not said else [],
            "tool_call_id": "1" if role == "tool" else None,
        }

    def state(self) -> Any:
        row = {"refunded": self.value(), "refunded_amount": self.value()}
        rows = [{"R-10001": row}, [{"id": self.value()}, self.value()], self.value()]
        return self.random.choice(
            [None, {}, {"orders": self.random.choice(rows), "": self.value()}]
        )

    def span(self, place: int) -> dict[str, Any]:
        facts = {"name": self.random.choice(["decide", "lookup_order"]), "output": self.value()}
        kind = self.random.choice(["tool", "retrieval", "other"])
        error = self.random.choice([None, "503"])
        return {"id": str(place % 2), "parent": "1", "kind": kind, "error": error, **facts}

    def trial(self, case: str) -> Trial:
        body = {
            "case_id": case,
            "tool_calls": [self.call() for _ in range(self.random.choice([0, 1, 3, 8]))],
            "messages": [self.message() for _ in range(self.random.randint(0, 4))],
            "final": self.random.choice([None, {}, {"decision": "refund", "amount": self.value()}]),
            "state": self.state(),
            "state_before": self.state(),
            "plan": self.random.choice([None, [], ["lookup_order", "ghost"]]),
            "spans": self.random.choice([None, [self.span(n) for n in range(3)]]),
            "ending": self.random.choice([None, "crashed", "timeout", "infrastructure"]),
            "model_calls": self.random.choice([None, [], [{"usage": {"input_tokens": 5}}, {}]]),
        }
        return Trial.model_validate(body)


@pytest.fixture(scope="module")
def rules() -> ScoringRules:
    body = load_scoring_rules(ROOT / "scoring" / "refund_desk.yaml").body
    tools = {**body["tools"], "extra_arguments": "fault", "hand_over": ["ghost"]}
    caps = dict.fromkeys(body["caps"], 1)
    return ScoringRules.model_validate({**body, "tools": tools, "caps": caps, "name": "odd"})


@pytest.mark.parametrize("seed", range(4))
def test_no_trial_stops_a_score_or_the_report(seed: int, rules: ScoringRules) -> None:
    odd = Odd(seed)
    cases: list[Case] = list(read_cases(ROOT / "annotations" / "refund_desk" / "goldens.jsonl"))
    scores = [score_trial(case, odd.trial(case.id), rules) for case in cases * 8]
    report = score_report(cases, scores, rules)
    assert score_text(report)
    assert explain_text(scores)
    assert len(json.loads(report.model_dump_json())["faults"]) > 5
    for score in scores:
        if score.ending == "infrastructure":
            assert (score.faults, score.checks_passed, score.attribution) == ((), None, None)
