"""An error rate as the sampling design sees it: its value, its bounds and its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from judgekit.calibration.tables import Tables, grouped_counts
from judgekit.stats.intervals import LEAST_GROUPS, GroupedCounts, Interval, rate_bounds

EVERYTHING = Interval(low=0.0, high=1.0)


@dataclass(frozen=True)
class Share:
    """A rate among the items of one human answer.

    `value` None = no label to measure it on. `bounds` maps a level to one-sided bounds at that
    level. `few_groups` is the number of groups where it is too small for an approval.
    """

    value: float | None
    n: int
    seen: str
    bounds: Callable[[float], Interval]
    few_groups: int | None
    method: str = ""


def share_of(tables: Tables, human: str, judge_pass_share: float | None) -> Share:
    """Return the judge's error rate among the human `human` items.

    `judge_pass_share` None = a random sample: the counts as they are. Else the labels were drawn
    by the judge's verdict, and that share of all verdicts were passes: the counts are reweighted.
    """
    if judge_pass_share is None:
        return counted_share(tables.errors_among(human), f"human-{human}")
    return _reweighted_share(tables, human, judge_pass_share)


def counted_share(counts: GroupedCounts, of: str) -> Share:
    """Return a rate from its own counts; `of` names the denominator."""
    value = counts.x / counts.n if counts.n else None
    shown = "" if value is None else f"{counts.x} of {counts.n} {of} ({value:.3f})"
    return Share(value, counts.n, shown, lambda level: rate_bounds(counts, level), _few(counts))


def _few(counts: GroupedCounts) -> int | None:
    return counts.n_groups if counts.grouped and counts.n_groups < LEAST_GROUPS else None


def _reweighted_share(tables: Tables, human: str, judge_pass_share: float) -> Share:
    """Begg & Greenes 1983 with a bound that holds at any n: the rate rises in the share of this
    human answer where the judge errs and falls in its share where the judge is right, so each
    takes its Clopper-Pearson bound at half the level."""
    errs = 0 if human == "fail" else 1  # position of the judge's wrong answer: pass comes first
    weight = judge_pass_share if errs == 0 else 1 - judge_pass_share
    wrong, right = (_human_share(tables, human, judge) for judge in (errs, 1 - errs))
    n = wrong.x + right.x

    def bounds(level: float) -> Interval:
        first, second = rate_bounds(wrong, level / 2), rate_bounds(right, level / 2)
        low = _mixed(first.low, second.high, weight)
        high = _mixed(first.high, second.low, weight)
        return Interval(low=low or 0.0, high=1.0 if high is None else high)

    value = None
    if wrong.n and right.n:
        value = _mixed(wrong.x / wrong.n, right.x / right.n, weight)
    seen = (
        "" if value is None else
        f"{wrong.x} of {wrong.n} labelled judge-{_word(errs)} and {right.x} of {right.n} labelled "
        f"judge-{_word(1 - errs)} items are human-{human}, reweighted to {value:.3f}"
    )  # fmt: skip
    few = [count for count in (_few(wrong), _few(right)) if count is not None]
    method = "reweighted by verdict, Clopper-Pearson in each stratum"
    return Share(value, n, seen, bounds, min(few, default=None), method)


def _word(position: int) -> str:
    return "pass" if position == 0 else "fail"


def _human_share(tables: Tables, human: str, judge: int) -> GroupedCounts:
    """Return the items with this human answer among those with this judge answer."""
    column: Any = tables.cells[:, :, judge]
    return grouped_counts(column[:, tables.labels.index(human)], column.sum(axis=1))


def _mixed(wrong: float, right: float, weight: float) -> float | None:
    """Return wrong w/(wrong w + right (1-w)), None where it is 0/0."""
    total = wrong * weight + right * (1 - weight)
    return wrong * weight / total if total > 0 else None
