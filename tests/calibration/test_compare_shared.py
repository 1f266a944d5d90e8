"""Comparing and estimating on public judge data (acceptance E of issue 3)."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from judgekit.calibration.calibrate import CalibrationRequest
from judgekit.calibration.compare import ComparisonRequest, compare
from judgekit.calibration.comparison import ComparisonReport
from judgekit.calibration.estimate import EstimateRequest, estimate
from judgekit.calibration.files import CalibrationFiles, requests_from_files
from judgekit.model.canonical import unit_interval
from judgekit.model.policy import Policy
from judgekit.render.compare_report import comparison_text
from judgekit.stats.estimate import Estimate
from judgekit.store.mapping import load_mapping

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
MAPPINGS = Path(__file__).resolve().parents[1] / "data" / "mappings"
SEEDS = 100
LEAST_COVERED = 90

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.exists(), reason="../shared/data is absent"),
]


@cache
def requests(dataset: str, mapping: str) -> tuple[CalibrationRequest, ...]:
    folder = DATA / dataset
    return requests_from_files(
        CalibrationFiles(
            items=folder / "items.jsonl",
            labels=folder / "labels.jsonl",
            verdicts=folder / "verdicts.jsonl",
            mapping=load_mapping(MAPPINGS / f"{mapping}.yaml"),
        )
    )


@cache
def openqa() -> ComparisonReport:
    return compare(
        ComparisonRequest(
            requests=requests("openqa_nq301", "openqa_gold"), baseline="gpt4-eval", margin=0.05
        )
    )


def by_hand(first: str, second: str, human: str) -> tuple[int, int, int]:
    """Return (n, only first wrong, only second wrong) straight from the rows."""
    wanted = {r.judge: r for r in requests("openqa_nq301", "openqa_gold")}
    gold = {x.item_id: x.label for x in wanted[first].labels if x.annotator == "gold"}
    sides = []
    for name in (first, second):
        sides.append({v.item_id: v.passed for v in wanted[name].verdicts if v.passed is not None})
    both = [i for i in gold if gold[i] == human and i in sides[0] and i in sides[1]]
    wrong = [[side[i] != (human == "pass") for i in both] for side in sides]
    only = [sum(a and not b for a, b in zip(x, y, strict=True)) for x, y in (wrong, wrong[::-1])]
    return len(both), only[0], only[1]


def test_openqa_differences_count_what_the_rows_hold() -> None:
    for found in openqa().measured.differences:
        human = "fail" if found.rate == "false_pass_rate" else "pass"
        counted = (found.n, found.only_first_wrong, found.only_second_wrong)
        assert counted == by_hand(found.first, found.second, human)
        assert found.difference.value == pytest.approx((counted[1] - counted[2]) / counted[0])
        assert "jackknife" in found.difference.method
        assert found.n_groups < found.n


def test_openqa_says_which_judge_errs_more_and_which_is_no_worse() -> None:
    report = openqa()
    shown = {(d.rate, d.first): d for d in report.measured.differences if d.second == "gpt4-eval"}
    bem = shown["false_fail_rate", "bem"]
    assert bem.p_holm < 0.001
    assert bem.difference.low > 0.05
    assert shown["false_pass_rate", "instructgpt-eval"].p_holm > 0.05
    outcomes = {t.candidate: t.outcome for t in report.measured.non_inferiority}
    assert outcomes == {"instructgpt-eval": "non_inferior", "bem": "non_inferior"}


def test_openqa_has_a_human_ceiling_from_two_people_and_not_from_the_tie_breaker() -> None:
    for one in openqa().measured.candidates:
        assert one.ceiling.annotators == ("a1", "a2")
        assert isinstance(one.ceiling.winning_rate, Estimate)
        assert one.usd_per_1000.undefined.endswith("do not say what they cost")
    assert any("only 2 people" in caveat for caveat in openqa().caveats)


def test_openqa_items_wrong_alone_are_wrong_for_one_judge_only() -> None:
    gold, wrong = {}, {}
    for request in requests("openqa_nq301", "openqa_gold"):
        gold = {x.item_id: x.label == "pass" for x in request.labels if x.annotator == "gold"}
        answered = [v for v in request.verdicts if v.passed is not None]
        wrong[request.judge] = {v.item_id for v in answered if v.passed != gold[v.item_id]}
    for one in openqa().measured.candidates:
        others = set().union(*(ids for name, ids in wrong.items() if name != one.judge))
        found = {*one.alone_false_passes, *one.alone_false_fails}
        assert found
        assert found <= wrong[one.judge] - others


def test_openqa_reads_well() -> None:
    text = comparison_text(openqa())
    assert text.startswith("3 judges on the same items; no winner is named\n")
    assert max(map(len, text[text.index("Measured") : text.index("What these")].splitlines())) < 150
    for part in ("Differences", "Not worse than the baseline", "stand in", "Wrong alone"):
        assert part in text


@cache
def on_splits() -> dict[str, tuple[CalibrationRequest, ...]]:
    whole = requests("openqa_nq301", "openqa_gold")
    policy = Policy(max_false_pass_rate=0.25, max_false_fail_rate=0.3)
    parts: dict[str, tuple[CalibrationRequest, ...]] = {}
    for split, wanted in (("development", True), ("holdout", False)):
        ids = frozenset(
            i.id for i in whole[0].items or () if (unit_interval("1", i.group_key) < 0.5) == wanted
        )
        parts[split] = tuple(
            r.model_copy(update={"within": ids, "split": split, "policy": policy}) for r in whole
        )
    return parts


def test_openqa_chosen_on_one_half_is_confirmed_on_the_other() -> None:
    parts = on_splits()
    report = compare(
        ComparisonRequest(
            requests=parts["development"], confirm_on=parts["holdout"], baseline="bem", margin=0.1
        )
    )
    assert report.choice is not None
    assert report.confirmed is not None
    (one,) = report.confirmed.candidates
    assert one.judge == report.choice.winner != "bem"
    assert [c.judge for c in report.measured.candidates if c.biased] == [one.judge]
    assert one.figures.decision == "approved"
    assert [t.outcome for t in report.confirmed.non_inferiority] == ["non_inferior"]
    assert report.exit_code == 0


@pytest.mark.parametrize("order", ["original", "swapped"])
def test_llmbar_judges_are_compared_without_groups_by_tango_and_mcnemar(order: str) -> None:
    report = compare(ComparisonRequest(requests=requests("llmbar", f"llmbar_{order}")))
    assert len(report.measured.candidates) == 14
    assert len(report.measured.differences) == 14 * 13
    for found in report.measured.differences:
        assert (found.difference.method, found.test) == ("Tango score", "exact McNemar")
        assert found.p_holm >= found.p_value == found.mcnemar_p
    assert {c.ceiling.reason for c in report.measured.candidates} == {
        "no item was labelled by two people"
    }
    text = comparison_text(report)
    assert "the 20 clearest of 182" in text
    assert "no judge's cost is known" in text


@pytest.mark.parametrize("assume", ["random", "label-shift"])
def test_the_interval_holds_the_hidden_truth_in_at_least_90_of_100_splits(assume: Any) -> None:
    request = requests("openqa_nq301", "openqa_gold")[0]
    gold = {x.item_id: x.label == "pass" for x in request.labels if x.annotator == "gold"}
    group = {item.id: item.group_key for item in request.items or ()}
    judged = {v.item_id for v in request.verdicts if v.passed is not None}
    overall, hidden = 0, 0
    for seed in range(SEEDS):
        shown = _half(sorted(set(group.values())), seed)
        kept = tuple(x for x in request.labels if group[x.item_id] in shown)
        part = request.model_copy(update={"labels": kept})
        report = estimate(EstimateRequest(calibration=part, assume=assume))
        outputs = [gold[i] for i in gold if group[i] not in shown and i in judged]
        assert report.n_outputs == len(outputs)
        rate = report.pass_rate
        assert isinstance(rate, Estimate)
        hidden += rate.low <= sum(outputs) / len(outputs) <= rate.high
        overall += rate.low <= sum(gold.values()) / len(gold) <= rate.high
    assert hidden >= LEAST_COVERED
    assert overall >= LEAST_COVERED


def _half(groups: list[str], seed: int) -> set[str]:
    shuffled = list(groups)
    random.Random(seed).shuffle(shuffled)
    return set(shuffled[: len(groups) // 2])
