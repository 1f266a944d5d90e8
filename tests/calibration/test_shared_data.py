"""Public judge data: counts and rates equal numbers computed with other tools."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from judgekit.calibration.calibrate import calibrate
from judgekit.calibration.files import CalibrationFiles, requests_from_files
from judgekit.calibration.report import CalibrationReport
from judgekit.errors import CriterionMismatch
from judgekit.model.policy import Policy
from judgekit.store.mapping import load_mapping

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
MAPPINGS = Path(__file__).resolve().parents[1] / "data" / "mappings"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.exists(), reason="../shared/data is absent"),
]

LIMITS = Policy(max_false_pass_rate=0.20, max_false_fail_rate=0.25, min_kappa=0.55)


def files(
    dataset: str, mapping: str | None, criterion: str | None, **more: Any
) -> CalibrationFiles:
    extra: dict[str, Any] = {}
    if mapping is not None:
        extra = {"mapping": load_mapping(MAPPINGS / f"{mapping}.yaml")}
    folder = DATA / dataset
    return CalibrationFiles(
        items=folder / "items.jsonl",
        labels=folder / "labels.jsonl",
        verdicts=folder / "verdicts.jsonl",
        criterion=criterion,
        **{**extra, **more},
    )


@cache
def reports(
    dataset: str,
    mapping: str | None,
    criterion: str | None = None,
    rule: str | None = None,
    policy: Policy | None = None,
) -> dict[str, CalibrationReport]:
    given = files(dataset, mapping, criterion, rule=rule, policy=policy)
    return {request.judge: calibrate(request) for request in requests_from_files(given)}


@cache
def reference(dataset: str) -> Any:
    path = DATA / dataset / "reference.json"
    return json.loads(path.read_text()) if path.exists() else {}


def rows(dataset: str, section: str) -> list[str]:
    return list(reference(dataset).get(section, {})) or ["absent"]


def assert_row(report: CalibrationReport, row: dict[str, Any]) -> None:
    """Compare every number of a row of reference.json, to its six digits."""
    data = report.to_json()
    assert data["n_pairs"] == row["n"]
    if "confusion" in row:
        assert data["confusion"] == row["confusion"]
    else:
        labels = row["labels"]
        found = data["confusion"]
        if "rows" in found:
            assert found == {"labels": labels, "rows": row["confusion_rows_human"]}
        else:
            assert [list(r) for r in report.confusion.rows] == row["confusion_rows_human"]
    for name in ("kappa", "accuracy", "false_pass_rate", "false_fail_rate"):
        if row.get(name) is not None:
            assert data[name]["value"] == pytest.approx(row[name], abs=6e-7), name
        elif name in row:
            assert "undefined" in data[name]
    if "unparsed" in row:
        assert data["unscored"].get("invalid", 0) == row["unparsed"]
    if "missing" in row:
        assert data["dropped"].get("missing", 0) == row["missing"]


@pytest.mark.parametrize("judge", rows("openqa_nq301", "judges_vs_gold"))
def test_openqa_against_gold_equals_the_reference(judge: str) -> None:
    assert_row(
        reports("openqa_nq301", "openqa_gold")[judge],
        reference("openqa_nq301")["judges_vs_gold"][judge],
    )


@pytest.mark.parametrize("name", rows("openqa_nq301", "judges_vs_individual"))
def test_openqa_against_one_annotator_equals_the_reference(name: str) -> None:
    judge, annotator = name.split("|")
    assert_row(
        reports("openqa_nq301", None, None, annotator)[judge],
        reference("openqa_nq301")["judges_vs_individual"][name],
    )


@pytest.mark.parametrize("name", rows("hanna", "judges"))
def test_hanna_against_the_mean_equals_the_reference(name: str) -> None:
    judge, criterion = name.split("|")
    assert_row(reports("hanna", "hanna_mean", criterion)[judge], reference("hanna")["judges"][name])


@pytest.mark.parametrize("name", rows("llm_rubric", "criteria"))
def test_llm_rubric_with_each_label_line_equals_the_reference(name: str) -> None:
    part, criterion = name.split("|")
    (report,) = reports("llm_rubric", f"llm_rubric_{part}", criterion).values()
    assert_row(report, reference("llm_rubric")["criteria"][name])


@pytest.mark.parametrize("judge", rows("pandalm", "judges_vs_majority"))
def test_pandalm_against_the_majority_equals_the_reference(judge: str) -> None:
    row = reference("pandalm")["judges_vs_majority"][judge]
    assert_row(reports("pandalm", "pandalm_categories")[judge], row)
    assert_row(reports("pandalm", "pandalm_output1")[judge], row["binary_output1_wins"])


@pytest.mark.parametrize("name", rows("pandalm", "judges_vs_individual"))
def test_pandalm_against_one_annotator_equals_the_reference(name: str) -> None:
    judge, annotator = name.split("|")
    assert_row(
        reports("pandalm", "pandalm_categories", None, annotator)[judge],
        reference("pandalm")["judges_vs_individual"][name],
    )


@pytest.mark.parametrize("order", ["original", "swapped"])
@pytest.mark.parametrize("judge", rows("llmbar", "judges_all_419"))
def test_llmbar_in_each_order_equals_the_reference(judge: str, order: str) -> None:
    row = reference("llmbar")["judges_all_419"][judge][order]
    assert_row(reports("llmbar", f"llmbar_{order}")[judge], row)


@pytest.mark.parametrize("order", ["original", "swapped"])
@pytest.mark.parametrize("subset", ["natural", "neighbor", "gptinst", "gptout", "manual"])
def test_llmbar_by_subset_equals_the_reference(subset: str, order: str) -> None:
    mapping = load_mapping(MAPPINGS / f"llmbar_{order}.yaml")
    part = mapping.model_copy(update={"where": {"metadata.subset": subset}})
    given = files("llmbar", None, None).model_copy(update={"mapping": part})
    wanted = reference("llmbar")["judges_by_subset"]
    checked = 0
    for request in requests_from_files(given):
        report = calibrate(request)
        assert_row(report, wanted[f"{subset}|{request.judge}"][order])
        checked += 1
    assert checked == 14


@pytest.mark.parametrize("pair", ["a1|a2", "a1|a3", "a2|a3"])
def test_pandalm_people_agree_as_published(pair: str) -> None:
    report = reports("pandalm", "pandalm_categories")["pandalm-7b"]
    found = {f"{p.first}|{p.second}": p.kappa for p in report.human_pairs}
    assert found[pair] == pytest.approx(
        reference("pandalm")["human_human"][pair]["kappa"], abs=6e-7
    )


def test_people_who_break_ties_are_left_out_of_human_agreement() -> None:
    report = reports("openqa_nq301", "openqa_gold")["gpt4-eval"]
    assert [(p.first, p.second) for p in report.human_pairs] == [("a1", "a2")]
    assert report.to_json()["human_agreement"]["value"] == pytest.approx(0.7347, abs=2e-3)
    assert any("a3" in reason for reason in report.reasons)


def test_explanations_are_never_paired_with_verdicts_about_summaries() -> None:
    with pytest.raises(CriterionMismatch) as refused:
        reports("factcc_explanations", None)
        # the labels' criterion is the only one, the verdicts carry another
    text = str(refused.value)
    assert refused.value.exit_code == 2
    assert "explanation_correct" in text
    assert "summary_consistency" in text


def test_a_constant_judge_joined_by_hand_has_kappa_zero_without_interval() -> None:
    both, single = 0, 0
    for report in reports("factcc_explanations", "factcc_by_hand").values():
        kappa = report.to_json()["kappa"]
        totals = report.confusion.human_totals
        if all(totals):
            both += 1
            assert kappa["value"] == 0
            assert kappa["status"] == "one_rater_constant"
            assert kappa["low"] is None
            assert kappa["high"] is None
        elif totals[1]:
            single += 1
            assert "undefined" in kappa
        else:
            single += 1
            assert kappa["value"] == 0
    assert both > 0
    assert single > 0


@pytest.mark.parametrize("criterion", ["coherence", "engagement", "relevance"])
def test_hanna_says_that_people_do_not_agree(criterion: str) -> None:
    report = reports("hanna", "hanna_mean", criterion)["ChatGPT/p1"]
    assert report.to_json()["human_agreement"]["value"] < 0.12
    assert any("hardly better than chance" in reason for reason in report.reasons)


@pytest.mark.parametrize(("judge", "upper"), [("gpt4-eval", 0.163), ("instructgpt-eval", 0.171)])
def test_good_openqa_judges_are_approved_but_not_approvable(judge: str, upper: float) -> None:
    report = reports("openqa_nq301", "openqa_gold", None, None, LIMITS)[judge]
    assert (report.decision, report.exit_code, report.approvable) == ("approved", 0, False)
    assert report.conditions[0].bound_high == pytest.approx(upper, abs=5e-4)
    assert any("holdout" in reason for reason in report.reasons)


def test_the_classifier_needs_labels_for_its_false_fails() -> None:
    report = reports("openqa_nq301", "openqa_gold", None, None, LIMITS)["bem"]
    false_fail = report.conditions[1]
    assert (report.decision, report.exit_code) == ("need_labels", 3)
    assert false_fail.bound_low == pytest.approx(0.229, abs=5e-4)
    assert false_fail.bound_high == pytest.approx(0.307, abs=5e-4)


def test_a_tighter_limit_rejects_gpt4() -> None:
    tight = LIMITS.model_copy(update={"max_false_pass_rate": 0.10})
    report = reports("openqa_nq301", "openqa_gold", None, None, tight)["gpt4-eval"]
    assert (report.decision, report.exit_code) == ("rejected", 1)
    assert report.conditions[0].bound_low == pytest.approx(0.107, abs=5e-4)
    assert report.conditions[0].reject_bound == pytest.approx(0.1004, abs=5e-5)
    assert report.conditions[0].reject_level == pytest.approx(0.05 / 3)


def test_the_llm_rubric_judge_is_rejected() -> None:
    only = Policy(max_false_pass_rate=0.20)
    (report,) = reports("llm_rubric", "llm_rubric_real", "Q0", None, only).values()
    assert (report.decision, report.exit_code) == ("rejected", 1)
    assert report.to_json()["false_pass_rate"]["value"] == pytest.approx(0.77, abs=0.01)


def test_no_judge_is_approved_on_twelve_items() -> None:
    given = files("openqa_nq301", "openqa_gold", None, policy=LIMITS)
    for request in requests_from_files(given):
        few = {verdict.item_id for verdict in request.verdicts[:12]}
        labels = tuple(label for label in request.labels if label.item_id in few)
        report = calibrate(request.model_copy(update={"labels": labels}))
        assert report.n_pairs <= 12
        assert report.decision != "approved"
        assert report.exit_code in (1, 3)
