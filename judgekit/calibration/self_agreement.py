"""How often annotators repeat themselves: their hidden re-labels against their first labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate
from judgekit.stats.intervals import wilson

CONFIDENCE = 0.95


class Relabel(Record):
    """One field that one annotator answered twice, the second time without knowing it."""

    annotator: str
    first: str
    repeat: str


def self_agreement(relabels: Iterable[Relabel]) -> dict[str, Estimate]:
    """Return, by annotator, the share of re-labels that repeat the first label.

    Range [0, 1], higher is better; with a two-sided 95 % Wilson interval and its n. Fields of one
    item count as independent, so the interval is too narrow where several are asked.

    Example:
        >>> twice = [Relabel(annotator="ann", first="pass", repeat="pass")]
        >>> self_agreement(twice)["ann"].value
        1.0
    """
    same: dict[str, list[bool]] = defaultdict(list)
    for relabel in relabels:
        same[relabel.annotator].append(relabel.first == relabel.repeat)
    return {annotator: _share(rows) for annotator, rows in sorted(same.items())}


def _share(same: list[bool]) -> Estimate:
    n, x = len(same), sum(same)
    interval = wilson(x, n, (1 - CONFIDENCE) / 2)
    bounds = interval.model_dump() if interval else {}
    return Estimate(value=x / n, n=n, method="wilson", **bounds)
