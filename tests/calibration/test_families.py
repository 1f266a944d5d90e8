"""Several criteria or slices, each approvable on its own: Holm, and one look for all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judgekit.calibration.arrays import counted_subject, heading_for
from judgekit.calibration.calibrate import CalibrationRequest, calibrate, calibrate_family
from judgekit.calibration.design import Sampling
from judgekit.calibration.families import sliced
from judgekit.calibration.holm import holm_divisors
from judgekit.calibration.judging import conditions_of, levels_of
from judgekit.calibration.looks import LookLedger
from judgekit.calibration.subject import Subject
from judgekit.calibration.tables import count_tables
from judgekit.cli.main import run_cli
from judgekit.errors import UsageError
from judgekit.model.item import Item
from judgekit.model.policy import Policy
from judgekit.model.verdict import Verdict
from judgekit.stats.confusion import PASS_FAIL
from judgekit.stats.intervals import GroupedCounts

from .records import label, request

LIMIT = Policy(max_false_pass_rate=0.05)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def unit(name: str, fails: int, errors: int = 0, **more: Any) -> CalibrationRequest:
    """Return one criterion with so many human fails, of which the judge passes `errors`."""
    found = request({("fail", "fail"): fails - errors, ("fail", "pass"): errors}, LIMIT, **more)
    labels = tuple(x.model_copy(update={"criterion": name}) for x in found.labels)
    return found.model_copy(update={"labels": labels, "criterion": name})


@pytest.mark.parametrize(
    ("fails", "decisions"),
    [
        # 59 fails without an error clear 5 % at alpha .05, 72 at .05/2, 80 at .05/3.
        ((59,), ("approved",)),
        ((72, 59), ("approved", "approved")),
        ((71, 59), ("need_labels", "need_labels")),
        ((80, 72, 59), ("approved", "approved", "approved")),
        ((79, 79, 59), ("need_labels", "need_labels", "need_labels")),
        ((59, 80, 71), ("need_labels", "approved", "need_labels")),
    ],
)
def test_holm_decides_who_of_a_family_is_approved(
    fails: Sequence[int], decisions: Sequence[str]
) -> None:
    reports = calibrate_family([unit(f"c{k}", n) for k, n in enumerate(fails)])
    assert tuple(report.decision for report in reports) == decisions


def test_the_sentence_says_that_holm_set_the_level() -> None:
    first, second = calibrate_family([unit("a", 72), unit("b", 60)])
    assert "at level 0.025, Holm over 2 units: 1/2 of 0.05" in first.conditions[0].sentence
    assert "at level 0.05, Holm over 2 units: 1/1 of 0.05" in second.conditions[0].sentence
    assert first.conditions[0].level == pytest.approx(0.025)
    assert any("Each may be approved on its own" in reason for reason in first.reasons)


def test_a_family_rejects_no_more_often_than_its_level() -> None:
    reports = calibrate_family([unit("a", 100), unit("b", 100, 12)])
    assert [report.decision for report in reports] == ["approved", "rejected"]
    assert {report.conditions[0].reject_level for report in reports} == {0.025}


def test_a_family_is_one_look_and_each_member_repeats_it_at_its_own_level(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    family = [unit("a", 200, split="holdout"), unit("b", 130, split="holdout")]
    reports = calibrate_family(family, ledger=ledger, now=NOW)
    assert [report.decision for report in reports] == ["approved", "approved"]
    assert len(ledger.read()) == 1
    alone = calibrate(family[0], ledger=ledger, now=NOW)
    assert alone.conditions == reports[0].conditions
    assert alone.looks is not None
    assert alone.looks.repeated
    assert len(ledger.read()) == 1


def test_a_family_of_two_judges_is_refused() -> None:
    with pytest.raises(UsageError, match="one judge"):
        calibrate_family([unit("a", 5), unit("b", 5, judge="k")])


def test_slices_are_the_values_of_one_key_and_each_is_judged_alone() -> None:
    found = request({("fail", "fail"): 160, ("pass", "pass"): 40}, LIMIT)
    languages = {True: {"lang": "en"}, False: {"lang": "fr"}}
    items = tuple(
        item.model_copy(update={"metadata": languages[k < 80] if k != 199 else {}})
        for k, item in enumerate(found.items or ())
    )
    parts = sliced(found.model_copy(update={"items": items}), "lang")
    assert [part.slice for part in parts] == ["lang=(none)", "lang=en", "lang=fr"]
    reports = calibrate_family(parts)
    assert [report.n_pairs for report in reports] == [1, 80, 119]
    assert [report.decision for report in reports] == ["need_labels", "approved", "approved"]
    with pytest.raises(UsageError, match="no item has the metadata 'colour'"):
        sliced(found.model_copy(update={"items": items}), "colour")
    with pytest.raises(UsageError, match="slices need"):
        sliced(found.model_copy(update={"items": None}), "lang")


def _write(path: Path, rows: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_calibrate_takes_several_criteria_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"i{k}" for k in range(80)]
    units = ("tone", "facts")
    labels = [
        {"item_id": n, "annotator": "a", "criterion": c, "label": "fail"}
        for n in names
        for c in units
    ]
    verdicts = [
        {"item_id": n, "judge": "j", "criterion": c, "label": "fail"} for n in names for c in units
    ]
    items = [{"id": n, "metadata": {"lang": "en" if k < 40 else "fr"}} for k, n in enumerate(names)]
    files = [
        "--labels", str(_write(tmp_path / "labels.jsonl", labels)),
        "--verdicts", str(_write(tmp_path / "verdicts.jsonl", verdicts)),
        "--items", str(_write(tmp_path / "items.jsonl", items)),
        "--max-false-pass-rate", "0.05", "--json",
    ]  # fmt: skip
    code = run_cli(["calibrate", *files, "--criterion", "tone", "--criterion", "facts"])
    found = json.loads(capsys.readouterr().out)["judges"]
    assert code == 0
    assert [one["unit"] for one in found] == ["tone", "facts"]
    assert [one["conditions"][0]["level"] for one in found] == [0.025, 0.025]
    code = run_cli(["calibrate", *files, "--criterion", "tone", "--slice", "lang"])
    found = json.loads(capsys.readouterr().out)["judges"]
    assert code == 3
    assert [one["slice"] for one in found] == ["lang=en", "lang=fr"]


def test_ties_and_unsure_get_a_pessimistic_bound_beside_the_plain_one() -> None:
    found = request({("fail", "fail"): 100, ("fail", "pass"): 2, ("pass", "pass"): 50}, LIMIT)
    extra = [
        (Item(id=f"tie{k}", input="q", output=f"t{k}"), "pass" if k < 6 else "fail")
        for k in range(10)
    ]
    labels = [
        label(item.id, answer, annotator)
        for item, _ in extra
        for annotator, answer in (("ann", "pass"), ("bob", "fail"))
    ]
    verdicts = [
        Verdict(
            item_id=item.id, grader="j", fingerprint="f", item_hash="", status="scored",
            passed=judge == "pass",
        )
        for item, judge in extra
    ]  # fmt: skip
    more = {
        "items": (*(found.items or ()), *(item for item, _ in extra)),
        "labels": (*found.labels, *labels),
        "verdicts": (*found.verdicts, *verdicts),
    }
    data = calibrate(found.model_copy(update=more)).to_json()
    plain, careful = data["false_pass_rate"], data["pessimistic_false_pass_rate"]
    assert (data["unresolved"], plain["value"], plain["n"]) == (10, pytest.approx(2 / 102), 102)
    assert (careful["value"], careful["n"]) == (pytest.approx(8 / 108), 108)
    assert data["pessimistic_false_fail_rate"]["value"] == pytest.approx(4 / 54)
    condition = data["conditions"][0]
    assert condition["pessimistic_bound"] > condition["bound_high"]
    assert "with ties and unsure counted as errors at most" in condition["sentence"]


def test_without_ties_the_condition_names_no_pessimistic_bound() -> None:
    data = calibrate(request({("fail", "fail"): 100}, LIMIT)).to_json()
    assert data["unresolved"] == 0
    assert "pessimistic_bound" not in data["conditions"][0]
    assert data["pessimistic_false_pass_rate"] == data["false_pass_rate"]


def test_while_verdicts_are_being_written_no_look_is_spent_and_nothing_is_decided(
    tmp_path: Path,
) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    busy = request({("fail", "fail"): 200}, LIMIT, split="holdout", filling=True)
    report = calibrate(busy, ledger=ledger, now=NOW)
    assert (report.decision, report.looks, report.approvable) == ("need_labels", None, False)
    assert "still being written" in report.reasons[0]
    assert report.conditions[0].level == pytest.approx(0.05 / 3)
    assert ledger.read() == ()


def test_a_family_lets_a_judge_at_its_limit_through_no_more_often_than_alpha() -> None:
    rng = np.random.default_rng(7)
    policy, family, approved = Policy(max_false_pass_rate=0.1), 3, 0
    for _ in range(600):
        subjects = [counted(rng.binomial(150, rate), policy) for rate in (0.02, 0.1, 0.1)]
        divisors = holm_divisors(subjects, None)
        levels = [levels_of(subjects[k], None, divisor=divisors[k], family=family) for k in (1, 2)]
        outcomes = [conditions_of(subjects[k + 1], levels[k])[0].outcome for k in (0, 1)]
        approved += "safe" in outcomes
    assert approved <= 0.05 * 600


def counted(errors: int, policy: Policy, n: int = 150) -> Subject:
    human, judge = np.ones(n, dtype=int), (np.arange(n) >= errors).astype(int)
    tables = count_tables(PASS_FAIL, human=human, judge=judge, group=np.arange(n), n_groups=n)
    return counted_subject(
        heading_for("j", policy),
        tables,
        hashes=lambda: ("", ""),
        sampling=Sampling(),
        without_answer=lambda: GroupedCounts(errors=(), sizes=()),
        unscored={},
    )
