"""The three-way rule: approved, rejected or need_labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from judgekit.stats.registry import statistic

Decision = Literal["approved", "rejected", "need_labels"]
Outcome = Literal["safe", "undecided", "past_limit"]
ROUNDING = 1e-12
"""Bounds this near a limit lie on it: 1 - 0.95 is not exactly 0.05."""


@statistic("ceiling_outcome", kind="decision", needs=("limit",))
def ceiling_outcome(limit: float, *, high: float, reject_low: float) -> Outcome:
    """Return on which side of an upper limit the evidence lies (false pass, false fail).

    Formula: past_limit where reject_low > limit, else safe where high <= limit, else undecided.
    Shapes: `high` is the one-sided upper bound at alpha, `reject_low` the lower bound at alpha/m,
    all shares. Undefined: nothing; without data high is 1, hence undecided. No interval of its
    own. Weakness: that of the bounds it is given.
    Source: Berger 1982, Technometrics 24:295, doi 10.2307/1267823 (approval); Bonferroni's
    inequality (rejection).

    Example:
        >>> ceiling_outcome(0.05, high=0.0495, reject_low=0.0)
        'safe'
    """
    if reject_low > limit + ROUNDING:
        return "past_limit"
    return "safe" if high <= limit + ROUNDING else "undecided"


@statistic("floor_outcome", kind="decision", needs=("limit",))
def floor_outcome(limit: float, *, low: float, reject_high: float) -> Outcome:
    """Return on which side of a lower limit the evidence lies (kappa, human agreement).

    Formula: past_limit where reject_high < limit, else safe where low >= limit, else undecided.
    Shapes: `low` is the one-sided lower bound at alpha, `reject_high` the upper bound at alpha/m.
    Undefined: nothing. No interval of its own. Weakness: that of the bounds it is given.
    Source: as `ceiling_outcome`; Berger 1982, doi 10.2307/1267823.

    Example:
        >>> floor_outcome(0.6, low=0.55, reject_high=0.9)
        'undecided'
    """
    if reject_high < limit - ROUNDING:
        return "past_limit"
    return "safe" if low >= limit - ROUNDING else "undecided"


@statistic("three_way", kind="decision", needs=("outcomes",), laws=("item_order",))
def three_way(outcomes: Iterable[Outcome]) -> Decision:
    """Return the decision over all conditions: one past its limit rejects, all safe approves.

    Formula: rejected where any is past_limit, else approved where all are safe and there is one,
    else need_labels. Approval is an intersection-union test and needs no split of alpha; rejection
    is a union, so its bounds are taken at alpha/m.
    Shapes: any number of outcomes, in any order. Undefined: nothing; no conditions at all is not
    an approval. No interval. Weakness: several slices approvable on their own need `holm`.
    Source: Berger 1982, Technometrics 24:295, doi 10.2307/1267823.

    Example:
        >>> three_way(["safe", "undecided"])
        'need_labels'
    """
    seen = tuple(outcomes)
    if "past_limit" in seen:
        return "rejected"
    return "approved" if seen and all(o == "safe" for o in seen) else "need_labels"
