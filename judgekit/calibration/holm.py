"""Holm's rule over a family of units or slices that may each be approved on its own."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.calibration.judging import conditions_of, levels_of
from judgekit.calibration.looks import LookState
from judgekit.calibration.subject import Subject
from judgekit.stats.decision import three_way


def holm_divisors(subjects: Sequence[Subject], look: LookState | None) -> tuple[int, ...]:
    """Return by what each member's alpha is divided (Holm 1979, jstor 4615733).

    Members that are safe at alpha/F are approved, the rest are judged at alpha/(F - approved), and
    so on until no more are. The same as Holm on the smallest level at which each would be
    approved: every member's test is monotone in its level.
    """
    family = len(subjects)
    divisors = [family] * family
    rest = list(range(family))
    while rest:
        safe = [k for k in rest if _approved(subjects[k], look, divisors[k], family)]
        rest = [k for k in rest if k not in safe]
        if not safe:
            break
        for k in rest:
            divisors[k] = len(rest)
    return tuple(divisors)


def _approved(subject: Subject, look: LookState | None, divisor: int, family: int) -> bool:
    if not subject.comparable:
        return False
    levels = levels_of(subject, look, divisor=divisor, family=family)
    return three_way(c.outcome for c in conditions_of(subject, levels)) == "approved"
