"""The decision: what counts as yes, no and not enough."""

from __future__ import annotations

import pytest

from judgekit.calibration.calibrate import calibrate
from judgekit.calibration.report import worst_exit_code
from judgekit.errors import InputError
from judgekit.model.policy import MinHumanAgreement, Policy

from .records import LIMITS, label, request, verdict

PP, PF, FP, FF = ("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("fail", "fail")


@pytest.mark.parametrize(
    ("cells", "decision", "exit_code"),
    [
        ({PP: 40}, "need_labels", 3),
        ({PP: 95, FP: 5}, "rejected", 1),
        ({PP: 158, PF: 2, FP: 12, FF: 28}, "rejected", 1),
        ({PP: 5, FF: 5}, "need_labels", 3),
        ({PP: 100, FF: 100}, "approved", 0),
        ({PP: 100, FP: 100}, "rejected", 1),
        ({FF: 40}, "need_labels", 3),
        ({PP: 6, FF: 6}, "need_labels", 3),
    ],
    ids=[
        "no human fail", "everything passed", "lenient", "five and five", "a good judge",
        "always pass", "no human pass", "twelve perfect items",
    ],
)  # fmt: skip
def test_the_decision_and_its_exit_code(
    cells: dict[tuple[str, str], int], decision: str, exit_code: int
) -> None:
    report = calibrate(request(cells))
    assert (report.decision, report.exit_code) == (decision, exit_code)
    assert len(report.conditions) == 3
    assert all(c.sentence.endswith(".") for c in report.conditions)


def test_without_limits_there_are_numbers_and_no_decision() -> None:
    report = calibrate(request({PP: 5, FF: 5}, None))
    assert (report.decision, report.exit_code, report.conditions) == (None, 0, ())
    assert report.needed is None
    assert report.to_json()["kappa"]["value"] == 1.0
    assert report.to_json()["kappa"]["low"] < 1.0


def test_undefined_kappa_needs_labels_unless_the_policy_rejects() -> None:
    only = Policy(min_kappa=0.5)
    assert calibrate(request({PP: 40}, only)).decision == "need_labels"
    strict = only.model_copy(update={"on_undefined_kappa": "reject"})
    assert calibrate(request({PP: 40}, strict)).decision == "rejected"


def test_unscored_verdicts_are_counted_against_the_judge_in_the_worst_case() -> None:
    found = request({PP: 50, FF: 40, ("fail", "none"): 10})
    missing = found.model_copy(update={"verdicts": found.verdicts[1:]})
    data = calibrate(missing).to_json()
    assert data["unscored"] == {"invalid": 10}
    assert data["dropped"] == {"missing": 1}
    assert data["false_pass_rate"]["value"] == 0
    assert data["worst_case_false_pass_rate"]["value"] == pytest.approx(10 / 50)
    assert data["worst_case_false_fail_rate"]["value"] == pytest.approx(1 / 50)


def test_a_cap_blocks_when_exceeded_and_rejects_only_past_its_lower_bound() -> None:
    cap = Policy(max_false_pass_rate=0.2, max_unscored_rate=0.05)
    assert calibrate(request({PP: 50, FF: 50, ("fail", "none"): 6}, cap)).decision == "need_labels"
    assert calibrate(request({PP: 50, FF: 50, ("fail", "none"): 40}, cap)).decision == "rejected"
    assert calibrate(request({PP: 50, FF: 50, ("fail", "none"): 2}, cap)).decision == "approved"


def test_minimum_counts_withhold_approval_and_name_themselves() -> None:
    counts = LIMITS.model_copy(update={"min_human_fail": 150, "min_human_pass": 50})
    report = calibrate(request({PP: 100, FF: 100}, counts))
    assert report.decision == "need_labels"
    assert report.reasons[0] == (
        "human fail: 100 labels, at least 150 wanted: not decided by these labels."
    )
    assert report.to_json()["needed"] == {"human_fail": 150, "human_pass": 100}


def test_rejection_splits_alpha_and_approval_does_not() -> None:
    report = calibrate(request({PP: 100, FF: 100}))
    assert {c.level for c in report.conditions} == {0.05}
    assert {round(c.reject_level or 0, 6) for c in report.conditions} == {0.016667}


def test_fewer_than_ten_groups_withhold_approval() -> None:
    found = request({PP: 100, FF: 100})
    assert found.items is not None
    few = tuple(
        item.model_copy(update={"group": f"g{k % 8}"}) for k, item in enumerate(found.items)
    )
    report = calibrate(found.model_copy(update={"items": few}))
    assert report.decision == "need_labels"
    assert "only 8 groups" in report.conditions[0].sentence
    many = tuple(
        item.model_copy(update={"group": f"g{k % 50:02}"}) for k, item in enumerate(found.items)
    )
    assert calibrate(found.model_copy(update={"items": many})).decision == "approved"


def test_needed_labels_are_infeasible_when_the_rate_is_not_below_its_limit() -> None:
    report = calibrate(request({PP: 40, FP: 1, FF: 6}))
    assert report.decision == "need_labels"
    assert "not below the limit" in report.to_json()["needed"]["infeasible"]
    few = calibrate(request({PP: 5, FF: 9})).to_json()["needed"]
    assert few["human_fail"] > 29
    assert few["human_pass"] > 5


def test_the_rate_of_each_failure_mode_is_reported_and_may_be_asked_for() -> None:
    modes = Policy(max_false_pass_rate=0.3, min_per_failure_mode=15)
    found = request({FP: 1, FF: 29, PP: 30}, modes)
    labels = tuple(
        one.model_copy(update={"failure_mode": "late" if k < 10 else "rude"})
        if one.label == "fail"
        else one
        for k, one in enumerate(found.labels)
    )
    report = calibrate(found.model_copy(update={"labels": labels}))
    assert [(m.mode, m.n) for m in report.per_failure_mode] == [("late", 10), ("rude", 20)]
    assert report.to_json()["per_failure_mode"][0]["false_pass_rate"]["value"] == 0.1
    assert report.decision == "need_labels"
    assert report.disagreements[0].failure_mode == "late"


def test_evidence_that_is_not_in_the_text_is_a_rate_of_its_own() -> None:
    found = request({PP: 60, FF: 60}, Policy(max_unsupported_evidence_rate=0.1))
    checked = tuple(
        v.model_copy(update={"unsupported": ("made up",) if k < 30 else ()})
        for k, v in enumerate(found.verdicts)
    )
    report = calibrate(found.model_copy(update={"verdicts": checked}))
    assert report.to_json()["unsupported_evidence_rate"]["value"] == 0.25
    assert report.decision == "rejected"
    assert "undefined" in calibrate(found).to_json()["unsupported_evidence_rate"]


def two_people(share_agreed: int) -> tuple[object, ...]:
    second = []
    for k in range(100):
        same = k % 100 < share_agreed
        answer = "pass" if (k < 50) == same else "fail"
        second.append(label(f"i{k + 1:04}", answer, "second"))
    return tuple(second)


@pytest.mark.parametrize("statistic", ["kappa", "ac1", "agreement"])
def test_human_agreement_can_be_a_condition(statistic: str) -> None:
    asked = Policy(
        max_false_pass_rate=0.2,
        min_human_agreement=MinHumanAgreement(statistic=statistic, limit=0.6),  # type: ignore[arg-type]
    )
    found = request({PP: 50, FF: 50}, asked, rule="ann")
    alone = calibrate(found)
    assert alone.decision == "need_labels"
    assert "no item was labelled by two people" in alone.reasons[0]
    agreeing = found.model_copy(update={"labels": found.labels + two_people(100)})
    assert calibrate(agreeing).decision == "approved"
    apart = found.model_copy(update={"labels": found.labels + two_people(50)})
    report = calibrate(apart)
    assert report.decision == "rejected"
    assert any("hardly better than chance" in reason for reason in report.reasons)


def test_three_people_give_a_mean_pairwise_kappa_with_an_interval() -> None:
    found = request({PP: 50, FF: 50}, None, rule="ann")
    third = tuple(label(x.item_id, x.label, "third") for x in found.labels)
    both = found.model_copy(update={"labels": found.labels + two_people(90) + third})
    report = calibrate(both)
    assert len(report.human_pairs) == 3
    data = report.to_json()["human_agreement"]
    assert data["value"] == pytest.approx((1.0 + 0.8 + 0.8) / 3, abs=0.01)
    assert data["low"] < data["value"] < data["high"]


def test_synthetic_labels_approve_only_where_the_policy_allows_it() -> None:
    found = request({PP: 100, FF: 100}, synthetic=True, split="holdout")
    assert any("allow_synthetic" in reason for reason in calibrate(found).reasons)
    allowed = LIMITS.model_copy(update={"allow_synthetic": True})
    report = calibrate(found.model_copy(update={"policy": allowed}))
    assert not any("allow_synthetic" in reason for reason in report.reasons)


def test_targeted_labels_are_refused() -> None:
    found = request({PP: 10, FF: 10})
    with pytest.raises(InputError, match="targeted"):
        calibrate(found.model_copy(update={"design": "targeted"}))


def test_no_verdict_at_all_is_bad_input_and_not_an_answer() -> None:
    found = request({PP: 10, FF: 10})
    with pytest.raises(InputError, match="no verdict on any labelled item") as refused:
        calibrate(found.model_copy(update={"verdicts": (verdict("elsewhere", True),)}))
    assert refused.value.exit_code == 2


def test_several_judges_are_a_yes_only_if_all_are() -> None:
    yes = calibrate(request({PP: 100, FF: 100}))
    no = calibrate(request({PP: 100, FP: 100}))
    open_ = calibrate(request({PP: 5, FF: 5}))
    assert worst_exit_code((yes, yes)) == 0
    assert worst_exit_code((yes, open_)) == 3
    assert worst_exit_code((open_, no, yes)) == 1


def test_the_report_is_the_json_of_the_contract() -> None:
    data = calibrate(request({PP: 20, PF: 1, FP: 2, FF: 20})).to_json()
    wanted = {
        "schema", "judge", "fingerprint", "unit", "reference", "n_pairs", "n_groups", "dropped",
        "confusion", "kappa", "false_pass_rate", "false_fail_rate", "accuracy", "ac1", "pabak",
        "positive_agreement", "negative_agreement", "human_agreement",
        "worst_case_false_pass_rate", "worst_case_false_fail_rate", "unsupported_evidence_rate",
        "per_failure_mode", "unscored", "decision", "approvable", "reasons", "conditions", "needed",
    }  # fmt: skip
    assert wanted <= set(data)
    assert data["confusion"] == {
        "human_pass_judge_pass": 20,
        "human_pass_judge_fail": 1,
        "human_fail_judge_pass": 2,
        "human_fail_judge_fail": 20,
    }
    assert set(data["conditions"][0]) == {
        "name", "limit", "value", "bound_low", "bound_high", "level", "reject_bound",
        "reject_level", "outcome", "sentence",
    }  # fmt: skip
