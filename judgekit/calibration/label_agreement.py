"""How people agree about labels, by criterion, as calibration computes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from judgekit.calibration.answers import Reading
from judgekit.calibration.human import HumanAgreement, human_agreement, human_answers
from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.model.release import UnitAgreement

CONFIDENCE = 0.95
BINARY = ("pass", "fail")


def label_agreement(
    labels: Sequence[Label], *, items: Iterable[Item] = (), answers: Sequence[str] = BINARY
) -> dict[str, HumanAgreement]:
    """Return the agreement among people for each criterion that has labels, at 95 %.

    Adjudicators, objective labels and models are no people; unsure is no answer, so a pair with it
    does not count. Intervals respect the groups of `items`.

    Args:
        answers: the words that count as answers; anything else is compared as it stands too.
    """
    groups = {item.id: item.group_key for item in items}
    return {
        criterion: _agreement(
            [label for label in labels if label.criterion == criterion], criterion, groups, answers
        )
        for criterion in sorted({label.criterion for label in labels})
    }


def unit_agreement(found: Mapping[str, HumanAgreement]) -> dict[str, UnitAgreement]:
    """Return what a release keeps of the agreement."""
    return {
        criterion: UnitAgreement(n_pairs=one.agreement.n, agreement=one.agreement, kappa=one.kappa)
        for criterion, one in found.items()
    }


def _agreement(
    labels: Sequence[Label], criterion: str, groups: Mapping[str, str], answers: Sequence[str]
) -> HumanAgreement:
    words = {str(x.label) for x in labels} - {"unsure"}
    known = (*answers, *sorted(words - set(answers)))
    reading = Reading(categories=known)
    found = human_answers(labels, unit=criterion, rubric=None, reading=reading)
    return human_agreement(
        found, groups=groups, items=sorted(found), labels=known, tail=(1 - CONFIDENCE) / 2
    )
