"""Several judges on the same labelled items: who is right where."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from judgekit.calibration.calibrate import CalibrationRequest
from judgekit.calibration.pairing import Pair, Pairing, pair
from judgekit.calibration.reference import ReferenceSet, reference_labels
from judgekit.model.base import Record

Key = tuple[str, int]


class SharedItem(Record):
    """One human answer with the answer of every judge that gave one."""

    item_id: str
    group: str
    human: str
    answers: dict[str, str]


class SharedItems(Record):
    """The labelled items that at least one judge answered, in the order of the labels."""

    judges: tuple[str, ...]
    items: tuple[SharedItem, ...]

    @property
    def by_all(self) -> tuple[SharedItem, ...]:
        """Return the items that every judge answered."""
        wanted = set(self.judges)
        return tuple(item for item in self.items if wanted <= item.answers.keys())

    def of_two(self, first: str, second: str, human: str) -> tuple[SharedItem, ...]:
        """Return the items with the human answer `human` that both judges answered."""
        return tuple(
            item
            for item in self.items
            if item.human == human and first in item.answers and second in item.answers
        )


class WrongAlone(Record):
    """The items that one judge gets wrong and every other judge right.

    `of` counts the items that every judge answered.
    """

    judge: str
    of: int
    false_passes: tuple[str, ...]
    false_fails: tuple[str, ...]


def request_references(request: CalibrationRequest) -> ReferenceSet:
    """Return the human side of a request, as `calibrate` reads it."""
    return reference_labels(
        request.labels,
        rule=request.rule,
        rubric=request.rubric,
        criterion=request.criterion,
        reading=request.reading,
        min_annotators=request.policy.min_annotators if request.policy else None,
    )


def request_pairs(request: CalibrationRequest, references: ReferenceSet) -> Pairing:
    """Return the pairs of a request, as `calibrate` makes them."""
    items = None if request.items is None else {item.id: item for item in request.items}
    return pair(
        references,
        request.verdicts,
        items=items,
        within=request.within,
        order=request.order,
        labels_criterion=request.verdict_criterion,
        categories=request.categories,
    )


def shared_items(requests: Sequence[CalibrationRequest]) -> SharedItems:
    """Return the labelled items of several judges side by side.

    Under the reference `each` an item comes once for each of its label lines.
    """
    found: dict[Key, Pair] = {}
    answers: dict[Key, dict[str, str]] = defaultdict(dict)
    for request in requests:
        for key, own in _numbered(request):
            if own.judge is not None:
                found.setdefault(key, own)
                answers[key][request.judge] = own.judge
    return SharedItems(
        judges=tuple(request.judge for request in requests),
        items=tuple(
            SharedItem(item_id=p.item_id, group=p.group, human=p.human, answers=answers[key])
            for key, p in found.items()
        ),
    )


def _numbered(request: CalibrationRequest) -> list[tuple[Key, Pair]]:
    """Return the pairs, each with its place among the label lines of its item."""
    pairing = request_pairs(request, request_references(request))
    lines: dict[str, list[Pair]] = defaultdict(list)
    # Scored or not is the same for every line of an item, so the order is the labels' own.
    for own in (*pairing.scored, *pairing.unscored):
        lines[own.item_id].append(own)
    return [((item_id, k), own) for item_id, rows in lines.items() for k, own in enumerate(rows)]


def wrong_alone(shared: SharedItems) -> tuple[WrongAlone, ...]:
    """Return for each judge the items that it alone gets wrong, once each."""
    complete = shared.by_all
    found: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in shared.judges}
    for item in complete:
        wrong = [name for name in shared.judges if item.answers[name] != item.human]
        if len(wrong) == 1:
            found[wrong[0]][item.human].append(item.item_id)
    return tuple(
        WrongAlone(
            judge=name,
            of=len(complete),
            false_passes=tuple(Counter(own["fail"])),
            false_fails=tuple(Counter(own["pass"])),
        )
        for name, own in found.items()
    )
