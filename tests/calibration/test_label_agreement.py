from __future__ import annotations

import pytest

from judgekit.calibration.answers import Reading
from judgekit.calibration.human import human_agreement, human_answers
from judgekit.calibration.label_agreement import label_agreement, unit_agreement
from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.stats.estimate import Estimate, Undefined


def labels(answers: dict[str, str], criterion: str = "_overall", **more) -> list[Label]:
    """Return one label a letter: item i1, i2, ... of each annotator."""
    return [
        Label(item_id=f"i{n}", annotator=name, criterion=criterion, label=WORDS[letter], **more)
        for name, letters in answers.items()
        for n, letter in enumerate(letters, start=1)
        if letter != "."
    ]


WORDS = {"p": "pass", "f": "fail", "u": "unsure", "t": "tie"}


def test_it_is_the_librarys_own_agreement_on_the_same_rows() -> None:
    rows = labels({"ana": "ppffpfpfpp", "ben": "ppffpfppff"})
    items = [Item(id=f"i{n}", group=f"g{n % 4}") for n in range(1, 11)]
    found = label_agreement(rows, items=items)["_overall"]
    answers = human_answers(rows, unit="_overall", rubric=None, reading=Reading())
    assert found == human_agreement(
        answers,
        groups={item.id: item.group_key for item in items},
        items=sorted(answers),
        labels=("pass", "fail"),
        tail=(1 - 0.95) / 2,
    )
    assert isinstance(found.agreement, Estimate)
    assert (found.agreement.value, found.agreement.n) == (0.7, 10)


def test_unsure_adjudicators_and_objective_labels_are_no_pairs() -> None:
    rows = [
        *labels({"ana": "ppu", "ben": "pfp"}),
        *labels({"lea": "fff"}, origin="adjudicated"),
        *labels({"gold": "fff"}),
    ]
    assert label_agreement(rows)["_overall"].agreement.n == 2


def test_each_criterion_stands_by_itself_and_other_words_are_compared_as_they_are() -> None:
    rows = [*labels({"ana": "pf", "ben": "pp"}), *labels({"ana": "tp", "ben": "tp"}, "tone")]
    found = unit_agreement(label_agreement(rows))
    assert {name: unit.n_pairs for name, unit in found.items()} == {"_overall": 2, "tone": 2}
    assert found["tone"].agreement.value == pytest.approx(1.0)


def test_one_person_alone_agrees_with_nobody() -> None:
    found = unit_agreement(label_agreement(labels({"ana": "pf"})))["_overall"]
    assert isinstance(found.kappa, Undefined)
    assert found.n_pairs == 0
    assert label_agreement([]) == {}
