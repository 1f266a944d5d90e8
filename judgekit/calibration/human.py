"""Human-human agreement: the ceiling that a judge can be held to."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

from judgekit.calibration.answers import Reading
from judgekit.model.base import Record
from judgekit.model.label import OVERALL, Label
from judgekit.model.rubric import Rubric
from judgekit.stats.agreement import (
    ac1_of_shares,
    cohen_kappa,
    dirichlet_interval,
    group_tables,
    gwet_ac1,
    kappa_interval,
    kappa_of_shares,
)
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import GroupedCounts, rate_display

LOW_AGREEMENT = 0.2
"""Mean pairwise kappa under which the report warns: "slight" in Landis & Koch 1977."""


class HumanPair(Record):
    """Two annotators over the items that both answered."""

    first: str
    second: str
    n: int
    agreement: float
    kappa: float | None


class HumanAgreement(Record):
    """Agreement among people on the items that the judge was compared on.

    `kappa` is the mean pairwise kappa, weighted by shared items. `tie_breakers` were left out:
    they labelled almost only items on which others had disagreed, which says nothing about them.
    """

    kappa: Statistic
    agreement: Statistic
    ac1: Statistic
    pairs: tuple[HumanPair, ...] = ()
    tie_breakers: tuple[str, ...] = ()


Answers = dict[str, dict[str, str]]


def human_answers(
    labels: Sequence[Label], *, unit: str, rubric: Rubric | None, reading: Reading
) -> Answers:
    """Return item -> annotator -> answer about the unit, one clear answer each.

    People only, and annotators who stand for people in synthetic data; never models, adjudicators
    or objective labels.
    """
    votes: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for label in labels:
        if label.effective_origin in ("human", "synthetic"):
            out = reading.left_out(label)
            votes[label.item_id, label.annotator, label.criterion].add(
                out or _readable(label, unit, rubric, reading)
            )
    answers: Answers = defaultdict(dict)
    for item_id, annotator in {(i, a) for i, a, _ in votes}:
        answer = _answer(votes, item_id, annotator, unit, rubric)
        if answer is not None:
            answers[item_id][annotator] = answer
    return answers


def _readable(label: Label, unit: str, rubric: Rubric | None, reading: Reading) -> str:
    known = rubric is not None and unit == OVERALL and label.criterion in rubric.criterion_ids
    return reading.answer(label) if label.criterion == unit or known else "unsure"


def _answer(
    votes: Mapping[tuple[str, str, str], set[str]],
    item_id: str,
    annotator: str,
    unit: str,
    rubric: Rubric | None,
) -> str | None:
    own = votes.get((item_id, annotator, unit))
    if own is not None or rubric is None or unit != OVERALL:
        return _clear(own)
    parts = {c: _clear(votes.get((item_id, annotator, c))) for c in rubric.criterion_ids}
    if None in parts.values():
        return None
    passed = frozenset(c for c, answer in parts.items() if answer == "pass")
    return "pass" if rubric.passes(passed) else "fail"


def _clear(own: set[str] | None) -> str | None:
    if own is None or len(own) != 1:
        return None
    answer = next(iter(own))
    return None if answer in ("unsure", "not_applicable") else answer


def human_agreement(
    answers: Answers,
    *,
    groups: Mapping[str, str],
    items: Collection[str],
    labels: Sequence[str],
    tail: float,
) -> HumanAgreement:
    """Return the agreement among people on `items`, with `tail` on each side of its intervals."""
    shared = {i: answers[i] for i in items if len(answers.get(i, {})) > 1}
    breakers = tie_breakers(shared)
    rows: dict[tuple[str, str], list[tuple[str, int, int]]] = defaultdict(list)
    position = {label: k for k, label in enumerate(labels)}
    for item_id, own in shared.items():
        people = sorted(a for a in own if a not in breakers)
        for first, second in combinations(people, 2):
            cell = (groups.get(item_id, item_id), position[own[first]], position[own[second]])
            rows[first, second].append(cell)
    if not rows:
        none = Undefined(undefined="no item was labelled by two people: there is no human ceiling")
        return HumanAgreement(kappa=none, agreement=none, ac1=none, tie_breakers=breakers)
    return _summary(rows, labels, tail, breakers)


def tie_breakers(shared: Answers) -> tuple[str, ...]:
    """Return annotators who were asked where others disagreed.

    Someone of whose items (answered by two others as well) 80 % or more are disagreements of those
    others, while the others disagree on less than half as large a share of the remaining items.
    """
    found = []
    for person in sorted({a for own in shared.values() for a in own}):
        split: dict[bool, Counter[bool]] = {True: Counter(), False: Counter()}
        for own in shared.values():
            others = [answer for name, answer in own.items() if name != person]
            if len(others) > 1:
                split[person in own][len(set(others)) > 1] += 1
        asked, rest = split[True], split[False]
        if asked.total() >= 5 and rest.total() >= 5:
            share, elsewhere = asked[True] / asked.total(), rest[True] / rest.total()
            if share >= 0.8 and elsewhere < share / 2:
                found.append(person)
    return tuple(found)


def _summary(
    rows: Mapping[tuple[str, str], list[tuple[str, int, int]]],
    labels: Sequence[str],
    tail: float,
    breakers: tuple[str, ...],
) -> HumanAgreement:
    everything = [row for own in rows.values() for row in own]
    pooled = group_tables([r[0] for r in everything], [r[1:] for r in everything], len(labels))
    counts = GroupedCounts.of((g, i == j) for g, i, j in everything)
    shown, method = rate_display(counts, tail)
    return HumanAgreement(
        kappa=_mean_kappa(rows, len(labels), pooled, tail),
        agreement=Estimate(
            value=counts.x / counts.n,
            low=shown.low if shown else None,
            high=shown.high if shown else None,
            n=counts.n,
            method=method,
        ),
        ac1=_pooled_ac1(pooled, labels, tail),
        pairs=tuple(_human_pair(names, own, labels) for names, own in sorted(rows.items())),
        tie_breakers=breakers,
    )


def _human_pair(
    names: tuple[str, str], own: list[tuple[str, int, int]], labels: Sequence[str]
) -> HumanPair:
    table = Confusion.of([(labels[i], labels[j]) for _, i, j in own], labels)
    kappa = cohen_kappa(table).value
    share = table.agreed / table.n
    return HumanPair(first=names[0], second=names[1], n=table.n, agreement=share, kappa=kappa)


def _pooled_ac1(pooled: Any, labels: Sequence[str], tail: float) -> Statistic:
    total = pooled.sum(axis=0).astype(int).tolist()
    value = gwet_ac1(Confusion(labels=tuple(labels), rows=tuple(map(tuple, total))))
    bounds = dirichlet_interval(pooled, tail, ac1_of_shares)
    if isinstance(value, Undefined) or bounds is None:
        return value
    return value.model_copy(update={"low": bounds[0], "high": bounds[1]})


def _mean_kappa(
    rows: Mapping[tuple[str, str], list[tuple[str, int, int]]], k: int, pooled: Any, tail: float
) -> Statistic:
    import numpy as np

    names = sorted({row[0] for own in rows.values() for row in own})
    position = {name: g for g, name in enumerate(names)}
    tables = np.zeros((len(rows), len(names), k, k))
    for p, own in enumerate(rows.values()):
        for group, i, j in own:
            tables[p, position[group], i, j] += 1
    value, n = _weighted(tables.sum(axis=1)), int(tables.sum())
    if math.isnan(value):
        return Undefined(undefined="every pair of people gave one and the same answer", n=n)
    if len(rows) == 1:
        bounds = kappa_interval(tables[0], tail)
        return Estimate(value=value, low=bounds.low, high=bounds.high, n=n, method=bounds.method)
    return _jackknifed(tables, value, pooled, tail)


def _weighted(tables: Any) -> float:
    """Return the mean of the kappas of (P, K, K) tables, weighted by n; NaN where none exists."""
    import numpy as np

    sizes = tables.sum(axis=(1, 2))
    kept = sizes > 0
    kappas = kappa_of_shares(tables[kept] / sizes[kept][:, None, None])
    known = ~np.isnan(kappas)
    if not known.any():
        return math.nan
    return float(np.average(kappas[known], weights=sizes[kept][known]))


def _jackknifed(tables: Any, value: float, pooled: Any, tail: float) -> Statistic:
    import numpy as np
    from scipy.stats import t

    total, n_groups, n = tables.sum(axis=1), tables.shape[1], int(tables.sum())
    leave = np.array([_weighted(total - tables[:, g]) for g in range(n_groups)])
    spread = float(((leave - leave.mean()) ** 2).sum()) * (n_groups - 1) / max(n_groups, 1)
    if n_groups < 2 or not spread > 0 or abs(value) > 1 - 1e-9:
        bounds = kappa_interval(pooled, tail)
        method = f"mean pairwise kappa, {bounds.method} on pooled pairs"
        return Estimate(value=value, low=bounds.low, high=bounds.high, n=n, method=method)
    half = float(t.ppf(1 - tail, n_groups - 1)) * math.sqrt(spread) / (1 - value**2)
    low, high = math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)
    method = "mean pairwise kappa, group jackknife (Fisher z)"
    return Estimate(value=value, low=low, high=high, n=n, method=method)
