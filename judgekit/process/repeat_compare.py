"""A candidate agent against a baseline, trial by trial on the same cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from judgekit.errors import InputError, UsageError
from judgekit.process.differences import Answered, pairs_by_group
from judgekit.process.rates import SEED
from judgekit.process.repeat_records import (
    CaseDifference,
    CaseRow,
    Compared,
    RepeatComparison,
    RepeatReport,
)
from judgekit.stats.estimate import Estimate, Statistic, bounds_of
from judgekit.stats.paired import grouped_difference
from judgekit.stats.repeats import pass_hat_k, pass_hat_k_difference
from judgekit.stats.sign_flip import sign_flip_test

LEAST_POINTS = 0.03
"""Smaller differences are noise of harness and infrastructure unless configurations match."""
LEVEL = 0.05

Pairs = Mapping[str, tuple[list[bool], list[bool]]]
"""Whether the trials of each case were correct, candidate and baseline, paired by number."""


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
        InputError: the two have no case in common of which something is expected.
        UsageError: the two were scored under different rules.
    """
    _same_rules(candidate, baseline)
    judged = _judged(candidate, baseline, pairs)
    counts = pairs_by_group(*_sides(candidate, judged))
    difference = grouped_difference(*counts)
    p_value = sign_flip_test(counts.gains, rng=np.random.default_rng(SEED))
    stray = None if changed is None else tuple(one for one in changed if one not in declared)
    outcome, reasons = _outcome(difference, p_value, stray)
    tried = sum(row.n for row in (*candidate.cases, *baseline.cases) if row.case in judged)
    return RepeatComparison(
        candidate=candidate.agent, baseline=baseline.agent,
        n_cases=len(judged),
        n_pairs=counts.n,
        difference=difference,
        p_value=p_value,
        outcome=outcome,
        changed=tuple(changed or ()),
        unpaired=max(0, tried - 2 * counts.n),
        mean_for_variance=mean_for_variance(list(judged.values())),
        cases=_cases(candidate.cases, baseline.cases),
        only_one_side=_one_side(candidate.cases, baseline.cases),
        reasons=(*reasons, *_unavailable(candidate, baseline), *_budgets(stray)),
    )  # fmt: skip


def _same_rules(candidate: RepeatReport, baseline: RepeatReport) -> None:
    if candidate.rules_hash != baseline.rules_hash:
        raise UsageError(
            "candidate and baseline were scored under different rules",
            found=f"{candidate.rules_hash[:19]} and {baseline.rules_hash[:19]}",
            expected="one set of rules for both",
        )


def mean_for_variance(pairs: Sequence[tuple[Sequence[bool], Sequence[bool]]]) -> str | None:
    """Return the words for a better mean that came with a lower pass^k; None where it did not.

    k is the least number of pairs of a case. The fall of pass^k gets a bootstrap of cases, both
    sides together, and the words say whether it can be told from chance.

    Example:
        >>> one, other = [True, False, True, True], [False, False, False, False]
        >>> steady = [True] * 4
        >>> mean_for_variance([(one, steady), (one, other)])[:25]
        'mean bought with variance'
    """
    k = min((len(one) for one, _ in pairs), default=0)
    if k < 2:
        return None
    n = [len(one) for one, _ in pairs]
    mine, its = [sum(one) for one, _ in pairs], [sum(other) for _, other in pairs]
    mean, mean_before = _pass_hat(n, mine, 1), _pass_hat(n, its, 1)
    hat, hat_before = _pass_hat(n, mine, k), _pass_hat(n, its, k)
    if mean <= mean_before or hat >= hat_before:
        return None
    fall = bounds_of(pass_hat_k_difference(n, its, mine, k, rng=np.random.default_rng(SEED)))
    # Without bounds the cases all fell by as much, and no draw of them could say otherwise.
    told = "" if fall is None or fall.low > 0 else ", a fall that chance could make as well"
    return (
        f"mean bought with variance: pass@1 rose from {mean_before:.3f} to {mean:.3f}, "
        f"pass^{k} fell from {hat_before:.3f} to {hat:.3f}{told}"
    )


def _pass_hat(trials: Sequence[int], successes: Sequence[int], k: int) -> float:
    """Return pass^k, which is defined where no case has fewer than k trials."""
    return cast(Estimate, pass_hat_k(trials, successes, k)).value


def _judged(candidate: RepeatReport, baseline: RepeatReport, pairs: Pairs) -> Pairs:
    unchecked = {*candidate.unchecked, *baseline.unchecked}
    judged = {case: both for case, both in pairs.items() if case not in unchecked and both[0]}
    if not judged:
        raise InputError(
            "candidate and baseline have no case in common of which something is expected",
            expected="trials of the same cases, with the same numbers",
        )
    return judged


def _sides(candidate: RepeatReport, pairs: Pairs) -> tuple[Answered, Answered]:
    groups = {row.case: row.group for row in candidate.cases}

    def side(which: int) -> Answered:
        return Answered(
            {(case, i): yes for case, both in pairs.items() for i, yes in enumerate(both[which])},
            groups,
        )

    return side(0), side(1)


def _outcome(
    difference: Statistic, p_value: float, stray: tuple[str, ...] | None
) -> tuple[Compared, tuple[str, ...]]:
    if not isinstance(difference, Estimate):
        return "not_distinguishable", (difference.undefined,)
    bounds, value = bounds_of(difference), difference.value
    if bounds is None or bounds.low <= 0 <= bounds.high:
        return "not_distinguishable", ("the interval of the difference includes 0",)
    if p_value >= LEVEL:
        return "not_distinguishable", (f"the sign-flip test gives p = {p_value:.3g}",)
    if abs(value) < LEAST_POINTS and (stray is None or stray):
        why = "not recorded" if stray is None else f"differ in {', '.join(stray)}"
        return "not_distinguishable", (
            f"a difference of {abs(value) * 100:.1f} points is under three, and the "
            f"configurations {'are ' if stray is None else ''}{why}",
        )
    return ("better" if value > 0 else "worse"), ()


def _unavailable(candidate: RepeatReport, baseline: RepeatReport) -> tuple[str, ...]:
    lost = [report.endings.get("infrastructure", 0) for report in (candidate, baseline)]
    if not any(lost):
        return ()
    return (
        f"the infrastructure failed {lost[0]} trials of the candidate and {lost[1]} of the "
        "baseline; they count as not correct",
    )


def _budgets(stray: Sequence[str] | None) -> tuple[str, ...]:
    if stray is None or "limits" not in stray:
        return ()
    return ("the limits differ: the two did not have equal budgets (--changed limits: meant so)",)


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
