"""One label per item from several: strict plurality, ties stay unresolved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.registry import statistic

Label = str | int | float | bool


class Majority(Record):
    """The label of each item, None where tied or unlabelled, and how many there are of each.

    `tie_share` is ties over labelled items: leaving ties out makes the item set easier, so a rate
    on the rest wants a bound beside it that counts the ties as errors.
    """

    labels: tuple[Label | None, ...]
    n_ties: int
    n_unlabelled: int
    tie_share: Statistic


@statistic(
    "majority_vote",
    kind="many raters",
    symmetric=True,
    needs=("ratings",),
    laws=("rater_order", "label_renaming", "empty_is_undefined"),
)
def majority_vote(ratings: Sequence[Sequence[Label | None]]) -> Majority:
    """Return the label that most raters gave each item, by strict plurality.

    Formula: the label with the largest count where that count is reached once; a tie is never
    broken by label order. Two raters that disagree are a tie.
    Shapes: one row per item, one column per rater, None a missing label. `tie_share` in [0, 1].
    Undefined: an item without labels has no label; `tie_share` has no value where no item has.
    No interval. Weakness: raters count alike, however good they are (see `dawid_skene`).
    Source: plurality rule, no single paper; ties as in STATISTICS section 2 of this project.

    Example:
        >>> majority_vote([["a", "a", "b"], ["a", "b", None], ["b", None, None]]).labels
        ('a', None, 'b')
    """
    counted = [Counter(label for label in row if label is not None) for row in ratings]
    labels = tuple(_winner(count) for count in counted)
    unlabelled = sum(not count for count in counted)
    ties = labels.count(None) - unlabelled
    labelled = len(counted) - unlabelled
    share: Statistic = Undefined(undefined="no item has a label")
    if labelled:
        share = Estimate(value=ties / labelled, n=labelled, method="share of tied items")
    return Majority(labels=labels, n_ties=ties, n_unlabelled=unlabelled, tie_share=share)


def _winner(count: Counter[Label]) -> Label | None:
    """Return the label with the most votes, None where two have or there is none."""
    top = count.most_common(2)
    if not top or (len(top) == 2 and top[0][1] == top[1][1]):
        return None
    return top[0][0]
