"""The numbers of a report, from counts by group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from judgekit.calibration.pairing import Pair
from judgekit.calibration.report import ModeRate
from judgekit.calibration.shares import share_of
from judgekit.calibration.tables import Tables
from judgekit.calibration.weighted import accuracy_of_shares, weighted_statistic
from judgekit.model.base import Record
from judgekit.stats.agreement import (
    ac1_of_shares,
    cohen_kappa,
    dirichlet_interval,
    gwet_ac1,
    kappa_interval,
    kappa_of_shares,
    pabak,
    specific_agreement,
    specific_of_shares,
)
from judgekit.stats.confusion import PASS_FAIL
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import GroupedCounts, rate_display


class Measures(Record):
    """Every number of a report that does not depend on limits."""

    kappa: Statistic
    false_pass_rate: Statistic
    false_fail_rate: Statistic
    accuracy: Statistic
    ac1: Statistic
    pabak: Statistic
    positive_agreement: Statistic
    negative_agreement: Statistic
    worst_case_false_pass_rate: Statistic
    worst_case_false_fail_rate: Statistic
    pessimistic_false_pass_rate: Statistic
    pessimistic_false_fail_rate: Statistic


def measure(tables: Tables, tail: float) -> Measures:
    """Return the measures of a random sample, with `tail` in each tail of their intervals."""
    return Measures(
        kappa=kappa_statistic(tables, tail),
        accuracy=_accuracy(tables, tail),
        ac1=_with_interval(gwet_ac1(tables.confusion), tables, tail, ac1_of_shares),
        pabak=_pabak(tables, tail),
        positive_agreement=_specific(tables, "pass", tail),
        negative_agreement=_specific(tables, "fail", tail),
        **error_rates(tables, tail, None),
    )


def weighted_measure(tables: Tables, tail: float, judge_pass_share: float) -> Measures:
    """Return the measures of labels drawn by verdict, of which `judge_pass_share` of all
    verdicts are passes."""

    def one(statistic: Callable[[Any], Any]) -> Statistic:
        return weighted_statistic(tables, tail, judge_pass_share, statistic)

    return Measures(
        kappa=one(kappa_of_shares),
        accuracy=one(accuracy_of_shares),
        ac1=one(ac1_of_shares),
        pabak=one(lambda p: 2 * accuracy_of_shares(p) - 1),
        positive_agreement=one(specific_of_shares(0)),
        negative_agreement=one(specific_of_shares(1)),
        **error_rates(tables, tail, judge_pass_share),
    )


def error_rates(
    tables: Tables, tail: float, judge_pass_share: float | None
) -> dict[str, Statistic]:
    """Return both error rates: as they are, with unscored items against the judge, and with
    unresolved items (ties, unsure) against the judge."""
    found: dict[str, Statistic] = {}
    for name, human in (("false_pass_rate", "fail"), ("false_fail_rate", "pass")):
        if tables.labels != PASS_FAIL:
            reason = "the labels are categories: name the one that passes (--positive)"
            plain = worst = careful = _undefined(reason, tables)
        else:
            plain = _error_rate(tables, human, tail, judge_pass_share)
            worst = _worst_case(tables, human, tail, judge_pass_share)
            careful = _error_rate(tables.pessimistic(human), human, tail, judge_pass_share)
        found |= {name: plain, f"worst_case_{name}": worst, f"pessimistic_{name}": careful}
    return found


def _undefined(reason: str, tables: Tables) -> Statistic:
    return Undefined(undefined=reason, n=tables.confusion.n)


def _worst_case(tables: Tables, human: str, tail: float, weight: float | None) -> Statistic:
    if weight is not None and tables.unscored.any():
        return Undefined(undefined="unscored items are in no verdict stratum", n=0)
    return _error_rate(tables.worst_case(human), human, tail, weight)


def _error_rate(tables: Tables, human: str, tail: float, weight: float | None) -> Statistic:
    if weight is None:
        return rate(tables.errors_among(human), tail, f"no human-{human} labels")
    share = share_of(tables, human, weight)
    if share.value is None:
        return Undefined(undefined=f"no human-{human} labels in both verdict strata", n=share.n)
    shown = share.bounds(tail)
    return Estimate(
        value=share.value, low=shown.low, high=shown.high, n=share.n, method=share.method
    )


def kappa_statistic(tables: Tables, tail: float) -> Statistic:
    """Return kappa; without an interval where one rater never varies."""
    kappa = cohen_kappa(tables.confusion)
    if kappa.value is None:
        return Undefined(undefined=kappa.undefined or "undefined", n=kappa.n)
    if kappa.status == "one_rater_constant":
        return Estimate(
            value=kappa.value, n=kappa.n, method="Cohen's kappa, no interval", status=kappa.status
        )
    bounds = kappa_interval(tables.by_group, tail)
    return Estimate(
        value=kappa.value,
        low=bounds.low,
        high=bounds.high,
        n=kappa.n,
        method=f"Cohen's kappa, {bounds.method}",
        status=kappa.status if kappa.status != "ok" else None,
    )


def rate(counts: GroupedCounts, tail: float, none: str) -> Statistic:
    """Return a share with its displayed interval, or `none` as the reason why there is none."""
    if not counts.n:
        return Undefined(undefined=none)
    shown, method = rate_display(counts, tail)
    return Estimate(
        value=counts.x / counts.n,
        low=shown.low if shown else None,
        high=shown.high if shown else None,
        n=counts.n,
        method=method,
    )


def _accuracy(tables: Tables, tail: float) -> Statistic:
    wrong = rate(tables.wrong(), tail, "no pairs")
    if isinstance(wrong, Undefined):
        return wrong
    low = None if wrong.high is None else 1 - wrong.high
    high = None if wrong.low is None else 1 - wrong.low
    return Estimate(value=1 - wrong.value, low=low, high=high, n=wrong.n, method=wrong.method)


def _pabak(tables: Tables, tail: float) -> Statistic:
    value, accuracy = pabak(tables.confusion), _accuracy(tables, tail)
    if isinstance(value, Undefined) or isinstance(accuracy, Undefined):
        return value
    k = len(tables.labels)
    low, high = (
        None if b is None else (k * b - 1) / (k - 1) for b in (accuracy.low, accuracy.high)
    )
    method = f"PABAK, {accuracy.method} of accuracy"
    return value.model_copy(update={"low": low, "high": high, "method": method})


def _specific(tables: Tables, label: str, tail: float) -> Statistic:
    value = specific_agreement(tables.confusion, label)
    if isinstance(value, Undefined):
        return value
    share = specific_of_shares(tables.labels.index(label))
    return _with_interval(value, tables, tail, share)


def _with_interval(
    value: Statistic, tables: Tables, tail: float, statistic: Callable[[Any], Any]
) -> Statistic:
    if isinstance(value, Undefined):
        return value
    bounds = dirichlet_interval(tables.by_group, tail, statistic)
    if bounds is None:
        return value
    method = f"{value.method}, Dirichlet"
    return value.model_copy(update={"low": bounds[0], "high": bounds[1], "method": method})


ModeCounts = tuple[tuple[str, GroupedCounts], ...]


def mode_counts(scored: Sequence[Pair], known: Sequence[str]) -> ModeCounts:
    """Return the false passes among the human fails of each failure mode; known modes without
    labels come too."""
    rows: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for pair in scored:
        if pair.human == "fail" and pair.failure_mode:
            rows[pair.failure_mode].append((pair.group, pair.judge == "pass"))
    names = [*known, *sorted(set(rows) - set(known))]
    return tuple((name, GroupedCounts.of(rows[name])) for name in names)


def mode_rates(counts: ModeCounts, tail: float, *, by_verdict: bool) -> tuple[ModeRate, ...]:
    """Return the false-pass rate of each failure mode."""
    found = []
    for name, own in counts:
        share = rate(own, tail, "no human-fail labels of this mode")
        if by_verdict:
            reason = "labels drawn by verdict are not reweighted within a failure mode"
            share = Undefined(undefined=reason, n=own.n)
        found.append(ModeRate(mode=name, n=own.n, false_pass_rate=share))
    return tuple(found)


def unsupported_counts(judged: Sequence[Pair]) -> GroupedCounts:
    """Return how many verdicts with checked evidence hold a quote that was not found."""
    return GroupedCounts.of(
        (pair.group, bool(pair.verdict.unsupported))
        for pair in judged
        if pair.verdict is not None and pair.verdict.unsupported is not None
    )


def unscored_counts(judged: Sequence[Pair], unscored: Sequence[Pair]) -> GroupedCounts:
    """Return how many items have no answer, among those with a verdict, labelled or not, and the
    labelled ones (`unscored`) that should have one."""
    rows = {pair.item_id: (pair.group, pair.judge is None) for pair in judged}
    rows |= {pair.item_id: (pair.group, True) for pair in unscored if pair.verdict is None}
    return GroupedCounts.of(rows.values())
