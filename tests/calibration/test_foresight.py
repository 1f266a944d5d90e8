"""What the app shows before a look at the holdout is spent."""

from pathlib import Path

from judgekit.calibration.calibrate import calibrate_family
from judgekit.calibration.foresight import foresee
from judgekit.calibration.looks import LookLedger

from .records import request

CELLS = {("pass", "pass"): 40, ("fail", "fail"): 40, ("fail", "pass"): 2}


def on_holdout(judge: str = "j", **more: object):
    found = request(CELLS, judge=judge, **more)
    ids = frozenset(item.id for item in found.items or ())
    return found.model_copy(update={"split": "holdout", "within": ids})


def test_foreseeing_names_the_judges_whose_look_would_be_new_and_writes_nothing(
    tmp_path: Path,
) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    found = foresee(((on_holdout("a"),), (on_holdout("b", fingerprint="g"),)), ledger)
    assert (found.new_looks, found.looks_left) == (("a", "b"), 3)
    assert [report.looks.used for report in found.reports if report.looks] == [1, 2]
    assert list(tmp_path.iterdir()) == []


def test_a_look_that_was_spent_is_foreseen_as_free_and_shows_what_calibrate_shows(
    tmp_path: Path,
) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    calibrate_family((on_holdout(),), ledger=ledger)
    found = foresee(((on_holdout(),),), ledger)
    assert (found.new_looks, found.looks_left) == ((), 2)
    assert found.reports == calibrate_family((on_holdout(),), ledger=ledger)


def test_another_split_needs_no_look(tmp_path: Path) -> None:
    found = foresee(((request(CELLS),),), LookLedger(tmp_path / "looks.jsonl"))
    assert (found.new_looks, found.looks_left) == ((), None)


def test_used_up_looks_leave_none(tmp_path: Path) -> None:
    ledger = LookLedger(tmp_path / "looks.jsonl")
    for fingerprint in "abc":
        calibrate_family((on_holdout(fingerprint=fingerprint),), ledger=ledger)
    found = foresee(((on_holdout(fingerprint="d"),),), ledger)
    assert (found.new_looks, found.looks_left) == ((), 0)
    assert found.reports[0].looks is not None
    assert found.reports[0].looks.exhausted
