"""Repeats of one task or one judgement: pass@k, pass^k, stability and cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import clopper_pearson, wilson
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS = 10_000
FEW_TASKS = 20
MOST_CELLS = 20_000_000
"""Above this many draws times distinct values a bootstrap is left for the linearised interval."""


@statistic(
    "pass_at_k",
    kind="repeats",
    range=(0.0, 1.0),
    needs=("trials", "successes", "k"),
    laws=("item_order", "interval_holds_value", "empty_is_undefined"),
)
def pass_at_k(
    trials: Sequence[int],
    successes: Sequence[int],
    k: int,
    *,
    tail: float = 0.025,
    rng: np.random.Generator | None = None,
) -> Statistic:
    """Return pass@k: the chance that at least one of k trials of a task succeeds.

    Formula: mean over tasks of 1 - C(n-c, k)/C(n, k), unbiased; never 1-(1-c/n)^k.
    Shapes: one count per task, 0 <= c <= n. Range [0, 1]. Undefined without tasks and when a task
    has fewer than k trials. Interval: percentile bootstrap of tasks (not of trials) from counts
    of equal tasks, with `rng` only. It says nothing where all tasks have one value: at 0 and 1
    the bounds are Clopper and Pearson's for n tasks with one group of k trials each, else there
    are none. `status` is `few_tasks` below 20. Weakness: the bootstrap is too short for few tasks.
    Source: Chen et al. 2021, arXiv 2107.03374.

    Example:
        >>> round(pass_at_k([10, 10, 10], [8, 3, 0], 3).value, 6)
        0.569444
    """
    tasks = Counter(_whole(trials, successes))
    found = _mean_over_tasks(
        tasks, k, lambda task: _any_of_k(task[0], task[1], k), f"pass@{k}", tail, rng
    )
    return _exact_where_agreed(found, tail)


@statistic(
    "pass_hat_k",
    kind="repeats",
    range=(0.0, 1.0),
    needs=("trials", "successes", "k"),
    laws=("item_order", "interval_holds_value", "empty_is_undefined"),
)
def pass_hat_k(
    trials: Sequence[int],
    successes: Sequence[int],
    k: int,
    *,
    tail: float = 0.025,
    rng: np.random.Generator | None = None,
) -> Statistic:
    """Return pass^k: the chance that all of k trials of a task succeed.

    Formula: mean over tasks of C(c, k)/C(n, k), unbiased; never (c/n)^k.
    Shapes: one count per task, 0 <= c <= n. Range [0, 1]. Undefined without tasks and when a task
    has fewer than k trials. Interval: as `pass_at_k`, with the same weakness.
    Source: Yao et al. 2024 (tau-bench), arXiv 2406.12045.

    Example:
        >>> round(pass_hat_k([10, 10, 10], [8, 3, 0], 3).value, 6)
        0.158333
    """
    tasks = Counter(_whole(trials, successes))
    found = _mean_over_tasks(
        tasks, k, lambda task: _all_of_k(task[0], task[1], k), f"pass^{k}", tail, rng
    )
    return _exact_where_agreed(found, tail)


@statistic(
    "pass_hat_k_difference",
    kind="repeats",
    symmetric=False,
    range=(-1.0, 1.0),
    needs=("trials", "successes", "other_successes", "k"),
    laws=("item_order", "swap_negates", "interval_holds_value", "empty_is_undefined"),
)
def pass_hat_k_difference(
    trials: Sequence[int],
    successes: Sequence[int],
    other_successes: Sequence[int],
    k: int,
    *,
    tail: float = 0.025,
    rng: np.random.Generator | None = None,
) -> Statistic:
    """Return pass^k of one agent minus that of another, on the same tasks.

    Formula: mean over tasks of C(c, k)/C(n, k) - C(d, k)/C(n, k), c and d the successes of the two.
    Shapes: one count per task, 0 <= c, d <= n; both agents have n trials of a task. Range [-1, 1].
    Undefined without tasks and when a task has fewer than k trials. Interval: percentile bootstrap
    of tasks, both agents together, with `rng` only and not where all tasks have one difference;
    `status` is `few_tasks` below 20. Weakness: the interval is too short for few tasks.
    Source: Yao et al. 2024 (tau-bench), arXiv 2406.12045.

    Example:
        >>> round(pass_hat_k_difference([4, 4, 4], [4, 4, 2], [3, 4, 2], 2).value, 4)
        0.1667
    """
    tasks = Counter(_whole(trials, successes, other_successes))

    def gain(task: tuple[int, ...]) -> float:
        n, c, d = task
        return _all_of_k(n, c, k) - _all_of_k(n, d, k)

    return _mean_over_tasks(tasks, k, gain, f"difference of pass^{k}", tail, rng)


def _whole(*columns: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the counts of each task as plain integers: its trials, then successes."""
    for row in zip(*columns, strict=True):
        yield tuple(map(int, row))


def _any_of_k(n: int, c: int, k: int) -> float:
    return 1 - math.comb(n - c, k) / math.comb(n, k)


def _all_of_k(n: int, c: int, k: int) -> float:
    return math.comb(c, k) / math.comb(n, k)


def _mean_over_tasks(
    tasks: Counter[tuple[int, ...]],
    k: int,
    of_task: Callable[[tuple[int, ...]], float],
    method: str,
    tail: float,
    rng: np.random.Generator | None,
) -> Statistic:
    """Return the mean of `of_task` over tasks, counted by their trials and successes."""
    total = tasks.total()
    if k < 1 or any(not 0 <= c <= n for n, *successes in tasks for c in successes):
        raise ValueError("k must be at least 1 and 0 <= successes <= trials for every task")
    if not total:
        return Undefined(undefined="no tasks")
    short = sum(count for (n, *_), count in tasks.items() if n < k)
    if short:
        return Undefined(undefined=f"{short} of {total} tasks have fewer than {k} trials", n=total)
    ordered = sorted(tasks)
    values = [of_task(task) for task in ordered]
    return _mean_of_counted(values, [tasks[task] for task in ordered], method, tail, rng)


def _exact_where_agreed(found: Statistic, tail: float) -> Statistic:
    """Give a share that all tasks have, or none has, the exact bounds of n of n tasks."""
    if not isinstance(found, Estimate) or found.value not in (0.0, 1.0):
        return found
    exact = clopper_pearson(found.value * found.n, found.n, tail)
    method = f"{found.method}, exact interval of tasks"
    return found.model_copy(update={"low": exact.low, "high": exact.high, "method": method})


def _mean_of_counted(
    values: Sequence[float],
    counts: Sequence[int],
    method: str,
    tail: float,
    rng: np.random.Generator | None,
) -> Estimate:
    """Return the mean of values, each there `counts` times; with `rng` a bootstrap."""
    total = sum(counts)
    value = math.fsum(v * count for v, count in zip(values, counts, strict=True)) / total
    status = "few_tasks" if total < FEW_TASKS else None
    if rng is None or len(set(values)) < 2:
        return Estimate(value=value, n=total, method=method, status=status)
    low, high = _mean_interval(values, counts, tail, rng)
    low, high, method = min(low, value), max(high, value), f"{method}, bootstrap of tasks"
    return Estimate(value=value, low=low, high=high, n=total, method=method, status=status)


def _mean_interval(
    values: Sequence[float], counts: Sequence[int], tail: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Return percentile bounds of a mean, resampled as counts of its distinct values."""
    import numpy as np

    held = np.asarray(counts, dtype=float)
    draws = max(200, min(DRAWS, MOST_CELLS // len(held)))
    drawn = rng.multinomial(int(held.sum()), held / held.sum(), size=draws)
    means = drawn @ np.asarray(values, dtype=float) / held.sum()
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


class Anova(Record):
    """One-way analysis of variance of repeated scores: mean squares and variance components."""

    ms_between: float
    ms_within: float
    var_between: float
    var_within: float


class RepeatStability(Record):
    """How much a judge's verdicts move when the same items are judged again."""

    disagreement: Statistic
    flipped: Statistic
    test_retest: Statistic
    anova: Anova | None = None
    icc1: Statistic


@statistic("repeat_stability", kind="repeats", needs=("verdicts",), laws=("item_order",))
def repeat_stability(
    verdicts: Sequence[Sequence[float | None]],
    *,
    tail: float = 0.025,
    rng: np.random.Generator | None = None,
) -> RepeatStability:
    """Return run-to-run disagreement, the share of items that ever flip, Fleiss kappa and ICC.

    Formula: pairwise disagreement of an item 1 - sum_j c_j(c_j-1)/(m(m-1)), averaged; test-retest
    is Fleiss kappa over repeats; ICC1 = (MSB-MSW)/(MSB+(k-1)MSW), not truncated, so that it may be
    negative; var_between = max(0, (MSB-MSW)/k).
    Shapes: one row per item, its verdicts (0/1) or scores of the repeats, None where missing; rows
    with fewer than two are left out. Undefined: all without such a row; kappa and ICC when rows
    differ in length; kappa when one verdict was given throughout; mean squares with one item; ICC
    when nothing varies.
    Interval: flips Wilson; disagreement bootstrap of items, with `rng`; ICC by F quantiles, which
    need normal scores. Weakness: Fleiss kappa has no interval here.
    Source: Fleiss 1971, Psychological Bulletin 76:378, doi 10.1037/h0031619; Shrout & Fleiss 1979,
    Psychological Bulletin 86:420, doi 10.1037/0033-2909.86.2.420.

    Example:
        >>> found = repeat_stability([[1, 1, 1], [0, 0, 0], [1, 0, 1], [0, 1, 0]])
        >>> round(found.disagreement.value, 4), found.flipped.value
        (0.3333, 0.5)
    """
    there = [tuple(v for v in row if v is not None) for row in verdicts]
    rows = [row for row in there if len(row) > 1]
    if not rows:
        none = Undefined(undefined="no item was judged twice", n=0)
        return RepeatStability(disagreement=none, flipped=none, test_retest=none, icc1=none)
    disagreements = [_pairwise_disagreement(row) for row in rows]
    anova = _anova(rows)
    return RepeatStability(
        disagreement=_disagreement(disagreements, tail, rng),
        flipped=_flipped(sum(d > 0 for d in disagreements), len(rows), tail),
        test_retest=_test_retest(rows, disagreements),
        anova=anova,
        icc1=_icc1(rows, anova, tail),
    )


def _pairwise_disagreement(row: Sequence[float]) -> float:
    m = len(row)
    same = sum(count * (count - 1) for count in Counter(row).values())
    return 1 - same / (m * (m - 1))


def _disagreement(
    values: Sequence[float], tail: float, rng: np.random.Generator | None
) -> Estimate:
    n, value = len(values), math.fsum(values) / len(values)
    if rng is None or len(set(values)) < 2:
        return Estimate(value=value, n=n, method="pairwise disagreement")
    tasks = Counter(values)
    kept = sorted(tasks)
    low, high = _mean_interval(kept, [tasks[v] for v in kept], tail, rng)
    method = "pairwise disagreement, bootstrap of items"
    return Estimate(value=value, low=min(low, value), high=max(high, value), n=n, method=method)


def _flipped(x: int, n: int, tail: float) -> Estimate:
    bounds = wilson(x, n, tail)
    low, high = (bounds.low, bounds.high) if bounds else (None, None)
    return Estimate(value=x / n, low=low, high=high, n=n, method="share of items, Wilson")


def _unequal(rows: Sequence[Sequence[float]]) -> Undefined | None:
    if len({len(row) for row in rows}) == 1:
        return None
    return Undefined(undefined="items differ in their number of repeats", n=len(rows))


def _test_retest(rows: Sequence[Sequence[float]], disagreements: Sequence[float]) -> Statistic:
    n, unequal = len(rows), _unequal(rows)
    if unequal is not None:
        return unequal
    totals = Counter(v for row in rows for v in row)
    if len(totals) < 2:
        return Undefined(undefined="one verdict was given throughout", n=n)
    expected = math.fsum((count / totals.total()) ** 2 for count in totals.values())
    observed = 1 - math.fsum(disagreements) / n
    return Estimate(value=(observed - expected) / (1 - expected), n=n, method="Fleiss kappa")


def _anova(rows: Sequence[Sequence[float]]) -> Anova | None:
    import numpy as np

    if len(rows) < 2 or _unequal(rows) is not None:
        return None
    scores = np.asarray(rows, dtype=float)
    n, k = scores.shape
    means = scores.mean(axis=1)
    between = float(k * ((means - means.mean()) ** 2).sum() / (n - 1))
    within = float(((scores - means[:, None]) ** 2).sum() / (n * (k - 1)))
    return Anova(
        ms_between=between,
        ms_within=within,
        var_between=max(0.0, (between - within) / k),
        var_within=within,
    )


def _icc1(rows: Sequence[Sequence[float]], anova: Anova | None, tail: float) -> Statistic:
    n, k = len(rows), len(rows[0])
    if anova is None:
        return _unequal(rows) or Undefined(undefined="fewer than two items", n=n)
    between, within = anova.ms_between, anova.ms_within
    if between + (k - 1) * within < 1e-15:
        return Undefined(undefined="nothing varies", n=n)
    value = (between - within) / (between + (k - 1) * within)
    if min(between, within) < 1e-15:
        return Estimate(value=value, n=n, method="ICC1", status="no_interval")
    low, high = _icc_bounds(between / within, n, k, tail)
    return Estimate(value=value, low=low, high=high, n=n, method="ICC1, F interval")


def _icc_bounds(ratio: float, n: int, k: int, tail: float) -> tuple[float, float]:
    from scipy.stats import f

    lower = ratio / float(f.ppf(1 - tail, n - 1, n * (k - 1)))
    upper = ratio * float(f.ppf(1 - tail, n * (k - 1), n - 1))
    return (lower - 1) / (lower + k - 1), (upper - 1) / (upper + k - 1)
