"""How labelled items were drawn: at random, by verdict, or by what somebody wanted to see."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.calibration.calibrate import CalibrationRequest, calibrate
from judgekit.calibration.shares import share_of
from judgekit.calibration.tables import count_tables
from judgekit.errors import InputError
from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.model.policy import Policy
from judgekit.stats.confusion import PASS_FAIL
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.intervals import clopper_pearson

from .records import verdict

LIMIT = Policy(max_false_pass_rate=0.5)


def drawn_by_verdict(
    labelled: dict[str, tuple[int, int]],
    total: dict[str, int],
    *,
    weights: dict[str, float] | None = None,
    strata: dict[str, str] | None = None,
    **more: Any,
) -> CalibrationRequest:
    """Build a request: per verdict (human passes, human fails) labelled of `total` verdicts."""
    labels, verdicts, items = [], [], []
    for judge, (passes, fails) in labelled.items():
        for k in range(total[judge]):
            name = f"{judge}{k:04}"
            items.append(Item(id=name, input="q", output=name))
            verdicts.append(verdict(name, judge == "pass"))
            if k < passes + fails:
                given: dict[str, Any] = {
                    "item_id": name,
                    "annotator": "ann",
                    "label": "pass" if k < passes else "fail",
                    "design": f"stratified:{(strata or {}).get(judge, 'judge_' + judge)}",
                    "weight": (weights or {}).get(judge),
                }
                labels.append(Label(**given))
    given = {
        "judge": "j",
        "fingerprint": "f",
        "labels": tuple(labels),
        "verdicts": tuple(verdicts),
        "items": tuple(items),
        "policy": LIMIT,
    }
    return CalibrationRequest(**{**given, **more})


LABELLED = {"pass": (60, 6), "fail": (8, 62)}
TOTAL = {"pass": 900, "fail": 100}


def test_labels_drawn_by_verdict_give_the_rates_of_begg_and_greenes() -> None:
    # The published case of the reference file verification_bias: oversampled fails.
    report = calibrate(drawn_by_verdict(LABELLED, TOTAL))
    assert isinstance(report.false_pass_rate, Estimate)
    assert isinstance(report.false_fail_rate, Estimate)
    assert report.false_pass_rate.value == pytest.approx(0.480182926829, abs=1e-9)
    assert report.false_fail_rate.value == pytest.approx(0.0137758296807, abs=1e-9)
    assert report.sampling.judge_pass_share == pytest.approx(0.9)
    assert any("drawn by verdict" in reason for reason in report.reasons)


def test_the_bound_takes_half_the_level_in_each_stratum() -> None:
    report = calibrate(drawn_by_verdict(LABELLED, TOTAL))
    wrong, right = clopper_pearson(6, 66, 0.025).high, clopper_pearson(62, 70, 0.025).low
    expected = wrong * 0.9 / (wrong * 0.9 + right * 0.1)
    assert report.conditions[0].bound_high == pytest.approx(expected)
    assert report.decision == "need_labels"
    assert "reweighted to 0.480" in report.conditions[0].sentence


def test_the_naive_rate_would_have_approved_what_reweighting_does_not() -> None:
    naive = drawn_by_verdict(LABELLED, TOTAL)
    as_random = tuple(label.model_copy(update={"design": None}) for label in naive.labels)
    limit = Policy(max_false_pass_rate=0.2)
    random = calibrate(naive.model_copy(update={"labels": as_random, "policy": limit}))
    assert random.decision == "approved"
    assert calibrate(naive.model_copy(update={"policy": limit})).decision == "rejected"


def test_weights_on_the_labels_say_how_common_each_verdict_is() -> None:
    only_labelled = {"pass": 66, "fail": 70}
    weights = {"pass": 900 / 66, "fail": 100 / 70}
    report = calibrate(drawn_by_verdict(LABELLED, only_labelled, weights=weights))
    assert isinstance(report.false_pass_rate, Estimate)
    assert report.false_pass_rate.value == pytest.approx(0.480182926829, abs=1e-9)
    assert report.sampling.source == "from the labels' weights"


def test_no_false_pass_among_labels_drawn_by_verdict_still_has_an_upper_bound() -> None:
    found = drawn_by_verdict({"pass": (300, 0), "fail": (2, 98)}, {"pass": 500, "fail": 500})
    report = calibrate(found.model_copy(update={"policy": Policy(max_false_pass_rate=0.05)}))
    assert isinstance(report.false_pass_rate, Estimate)
    assert report.false_pass_rate.value == 0
    assert report.decision == "approved"
    assert 0.01 < (report.conditions[0].bound_high or 0) < 0.05


def test_kappa_and_accuracy_of_labels_drawn_by_verdict_come_from_weighted_cells() -> None:
    report = calibrate(drawn_by_verdict(LABELLED, TOTAL))
    accuracy = 0.9 * 60 / 66 + 0.1 * 62 / 70
    human_pass = 0.9 * 60 / 66 + 0.1 * 8 / 70
    chance = human_pass * 0.9 + (1 - human_pass) * 0.1
    assert isinstance(report.kappa, Estimate)
    assert isinstance(report.accuracy, Estimate)
    assert report.accuracy.value == pytest.approx(accuracy)
    assert report.kappa.value == pytest.approx((accuracy - chance) / (1 - chance))
    assert report.kappa.low is not None
    assert report.kappa.low < report.kappa.value < (report.kappa.high or 0)


def test_kappa_can_be_a_condition_on_labels_drawn_by_verdict() -> None:
    found = drawn_by_verdict({"pass": (190, 10), "fail": (10, 190)}, {"pass": 500, "fail": 500})
    for limit, decision in ((0.8, "approved"), (0.97, "rejected")):
        report = calibrate(found.model_copy(update={"policy": Policy(min_kappa=limit)}))
        assert report.decision == decision


def test_strata_that_are_not_the_judges_verdicts_are_refused_with_the_reason() -> None:
    crossed = drawn_by_verdict(LABELLED, TOTAL, strata={"pass": "short", "fail": "short"})
    with pytest.raises(InputError, match="hold both verdicts of this judge") as caught:
        calibrate(crossed)
    assert caught.value.found == "short"


def test_the_stratum_verdict_means_this_judges_verdict() -> None:
    named = {"pass": "verdict", "fail": "verdict"}
    report = calibrate(drawn_by_verdict(LABELLED, TOTAL, strata=named))
    assert report.sampling.kind == "by_verdict"


def test_without_weights_and_without_further_verdicts_strata_are_refused() -> None:
    with pytest.raises(InputError, match="share of each verdict is not known"):
        calibrate(drawn_by_verdict(LABELLED, {"pass": 66, "fail": 70}))


def test_one_targeted_label_refuses_the_whole_with_the_reason() -> None:
    found = drawn_by_verdict(LABELLED, TOTAL)
    first, *rest = found.labels
    mixed = (first.model_copy(update={"design": "targeted"}), *rest)
    with pytest.raises(InputError, match="picked on purpose") as caught:
        calibrate(found.model_copy(update={"labels": mixed}))
    assert str(caught.value.found).startswith("1 of 136")


def test_random_labels_beside_labels_drawn_by_verdict_are_split_by_verdict() -> None:
    found = drawn_by_verdict(LABELLED, TOTAL)
    mixed = tuple(
        label.model_copy(update={"design": "random"}) if k % 5 == 0 else label
        for k, label in enumerate(found.labels)
    )
    report = calibrate(found.model_copy(update={"labels": mixed}))
    assert report.false_pass_rate == calibrate(found).false_pass_rate


def test_random_labels_beside_strata_of_something_else_are_refused() -> None:
    found = drawn_by_verdict(LABELLED, TOTAL, strata={"pass": "short", "fail": "short"})
    first, *rest = found.labels
    mixed = (first.model_copy(update={"design": "random"}), *rest)
    with pytest.raises(InputError, match="hold both verdicts"):
        calibrate(found.model_copy(update={"labels": mixed}))


def test_different_weights_under_a_random_design_are_refused() -> None:
    found = drawn_by_verdict(LABELLED, TOTAL, weights={"pass": 2.0, "fail": 1.0})
    random = tuple(label.model_copy(update={"design": "random"}) for label in found.labels)
    with pytest.raises(InputError, match="different weights"):
        calibrate(found.model_copy(update={"labels": random}))


def test_stale_weights_give_way_to_the_verdicts_of_the_whole_split() -> None:
    found = drawn_by_verdict(LABELLED, TOTAL, weights={"pass": 3.0, "fail": 1.0})
    within = frozenset(item.id for item in found.items or ())
    report = calibrate(found.model_copy(update={"within": within}))
    assert report.sampling.judge_pass_share == pytest.approx(0.9)
    weighed = calibrate(found).sampling.judge_pass_share
    assert weighed == pytest.approx(198 / (198 + 70))


def test_targeted_labels_outside_the_split_refuse_nothing() -> None:
    found = drawn_by_verdict(LABELLED, TOTAL)
    away = Label(item_id="elsewhere", annotator="ann", label="pass", design="targeted")
    item = Item(id="elsewhere", input="q", output="x")
    within = frozenset(i.id for i in found.items or ())
    more = {"labels": (*found.labels, away), "items": (*(found.items or ()), item)}
    assert calibrate(found.model_copy(update={**more, "within": within})).decision == "need_labels"


def test_unscored_items_have_no_worst_case_when_labels_were_drawn_by_verdict() -> None:
    found = drawn_by_verdict(LABELLED, TOTAL)
    unscored = (verdict("pass0000", None), *found.verdicts[1:])
    cap = Policy(max_unscored_rate=0.5)
    report = calibrate(found.model_copy(update={"verdicts": unscored, "policy": cap}))
    assert isinstance(report.worst_case_false_pass_rate, Undefined)


def with_faults(found: CalibrationRequest, n: int) -> CalibrationRequest:
    """Let the last verdicts, of items nobody labelled, be invalid and all others be checked."""
    checked = [v.model_copy(update={"unsupported": ()}) for v in found.verdicts]
    for k, v in enumerate(found.verdicts[-n:], len(found.verdicts) - n):
        checked[k] = verdict(v.item_id, None, unsupported=("made up",))
    return found.model_copy(update={"verdicts": tuple(checked)})


@pytest.mark.parametrize(("cap", "decision"), [(0.03, "approved"), (0.019, "need_labels")])
def test_caps_are_decided_on_all_verdicts_whatever_was_labelled(cap: float, decision: str) -> None:
    found = with_faults(drawn_by_verdict(LABELLED, TOTAL), 20)
    for policy in (Policy(max_unscored_rate=cap), Policy(max_unsupported_evidence_rate=cap)):
        report = calibrate(found.model_copy(update={"policy": policy}))
        assert report.conditions[0].value == pytest.approx(20 / 1000)
        assert "20 of 1000" in report.conditions[0].sentence
        assert report.decision == decision
        assert isinstance(report.unsupported_evidence_rate, Estimate)


def test_caps_reject_on_the_lower_bound_over_all_verdicts_in_groups() -> None:
    found = with_faults(drawn_by_verdict(LABELLED, TOTAL), 20)
    items = tuple(
        item.model_copy(update={"group": f"g{k // 10}"}) for k, item in enumerate(found.items or ())
    )
    strict = Policy(max_unscored_rate=0.009)
    assert calibrate(found.model_copy(update={"policy": strict})).decision == "rejected"
    grouped = calibrate(found.model_copy(update={"policy": strict, "items": items}))
    assert grouped.decision == "need_labels"  # two whole groups are two faults, not twenty


def test_a_cap_is_decided_on_the_verdicts_of_the_split_only() -> None:
    found = with_faults(drawn_by_verdict(LABELLED, TOTAL), 20)
    within = frozenset(v.item_id for v in found.verdicts[:-10])
    more = {"policy": Policy(max_unscored_rate=0.5), "within": within}
    assert "10 of 990" in calibrate(found.model_copy(update=more)).conditions[0].sentence


def test_verdicts_on_the_drawn_items_alone_cannot_say_a_cap() -> None:
    weights = {"pass": 900 / 66, "fail": 100 / 70}
    found = drawn_by_verdict(LABELLED, {"pass": 66, "fail": 70}, weights=weights)
    report = calibrate(found.model_copy(update={"policy": Policy(max_unscored_rate=0.5)}))
    assert report.decision == "need_labels"
    assert "without the verdicts on all items" in report.conditions[0].sentence


def test_the_reweighted_bound_covers_the_true_rate() -> None:
    import numpy as np

    rng = np.random.default_rng(20261130)
    wrong, right, share = 0.04, 0.7, 0.8
    true = wrong * share / (wrong * share + right * (1 - share))
    below = 0
    for _ in range(400):
        fails = rng.binomial([150, 100], [wrong, right])
        human = np.r_[np.arange(150) < fails[0], np.arange(100) < fails[1]].astype(int)
        judge = np.r_[np.zeros(150, int), np.ones(100, int)]
        group = np.arange(250)
        tables = count_tables(PASS_FAIL, human=human, judge=judge, group=group, n_groups=250)
        below += share_of(tables, "fail", share).bounds(0.05).high < true
    assert below <= 20  # 5 % of 400
