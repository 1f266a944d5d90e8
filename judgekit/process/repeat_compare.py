"""A candidate agent against a baseline, trial by trial on the same cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from judgekit.errors import InputError
from judgekit.process.repeat_records import (
    CaseDifference,
    CaseRow,
    RepeatComparison,
    RepeatReport,
)
from judgekit.stats.estimate import Estimate, Statistic
from judgekit.stats.paired import grouped_difference

LEAST_POINTS = 0.03
"""Smaller differences are noise of harness and infrastructure unless configurations match."""
_DRAWS = 20_000
_SEED = 20261130

Pairs = dict[str, tuple[list[bool], list[bool]]]
"""Whether the trials of each case were correct, candidate and baseline, paired by number."""
Verdict = Literal["better", "worse", "not_distinguishable"]


def compare_repeats(
    candidate: RepeatReport,
    baseline: RepeatReport,
    pairs: Pairs,
    *,
    changed: Sequence[str] | None,
    declared: Sequence[str] = (),
) -> RepeatComparison:
    """Return the comparison of two agents.

    `pairs[case]` holds whether the candidate's and the baseline's trials were correct, paired by
    number. `changed` names the components of the configuration that differ (None = not
    recorded), `declared` those that were meant to.

    Raises:
        InputError: the two have no case in common.
        UsageError: the two were scored under different rules.
    """
    if not pairs:
        raise InputError(
            "candidate and baseline have no case in common", expected="trials of the same cases"
        )
    difference = _difference(pairs)
    stray = None if changed is None else tuple(one for one in changed if one not in declared)
    outcome, reasons = _outcome(difference, stray)
    return RepeatComparison(
        candidate=candidate.agent,
        baseline=baseline.agent,
        n_cases=len(pairs),
        n_pairs=sum(len(one) for one, _ in pairs.values()),
        difference=difference,
        p_value=_p_value(pairs),
        outcome=outcome,
        changed=tuple(changed or ()),
        mean_for_variance=_mean_for_variance(candidate, baseline),
        cases=_cases(candidate.cases, baseline.cases),
        only_one_side=_one_side(candidate.cases, baseline.cases),
        reasons=reasons,
    )


def _difference(pairs: Pairs) -> Statistic:
    first, second, sizes = [], [], []
    for one, other in pairs.values():
        both = list(zip(one, other, strict=True))
        first.append(sum(a and not b for a, b in both))
        second.append(sum(b and not a for a, b in both))
        sizes.append(len(both))
    return grouped_difference(first, second, sizes)


def _outcome(
    difference: Statistic, stray: tuple[str, ...] | None
) -> tuple[Verdict, tuple[str, ...]]:
    if not isinstance(difference, Estimate):
        return "not_distinguishable", (difference.undefined,)
    low, high, value = difference.low, difference.high, difference.value
    if low is None or high is None or low <= 0 <= high:
        return "not_distinguishable", ("the interval of the difference includes 0",)
    if abs(value) < LEAST_POINTS and (stray is None or stray):
        why = "not recorded" if stray is None else f"differ in {', '.join(stray)}"
        return "not_distinguishable", (
            f"a difference of {abs(value) * 100:.1f} points is under three, and the "
            f"configurations {'are ' if stray is None else ''}{why}",
        )
    return ("better" if value > 0 else "worse"), ()


def _p_value(pairs: Pairs) -> float | None:
    """Return the two-sided p of the sign-flip test over cases (each case's mean difference)."""
    gains = np.array([np.mean(one) - np.mean(other) for one, other in pairs.values()])
    weights = np.array([len(one) for one, _ in pairs.values()], dtype=float)
    gains = gains * weights / weights.sum()
    gains = gains[gains != 0]
    if not len(gains):
        return 1.0
    observed = abs(gains.sum())
    if len(gains) <= 14:
        signs = np.array(np.meshgrid(*[[1, -1]] * len(gains))).reshape(len(gains), -1)
        sums = np.abs(gains @ signs)
        return float((sums >= observed - 1e-12).mean())
    rng = np.random.default_rng(_SEED)
    signs = rng.choice([-1.0, 1.0], size=(_DRAWS, len(gains)))
    extreme = int((np.abs(signs @ gains) >= observed - 1e-12).sum())
    return (extreme + 1) / (_DRAWS + 1)


def _mean_for_variance(candidate: RepeatReport, baseline: RepeatReport) -> str | None:
    k = min(len(candidate.at_k), len(baseline.at_k))
    one, other = candidate.pass_at_1, baseline.pass_at_1
    if k < 2 or not isinstance(one, Estimate) or not isinstance(other, Estimate):
        return None
    hat, hat_other = candidate.at_k[k - 1].pass_hat, baseline.at_k[k - 1].pass_hat
    if not isinstance(hat, Estimate) or not isinstance(hat_other, Estimate):
        return None
    if one.value > other.value and hat.value < hat_other.value:
        return (
            f"mean bought with variance: pass@1 rose from {other.value:.3f} to {one.value:.3f}, "
            f"pass^{k} fell from {hat_other.value:.3f} to {hat.value:.3f}"
        )
    return None


def _cases(candidate: Sequence[CaseRow], baseline: Sequence[CaseRow]) -> tuple[CaseDifference, ...]:
    other = {row.case: row for row in baseline}
    rows = [
        CaseDifference(
            case=row.case,
            candidate=row.correct,
            n_candidate=row.n,
            baseline=other[row.case].correct,
            n_baseline=other[row.case].n,
        )
        for row in candidate
        if row.case in other
    ]
    return tuple(sorted(rows, key=lambda row: (row.difference, row.case)))


def _one_side(candidate: Sequence[CaseRow], baseline: Sequence[CaseRow]) -> tuple[str, ...]:
    return tuple(sorted({row.case for row in candidate} ^ {row.case for row in baseline}))
