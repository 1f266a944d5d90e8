"""The pairs of one judge as counts by group: all that the numbers and the decision need."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from judgekit.calibration.pairing import Pair
from judgekit.stats.confusion import PASS_FAIL, Confusion
from judgekit.stats.intervals import GroupedCounts


class Tables:
    """Counts by group: `cells` (G, K, K) human by judge, `unscored` (G, K) by human answer,
    `unresolved` (G, K) by judge answer (ties, unsure: no human answer stands)."""

    def __init__(self, labels: tuple[str, ...], cells: Any, unscored: Any, unresolved: Any) -> None:
        self.labels = labels
        self.cells = cells
        self.unscored = unscored
        self.unresolved = unresolved

    @cached_property
    def by_group(self) -> Any:
        """Return the counts of the groups that hold a scored pair."""
        return self.cells[self.cells.any(axis=(1, 2))]

    @cached_property
    def confusion(self) -> Confusion:
        """Return the counts over all groups."""
        total = self.cells.sum(axis=0).astype(int).tolist()
        return Confusion(labels=self.labels, rows=tuple(map(tuple, total)))

    @property
    def n_unresolved(self) -> int:
        """Return how many judged items have no human answer that stands."""
        return int(self.unresolved.sum())

    def errors_among(self, human: str) -> GroupedCounts:
        """Return the judge's errors among the items that humans gave the answer `human`."""
        if human not in self.labels:
            return GroupedCounts(errors=(), sizes=())
        i = self.labels.index(human)
        sizes = self.cells[:, i, :].sum(axis=1)
        return grouped_counts(sizes - self.cells[:, i, i], sizes)

    def wrong(self) -> GroupedCounts:
        """Return the pairs in which human and judge differ."""
        sizes = self.cells.sum(axis=(1, 2))
        return grouped_counts(sizes - self.cells.trace(axis1=1, axis2=2), sizes)

    def worst_case(self, human: str) -> Tables:
        """Return the counts with each unscored item of this human answer judged wrongly."""
        return self._with_errors(human, self.unscored[:, self.labels.index(human)])

    def pessimistic(self, human: str) -> Tables:
        """Return the counts with each unresolved item taken as `human` where the judge said the
        opposite."""
        return self._with_errors(human, self.unresolved[:, 1 - self.labels.index(human)])

    def _with_errors(self, human: str, more: Any) -> Tables:
        i = self.labels.index(human)  # pass and fail only: the other answer is 1 - i
        cells = self.cells.copy()
        cells[:, i, 1 - i] += more
        return Tables(self.labels, cells, self.unscored, self.unresolved)


def grouped_counts(errors: Any, sizes: Any) -> GroupedCounts:
    """Return errors and sizes of the groups that are not empty, from (G,) arrays."""
    kept = sizes > 0
    return GroupedCounts(
        errors=tuple(errors[kept].astype(int).tolist()),
        sizes=tuple(sizes[kept].astype(int).tolist()),
    )


def count_tables(
    labels: tuple[str, ...],
    *,
    human: Any,
    judge: Any,
    group: Any,
    n_groups: int,
) -> Tables:
    """Count codes into tables.

    `human` and `judge` are (n,) positions in `labels`; judge -1 = not scored, human -1 = not
    resolved; both -1 = counted nowhere. `group` is (n,) in [0, n_groups).
    """
    k = len(labels)
    both, lost, open_ = (human >= 0) & (judge >= 0), (human >= 0) & (judge < 0), human < 0
    open_ &= judge >= 0
    place = (group[both] * k + human[both]) * k + judge[both]
    return Tables(
        labels,
        _count(place, n_groups * k * k).reshape(n_groups, k, k),
        _count(group[lost] * k + human[lost], n_groups * k).reshape(n_groups, k),
        _count(group[open_] * k + judge[open_], n_groups * k).reshape(n_groups, k),
    )


def counts_by_group(errors: Any, group: Any, n_groups: int) -> GroupedCounts:
    """Return errors and sizes by group, from (n,) truths and (n,) codes in [0, n_groups)."""
    return grouped_counts(_count(group[errors], n_groups), _count(group, n_groups))


def _count(place: Any, size: int) -> Any:
    import numpy as np

    return np.bincount(place, minlength=size).astype(float)


def tables_of_pairs(
    scored: Sequence[Pair], unscored: Sequence[Pair], unresolved: Sequence[Pair] = ()
) -> Tables:
    """Return the counts of pairs, groups in sorted order."""
    import numpy as np

    labels = _labels(scored)
    place = {label: i for i, label in enumerate(labels)}
    pairs = (*scored, *unscored)
    open_ = [p for p in unresolved if p.judge is not None and labels == PASS_FAIL]
    names = sorted({p.group for p in (*pairs, *open_)})
    codes = {name: g for g, name in enumerate(names)}
    other = -1 if labels == PASS_FAIL else 0  # a category that only unscored items have
    human = [place.get(p.human, other) for p in pairs] + [-1] * len(open_)
    judge = [place.get(p.judge or "", -1) for p in (*pairs, *open_)]
    group = [codes[p.group] for p in (*pairs, *open_)]
    arrays = (np.array(values, dtype=np.int64) for values in (human, judge, group))
    first, second, third = arrays
    return count_tables(labels, human=first, judge=second, group=third, n_groups=len(names))


def _labels(scored: Sequence[Pair]) -> tuple[str, ...]:
    words = {p.human for p in scored} | {p.judge for p in scored if p.judge is not None}
    if words <= set(PASS_FAIL):
        return PASS_FAIL
    found = tuple(sorted(words))
    return found if len(found) > 1 else (*found, "(other)")
