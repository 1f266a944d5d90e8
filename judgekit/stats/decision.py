"""The three-way rule: approved, rejected or need_labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Decision = Literal["approved", "rejected", "need_labels"]
Outcome = Literal["safe", "undecided", "past_limit"]
ROUNDING = 1e-12
"""Bounds this near a limit lie on it: 1 - 0.95 is not exactly 0.05."""


def ceiling_outcome(limit: float, *, high: float, reject_low: float) -> Outcome:
    """Return on which side of an upper limit the evidence lies (false pass, false fail).

    `high` is the one-sided upper bound at alpha, `reject_low` the lower bound at alpha/m.

    Example:
        >>> ceiling_outcome(0.05, high=0.0495, reject_low=0.0)
        'safe'
    """
    if reject_low > limit + ROUNDING:
        return "past_limit"
    return "safe" if high <= limit + ROUNDING else "undecided"


def floor_outcome(limit: float, *, low: float, reject_high: float) -> Outcome:
    """Return on which side of a lower limit the evidence lies (kappa, human agreement)."""
    if reject_high < limit - ROUNDING:
        return "past_limit"
    return "safe" if low >= limit - ROUNDING else "undecided"


def three_way(outcomes: Iterable[Outcome]) -> Decision:
    """Return the decision over all conditions: one past its limit rejects, all safe approves.

    Approval is an intersection-union test and needs no split of alpha (Berger 1982); rejection is
    a union, so its bounds are taken at alpha/m. No conditions at all is not an approval.

    Example:
        >>> three_way(["safe", "undecided"])
        'need_labels'
    """
    seen = tuple(outcomes)
    if "past_limit" in seen:
        return "rejected"
    return "approved" if seen and all(o == "safe" for o in seen) else "need_labels"
