"""The numbers of a report, from pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from judgekit.calibration.pairing import Pair
from judgekit.calibration.report import ModeRate
from judgekit.model.base import Record
from judgekit.model.verdict import Verdict
from judgekit.stats.agreement import (
    ac1_of_shares,
    cohen_kappa,
    dirichlet_interval,
    group_tables,
    gwet_ac1,
    kappa_interval,
    pabak,
    specific_agreement,
    specific_of_shares,
)
from judgekit.stats.confusion import PASS_FAIL, Confusion
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import GroupedCounts, rate_display


class Tables:
    """The scored pairs of one judge as counts: in all, by group, and by class."""

    def __init__(self, scored: Sequence[Pair], unscored: Sequence[Pair] = ()) -> None:
        rows = [(p, p.judge) for p in scored if p.judge is not None]
        words = {p.human for p, _ in rows} | {judge for _, judge in rows}
        self.labels = PASS_FAIL if words <= set(PASS_FAIL) else tuple(sorted(words))
        if len(self.labels) < 2:
            self.labels = (*self.labels, "(other)")
        self.confusion = Confusion.of([(p.human, judge) for p, judge in rows], self.labels)
        place = {label: i for i, label in enumerate(self.labels)}
        cells = [(place[p.human], place[judge]) for p, judge in rows]
        self.by_group: Any = group_tables([p.group for p, _ in rows], cells, len(self.labels))
        self.scored = tuple(scored)
        self.unscored = tuple(unscored)

    def errors_among(self, human: str, *, worst_case: bool = False) -> GroupedCounts:
        """Return the judge's errors among the items that humans gave the answer `human`."""
        rows = [(p.group, p.judge != p.human) for p in self.scored if p.human == human]
        if worst_case:
            rows += [(p.group, True) for p in self.unscored if p.human == human]
        return GroupedCounts.of(rows)


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


def measure(tables: Tables, tail: float) -> Measures:
    """Return the measures with two-sided intervals that have `tail` in each tail."""
    return Measures(
        kappa=kappa_statistic(tables, tail),
        false_pass_rate=error_rate(tables, "fail", tail),
        false_fail_rate=error_rate(tables, "pass", tail),
        accuracy=_accuracy(tables, tail),
        ac1=_with_interval(gwet_ac1(tables.confusion), tables, tail, ac1_of_shares),
        pabak=_pabak(tables, tail),
        positive_agreement=_specific(tables, "pass", tail),
        negative_agreement=_specific(tables, "fail", tail),
        worst_case_false_pass_rate=error_rate(tables, "fail", tail, worst_case=True),
        worst_case_false_fail_rate=error_rate(tables, "pass", tail, worst_case=True),
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


def error_rate(tables: Tables, human: str, tail: float, *, worst_case: bool = False) -> Statistic:
    """Return P(the judge errs given the human answer), with unscored items against the judge if
    `worst_case`."""
    if tables.labels != PASS_FAIL:
        reason = "the labels are categories: name the one that passes (--positive)"
        return Undefined(undefined=reason, n=tables.confusion.n)
    return rate(tables.errors_among(human, worst_case=worst_case), tail, f"no human-{human} labels")


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
    rows = ((p.group, p.judge != p.human) for p in tables.scored)
    wrong = rate(GroupedCounts.of(rows), tail, "no pairs")
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


def _with_interval(value: Statistic, tables: Tables, tail: float, statistic: Any) -> Statistic:
    if isinstance(value, Undefined):
        return value
    bounds = dirichlet_interval(tables.by_group, tail, statistic)
    if bounds is None:
        return value
    method = f"{value.method}, Dirichlet"
    return value.model_copy(update={"low": bounds[0], "high": bounds[1], "method": method})


def mode_rates(scored: Sequence[Pair], known: Sequence[str], tail: float) -> tuple[ModeRate, ...]:
    """Return the false-pass rate of each failure mode; known modes without labels come too."""
    rows: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for pair in scored:
        if pair.human == "fail" and pair.failure_mode:
            rows[pair.failure_mode].append((pair.group, pair.judge == "pass"))
    names = [*known, *sorted(set(rows) - set(known))]
    found = []
    for name in names:
        share = rate(GroupedCounts.of(rows[name]), tail, "no human-fail labels of this mode")
        found.append(ModeRate(mode=name, n=len(rows[name]), false_pass_rate=share))
    return tuple(found)


def unsupported_counts(verdicts: Sequence[Verdict], groups: dict[str, str]) -> GroupedCounts:
    """Return how many verdicts with checked evidence hold a quote that was not found."""
    checked = [v for v in verdicts if v.unsupported is not None]
    return GroupedCounts.of(
        (groups.get(v.item_id, v.item_id), bool(v.unsupported)) for v in checked
    )
