"""Has a rate or the judge's agreement moved since the baseline?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from judgekit.model.base import Record
from judgekit.stats.agreement import Weights, cohen_kappa, kappa_of_shares
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.independent import independent_difference
from judgekit.stats.intervals import wilson
from judgekit.stats.paired import Pairs, mcnemar
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

DRAWS = 10_000
KAPPA_LEAST_N = 100


@statistic(
    "newcombe_difference",
    kind="drift",
    symmetric=False,
    range=(-1.0, 1.0),
    needs=("baseline_x", "baseline_n", "window_x", "window_n"),
    laws=("swap_negates", "interval_holds_value", "empty_is_undefined"),
)
def newcombe_difference(
    baseline_x: int, baseline_n: int, window_x: int, window_n: int, tail: float = 0.025
) -> Statistic:
    """Return window share minus baseline share with Newcombe's hybrid score interval.

    Formula: d = p2 - p1; d - sqrt((p2-l2)^2 + (u1-p1)^2), d + sqrt((u2-p2)^2 + (p1-l1)^2) with
    Wilson limits l, u of each share. Shapes: four counts; `tail` is the error in each tail. Range
    [-1, 1]. Undefined when either side is empty. Weakness: approximate; independent items and
    disjoint windows only; not for repeated looks (`bernoulli_cusum`).
    Source: Newcombe 1998, Statistics in Medicine 17:873,
    doi 10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I.

    Example:
        >>> found = newcombe_difference(90, 100, 88, 100)
        >>> round(found.low, 4), round(found.high, 4)
        (-0.11, 0.0696)
    """
    if not (baseline_n and window_n):
        return Undefined(undefined="a window without items", n=baseline_n + window_n)
    before, after = _share(baseline_x, baseline_n, tail), _share(window_x, window_n, tail)
    found = independent_difference(after, before)
    return found.model_copy(update={"method": "Newcombe hybrid score"})


def _share(x: int, n: int, tail: float) -> Estimate:
    bounds = wilson(x, n, tail)
    low, high = (None, None) if bounds is None else (bounds.low, bounds.high)
    return Estimate(value=x / n, low=low, high=high, n=n, method="Wilson")


class TwoProportion(Record):
    """Two independent shares: the difference, the pooled z test and Fisher's exact test.

    `z_pooled` is None where the pooled share is 0 or 1, all p values where a window is empty.
    """

    difference: Statistic
    z_pooled: float | None = None
    p_pooled: float | None = None
    p_fisher: float | None = None


@statistic(
    "two_proportion",
    kind="drift",
    symmetric=False,
    needs=("baseline_x", "baseline_n", "window_x", "window_n"),
)
def two_proportion(
    baseline_x: int, baseline_n: int, window_x: int, window_n: int, tail: float = 0.025
) -> TwoProportion:
    """Return the change of a share between a baseline and a window of other items.

    Formula: z = (p2-p1)/sqrt(p(1-p)(1/n1+1/n2)), p pooled, two-sided; Fisher's exact two-sided p
    sums all tables not more likely than the one seen. Interval: `newcombe_difference`.
    Shapes: four counts. Undefined: see `TwoProportion`. Weakness: the z test is poor for small
    counts, Fisher's is conservative; independent items, one look.
    Source: Fisher 1935, JRSS 98:39, doi 10.2307/2342435; Newcombe 1998, Statistics in Medicine
    17:873.

    Example:
        >>> round(two_proportion(0, 80, 6, 80).p_fisher, 4)
        0.0284
    """
    from scipy.special import ndtr
    from scipy.stats import fisher_exact

    difference = newcombe_difference(baseline_x, baseline_n, window_x, window_n, tail)
    if isinstance(difference, Undefined):
        return TwoProportion(difference=difference)
    table = [[baseline_x, baseline_n - baseline_x], [window_x, window_n - window_x]]
    p_fisher = min(1.0, float(fisher_exact(table).pvalue))
    pooled = (baseline_x + window_x) / (baseline_n + window_n)
    variance = pooled * (1 - pooled) * (1 / baseline_n + 1 / window_n)
    if variance <= 0:
        return TwoProportion(difference=difference, p_fisher=p_fisher)
    z = difference.value / math.sqrt(variance)
    return TwoProportion(
        difference=difference, z_pooled=z, p_pooled=2 * float(ndtr(-abs(z))), p_fisher=p_fisher
    )


class KappaDrop(Record):
    """Kappa of two windows and the one-sided test that it fell; None where not testable."""

    status: Literal["ok", "not_testable"]
    baseline: float | None
    window: float | None
    z: float | None = None
    p_drop: float | None = None
    reason: str | None = None
    small_sample: bool


@statistic("kappa_drop", kind="drift", needs=("confusion", "confusion"), laws=("label_renaming",))
def kappa_drop(
    baseline: Confusion, window: Confusion, *, weights: Weights | None = None
) -> KappaDrop:
    """Return whether Cohen's kappa is lower in the window than in the baseline.

    Formula: z = (k2 - k1)/sqrt(se1^2 + se2^2), p = Phi(z), with the errors of Fleiss, Cohen &
    Everitt. The windows hold different items; for the same items `paired_kappa_change`.
    Undefined (`not_testable`) when a kappa is undefined or has no error (a constant rater, perfect
    agreement). Shapes: two K x K tables with the same labels. No interval. `small_sample` marks
    fewer than 100 pairs in a window, where the error is too small.
    Weakness: kappa moves with the share of passes alone, so test the false-pass rate as well.
    Source: Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72:323, doi 10.1037/h0028106.

    Example:
        >>> before = Confusion(labels=("pass", "fail"), rows=((45, 5), (6, 44)))
        >>> after = Confusion(labels=("pass", "fail"), rows=((40, 10), (9, 41)))
        >>> round(kappa_drop(before, after).p_drop, 4)
        0.0554
    """
    from scipy.special import ndtr

    first, second = (cohen_kappa(table, weights=weights) for table in (baseline, window))
    small = min(baseline.n, window.n) < KAPPA_LEAST_N
    seen: Any = {"baseline": first.value, "window": second.value, "small_sample": small}
    if first.value is None or second.value is None or first.se is None or second.se is None:
        reason = first.undefined or second.undefined or "a kappa has no standard error"
        return KappaDrop(status="not_testable", reason=reason, **seen)
    z = (second.value - first.value) / math.hypot(first.se, second.se)
    return KappaDrop(status="ok", z=z, p_drop=float(ndtr(z)), **seen)


@statistic("paired_kappa_change", kind="drift", range=(-2.0, 2.0), needs=("joint",))
def paired_kappa_change(
    joint: ArrayLike, tail: float = 0.025, *, rng: np.random.Generator, draws: int = DRAWS
) -> Statistic:
    """Return the change of Cohen's kappa on the same items judged at two times.

    Formula: kappa(human, second) - kappa(human, first). Interval: percentile bootstrap of the
    joint counts (multinomial); resamples where a kappa is undefined are left out and their share
    stands in `status`.
    Shapes: `joint` (K, K, K) counts by human, first and second verdict. Range [-2, 2]. Undefined
    when a kappa is, without items, or when no resample has both. No interval where nothing varies.
    Weakness: too short below about 100 items; independent items only.
    Source: Efron 1979, Annals of Statistics 7:1, doi 10.1214/aos/1176344552.

    Example:
        >>> import numpy as np
        >>> joint = [[[40, 5], [2, 3]], [[1, 4], [3, 42]]]
        >>> round(paired_kappa_change(joint, rng=np.random.default_rng(1)).value, 2)
        -0.04
    """
    import numpy as np

    counts = np.asarray(joint, dtype=float)
    n = int(counts.sum())
    if not n:
        return Undefined(undefined="no items")
    value = float(_kappa_change(counts / n))
    if math.isnan(value):
        return Undefined(undefined="a kappa is undefined", n=n)
    drawn = rng.multinomial(n, (counts / n).ravel(), size=draws).reshape(draws, *counts.shape)
    changes = _kappa_change(drawn / n)
    usable = changes[~np.isnan(changes)]
    if not len(usable) or usable.min() == usable.max():
        return Estimate(value=value, n=n, method="paired kappa", status="no_variation")
    low, high = (float(q) for q in np.quantile(usable, [tail, 1 - tail]))
    lost = 1 - len(usable) / draws
    status = f"undefined in {lost:.1%} of resamples" if lost else None
    bounds = {"low": min(low, value), "high": max(high, value)}
    return Estimate(value=value, n=n, method="paired bootstrap", status=status, **bounds)


def _kappa_change(shares: np.ndarray) -> np.ndarray:
    first, second = shares.sum(axis=-1), shares.sum(axis=-2)
    changed: np.ndarray = kappa_of_shares(second) - kappa_of_shares(first)
    return changed


class CanaryFlips(Record):
    """Fixed items judged again: how many verdicts flipped, in which direction, and how surprising.

    `p_direction` is McNemar's exact test of passes against fails among the flips, `p_excess` the
    chance of at least as many flips at the known run-to-run rate.
    """

    flips: Statistic
    to_pass: int
    to_fail: int
    p_direction: float | None = None
    p_excess: float | None = None


@statistic("canary_flips", kind="drift", needs=("baseline", "now"), laws=("item_order",))
def canary_flips(
    baseline: Sequence[bool],
    now: Sequence[bool],
    *,
    run_to_run: float | None = None,
    tail: float = 0.025,
) -> CanaryFlips:
    """Return how many verdicts on fixed items flipped against the baseline, without labels.

    Formula: flips/n with Wilson's interval; direction by McNemar's exact test; excess
    P(Bin(n, run_to_run) >= flips), one-sided, where `run_to_run` is the measured disagreement of
    two runs of an unchanged judge: 0 is the wrong yardstick.
    Shapes: (n,) verdicts each, True is pass. Undefined without items.
    Weakness: a judge unsure on few items flips more there than the binomial allows, so `p_excess`
    is approximate.
    Source: Wilson 1927, doi 10.1080/01621459.1927.10502953; McNemar 1947, doi 10.1007/BF02295996.

    Example:
        >>> canary_flips([True, True, False], [True, False, False]).to_fail
        1
    """
    from scipy.stats import binom

    pairs = Pairs.of(zip(baseline, now, strict=True))
    n, flips = pairs.n, pairs.discordant
    bounds = wilson(flips, n, tail)
    if bounds is None:
        return CanaryFlips(flips=Undefined(undefined="no items"), to_pass=0, to_fail=0)
    return CanaryFlips(
        flips=Estimate(value=flips / n, low=bounds.low, high=bounds.high, n=n, method="Wilson"),
        to_pass=pairs.only_second,
        to_fail=pairs.only_first,
        p_direction=mcnemar(pairs).p_exact,
        p_excess=None if run_to_run is None else float(binom.sf(flips - 1, n, run_to_run)),
    )
