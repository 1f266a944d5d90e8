"""The alternative annotator test: may the judge stand in for one of the humans?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.multiplicity import benjamini_yekutieli
from judgekit.stats.registry import statistic

Scoring = Literal["accuracy", "neg_rmse"]
Label = str | int | float | bool
FEW = "no annotator has enough items that another annotator labelled too"
NOT_TESTABLE = "not testable: every annotator's differences are all equal"


class AlternativeAnnotator(Record):
    """The test's result; the tuples run along `annotators` (column positions of the ratings).

    `p_values` holds None where all differences are equal (scipy would say 0 or 1).
    """

    winning_rate: Statistic
    average_advantage: Statistic
    annotators: tuple[int, ...] = ()
    p_values: tuple[float | None, ...] = ()
    advantages: tuple[float, ...] = ()
    passes: bool | None = None


@statistic(
    "alternative_annotator_test",
    kind="many raters",
    range=(0.0, 1.0),
    needs=("ratings", "judge"),
    laws=("item_order", "label_renaming", "empty_is_undefined"),
)
def alternative_annotator_test(
    ratings: Sequence[Sequence[Label | None]],
    judge: Sequence[Label | None],
    *,
    epsilon: float = 0.2,
    q: float = 0.05,
    min_humans: int = 2,
    min_items: int = 30,
    scoring: Scoring = "accuracy",
) -> AlternativeAnnotator:
    """Return the winning rate of a judge against each human, the others being the reference.

    Formula: for human j and an item that j and others labelled, S(v) = mean agreement of v with
    the others (or -RMSE); L = 1[S(judge) >= S(j)], H = 1[S(j) >= S(judge)], d = H - L; H0 mean d >=
    epsilon by a one-sided t test; Benjamini-Yekutieli over humans at q; winning rate = share of
    humans rejected, passes from .5 on; advantage = mean L.
    Shapes: ratings N x J, judge N, None missing. Both rates in [0, 1]. epsilon is the price of a
    human: .2 experts, .15 skilled, .1 crowd (the paper's guidance).
    Undefined: no human with `min_items` items; a human whose d are all equal is not testable,
    counts as not won, and where all are so there is no winning rate.
    No interval. Weakness: t test on values in {-1, 0, 1}, so use 30 items per human or more.
    Source: Calderon, Reichart & Dror 2025, doi 10.48550/arXiv.2501.10970.

    Example:
        >>> people = [[1, 1], [2, 2], [1, 2], [2, 1], [1, 1]] * 8
        >>> alternative_annotator_test(people, [1, 2, 1, 1, 1] * 8).average_advantage.value
        1.0
    """
    every = {
        j: _scores(ratings, judge, j, min_humans, scoring)
        for j in range(max(map(len, ratings), default=0))
    }
    found = {j: scores for j, scores in every.items() if len(scores) >= max(2, min_items)}
    n = len(ratings)
    if not found:
        none = Undefined(undefined=FEW, n=n)
        return AlternativeAnnotator(winning_rate=none, average_advantage=none)
    return _tested(found, n, epsilon, q)


def _tested(
    found: dict[int, list[tuple[float, float]]], n: int, epsilon: float, q: float
) -> AlternativeAnnotator:
    p_values = tuple(_p_value(scores, epsilon) for scores in found.values())
    advantages = tuple(sum(a >= b for a, b in s) / len(s) for s in found.values())
    rate = _winning_rate(p_values, q, n)
    return AlternativeAnnotator(
        winning_rate=rate,
        average_advantage=Estimate(
            value=sum(advantages) / len(advantages), n=n, method="mean advantage"
        ),
        annotators=tuple(found),
        p_values=p_values,
        advantages=advantages,
        passes=rate.value >= 0.5 if isinstance(rate, Estimate) else None,
    )


def _scores(
    ratings: Sequence[Sequence[Label | None]],
    judge: Sequence[Label | None],
    j: int,
    min_humans: int,
    scoring: Scoring,
) -> list[tuple[float, float]]:
    """Return (score of the judge, score of human j) per item that j and enough others labelled."""
    score = _agreement if scoring == "accuracy" else _negative_rmse
    found = []
    for row, verdict in zip(ratings, judge, strict=True):
        own = row[j] if j < len(row) else None
        others = [label for i, label in enumerate(row) if i != j and label is not None]
        if own is None or verdict is None or len(others) < max(1, min_humans - 1):
            continue
        found.append((score(verdict, others), score(own, others)))
    return found


def _agreement(label: Label, others: Sequence[Label]) -> float:
    return sum(label == other for other in others) / len(others)


def _negative_rmse(label: Label, others: Sequence[Label]) -> float:
    squares = [(float(label) - float(other)) ** 2 for other in others]
    return -float((sum(squares) / len(squares)) ** 0.5)


def _p_value(scores: Sequence[tuple[float, float]], epsilon: float) -> float | None:
    """Return the one-sided p value of mean d >= epsilon, None where all d are equal."""
    import numpy as np
    from scipy.stats import t

    d = np.array([int(own >= judge) - int(judge >= own) for judge, own in scores], dtype=float)
    if (d == d[0]).all():
        return None
    error = d.std(ddof=1) / np.sqrt(len(d))
    return float(t.cdf((d.mean() - epsilon) / error, len(d) - 1))


def _winning_rate(p_values: tuple[float | None, ...], q: float, n: int) -> Statistic:
    if all(p is None for p in p_values):
        return Undefined(undefined=NOT_TESTABLE, n=n)
    won = [p is not None and p <= q for p in benjamini_yekutieli(p_values)]
    return Estimate(value=sum(won) / len(won), n=n, method="alternative annotator test")
