"""Two judges on the same items: who is right more often, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Self

from pydantic import Field

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import DEFAULT_ICC, FEW_ERROR_GROUPS, LEAST_GROUPS, wilson
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


NO_SPREAD = 1e-22
"""A variance below this is rounding: every group says the same and the jackknife sees no error."""


class Pairs(Record):
    """Counts of items by which of two judges was right.

    Example:
        >>> Pairs.of([(True, True), (True, False)]).only_first
        1
    """

    both_right: int = Field(ge=0)
    only_first: int = Field(ge=0)
    only_second: int = Field(ge=0)
    both_wrong: int = Field(ge=0)

    @classmethod
    def of(cls, rows: Iterable[tuple[bool, bool]]) -> Self:
        """Count (first judge right, second judge right) rows."""
        seen = [(bool(first), bool(second)) for first, second in rows]
        return cls(
            both_right=seen.count((True, True)),
            only_first=seen.count((True, False)),
            only_second=seen.count((False, True)),
            both_wrong=seen.count((False, False)),
        )

    @property
    def n(self) -> int:
        """Return the number of items."""
        return self.both_right + self.both_wrong + self.discordant

    @property
    def discordant(self) -> int:
        """Return the number of items that exactly one judge got right."""
        return self.only_first + self.only_second


class McNemar(Record):
    """Two-sided p values of equal accuracy, from the discordant items alone."""

    p_exact: float
    p_midp: float
    n_discordant: int


@statistic("mcnemar", kind="paired", symmetric=True, needs=("pairs",))
def mcnemar(pairs: Pairs) -> McNemar:
    """Return McNemar's exact and mid-p test of equal accuracy on the same items.

    Formula: with b, c the items that only the first, only the second judge got right,
    p = min(1, 2 P(Bin(b+c, 1/2) <= min(b, c))); mid-p subtracts P(= min(b, c)). Both are 1 when
    b + c = 0: such items hold no evidence of a difference. Range [0, 1]. No interval (`tango`).
    Weakness: the exact test is conservative and the mid-p can exceed its level slightly; items
    must be independent. Shapes: the four counts of `Pairs`. Never undefined.
    Source: McNemar 1947, Psychometrika 12:153, doi 10.1007/BF02295996; mid-p Fagerland, Lydersen
    & Laake 2013, BMC Medical Research Methodology 13:91, doi 10.1186/1471-2288-13-91.

    Example:
        >>> mcnemar(Pairs(both_right=1, only_first=1, only_second=7, both_wrong=12)).p_exact
        0.0703125
    """
    from scipy.stats import binom

    n, least = pairs.discordant, min(pairs.only_first, pairs.only_second)
    if n == 0:
        return McNemar(p_exact=1.0, p_midp=1.0, n_discordant=0)
    doubled = 2 * float(binom.cdf(least, n, 0.5))
    return McNemar(
        p_exact=min(1.0, doubled),
        p_midp=min(1.0, 2 * float(binom.cdf(least - 1, n, 0.5)) + float(binom.pmf(least, n, 0.5))),
        n_discordant=n,
    )


@statistic(
    "tango",
    kind="paired",
    symmetric=False,
    range=(-1.0, 1.0),
    needs=("pairs",),
    laws=("swap_negates", "interval_holds_value", "empty_is_undefined"),
)
def tango(pairs: Pairs, tail: float = 0.025) -> Statistic:
    """Return the difference of two paired accuracies with Tango's score interval.

    Formula: d = (b - c)/n, above 0 when the first judge is better; the bounds solve (b - c -
    nD)/sqrt(n(2q + D(1 - D))) = +-z with q the constrained estimate of the share "only second
    right". Shapes: the four counts of `Pairs`; `tail` in (0, 1/2) is the error in each tail. The
    interval holds with b = c = 0. Undefined without items. Weakness: independent items only
    (`grouped_difference` otherwise); at 95 % its exact coverage falls to .94 for n of 10 to 50.
    Source: Tango 1998, Statistics in Medicine 17:891,
    doi 10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.

    Example:
        >>> found = tango(Pairs(both_right=1, only_first=1, only_second=7, both_wrong=12))
        >>> round(found.low, 4), round(found.high, 4)
        (-0.5172, -0.026)
    """
    n = pairs.n
    if n == 0:
        return Undefined(undefined="no items")
    low, high = _tango_bounds(pairs.only_first, pairs.only_second, n, tail)
    value = (pairs.only_first - pairs.only_second) / n
    return Estimate(value=value, low=low, high=high, n=n, method="Tango score")


def _tango_bounds(b: float, c: float, n: float, tail: float) -> tuple[float, float]:
    return _tango_low(b, c, n, tail), -_tango_low(c, b, n, tail)


def _tango_low(b: float, c: float, n: float, tail: float) -> float:
    from scipy.optimize import brentq
    from scipy.special import ndtri

    if not 0 < tail < 0.5:
        raise ValueError(f"tail must lie between 0 and 1/2, got {tail}")
    if c >= n:
        return -1.0
    z = float(ndtri(1 - tail))

    def excess(difference: float) -> float:
        return b - c - n * difference - z * math.sqrt(_tango_variance(b, c, n, difference))

    return float(brentq(excess, -1.0, (b - c) / n - 1e-12, xtol=1e-14))


def _tango_variance(b: float, c: float, n: float, difference: float) -> float:
    """Return n(2q + D(1-D)), q the constrained maximum-likelihood share of "only second right"."""
    linear = -b - c + (2 * n - b + c) * difference
    constant = -c * difference * (1 - difference)
    root = math.sqrt(max(0.0, linear * linear - 8 * n * constant))
    q = (root - linear) / (4 * n)
    return max(0.0, n * (2 * q + difference * (1 - difference)))


@statistic(
    "newcombe_paired",
    kind="paired",
    symmetric=False,
    range=(-1.0, 1.0),
    needs=("pairs",),
    laws=("swap_negates", "interval_holds_value", "empty_is_undefined"),
)
def newcombe_paired(pairs: Pairs, tail: float = 0.025) -> Statistic:
    """Return the difference of two paired accuracies with Newcombe's method 10.

    Formula: d = (b - c)/n; its interval joins the Wilson limits of both accuracies by
    square-and-add with the continuity-corrected phi of the table, 0 where a margin is empty.
    Shapes: the four counts of `Pairs`; `tail` is the error in each tail. Undefined without items.
    Weakness: approximate, can contradict McNemar's test; independent items only.
    Source: Newcombe 1998, Statistics in Medicine 17:2635,
    doi 10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C.

    Example:
        >>> found = newcombe_paired(Pairs(both_right=1, only_first=1, only_second=7, both_wrong=12))
        >>> round(found.low, 4), round(found.high, 4)
        (-0.5069, -0.0256)
    """
    n, b, c = pairs.n, pairs.only_first, pairs.only_second
    first = wilson(pairs.both_right + b, n, tail)
    second = wilson(pairs.both_right + c, n, tail)
    if first is None or second is None:
        return Undefined(undefined="no items")
    p1, p2, phi = (pairs.both_right + b) / n, (pairs.both_right + c) / n, _phi(pairs)
    value = (b - c) / n
    low = value - _square_and_add(p1 - first.low, second.high - p2, phi)
    high = value + _square_and_add(first.high - p1, p2 - second.low, phi)
    return Estimate(
        value=value, low=max(-1.0, low), high=min(1.0, high), n=n, method="Newcombe method 10"
    )


def _phi(pairs: Pairs) -> float:
    a, b, c, d = pairs.both_right, pairs.only_first, pairs.only_second, pairs.both_wrong
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    cross = a * d - b * c
    if margins == 0:
        return 0.0
    corrected = max(cross - pairs.n / 2, 0.0) if cross > 0 else float(cross)
    return corrected / math.sqrt(margins)


def _square_and_add(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


class ScoreTest(Record):
    """A one-sided score test: a small p speaks for the first judge being good enough."""

    z: float
    p: float
    margin: float
    n: int


@statistic(
    "noninferiority",
    kind="paired",
    symmetric=False,
    needs=("pairs", "margin"),
    laws=("empty_is_undefined",),
)
def noninferiority(pairs: Pairs, margin: float) -> ScoreTest | Undefined:
    """Return the score test that the first judge is not worse than the second by `margin`.

    Formula: H0 d <= -margin; z is Tango's statistic at D = -margin, p = 1 - Phi(z). Take the first
    judge as the cheaper candidate, and the human fails as the items when the rate of interest is
    the false-pass rate. Shapes: the four counts of `Pairs`; `margin` in [0, 1), at 0 it is the
    superiority test. Range of p [0, 1]; the interval is `tango`'s. Undefined without items, or at
    margin 0 when the judges never differ.
    Weakness: independent items only; asymptotic, so rough below n of about 20.
    Source: Tango 1998, Statistics in Medicine 17:891,
    doi 10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.

    Example:
        >>> pairs = Pairs(both_right=50, only_first=6, only_second=6, both_wrong=38)
        >>> round(noninferiority(pairs, 0.05).p, 4)
        0.0857
    """
    from scipy.special import ndtr

    if not 0 <= margin < 1:
        raise ValueError(f"margin must lie in [0, 1), got {margin}")
    n, b, c = pairs.n, pairs.only_first, pairs.only_second
    if n == 0:
        return Undefined(undefined="no items")
    variance = _tango_variance(b, c, n, -margin)
    if variance <= 0:
        return Undefined(undefined="the judges never differ, so that there is no variance", n=n)
    z = (b - c + n * margin) / math.sqrt(variance)
    return ScoreTest(z=z, p=float(ndtr(-z)), margin=margin, n=n)


@statistic(
    "grouped_difference",
    kind="paired",
    symmetric=False,
    range=(-1.0, 1.0),
    needs=("only_first", "only_second", "sizes"),
    laws=("group_order", "swap_negates", "interval_holds_value", "empty_is_undefined"),
)
def grouped_difference(
    only_first: Sequence[int],
    only_second: Sequence[int],
    sizes: Sequence[int],
    tail: float = 0.025,
) -> Statistic:
    """Return the difference of two paired accuracies when the items come in groups.

    Formula: d = sum(b_g - c_g)/sum(m_g) with the delete-one-group jackknife error and
    d +- t(G-1) se. When fewer than 15 groups hold a discordant item, or all groups say the same
    (no jackknife error), the interval is widened to Tango's on counts/(1+(mbar-1)*0.3), a
    declared assumption.
    Shapes: one count per group, (G,) each; empty groups are left out. Undefined with fewer than
    two groups; `status` is `few_groups` below 10. A non-inferiority claim at level a: `low` at
    tail=a above -margin. Weakness: the interval makes no claim below 10 groups and is wide below
    15 discordant ones.
    Source: Miller 1974, Biometrika 61:1, doi 10.1093/biomet/61.1.1.

    Example:
        >>> found = grouped_difference([2, 1, 0, 1], [0, 0, 1, 0], [5, 5, 5, 5])
        >>> found.value, found.status
        (0.15, 'few_groups')
    """
    import numpy as np

    b, c, m = (np.asarray(x, dtype=float) for x in (only_first, only_second, sizes))
    b, c, m = b[m > 0], c[m > 0], m[m > 0]
    n, groups = int(m.sum()), len(m)
    if groups < 2:
        return Undefined(undefined="fewer than two groups", n=n)
    value = float((b - c).sum() / n)
    low, high, method = _grouped_bounds(b, c, m, tail)
    status = "few_groups" if groups < LEAST_GROUPS else None
    low, high = max(-1.0, low), min(1.0, high)
    return Estimate(value=value, low=low, high=high, n=n, method=method, status=status)


def _grouped_bounds(b: Floats, c: Floats, m: Floats, tail: float) -> tuple[float, float, str]:
    from scipy.stats import t

    n, groups, gain = float(m.sum()), len(m), b - c
    leave = (gain.sum() - gain) / (n - m)
    spread = float(((leave - leave.mean()) ** 2).sum()) * (groups - 1) / groups
    value, half = float(gain.sum()) / n, float(t.ppf(1 - tail, groups - 1)) * math.sqrt(spread)
    low, high = value - half, value + half
    if int(((b + c) > 0).sum()) >= FEW_ERROR_GROUPS and spread > NO_SPREAD:
        return low, high, "group jackknife"
    effect = 1 + (n / groups - 1) * DEFAULT_ICC
    wide = _tango_bounds(float(b.sum()) / effect, float(c.sum()) / effect, n / effect, tail)
    method = "wider of group jackknife and Tango, correlation 0.3 assumed"
    return min(low, wide[0]), max(high, wide[1]), method
