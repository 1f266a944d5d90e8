"""Every case of a calibration, in the cell that it was counted in."""

from collections import Counter

from judgekit.calibration.calibrate import calibrate
from judgekit.calibration.cases import COUNTED, cases_of

from .records import label, request

CELLS = {
    ("pass", "pass"): 5,
    ("pass", "fail"): 3,
    ("fail", "pass"): 2,
    ("fail", "fail"): 4,
    ("fail", "none"): 1,
}


def test_cases_are_exactly_the_pairs_that_calibrate_counts() -> None:
    """C1, C3, D1."""
    asked = request(CELLS)
    report = calibrate(asked)
    counted = Counter(case.cell for case in cases_of(asked))
    (both_pass, false_fail), (false_pass, both_fail) = report.confusion.rows
    assert [counted[cell] for cell in COUNTED] == [both_pass, false_fail, false_pass, both_fail]
    assert counted["no_answer"] == 1


def test_a_tie_among_people_is_an_unresolved_case_in_no_cell() -> None:
    asked = request({("pass", "pass"): 2})
    other = label("i0001", "fail", annotator="ben")
    found = cases_of(asked.model_copy(update={"labels": (*asked.labels, other)}))
    assert {case.item_id: (case.cell, case.agreement) for case in found} == {
        "i0001": ("unresolved", "disagree"),
        "i0002": ("both_pass", "single"),
    }


def test_a_case_carries_every_label_about_it_and_how_people_agree() -> None:
    asked = request({("fail", "pass"): 1})
    more = (
        label("i0001", "fail", annotator="ben"),
        label("i0001", "fail", annotator="lead", origin="adjudicated", note="see 3.2"),
        label("i0001", "pass", annotator="ben", criterion="tone"),
    )
    found = cases_of(
        asked.model_copy(update={"labels": (*asked.labels, *more), "criterion": "_overall"})
    )[0]
    assert [one.annotator for one in found.labels] == ["ann", "ben", "lead"]
    assert (found.agreement, found.cell, found.id) == ("agree", "false_pass", "i0001")


def test_only_settled_labels_say_nothing_about_agreement() -> None:
    asked = request({("pass", "pass"): 1})
    only = label("i0001", "pass", annotator="gold")
    found = cases_of(asked.model_copy(update={"labels": (only,)}))
    assert found[0].agreement == "none"


def test_each_label_line_is_a_case_of_its_own() -> None:
    asked = request({("pass", "pass"): 1}, rule="each")
    labels = (*asked.labels, label("i0001", "fail", annotator="ben"))
    found = cases_of(asked.model_copy(update={"labels": labels}))
    assert [(case.id, case.cell) for case in found] == [
        ("i0001", "both_pass"),
        ("i0001#1", "false_pass"),
    ]
