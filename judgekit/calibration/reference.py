"""Reference labels: the human answer that calibration compares with."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from judgekit.calibration.answers import NOT_APPLICABLE, UNSURE, Reading
from judgekit.errors import CriterionMismatch, InputError, UsageError
from judgekit.model.base import Record
from judgekit.model.label import OVERALL, Label, Origin
from judgekit.model.rubric import Rubric

OPEN = frozenset({"tie", "disagreement", UNSURE, "contradictory"})
"""Why labels give no answer although people did answer: an error may hide there."""
RULES = ("auto", "adjudicated", "agreement", "majority", "mean", "each")


class Reference(Record):
    """One human answer to compare with; under `each` an item has one per label line."""

    item_id: str
    answer: str
    failure_mode: str | None = None
    annotator: str | None = None
    single: bool = False


class ReferenceSet(Record):
    """All reference labels of one unit, and every item that has none, with the reason.

    `unresolved` maps (item id) to tie, unsure, contradictory, disagreement, incomplete,
    too_few_annotators, not_applicable or no_reference; `left_out` counts single label lines that
    `each` could not use. `origins` counts the labels behind the references. `unsure` lists, under
    `each`, the item of every unsure label line.
    """

    rule: str
    unit: str
    references: tuple[Reference, ...]
    unresolved: dict[str, str]
    left_out: dict[str, int]
    single: int
    origins: dict[str, int]
    unsure: tuple[str, ...] = ()

    @property
    def open_items(self) -> tuple[str, ...]:
        """Return the items with ties, unsure or contradictory labels; once per line for `each`."""
        return self.unsure or tuple(i for i, why in self.unresolved.items() if why in OPEN)


class _Resolved(Record):
    answer: str | None = None
    reason: str | None = None
    single: bool = False
    labels: tuple[Label, ...] = ()


def unit_of(labels: Sequence[Label], *, rubric: Rubric | None, criterion: str | None) -> str:
    """Return the unit: the criterion asked for, the rubric's whole, or the only criterion.

    Raises:
        CriterionMismatch: several criteria and none was chosen, or none of the labels is about
            the one that was.
    """
    present = sorted({label.criterion for label in labels})
    if criterion is not None:
        if criterion not in present:
            raise CriterionMismatch(
                f"no label is about criterion {criterion!r}",
                found=", ".join(present) or "no labels",
                mend="choose one of them with --criterion",
            )
        return criterion
    if rubric is not None or present == [OVERALL]:
        return OVERALL
    if len(present) == 1:
        return present[0]
    raise CriterionMismatch(
        "the labels are about several criteria" if present else "there are no labels",
        found=", ".join(present) or None,
        mend="choose one with --criterion" if present else None,
    )


def reference_labels(
    labels: Sequence[Label],
    *,
    rule: str,
    rubric: Rubric | None = None,
    criterion: str | None = None,
    reading: Reading | None = None,
    min_annotators: int | None = None,
) -> ReferenceSet:
    """Return the reference label of each item under one rule (DESIGN section 5).

    Ties, unsure and an annotator's contradictory labels stay unresolved and are counted.

    Raises:
        UsageError: the rule is neither known nor an annotator's name.
        CriterionMismatch: the labels are about other or several criteria.
        InputError: a label cannot be read.
    """
    reading = reading or Reading()
    unit = unit_of(labels, rubric=rubric, criterion=criterion)
    _check_rule(rule, labels, reading)
    by_item = _by_item(labels, unit, rubric)
    if rule == "each":
        return _each(by_item, unit, rubric, reading)
    options = (unit, rule, rubric, reading, min_annotators)
    found = {item_id: _resolve_unit(own, *options) for item_id, own in by_item.items()}
    settled = {item_id: one for item_id, one in found.items() if one.answer is not None}
    references = tuple(_reference(item_id, one) for item_id, one in settled.items())
    return ReferenceSet(
        rule=rule,
        unit=unit,
        references=references,
        unresolved={
            k: one.reason or "no_reference" for k, one in found.items() if k not in settled
        },
        left_out={},
        single=sum(reference.single for reference in references),
        origins=_origins([label for one in settled.values() for label in one.labels]),
    )


def _check_rule(rule: str, labels: Sequence[Label], reading: Reading) -> None:
    annotators = sorted({label.annotator for label in labels})
    if rule not in RULES and rule not in annotators:
        raise UsageError(
            f"the reference {rule!r} is neither a rule nor an annotator",
            expected=", ".join((*RULES, *annotators[:20])),
        )
    if rule == "mean" and reading.pass_if is None:
        raise UsageError(
            "the reference 'mean' needs to know which mean passes", mend="add --pass-if '>= 3.5'"
        )


def _by_item(
    labels: Iterable[Label], unit: str, rubric: Rubric | None
) -> dict[str, tuple[Label, ...]]:
    wanted = {unit} | (set(rubric.criterion_ids) if rubric and unit == OVERALL else set())
    grouped: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        if label.criterion in wanted:
            grouped[label.item_id].append(label)
    return {item_id: tuple(own) for item_id, own in grouped.items()}


def _resolve_unit(
    labels: tuple[Label, ...],
    unit: str,
    rule: str,
    rubric: Rubric | None,
    reading: Reading,
    least: int | None,
) -> _Resolved:
    whole = tuple(label for label in labels if label.criterion == unit)
    if whole or rubric is None:
        return _resolve(whole, rule, reading, least)
    parts: dict[str, _Resolved] = {}
    for name in rubric.criterion_ids:
        own = tuple(label for label in labels if label.criterion == name)
        parts[name] = _resolve(own, rule, reading, least) if own else _Resolved(reason="incomplete")
        if parts[name].answer is None:
            return _Resolved(reason=parts[name].reason)
    passed = frozenset(name for name, part in parts.items() if part.answer == "pass")
    return _Resolved(
        answer="pass" if rubric.passes(passed) else "fail",
        single=any(part.single for part in parts.values()),
        labels=tuple(label for part in parts.values() for label in part.labels),
    )


def _resolve(
    labels: tuple[Label, ...], rule: str, reading: Reading, least: int | None
) -> _Resolved:
    chosen, way = _chosen(labels, rule)
    usable = tuple(x for x in chosen if reading.left_out(x) != NOT_APPLICABLE)
    if not usable:
        return _Resolved(reason=NOT_APPLICABLE if chosen else "no_reference")
    votes: dict[str, set[str]] = defaultdict(set)
    for label in usable:
        votes[label.annotator].add(_vote(label, way, reading))
    if any(len(own) > 1 for own in votes.values()):
        return _Resolved(reason="contradictory")
    if least is not None and way in ("agreement", "majority", "mean") and len(votes) < least:
        return _Resolved(reason="too_few_annotators")
    cast = [next(iter(own)) for own in votes.values()]
    single = way in ("agreement", "majority", "mean") and len(cast) == 1
    answer = _mean(cast, reading) if way == "mean" else _count(cast, way)
    if answer.answer is None:
        return answer
    return _Resolved(answer=answer.answer, single=single, labels=usable)


def _chosen(labels: tuple[Label, ...], rule: str) -> tuple[tuple[Label, ...], str]:
    settled = tuple(x for x in labels if x.effective_origin in ("adjudicated", "objective"))
    people = tuple(x for x in labels if x.effective_origin not in ("adjudicated", "objective"))
    if rule == "adjudicated" or (rule == "auto" and settled):
        return settled, "settled"
    if rule in ("auto", "agreement"):
        return people, "agreement"
    if rule in ("majority", "mean"):
        return people, rule
    return tuple(x for x in labels if x.annotator == rule), "settled"


def _vote(label: Label, way: str, reading: Reading) -> str:
    if way == "mean" and reading.left_out(label) is None:
        return repr(reading.number(label))
    return reading.answer(label)


def _mean(cast: list[str], reading: Reading) -> _Resolved:
    if UNSURE in cast:
        return _Resolved(reason=UNSURE)
    assert reading.pass_if is not None  # _check_rule refused the rule without it
    mean = sum(map(float, cast)) / len(cast)
    return _Resolved(answer="pass" if reading.pass_if(mean) else "fail")


def _count(cast: list[str], way: str) -> _Resolved:
    tally = Counter(cast).most_common()
    best = tally[0]
    if way != "majority" and len(tally) > 1:
        return _Resolved(reason=UNSURE if UNSURE in cast else "disagreement")
    if len(tally) > 1 and tally[1][1] == best[1]:
        return _Resolved(reason="tie")
    return _Resolved(reason=UNSURE) if best[0] == UNSURE else _Resolved(answer=best[0])


def _reference(item_id: str, found: _Resolved) -> Reference:
    modes = Counter(label.failure_mode for label in found.labels if label.failure_mode)
    top = modes.most_common(2)
    clear = len(top) == 1 or (len(top) == 2 and top[0][1] > top[1][1])
    return Reference(
        item_id=item_id,
        answer=found.answer or "",
        failure_mode=top[0][0] if clear and found.answer == "fail" else None,
        single=found.single,
    )


def _each(
    by_item: dict[str, tuple[Label, ...]], unit: str, rubric: Rubric | None, reading: Reading
) -> ReferenceSet:
    if rubric is not None and not any(x.criterion == unit for xs in by_item.values() for x in xs):
        raise InputError(
            "the reference 'each' takes label lines as they are, and none is about the whole",
            mend="choose one criterion with --criterion, or another --reference",
        )
    references, left_out, used = [], Counter[str](), []
    unsure: list[str] = []
    for item_id, own in by_item.items():
        for label in (x for x in own if x.criterion == unit):
            reason = reading.left_out(label)
            if reason:
                left_out[reason] += 1
                unsure += [item_id] if reason == UNSURE else []
                continue
            used.append(label)
            references.append(_row(item_id, label, reading))
    return ReferenceSet(
        rule="each",
        unit=unit,
        references=tuple(references),
        unresolved={},
        left_out=dict(left_out),
        single=0,
        origins=_origins(used),
        unsure=tuple(unsure),
    )


def _row(item_id: str, label: Label, reading: Reading) -> Reference:
    return Reference(
        item_id=item_id,
        answer=reading.answer(label),
        failure_mode=label.failure_mode,
        annotator=label.annotator,
    )


def _origins(labels: Iterable[Label]) -> dict[str, int]:
    counted: Counter[Origin] = Counter(label.effective_origin for label in labels)
    return {str(origin): n for origin, n in sorted(counted.items())}
