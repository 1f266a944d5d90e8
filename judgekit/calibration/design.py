"""How the labelled items were drawn, and whether rates can be had from them at all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from judgekit.calibration.pairing import Pair
from judgekit.errors import NoRate
from judgekit.model.base import Record
from judgekit.model.label import OVERALL, Label
from judgekit.model.rubric import Rubric

TARGETED, RANDOM, STRATIFIED = "targeted", "random", "stratified"
BY_VERDICT = frozenset({"verdict", "judge_verdict"})
"""The stratum that means: drawn by the verdict of the very judge that is calibrated."""
_ONE_DESIGN = "calibrate on labels of one design: leave the others out of the label file"


class Sampling(Record):
    """The design of the labels that were compared.

    `kind` is random, or by_verdict: drawn by what this judge said. `declared` tells whether the
    labels or the dataset say so. `judge_pass_share` is the share of passes among all verdicts,
    which the reweighting of by_verdict needs; `source` says where it comes from.
    """

    kind: str = RANDOM
    declared: bool = False
    judge_pass_share: float | None = None
    source: str = ""

    @property
    def sentence(self) -> str | None:
        """Return what a reader must know, None for a random sample."""
        if self.judge_pass_share is None:
            return None
        return (
            f"Labels were drawn by verdict: rates are reweighted to {self.judge_pass_share:.3f} "
            f"judge passes ({self.source}), each stratum's bound at half the level."
        )


def labels_compared(
    labels: Sequence[Label], *, unit: str, rubric: Rubric | None, items: set[str]
) -> tuple[Label, ...]:
    """Return the labels about the unit and the items that are looked at."""
    units = {unit} | (set(rubric.criterion_ids) if rubric and unit == OVERALL else set())
    return tuple(x for x in labels if x.item_id in items and x.criterion in units)


def sampling_of(
    labels: Sequence[Label],
    declared: str | None,
    pairs: Sequence[Pair],
    pool: Mapping[str, int],
    *,
    whole_frame: bool = False,
) -> Sampling:
    """Return the design of the labels.

    Random labels beside labels drawn by this judge's verdict are split by verdict: within each
    verdict they are random too.

    Args:
        labels: the labels that were compared.
        declared: what the dataset declares for labels that say nothing.
        pairs: these labels with the judge's verdicts, those without an answer that stands too.
        pool: how many verdicts of each answer there are in all, labelled or not.
        whole_frame: the pool is known to be what labels were drawn from, so it wins over weights.

    Raises:
        NoRate: some labels are targeted, or in strata that cannot be reweighted for this
            judge.
    """
    designs = {label.item_id: _design(label, declared) for label in labels}
    kinds = Counter(_design(label, declared).partition(":")[0] for label in labels)
    if TARGETED in kinds:
        _refuse_targeted(kinds)
    if set(kinds) - {RANDOM, STRATIFIED}:
        raise NoRate(
            "a label's sampling design is not known",
            found=", ".join(sorted(kinds)),
            expected="random, stratified:<stratum> or targeted",
        )
    if STRATIFIED not in kinds:
        _refuse_weights(labels)
        return Sampling(declared=all(label.design or declared for label in labels))
    _check_strata(designs, pairs)
    return _by_verdict(labels, pairs, pool, whole_frame)


def _design(label: Label, declared: str | None) -> str:
    return label.design or declared or RANDOM


def _refuse_targeted(kinds: Counter[str]) -> None:
    raise NoRate(
        "targeted labels cannot estimate a rate: they were picked on purpose",
        found=f"{kinds[TARGETED]} of {kinds.total()} labels with design: targeted",
        mend="label a random sample; keep what is picked on purpose in a dataset of its own",
    )


def _refuse_weights(labels: Sequence[Label]) -> None:
    weights = sorted({label.weight for label in labels if label.weight is not None})
    if len(weights) > 1:
        raise NoRate(
            "labels of a random design carry different weights",
            found=f"weights from {weights[0]:g} to {weights[-1]:g}",
            expected="no weights, or design: stratified:<stratum>",
        )


def _by_verdict(
    labels: Sequence[Label],
    pairs: Sequence[Pair],
    pool: Mapping[str, int],
    whole_frame: bool,
) -> Sampling:
    total = pool.get("pass", 0) + pool.get("fail", 0)
    usable = total > len({p.item_id for p in pairs if p.judge is not None})
    weighed = None if usable and whole_frame else _weighed_share(labels, pairs, strict=not usable)
    if weighed is not None:
        source = "from the labels' weights"
        return Sampling(kind="by_verdict", declared=True, judge_pass_share=weighed, source=source)
    if not usable:
        raise NoRate(
            "labels drawn by verdict cannot be reweighted: the share of each verdict is not known",
            found="no weights, and no verdict about an item without a label",
            expected="a `weight` on each label, or the verdicts on all items that were drawn from",
        )
    share = pool.get("pass", 0) / total
    source = f"from all {total} verdicts"
    if _weights_differ(labels, pairs):
        source += "; the labels' weights differ within one verdict and are not used"
    return Sampling(kind="by_verdict", declared=True, judge_pass_share=share, source=source)


def _check_strata(designs: Mapping[str, str], pairs: Sequence[Pair]) -> None:
    """Refuse strata that are not this judge's verdicts."""
    verdicts: dict[str, set[str]] = defaultdict(set)
    strata: dict[str, set[str]] = defaultdict(set)
    for p in (p for p in pairs if p.judge is not None):
        kind, _, stratum = designs.get(p.item_id, RANDOM).partition(":")
        if kind == RANDOM or stratum in BY_VERDICT:
            strata[str(p.judge)] |= set()
            continue
        verdicts[stratum].add(str(p.judge))
        strata[str(p.judge)].add(stratum)
    if not set(strata) <= {"pass", "fail"}:
        raise NoRate("categories drawn in strata cannot be reweighted", mend=_ONE_DESIGN)
    mixed = sorted(name for name, found in verdicts.items() if len(found) > 1)
    finer = sorted(n for names in strata.values() if len(names) > 1 for n in names)
    if mixed or finer:
        what = "hold both verdicts of this judge" if mixed else "divide one verdict of this judge"
        raise NoRate(
            f"strata that are not this judge's verdicts cannot be reweighted: they {what}",
            found=", ".join(name or "stratified without a name" for name in mixed or finer),
            expected="one stratum for its passes and one for its fails, or stratified:verdict",
            mend="label a random sample for this judge",
        )


def _weighed_share(labels: Sequence[Label], pairs: Sequence[Pair], *, strict: bool) -> float | None:
    """Return the share of judge passes that the labels' weights say, None where they say none.

    Raises:
        NoRate: `strict`, and only some carry a weight or weights differ within a verdict.
    """
    weights = {label.item_id: label.weight for label in labels}
    found: dict[str, list[float | None]] = {"pass": [], "fail": []}
    for item_id, judge in {p.item_id: p.judge for p in pairs if p.judge is not None}.items():
        found[judge].append(weights.get(item_id))
    seen = {weight for own in found.values() for weight in own}
    if seen <= {None}:
        return None
    ranges = [(min(own), max(own)) for own in map(_known, found.values()) if own]
    if None in seen or any(high > low * (1 + 1e-6) for low, high in ranges):
        if not strict:
            return None
        raise NoRate(
            "the labels' weights do not fit strata by verdict",
            found="labels without a weight" if None in seen else "different weights in one verdict",
            expected="one weight for each of the judge's verdicts",
            mend=_ONE_DESIGN,
        )
    passes, fails = (sum(_known(found[side])) for side in ("pass", "fail"))
    return passes / (passes + fails)


def _weights_differ(labels: Sequence[Label], pairs: Sequence[Pair]) -> bool:
    """Tell whether labels on one verdict of the judge carry weights that are not the same."""
    weights = {label.item_id: label.weight for label in labels}
    found: dict[str, list[float | None]] = defaultdict(list)
    for item_id, judge in {p.item_id: p.judge for p in pairs if p.judge is not None}.items():
        found[judge].append(weights.get(item_id))
    known = [own for own in map(_known, found.values()) if own]
    return any(max(own) > min(own) * (1 + 1e-6) for own in known)


def _known(weights: Sequence[float | None]) -> list[float]:
    return [weight for weight in weights if weight is not None]
