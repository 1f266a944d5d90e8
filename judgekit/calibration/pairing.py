"""Pair human answers with verdicts about the same item and the same criterion."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from judgekit.calibration.reference import Reference, ReferenceSet
from judgekit.errors import CriterionMismatch, InputError
from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.model.label import OVERALL
from judgekit.model.verdict import Verdict


class Pair(Record):
    """One human answer and the judge's. `judge` is None where the verdict is not scored."""

    item_id: str
    group: str
    human: str
    judge: str | None
    failure_mode: str | None = None
    verdict: Verdict | None = None


class Pairing(Record):
    """Scored pairs, unscored pairs, and every drop with its reason.

    `dropped.missing` counts references without a verdict; they are also in `unscored`, because
    the worst-case rates count them against the judge. `unresolved` are the judged items that have
    labels of which none stands (a tie, unsure, a contradiction): their `human` is empty. `pool`
    counts all verdicts of the split by answer, labelled or not. `judged` are the items of the split
    with a verdict about their present text, labelled or not: their `human` is empty.
    `beyond_labels` tells whether some verdict of the split is about an item without a label.
    """

    scored: tuple[Pair, ...]
    unscored: tuple[Pair, ...]
    dropped: dict[str, int]
    unscored_counts: dict[str, int]
    verdicts_used: tuple[Verdict, ...]
    unresolved: tuple[Pair, ...] = ()
    pool: dict[str, int] = Field(default_factory=dict)
    judged: tuple[Pair, ...] = ()
    beyond_labels: bool = False


def pair(
    references: ReferenceSet,
    verdicts: Sequence[Verdict],
    *,
    items: Mapping[str, Item] | None = None,
    within: Collection[str] | None = None,
    order: str | None = None,
    labels_criterion: str | None = None,
    categories: Mapping[str, str] | None = None,
) -> Pairing:
    """Pair each reference with the first verdict (regrade 0) about its item.

    Args:
        references: the human side.
        verdicts: one judge's verdicts.
        items: all items by id; a label of another item is dropped as `unknown_item`, a verdict
            about another text as `stale_verdict`.
        within: ids of the split that is looked at; the rest is dropped as `other_split`.
        order: which presentation order of pairwise verdicts to read.
        labels_criterion: what verdicts may carry instead of the unit's own name.
        categories: the judge's category by item, where they are more than pass and fail.

    Raises:
        CriterionMismatch: the verdicts are about another criterion.
        InputError: verdicts come in several orders and none was chosen.
    """
    dropped: Counter[str] = Counter(references.left_out)
    about = _about(verdicts, references.unit, labels_criterion)
    chosen = _one_per_item(_in_order(about, order), dropped)
    frame = _Frame(references.unit, items, within, categories)
    pairs = _pairs(references, chosen, frame, dropped)
    dropped["unlabelled"] += len(chosen.keys() - _labelled(references))
    return _pairing(pairs, dropped).model_copy(update=_beside(references, chosen, frame))


class _Frame(NamedTuple):
    """What is looked at: the unit and, where known, the items, the split and the categories."""

    unit: str
    items: Mapping[str, Item] | None
    within: Collection[str] | None
    categories: Mapping[str, str] | None

    def outside(self, item_id: str) -> str | None:
        """Return the reason why an item is not looked at, or None."""
        if self.items is not None and item_id not in self.items:
            return "unknown_item"
        return "other_split" if self.within is not None and item_id not in self.within else None

    def pair(self, reference: Reference, verdict: Verdict | str | None) -> Pair:
        """Return a reference with the verdict, which is left out where it is of another text."""
        item = self.items.get(reference.item_id) if self.items is not None else None
        known = verdict if isinstance(verdict, Verdict) else None
        if known and item and known.item_hash not in ("", item.content_hash):
            known = None
        judge = judge_answer(known, self.unit) if known is not None else None
        if self.categories is not None and judge is not None:
            judge = self.categories.get(reference.item_id)
        return Pair(
            item_id=reference.item_id,
            group=item.group_key if item is not None else reference.item_id,
            human=reference.answer,
            judge=judge,
            failure_mode=reference.failure_mode,
            verdict=known,
        )


def _pairs(
    references: ReferenceSet,
    chosen: Mapping[str, Verdict | str],
    frame: _Frame,
    dropped: Counter[str],
) -> list[Pair]:
    """Return the references in the frame with their verdicts, and count what is dropped."""
    pairs = []
    for reference in references.references:
        verdict = chosen.get(reference.item_id)
        conflict = "conflicting_verdicts" if verdict == "conflict" else None
        if reason := frame.outside(reference.item_id) or conflict:
            dropped[reason] += 1
            continue
        found = frame.pair(reference, verdict)
        if found.verdict is None and found.judge is None:
            dropped["stale_verdict" if verdict else "missing"] += 1
        pairs.append(found)
    for item_id, reason in references.unresolved.items():
        dropped[frame.outside(item_id) or reason] += 1
    return pairs


def _beside(
    references: ReferenceSet, chosen: Mapping[str, Verdict | str], frame: _Frame
) -> dict[str, object]:
    """Return what the verdicts of the frame say beside the pairs."""
    seen = {i: v for i, v in chosen.items() if not frame.outside(i)}
    judged = {i: frame.pair(Reference(item_id=i, answer=""), v) for i, v in seen.items()}
    return {
        "unresolved": tuple(judged[i] for i in references.open_items if i in judged),
        "pool": _pool(seen.values(), references.unit),
        "judged": tuple(pair for pair in judged.values() if pair.verdict is not None),
        "beyond_labels": bool(judged.keys() - _labelled(references)),
    }


def _pool(verdicts: Iterable[Verdict | str], unit: str) -> dict[str, int]:
    answers = (judge_answer(v, unit) for v in verdicts if isinstance(v, Verdict))
    return dict(Counter(answer or "unscored" for answer in answers))


def _labelled(references: ReferenceSet) -> set[str]:
    return {r.item_id for r in references.references} | set(references.unresolved)


def _pairing(pairs: Sequence[Pair], dropped: Mapping[str, int]) -> Pairing:
    scored = [found for found in pairs if found.judge is not None]
    unscored = [found for found in pairs if found.judge is None]
    statuses = Counter(
        found.verdict.status if found.verdict.passed is None else "invalid"
        for found in unscored
        if found.verdict is not None
    )
    return Pairing(
        scored=tuple(scored),
        unscored=tuple(unscored),
        dropped={reason: n for reason, n in sorted(dropped.items()) if n},
        unscored_counts=dict(sorted(statuses.items())),
        verdicts_used=_used(scored, unscored),
    )


def _about(verdicts: Sequence[Verdict], unit: str, alias: str | None) -> list[Verdict]:
    named = {v.criterion for v in verdicts if v.criterion is not None}
    wanted = alias or unit
    if named and wanted not in named:
        raise CriterionMismatch(
            "labels and verdicts are about different criteria, so no agreement exists",
            found=f"labels: {unit}; verdicts: {', '.join(sorted(named))}",
            expected="the same criterion on both sides",
            mend="if they do mean the same, say so in a --mapping file under `criterion`",
        )
    return [v for v in verdicts if v.criterion in (None, wanted)]


def _in_order(verdicts: list[Verdict], order: str | None) -> list[Verdict]:
    orders = sorted({v.order for v in verdicts if v.order is not None})
    if order is None and len(orders) > 1:
        raise InputError(
            "the verdicts come in several orders",
            found=", ".join(orders),
            mend="choose one under `order` in a --mapping file",
        )
    if order is not None and orders and order not in orders:
        raise InputError(f"no verdict has the order {order!r}", found=", ".join(orders))
    return [v for v in verdicts if order is None or v.order in (None, order)]


def _one_per_item(verdicts: list[Verdict], dropped: Counter[str]) -> dict[str, Verdict | str]:
    by_item: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.regrade:
            dropped["regrade"] += 1
        else:
            by_item[verdict.item_id].append(verdict)
    chosen: dict[str, Verdict | str] = {}
    for item_id, own in by_item.items():
        answers = {(v.status, v.passed, v.failed_criteria) for v in own}
        chosen[item_id] = own[-1] if len(answers) == 1 else "conflict"
        dropped["duplicate_verdict"] += len(own) - 1 if len(answers) == 1 else 0
    return chosen


def judge_answer(verdict: Verdict, unit: str) -> str | None:
    """Return pass or fail about the unit, None where the verdict gives no answer about it."""
    if verdict.passed is None:
        return None
    listed = verdict.passed_criteria + verdict.failed_criteria
    if unit == OVERALL or not listed or verdict.criterion is not None:
        return "pass" if verdict.passed else "fail"
    if unit not in listed:
        return None
    return "pass" if unit in verdict.passed_criteria else "fail"


def _used(scored: list[Pair], unscored: list[Pair]) -> tuple[Verdict, ...]:
    unique = {p.verdict.item_id: p.verdict for p in (*scored, *unscored) if p.verdict is not None}
    return tuple(unique[item_id] for item_id in sorted(unique))
