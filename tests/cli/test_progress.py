"""What is said of one trial while trials are made."""

from __future__ import annotations

from judgekit.cli.progress import trial_text
from judgekit.model.trial import Trial


def trial(**facts: object) -> Trial:
    return Trial.model_validate({"case_id": "teapot", "number": 0, **facts})


def test_a_finished_trial_has_no_reason() -> None:
    assert trial_text(trial(ending="finished"), 20) == "case teapot trial 0 finished (20 made)"


def test_a_reason_is_on_one_line() -> None:
    text = trial_text(trial(ending="crashed", error="exit code 2.\nno such file"), 3)
    assert text == "case teapot trial 0 crashed (3 made): exit code 2. no such file"


def test_of_a_long_reason_the_end_is_kept() -> None:
    error = "exit code 1. Traceback\n" + "frame\n" * 200 + "ValueError: there is no fault 'x'"
    text = trial_text(trial(ending="crashed", error=error), 1)
    assert text.startswith("case teapot trial 0 crashed (1 made): exit code 1. Traceback frame")
    assert " ... " in text
    assert text.endswith("ValueError: there is no fault 'x'")
    assert len(text) < 250
