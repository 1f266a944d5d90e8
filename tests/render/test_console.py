from __future__ import annotations

from calibrations import calibration, label

from judgekit.render.console import calibration_text
from judgekit.render.words import unmarked


def test_the_text_opens_with_judge_and_verdict_and_closes_with_a_line_feed() -> None:
    text = calibration_text(calibration(wrong=20, n=60))
    assert text.splitlines()[0].startswith("reply: Rejected: a limit is broken")
    assert text.endswith("\n")


def test_counts_and_figures_are_readable_without_colour() -> None:
    text = calibration_text(calibration(wrong=3))
    assert "human pass          10           0" in text
    assert "human fail           3           7" in text
    assert "False passes              limit 0.2  0.300 (" in text
    assert "\x1b" not in text


def test_a_name_cannot_steer_the_terminal() -> None:
    text = calibration_text(calibration(judge="re\x1b[2Jply\u202e"))
    assert text.startswith("re\\u001b[2Jply\\u202e: ")


def test_only_the_first_disagreements_are_listed_and_the_rest_counted() -> None:
    text = calibration_text(calibration(wrong=15, n=40))
    assert text.count("human fail, judge pass") == 10
    assert "and 5 more" in text


def test_each_limit_says_its_outcome_once() -> None:
    for wrong, n, outcome in ((0, 200, "met"), (3, 20, "open"), (60, 120, "broken")):
        limits = calibration_text(calibration(wrong=wrong, n=n)).split("\nLimits\n")[1]
        first = limits.splitlines()[0]
        assert first.startswith(f"  - {outcome}: false pass rate: ")
        assert first.endswith("limit 0.2.")
    for outcome, sentence in (("undecided", "x: 0.5, cap 1: open."), ("safe", "x: met; few.")):
        report = calibration()
        found = report.conditions[0].model_copy(update={"outcome": outcome, "sentence": sentence})
        assert unmarked(found) in ("x: 0.5, cap 1.", "x; few.")


def test_synthetic_labels_are_announced_under_the_verdict() -> None:
    made = tuple(label(i, "fail" if i < 10 else "pass", origin="synthetic") for i in range(20))
    assert calibration_text(calibration(labels=made)).splitlines()[1].startswith("SYNTHETIC")


def test_no_number_of_labels_is_said_of_a_judge_that_goes_on_as_it_did() -> None:
    text = calibration_text(calibration(wrong=5, n=40))
    says = "  - If the judge goes on as it did, no number of labels would meet every limit: "
    assert f"{says}false_pass_rate: the expected rate 0.261905 is not below" in text
