"""Counts of two raters' answers: rows are the human's, columns the judge's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

from pydantic import model_validator

from judgekit.model.base import Record

PASS_FAIL = ("pass", "fail")


class Confusion(Record):
    """A K x K table of counts in the order of `labels`; unused labels stay and count.

    Example:
        >>> Confusion.of([("pass", "pass"), ("fail", "pass")]).rows
        ((1, 0), (1, 0))
    """

    labels: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]

    @model_validator(mode="after")
    def _square(self) -> Self:
        k = len(self.labels)
        if k < 2 or len(set(self.labels)) != k:
            raise ValueError("labels must be at least two different words")
        if len(self.rows) != k or any(len(row) != k for row in self.rows):
            raise ValueError(f"rows must be {k} x {k}")
        if any(cell < 0 for row in self.rows for cell in row):
            raise ValueError("counts cannot be negative")
        return self

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], labels: Sequence[str] = PASS_FAIL) -> Self:
        """Count (human, judge) pairs.

        Raises:
            KeyError: a pair holds a word that is not in `labels`.
        """
        position = {label: i for i, label in enumerate(labels)}
        counts = Counter((position[human], position[judge]) for human, judge in pairs)
        size = range(len(labels))
        return cls(
            labels=tuple(labels), rows=tuple(tuple(counts[i, j] for j in size) for i in size)
        )

    @property
    def n(self) -> int:
        """Return the number of pairs."""
        return sum(map(sum, self.rows))

    @property
    def agreed(self) -> int:
        """Return the number of pairs with the same answer."""
        return sum(row[i] for i, row in enumerate(self.rows))

    @property
    def human_totals(self) -> tuple[int, ...]:
        """Return the row sums."""
        return tuple(map(sum, self.rows))

    @property
    def judge_totals(self) -> tuple[int, ...]:
        """Return the column sums."""
        return tuple(sum(column) for column in zip(*self.rows, strict=True))

    @property
    def is_pass_fail(self) -> bool:
        """Tell whether this is the 2 x 2 table of pass and fail."""
        return self.labels == PASS_FAIL

    def as_json(self) -> dict[str, object]:
        """Return the four named cells of a pass/fail table, else labels and rows."""
        if not self.is_pass_fail:
            return {"labels": list(self.labels), "rows": [list(row) for row in self.rows]}
        (a, b), (c, d) = self.rows
        return {
            "human_pass_judge_pass": a,
            "human_pass_judge_fail": b,
            "human_fail_judge_pass": c,
            "human_fail_judge_fail": d,
        }


class PairCounts(Record):
    """The table of the pairs with both labels, and how many pairs were dropped for want of one."""

    confusion: Confusion
    n_dropped: int


def count_pairs(
    human: Sequence[str | None], judge: Sequence[str | None], labels: Sequence[str] = PASS_FAIL
) -> PairCounts:
    """Count two lists of labels, dropping the pairs where one is None.

    Raises:
        KeyError: a label is not in `labels`.

    Example:
        >>> count_pairs(["pass", None, "fail"], ["pass", "fail", "pass"]).n_dropped
        1
    """
    pairs = [(h, j) for h, j in zip(human, judge, strict=True) if h is not None and j is not None]
    return PairCounts(confusion=Confusion.of(pairs, labels), n_dropped=len(human) - len(pairs))
