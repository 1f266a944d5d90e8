"""The ledger of looks at a holdout."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from judgekit.calibration.calibrate import calibrate
from judgekit.calibration.looks import LookLedger, LookState
from judgekit.errors import InputError, StoreFailed

from .records import LIMITS, request

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
GOOD = {("pass", "pass"): 100, ("fail", "fail"): 100}


def look(ledger: LookLedger, key: str, items: set[str]) -> LookState:
    return ledger.spend(
        key=key, judge="j", fingerprint="f", unit="u", items=items, max_looks=2, now=NOW
    )


def test_repeating_a_look_is_free_and_looks_run_out(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    assert look(ledger, "k1", {"a", "b"}).used == 1
    assert look(ledger, "k1", {"a", "b"}).repeated
    assert look(ledger, "k2", {"b", "c"}).used == 2
    assert look(ledger, "k3", {"c", "d"}).exhausted
    assert look(ledger, "k2", {"b", "c"}).repeated
    assert look(ledger, "k4", {"x"}).used == 1
    assert [one.key for one in ledger.read()] == ["k1", "k2", "k4"]


def test_a_spoilt_ledger_is_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "looks.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        LookLedger(path).read()
    assert str(refused.value.where).endswith("looks.jsonl:1")


def holdout(**more: Any) -> Any:
    return request(GOOD, split="holdout", **more)


@pytest.mark.parametrize("cap", [None, 0.05])
def test_a_judge_without_a_usable_pair_spends_no_look(tmp_path: Path, cap: float | None) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    policy = LIMITS.model_copy(update={"max_unscored_rate": cap})
    broken = request({("pass", "none"): 60, ("fail", "none"): 40}, policy, split="holdout")
    gone = broken.model_copy(update={"verdicts": broken.verdicts[:30]})
    for found in (broken, gone):
        report = calibrate(found, ledger=ledger, now=NOW)
        assert (report.decision, report.looks, report.approvable) == ("need_labels", None, False)
        assert "invalid or missing" in report.reasons[0]
        assert not any("no holdout was looked at" in reason for reason in report.reasons)
    assert ledger.read() == ()
    report = calibrate(holdout(), ledger=ledger, now=NOW)
    assert report.looks is not None
    assert report.looks.used == 1


def test_each_look_at_the_holdout_spends_its_share_of_alpha(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    report = calibrate(holdout(), ledger=ledger, now=NOW)
    assert (report.decision, report.approvable) == ("approved", True)
    assert report.conditions[0].level == pytest.approx(0.05 / 3)
    assert report.conditions[0].reject_level == pytest.approx(0.05 / 9)
    assert report.looks == LookState(used=1, max_looks=3, repeated=False, exhausted=False)
    again = calibrate(holdout(), ledger=ledger, now=NOW)
    assert again.looks is not None
    assert again.looks.repeated
    assert again.decision == "approved"


def test_looks_are_counted_over_all_candidates(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    for name in ("one", "two", "three"):
        calibrate(holdout(judge=name, fingerprint=name), ledger=ledger, now=NOW)
    late = calibrate(holdout(judge="four", fingerprint="four"), ledger=ledger, now=NOW)
    assert (late.decision, late.exit_code, late.approvable) == ("need_labels", 3, False)
    assert "fresh holdout" in late.reasons[0]
    first = calibrate(holdout(judge="one", fingerprint="one"), ledger=ledger, now=NOW)
    assert first.decision == "approved"


def test_other_limits_on_the_same_holdout_are_another_look(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    calibrate(holdout(), ledger=ledger, now=NOW)
    wider = LIMITS.model_copy(update={"max_false_pass_rate": 0.2})
    second = calibrate(holdout(policy=wider), ledger=ledger, now=NOW)
    assert second.looks is not None
    assert second.looks.used == 2


def test_without_a_holdout_no_look_is_spent_and_nothing_is_approvable(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    report = calibrate(request(GOOD), ledger=ledger, now=NOW)
    assert report.decision == "approved"
    assert not report.approvable
    assert report.conditions[0].level == 0.05
    assert ledger.read() == ()


def test_recorded_graders_are_never_approvable(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    report = calibrate(holdout(kind="recorded"), ledger=ledger, now=NOW)
    assert report.decision == "approved"
    assert report.reasons[-1] == "Not approvable: a recorded grader cannot be approved."


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000, b"{}", b"not json"])
def test_a_ledger_that_is_not_one_is_refused_with_its_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "looks.jsonl"
    path.write_bytes(content + b"\n")
    with pytest.raises(InputError, match="looks ledger cannot be read") as caught:
        look(LookLedger(path), "k1", {"a"})
    assert caught.value.where == f"{path}:1"
    assert path.read_bytes() == content + b"\n"


def test_a_folder_in_the_ledgers_place_is_a_fault_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "looks.jsonl").mkdir()
    with pytest.raises(StoreFailed, match=r"looks\.jsonl"):
        look(LookLedger(tmp_path / "looks.jsonl"), "k1", {"a"})


def test_looks_at_once_spend_no_more_than_there_are(tmp_path: Path) -> None:
    path = tmp_path / "looks.jsonl"
    with ThreadPoolExecutor(8) as pool:
        states = list(pool.map(lambda k: look(LookLedger(path), f"k{k}", {"a"}), range(24)))
    spent = [state for state in states if not state.exhausted]
    assert len(LookLedger(path).read()) == len(spent) == states[0].max_looks
