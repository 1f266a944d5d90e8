"""The human ceiling: could the judge stand in for one of the people?"""

from __future__ import annotations

from judgekit.calibration.calibrate import CalibrationRequest
from judgekit.calibration.comparison import Ceiling
from judgekit.calibration.human import Answers, human_answers, tie_breakers
from judgekit.calibration.same_items import request_pairs, request_references
from judgekit.stats.alt_test import alternative_annotator_test
from judgekit.stats.estimate import Undefined

NO_TWO = "no item was labelled by two people"


def ceiling(request: CalibrationRequest, epsilon: float) -> Ceiling:
    """Return the alternative-annotator test of a judge on the items it answered.

    People only: no adjudicators, objective labels or models, and nobody who labelled mostly where
    others disagreed. `epsilon` is what a person costs: .2 for experts, .15 for skilled, .1 for
    crowd annotators; the smaller, the stricter.
    """
    references = request_references(request)
    answered = {
        pair.item_id: pair.judge
        for pair in request_pairs(request, references).scored
        if pair.judge is not None
    }
    answers = human_answers(
        request.labels, unit=references.unit, rubric=request.rubric, reading=request.reading
    )
    shared = {i: own for i, own in answers.items() if i in answered and len(own) > 1}
    if not shared:
        return _untestable(request.judge, epsilon, NO_TWO)
    return _tested(request.judge, epsilon, shared, answered)


def _tested(judge: str, epsilon: float, shared: Answers, answered: dict[str, str]) -> Ceiling:
    left_out = tie_breakers(shared)
    people = sorted({name for own in shared.values() for name in own} - set(left_out))
    items = sorted(shared)
    found = alternative_annotator_test(
        [[shared[i].get(name) for name in people] for i in items],
        [answered[i] for i in items],
        epsilon=epsilon,
    )
    reason = None
    if isinstance(found.winning_rate, Undefined):
        reason = found.winning_rate.undefined
    return Ceiling(
        judge=judge,
        epsilon=epsilon,
        annotators=tuple(people[j] for j in found.annotators),
        winning_rate=found.winning_rate,
        average_advantage=found.average_advantage,
        passes=found.passes,
        reason=reason,
    )


def _untestable(judge: str, epsilon: float, reason: str) -> Ceiling:
    none = Undefined(undefined=reason)
    return Ceiling(
        judge=judge,
        epsilon=epsilon,
        annotators=(),
        winning_rate=none,
        average_advantage=none,
        passes=None,
        reason=reason,
    )
