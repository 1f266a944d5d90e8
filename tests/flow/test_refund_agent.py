"""Acceptance: each planted fault of the example agent is found, and none on the right agent.

The expected kinds are written by hand from what the agent does under each fault
(agents/refund_desk.py) and from what the synthetic cases ask for (make_goldens.py).
"""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Trial
from judgekit.model.trial_score import TrialScore
from judgekit.scorers.trial_scoring import score_trial
from judgekit.store.goldens_file import read_goldens
from judgekit.store.scoring_rules import load_scoring_rules

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from agents.refund_desk import FAULTS, Agent, run

ROOT = Path(__file__).resolve().parents[2]
STATE = json.loads((ROOT / "agents" / "refund_desk_state.json").read_text("utf-8"))
REFUNDED = ("within-30-days", "teapot", "mirror", "chair", "last-day", "cents")
CREDITED = ("one-day-late", "long-ago")
ALL = (*REFUNDED, *CREDITED, "refunded-before", "not-the-owner")
OWNED = ALL[:-1]


def kinds(**of: str) -> dict[str, dict[str, int]]:
    """Return {case: {kind: times}} from `group="kind kind"`; a case may be in several groups."""
    groups = {"refunded": REFUNDED, "owned": OWNED, "every": ALL, "stranger": ("not-the-owner",)}
    found: dict[str, dict[str, int]] = {case: {} for case in ALL}
    for name, listed in of.items():
        for case in groups[name]:
            for kind in listed.split():
                found[case][kind] = found[case].get(kind, 0) + 1
    return found


EXPECTED: dict[str | None, dict[str, dict[str, int]]] = {
    None: kinds(),
    # Where a refund is made, it is made without the check; the stranger gets one too.
    "omitted_identity_check": kinds(
        every="omitted_call", refunded="unchecked_change", stranger="unchecked_change"
    ),
    # The stranger is turned away before the policy is asked.
    "wrong_date": kinds(owned="wrong_argument"),
    # The desk knows no such order, so that the agent gives up: nothing after it is called.
    "invented_order": kinds(
        every="untraceable_argument wrong_argument omitted_call",
        owned="omitted_call",
        refunded="omitted_call stopped_early",
    ),
    "loop_after_429": kinds(every="loop"),
    # The stranger is turned away before.
    "refund_before_check": kinds(owned="unchecked_change"),
    # Where no refund is due, only the words are wrong.
    "claimed_success": kinds(every="false_claim", refunded="omitted_call stopped_early"),
    "premature_answer": kinds(
        every="premature_answer omitted_call omitted_call",
        owned="omitted_call",
        refunded="omitted_call stopped_early",
    ),
}
FAILED = {
    None: (),
    "wrong_date": OWNED,
    "loop_after_429": (),  # the loop costs calls and changes no result
    "refund_before_check": OWNED,
}
CAUSES = {
    "omitted_identity_check": "act",
    "wrong_date": "decide",
    "invented_order": "look_up",
    "refund_before_check": "act",
    "claimed_success": None,
    "premature_answer": None,
}


@pytest.fixture(scope="module")
def rules() -> ScoringRules:
    return load_scoring_rules(ROOT / "scoring" / "refund_desk.yaml")


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    goldens = read_goldens(ROOT / "annotations" / "refund_desk" / "goldens.jsonl")
    return {golden.id: Case.of(golden) for golden in goldens}


def request_of(case: Case, fault: str | None) -> dict[str, Any]:
    return {"input": case.input, "state": STATE, "settings": {"fault": fault}, "seed": 1}


def scored(case: Case, answer: dict[str, Any], rules: ScoringRules) -> TrialScore:
    facts = {"case_id": case.id, "number": 0, "state_before": STATE, "ending": "finished"}
    return score_trial(case, Trial.model_validate({**answer, **facts}), rules)


def found_kinds(score: TrialScore) -> dict[str, int]:
    listed = [fault.kind for fault in score.faults]
    return {kind: listed.count(kind) for kind in listed}


def test_the_table_covers_every_planted_fault_and_every_case(cases: dict[str, Case]) -> None:
    assert {fault for fault in EXPECTED if fault} == set(FAULTS)
    assert set(ALL) == cases.keys()


def test_a_misspelt_fault_is_refused_and_no_agent_without_fault(cases: dict[str, Case]) -> None:
    with pytest.raises(ValueError, match="there is no fault 'wrong_dates'; there are omitted"):
        run(request_of(cases["teapot"], "wrong_dates"))


@pytest.mark.parametrize("case", ALL)
@pytest.mark.parametrize("fault", EXPECTED)
def test_each_planted_fault_is_found_with_what_follows_from_it_and_nothing_else(
    fault: str | None, case: str, cases: dict[str, Case], rules: ScoringRules
) -> None:
    score = scored(cases[case], run(request_of(cases[case], fault)), rules)
    assert found_kinds(score) == EXPECTED[fault][case]
    assert score.checks_passed is (case not in FAILED.get(fault, ALL))


@pytest.mark.parametrize("fault", CAUSES)
def test_a_failed_trial_is_attributed_to_the_step_of_the_fault(
    fault: str, cases: dict[str, Case], rules: ScoringRules
) -> None:
    case = cases["teapot"]
    score = scored(case, run(request_of(case, fault)), rules)
    assert score.attribution is not None
    assert score.attribution.step == CAUSES[fault]
    assert score.attribution.cause == score.attribution.chain[0]


def test_the_right_agent_leaves_no_suspicion_and_no_difference(
    cases: dict[str, Case], rules: ScoringRules
) -> None:
    for case in cases.values():
        score = scored(case, run(request_of(case, None)), rules)
        assert score.faults == ()
        assert score.state is not None
        assert score.state.differences == ()
        assert score.attribution is None
        assert {step.passed for step in score.steps} <= {True, None}


def test_the_right_agent_may_try_once_more_after_a_rate_limit(
    cases: dict[str, Case], rules: ScoringRules
) -> None:
    for case in cases.values():
        agent = Agent(request_of(case, None))
        agent.busy = 1
        score = scored(case, agent.work(), rules)
        assert (score.faults, score.checks_passed) == ((), True)


def test_the_goldens_and_the_orders_are_what_their_script_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ROOT / "annotations" / "refund_desk"
    written = runpy.run_path(str(folder / "make_goldens.py"))
    paths = {"HERE": tmp_path, "FIXTURE": tmp_path / "state.json"}
    monkeypatch.setitem(written["main"].__globals__, "HERE", paths["HERE"])
    monkeypatch.setitem(written["main"].__globals__, "FIXTURE", paths["FIXTURE"])
    written["main"]()
    assert (tmp_path / "goldens.jsonl").read_bytes() == (folder / "goldens.jsonl").read_bytes()
    state = ROOT / "agents" / "refund_desk_state.json"
    assert paths["FIXTURE"].read_bytes() == state.read_bytes()
