"""Every labelled item of one calibration as a case to be read, by the cell it was counted in."""

from __future__ import annotations

from collections import defaultdict
from typing import Literal

from judgekit.calibration.calibrate import CalibrationRequest
from judgekit.calibration.human import human_answers
from judgekit.calibration.pairing import Pair
from judgekit.calibration.same_items import request_pairs, request_references
from judgekit.model.base import Record
from judgekit.model.label import OVERALL, Label
from judgekit.model.verdict import Verdict

Cell = Literal["both_pass", "false_fail", "false_pass", "both_fail", "no_answer", "unresolved"]
Agreement = Literal["agree", "disagree", "single", "none"]

COUNTED: tuple[Cell, ...] = ("both_pass", "false_fail", "false_pass", "both_fail")
CELLS: dict[tuple[str, str], Cell] = {
    ("pass", "pass"): "both_pass",
    ("pass", "fail"): "false_fail",
    ("fail", "pass"): "false_pass",
    ("fail", "fail"): "both_fail",
}


class Case(Record):
    """One item with the human answer, the verdict and every label behind the answer.

    `cell` is where the calibration counted it: `no_answer` has no scored verdict (invalid, failed,
    abstained or missing), `unresolved` no standing human answer. `agreement` is that of the people
    among each other. `number` counts the cases of one item, from 0.
    """

    item_id: str
    number: int = 0
    cell: Cell
    human: str
    judge: str | None
    failure_mode: str | None
    agreement: Agreement
    labels: tuple[Label, ...]
    verdict: Verdict | None

    @property
    def id(self) -> str:
        """Return what names the case: the item, and its number where it is not the first."""
        return self.item_id if self.number == 0 else f"{self.item_id}#{self.number}"


def cases_of(request: CalibrationRequest) -> tuple[Case, ...]:
    """Return the cases of a pass/fail calibration, exactly the pairs that `calibrate` counts.

    Raises:
        InputError: as `calibrate`.
        CriterionMismatch: as `calibrate`.
    """
    references = request_references(request)
    pairing = request_pairs(request, references)
    labels = _labels(request, references.unit)
    people = human_answers(
        request.labels, unit=references.unit, rubric=request.rubric, reading=request.reading
    )
    seen: dict[str, int] = defaultdict(int)
    found = []
    for one in (*pairing.scored, *pairing.unscored, *pairing.unresolved):
        answers = tuple(people.get(one.item_id, {}).values())
        found.append(_case(one, seen[one.item_id], answers, tuple(labels[one.item_id])))
        seen[one.item_id] += 1
    return tuple(found)


def _case(one: Pair, number: int, answers: tuple[str, ...], labels: tuple[Label, ...]) -> Case:
    return Case(
        item_id=one.item_id,
        number=number,
        cell=_cell(one),
        human=one.human,
        judge=one.judge,
        failure_mode=one.failure_mode,
        agreement=_agreement(answers),
        labels=labels,
        verdict=one.verdict,
    )


def _cell(one: Pair) -> Cell:
    if not one.human:
        return "unresolved"
    return "no_answer" if one.judge is None else CELLS[one.human, one.judge]


def _agreement(answers: tuple[str, ...]) -> Agreement:
    if len(answers) < 2:
        return "single" if answers else "none"
    return "agree" if len(set(answers)) == 1 else "disagree"


def _labels(request: CalibrationRequest, unit: str) -> dict[str, list[Label]]:
    known = request.rubric.criterion_ids if request.rubric and unit == OVERALL else ()
    found: dict[str, list[Label]] = defaultdict(list)
    for label in request.labels:
        if label.criterion in (unit, *known):
            found[label.item_id].append(label)
    return found
