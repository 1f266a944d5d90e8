"""Which items to label next: drawn by the judge's verdict, with the design that they carry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

from judgekit.calibration.calibrate import CalibrationRequest
from judgekit.calibration.pairing import pair
from judgekit.calibration.reference import Reference, ReferenceSet, reference_labels
from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.canonical import unit_interval
from judgekit.model.label import OVERALL, Label
from judgekit.stats.allocation import (
    FLOOR,
    VerdictStrata,
    neyman_allocation,
    rate_spreads,
    smoothed_rate,
    worth_at_random,
)
from judgekit.stats.estimate import Undefined

Aim = Literal["false-pass-rate", "pass-rate"]
AIMS: tuple[str, ...] = get_args(Aim)
DESIGNS = ("by-verdict", "random")
STRATA = {"pass": "judge_pass", "fail": "judge_fail"}
AT_RANDOM = "Drawn at random, whatever the judge says: no weights, and the tighter bound."
LITTLE = 1.1
"""A stratified list worth less than 1.1 times its length at random saves little."""


class Stratum(Record):
    """One stratum: items with this verdict, how many have a label, how many of those are human
    fails of how many resolved, the smoothed human-fail share, the new labels, and the inclusion
    weight (items / labels) once the list is labelled; None where nothing in it is labelled."""

    name: str
    judge: str
    items: int
    labelled: int
    human_fail: int
    resolved: int
    rate: float
    new: int
    weight: float | None


class NextItem(Record):
    """One item to label; `design` and `weight` (None: drawn at random) belong on its label."""

    item_id: str
    design: str
    weight: float | None = None


class NextItems(Record):
    """The list in the order of a hash, so it tells nothing of the verdicts, and what it is worth.

    `worth_at_random` is how many labels drawn at random would tell as much about the aim;
    `saves` is that less the list's length, None where it cannot be said.
    """

    judge: str
    dataset: str
    split: str | None
    unit: str
    aim: Aim
    seed: str
    asked: int
    items: tuple[NextItem, ...]
    strata: tuple[Stratum, ...]
    worth_at_random: float | Undefined
    saves: int | None
    sentence: str
    unscored: int
    targeted: int
    notes: tuple[str, ...]


def next_items(
    request: CalibrationRequest,
    *,
    dataset: str,
    n: int,
    aim: Aim = "false-pass-rate",
    floor: int = FLOOR,
    seed: str = "1",
) -> NextItems:
    """Return the `n` items to label next, drawn from those the judge passes and those it fails.

    The division is Neyman's for the aim, with human-fail shares smoothed to (x+.5)/(n+1) and a
    floor for each stratum (STATISTICS section 5); within a stratum the order of a hash of seed,
    dataset and item decides, so the draw is random and repeatable.

    Raises:
        InputError: no item has a verdict, or all that have one are labelled.
        CriterionMismatch: labels and verdicts are about different criteria.
    """
    return _Draw(request, dataset, aim, seed).take(n, floor)


def random_items(
    request: CalibrationRequest, *, dataset: str, n: int, seed: str = "1"
) -> NextItems:
    """Return `n` items to label next, drawn at random whatever the judge says.

    Raises:
        InputError: every item is labelled.
        CriterionMismatch: labels and verdicts are about different criteria.
    """
    return _Draw(request, dataset, "false-pass-rate", seed).take_at_random(n)


class _Draw:
    def __init__(self, request: CalibrationRequest, dataset: str, aim: Aim, seed: str) -> None:
        self.request, self.dataset, self.aim, self.seed = request, dataset, aim, seed
        usable = [x for x in request.labels if (x.design or request.design) != "targeted"]
        self.references = _references(request, usable)
        answered = {r.item_id: r.answer for r in self.references.references}
        self.human: dict[str, str | None] = dict.fromkeys(self.references.unresolved)
        self.human |= answered
        kept = {label.item_id for label in usable}
        chosen = {x.item_id for x in request.labels} - kept
        self.judge, self.unscored = _verdicts(request, self.references.unit)
        self.targeted = len(chosen & self.judge.keys())
        self.outside = chosen
        for item_id in chosen:
            self.judge.pop(item_id, None)

    def take(self, n: int, floor: int) -> NextItems:
        """Divide, draw and say what it is worth."""
        if not self.judge:
            raise InputError(
                f"no item has a scored verdict of {self.request.judge!r}",
                where=f"dataset {self.dataset!r}",
                mend=f"judgekit run --grader {self.request.judge}",
            )
        strata = {judge: self._stratum(judge) for judge in STRATA}
        shape = _shape(strata)
        new = neyman_allocation(
            self._spreads(shape),
            [s.items for s in strata.values()],
            [s.labelled for s in strata.values()],
            n,
            floor=floor,
        )
        if not sum(new):
            raise InputError(
                f"every item with a verdict of {self.request.judge!r} has a label already",
                where=f"dataset {self.dataset!r}",
                mend="add items to the dataset and run the judge on them",
            )
        drawn = {j: _with(s, k) for (j, s), k in zip(strata.items(), new, strict=True)}
        return self._result(n, self._items(drawn), drawn, self._worth(shape, drawn))

    def take_at_random(self, n: int) -> NextItems:
        """Draw from all items of the split that have no label, with or without a verdict."""
        within = self.request.within
        ids = [item.id for item in self.request.items or () if within is None or item.id in within]
        waiting = [i for i in ids if i not in self.human and i not in self.outside]
        if not waiting:
            raise InputError(
                "every item has a label already",
                where=f"dataset {self.dataset!r}",
                mend="add items to the dataset",
            )
        drawn = sorted(waiting, key=self._place)[:n]
        items = tuple(NextItem(item_id=item_id, design="random") for item_id in drawn)
        return self._result(n, items, {}, float(len(items)))

    def _stratum(self, judge: str) -> Stratum:
        ids = [item_id for item_id, answer in self.judge.items() if answer == judge]
        answers = [self.human.get(item_id) for item_id in ids]
        fails, resolved = answers.count("fail"), len(answers) - answers.count(None)
        return Stratum(
            name=STRATA[judge],
            judge=judge,
            items=len(ids),
            labelled=sum(item_id in self.human for item_id in ids),
            human_fail=fails,
            resolved=resolved,
            rate=smoothed_rate(fails, resolved),
            new=0,
            weight=None,
        )

    def _spreads(self, shape: VerdictStrata) -> tuple[float, float]:
        if self.aim == "false-pass-rate":
            return rate_spreads(shape)
        a, b, w = shape.fails_among_passes, shape.fails_among_fails, shape.pass_share
        return w * math.sqrt(a * (1 - a)), (1 - w) * math.sqrt(b * (1 - b))

    def _worth(self, shape: VerdictStrata, strata: dict[str, Stratum]) -> float | Undefined:
        if not any(s.resolved for s in strata.values()):
            return Undefined(undefined="there is no label yet, so the rates are not known")
        rows = tuple(strata.values())
        return worth_at_random(
            self._spreads(shape),
            [s.items for s in rows],
            [s.labelled for s in rows],
            [s.new for s in rows],
        )

    def _result(
        self,
        asked: int,
        items: tuple[NextItem, ...],
        strata: dict[str, Stratum],
        worth: float | Undefined,
    ) -> NextItems:
        saves = None if isinstance(worth, Undefined) else round(worth) - len(items)
        return NextItems(
            judge=self.request.judge,
            dataset=self.dataset,
            split=self.request.split,
            unit=self.references.unit,
            aim=self.aim,
            seed=self.seed,
            asked=asked,
            items=items,
            strata=tuple(strata.values()),
            worth_at_random=worth,
            saves=saves,
            sentence=_sentence(len(items), worth, self.aim) if strata else AT_RANDOM,
            unscored=self.unscored if strata else 0,
            targeted=self.targeted,
            notes=tuple(self._notes(asked, len(items), by_verdict=bool(strata))),
        )

    def _items(self, strata: dict[str, Stratum]) -> tuple[NextItem, ...]:
        found = []
        for judge, stratum in strata.items():
            waiting = (i for i, answer in self.judge.items() if answer == judge)
            ids = sorted((i for i in waiting if i not in self.human), key=self._place)
            found += [
                NextItem(item_id=i, design=f"stratified:{stratum.name}", weight=stratum.weight or 1)
                for i in ids[: stratum.new]
            ]
        return tuple(sorted(found, key=lambda item: self._place(item.item_id)))

    def _place(self, item_id: str) -> tuple[float, str]:
        return unit_interval("plan --next", self.seed, self.dataset, item_id), item_id

    def _notes(self, asked: int, given: int, *, by_verdict: bool) -> list[str]:
        notes, which = [], "items with a verdict" if by_verdict else "items"
        if given < asked:
            notes.append(f"only {given} {which} are without a label")
        if self.unscored and by_verdict:
            notes.append(f"{self.unscored} items have no scored verdict and are in no stratum")
        if self.targeted:
            notes.append(f"{self.targeted} items with targeted labels are left out")
        undeclared = sum((x.design or self.request.design) is None for x in self.request.labels)
        if undeclared:
            notes.append(
                f"{undeclared} earlier labels declare no design and count as drawn at random"
            )
        return notes


def _references(request: CalibrationRequest, labels: Sequence[Label]) -> ReferenceSet:
    if not labels:
        unit = request.criterion or OVERALL
        return ReferenceSet(
            rule=request.rule, unit=unit, references=(), unresolved={}, left_out={}, single=0,
            origins={},
        )  # fmt: skip
    return reference_labels(
        labels,
        rule=request.rule,
        rubric=request.rubric,
        criterion=request.criterion,
        reading=request.reading,
    )


def _verdicts(request: CalibrationRequest, unit: str) -> tuple[dict[str, str], int]:
    """Return the judge's answer by item, and how many items have a verdict that is none."""
    items = {item.id: item for item in request.items or ()}
    ids = dict.fromkeys(verdict.item_id for verdict in request.verdicts)
    asked = ReferenceSet(
        rule="auto",
        unit=unit,
        references=tuple(Reference(item_id=item_id, answer="pass") for item_id in ids),
        unresolved={},
        left_out={},
        single=0,
        origins={},
    )
    found = pair(
        asked,
        request.verdicts,
        items=items or None,
        within=request.within,
        order=request.order,
        labels_criterion=request.verdict_criterion,
    )
    return {p.item_id: p.judge for p in found.scored if p.judge in STRATA}, len(found.unscored)


def _shape(strata: dict[str, Stratum]) -> VerdictStrata:
    passed, failed = strata["pass"], strata["fail"]
    return VerdictStrata(
        pass_share=passed.items / (passed.items + failed.items),
        fails_among_passes=passed.rate,
        fails_among_fails=failed.rate,
    )


def _with(stratum: Stratum, new: int) -> Stratum:
    labels = stratum.labelled + new
    weight = stratum.items / labels if labels else None
    return stratum.model_copy(update={"new": new, "weight": weight})


def _sentence(n: int, worth: float | Undefined, aim: str) -> str:
    if isinstance(worth, Undefined):
        return f"What this list saves cannot be said: {worth.undefined}."
    text = f"For the {aim.replace('-', ' ')} these {n} labels tell as much as about "
    text += f"{round(worth)} drawn at random"
    if worth < n:
        return f"{text}: use --design random instead."
    if worth < LITTLE * n:
        return (
            f"{text}: that saves little, and a random sample (--design random) is simpler and has "
            "the tighter bound."
        )
    if aim == "pass-rate":
        return f"{text}."
    return (
        f"{text}. The decision on labels drawn by verdict takes the bound of each verdict at half "
        "the error, which may eat this up where human fails are rare: `judgekit plan --limit` "
        "shows it."
    )
