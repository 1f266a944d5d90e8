"""Does the judge favour a position, a family or a slice? Effects with intervals and p values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import clopper_pearson, wilson
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


class PositionBias(Record):
    """A pairwise judge asked in both orders.

    `consistency` is the share of pairs with the same winner both times, `first_rate` the share
    choosing the first position among the others, `first_rate_overall` that among all answers.
    """

    n_pairs: int
    n_ties: int
    consistency: Statistic
    first_rate: Statistic
    first_rate_overall: float | None = None
    p_exact: float | None = None


@statistic(
    "position_bias",
    kind="bias",
    needs=("both_first_item", "both_second_item", "both_first_position", "both_second_position"),
)
def position_bias(
    both_first_item: int,
    both_second_item: int,
    both_first_position: int,
    both_second_position: int,
    *,
    n_ties: int = 0,
    tail: float = 0.025,
) -> PositionBias:
    """Return swap consistency and the preference for a position among inconsistent pairs.

    Formula: consistency (A + B)/n; first rate f/(f + s); overall (A + B + 2f)/(2n); p two-sided
    exact binomial of f among f + s against 1/2.
    Shapes: counts of pairs by the two answers: item A twice, item B twice, the first position
    twice, the second twice. Pairs with a tie in either order are counted apart as `n_ties`. Range
    [0, 1]. Undefined: all without pairs; first rate and p without an inconsistent pair.
    Interval: Wilson for consistency, Clopper-Pearson for the first rate. Weakness: independent
    pairs only; no bias found is not no bias (`least_detectable_share`).
    Source: Wilson 1927, doi 10.1080/01621459.1927.10502953; Clopper & Pearson 1934,
    doi 10.1093/biomet/26.4.404.

    Example:
        >>> position_bias(30, 28, 14, 6).first_rate.value
        0.7
    """
    same, swapped = both_first_item + both_second_item, both_first_position + both_second_position
    n = same + swapped
    bounds = wilson(same, n, tail)
    if bounds is None:
        none = Undefined(undefined="no pairs without a tie")
        return PositionBias(n_pairs=0, n_ties=n_ties, consistency=none, first_rate=none)
    kept = Estimate(value=same / n, low=bounds.low, high=bounds.high, n=n, method="Wilson")
    return PositionBias(
        n_pairs=n,
        n_ties=n_ties,
        consistency=kept,
        first_rate=_first_rate(both_first_position, swapped, tail),
        first_rate_overall=(same + 2 * both_first_position) / (2 * n),
        p_exact=_sign_test(both_first_position, swapped),
    )


def _sign_test(firsts: int, swapped: int) -> float | None:
    from scipy.stats import binomtest

    return float(binomtest(firsts, swapped).pvalue) if swapped else None


def _first_rate(first: int, swapped: int, tail: float) -> Statistic:
    if not swapped:
        return Undefined(undefined="every pair was judged alike in both orders")
    bounds = clopper_pearson(first, swapped, tail)
    value = first / swapped
    return Estimate(
        value=value, low=bounds.low, high=bounds.high, n=swapped, method="Clopper-Pearson"
    )


@statistic("least_detectable_share", kind="bias", range=(0.5, 1.0), needs=("n",))
def least_detectable_share(n: int, *, alpha: float = 0.05, power: float = 0.8) -> Statistic:
    """Return the smallest share above 1/2 that n inconsistent pairs would reveal.

    Formula: with c the least count whose two-sided exact binomial p against 1/2 is <= alpha, the
    share s with P(Bin(n, s) >= c) = power, which is the beta quantile of order `power` with
    parameters c and n-c+1. Shapes: a count. Range (1/2, 1). Undefined when even n of n would not
    be significant. No interval. Weakness: for independent pairs.
    Source: Clopper & Pearson 1934, doi 10.1093/biomet/26.4.404 (beta form of the binomial).

    Example:
        >>> round(least_detectable_share(20).value, 3)
        0.799
    """
    from scipy.special import betaincinv
    from scipy.stats import binom

    c = int(binom.isf(alpha / 2, n, 0.5)) + 1 if n else 1
    if c > n:
        return Undefined(undefined=f"{n} pairs cannot be significant at {alpha:g}", n=n)
    value = float(betaincinv(c, n - c + 1, power))
    return Estimate(value=value, n=n, method="exact binomial power")


class ConditionalPreference(Record):
    """Mantel-Haenszel measures of a judge's preference within strata of the human label.

    `odds_ratio` (own family over other, judge pass) and `risk_difference` hold intervals;
    `p_homogeneity` is Breslow-Day's: small where the preference differs between strata.
    """

    status: Literal["ok", "no_variation"]
    odds_ratio: Statistic
    risk_difference: Statistic
    statistic: float | None = None
    p: float | None = None
    p_homogeneity: float | None = None


@statistic("mantel_haenszel", kind="bias", needs=("strata",), laws=("group_order",))
def mantel_haenszel(strata: ArrayLike, tail: float = 0.025) -> ConditionalPreference:
    """Return the Mantel-Haenszel odds ratio, risk difference and CMH test over strata.

    Formula: OR = sum(ad/n)/sum(bc/n); RD = sum((a n2 - c n1)/n)/sum(n1 n2/n); CMH
    (sum(a - E a))^2/sum(var a), var a = n1 n2 m1 m2/(n^2 (n-1)), without continuity correction, p
    from chi-square with 1 df.
    Shapes: (S, 2, 2) counts, one table [[a, b], [c, d]] per human label: rows own and other family,
    columns judge pass and fail; empty strata change nothing. OR in [0, inf), RD in [-1, 1].
    Undefined: OR when sum(bc/n) is 0; RD when no stratum has both families; the test when the
    variance is 0 (`no_variation`).
    Interval: Robins-Breslow-Greenland for OR (none at 0), Sato for RD. Weakness: normal, poor for
    sparse tables; a rival judge is needed to tell preference from a better family.
    Source: Mantel & Haenszel 1959, JNCI 22:719; Robins, Breslow & Greenland 1986, Biometrics
    42:311, doi 10.2307/2531052; Sato 1989, Biometrics 45:1323.

    Example:
        >>> found = mantel_haenszel([[[12, 8], [7, 13]]])
        >>> round(found.odds_ratio.value, 4), round(found.p, 4)
        (2.7857, 0.118)
    """
    import numpy as np
    from scipy.stats import chi2

    tables = np.asarray(strata, dtype=float).reshape(-1, 2, 2)
    tables = tables[tables.sum(axis=(1, 2)) > 0]
    ratio, difference = _odds_ratio(tables, tail), _risk_difference(tables, tail)
    n, n1, m1, excess = _cmh_parts(tables)
    lone = np.maximum(n - 1, 1)
    variance = float((n1 * (n - n1) * m1 * (n - m1) / (n**2 * lone)).sum())
    found = {"odds_ratio": ratio, "risk_difference": difference}
    if variance <= 1e-15:
        return ConditionalPreference(status="no_variation", **found)
    value = float(excess.sum()) ** 2 / variance
    return ConditionalPreference(
        status="ok",
        **found,
        statistic=value,
        p=float(chi2.sf(value, 1)),
        p_homogeneity=_breslow_day(tables, ratio),
    )


def _cmh_parts(tables: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    n, n1, m1 = tables.sum(axis=(1, 2)), tables[:, 0].sum(axis=1), tables[:, :, 0].sum(axis=1)
    return n, n1, m1, tables[:, 0, 0] - n1 * m1 / n


def _odds_ratio(tables: Floats, tail: float) -> Statistic:
    from scipy.special import ndtri

    n, total = tables.sum(axis=(1, 2)), int(tables.sum())
    agree = tables[:, 0, 0] * tables[:, 1, 1] / n
    differ = tables[:, 0, 1] * tables[:, 1, 0] / n
    if differ.sum() == 0:
        return Undefined(undefined="no stratum with both a rival pass and an own fail", n=total)
    value = float(agree.sum() / differ.sum())
    if value == 0:
        return Estimate(value=0.0, n=total, method="Mantel-Haenszel")
    p = (tables[:, 0, 0] + tables[:, 1, 1]) / n
    r, s = agree.sum(), differ.sum()
    variance = (
        (p * agree).sum() / (2 * r * r)
        + (p * differ + (1 - p) * agree).sum() / (2 * r * s)
        + ((1 - p) * differ).sum() / (2 * s * s)
    )
    half = float(ndtri(1 - tail)) * math.sqrt(float(variance))
    low, high = value * math.exp(-half), value * math.exp(half)
    method = "Mantel-Haenszel, Robins-Breslow-Greenland"
    return Estimate(value=value, low=low, high=high, n=total, method=method)


def _risk_difference(tables: Floats, tail: float) -> Statistic:
    from scipy.special import ndtri

    (a, b), (c, d) = tables[:, 0].T, tables[:, 1].T
    n, n1, n2 = a + b + c + d, a + b, c + d
    weight, total = float((n1 * n2 / n).sum()), int(tables.sum())
    if weight == 0:
        return Undefined(undefined="no stratum has both families", n=total)
    value = float(((a * n2 - c * n1) / n).sum()) / weight
    p_term = (n1**2 * c - n2**2 * a + n1 * n2 * (n2 - n1) / 2) / n**2
    q_term = (a * d + b * c) / (2 * n)
    variance = (value * float(p_term.sum()) + float(q_term.sum())) / weight**2
    method = "Mantel-Haenszel"
    if variance <= 1e-15:
        return Estimate(value=value, n=total, method=method, status="zero_variance")
    half = float(ndtri(1 - tail)) * math.sqrt(variance)
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Estimate(value=value, low=low, high=high, n=total, method=f"{method}, Sato")


def _breslow_day(tables: Floats, ratio: Statistic) -> float | None:
    """Return Breslow and Day's p of one odds ratio over strata (1980); None where untestable."""
    import numpy as np
    from scipy.stats import chi2

    if isinstance(ratio, Undefined) or ratio.value <= 0:
        return None
    n, n1, m1, _ = _cmh_parts(tables)
    usable = (n1 > 0) & (n1 < n) & (m1 > 0) & (m1 < n)
    if usable.sum() < 2:
        return None
    a, n, n1, m1 = tables[usable, 0, 0], n[usable], n1[usable], m1[usable]
    linear = ratio.value * (n1 + m1) + (n - n1 - m1)
    square = ratio.value - 1
    root = np.sqrt(linear**2 - 4 * square * ratio.value * n1 * m1)
    expected = 2 * ratio.value * n1 * m1 / (linear + root)
    cells = (expected, n1 - expected, m1 - expected, n - n1 - m1 + expected)
    variance = 1 / sum(1 / cell for cell in cells)
    return float(chi2.sf(float(((a - expected) ** 2 / variance).sum()), len(a) - 1))


class Slice(Record):
    """The error rate of one slice against the rest; `too_few` below the least n."""

    rate: Statistic
    p_rest: float | None = None
    too_few: bool


@statistic("slice_screen", kind="bias", needs=("errors", "sizes"))
def slice_screen(
    errors: Sequence[int], sizes: Sequence[int], *, least: int = 10, tail: float = 0.025
) -> tuple[Slice, ...]:
    """Return each slice's error rate and Fisher's exact p against all other slices together.

    Formula: x/n with Wilson's interval; two-sided Fisher exact test of the slice against the rest.
    Shapes: one count per slice; slices do not overlap. A slice with fewer than `least` items is
    `too_few` and has no p, so that it does not enter the family. Undefined rate without items.
    Adjust the p values with `benjamini_hochberg`. Weakness: independent items only.
    Source: Fisher 1935, JRSS 98:39, doi 10.2307/2342435; Wilson 1927,
    doi 10.1080/01621459.1927.10502953.

    Example:
        >>> [round(s.p_rest, 3) for s in slice_screen([6, 1], [20, 20])]
        [0.091, 0.091]
    """
    x_all, n_all = sum(errors), sum(sizes)
    return tuple(
        _slice(x, n, x_all - x, n_all - n, least, tail) for x, n in zip(errors, sizes, strict=True)
    )


def _slice(x: int, n: int, x_rest: int, n_rest: int, least: int, tail: float) -> Slice:
    from scipy.stats import fisher_exact

    bounds = wilson(x, n, tail)
    if bounds is None:
        return Slice(rate=Undefined(undefined="no items"), too_few=True)
    rate = Estimate(value=x / n, low=bounds.low, high=bounds.high, n=n, method="Wilson")
    if n < least or n_rest == 0:
        return Slice(rate=rate, too_few=n < least)
    p = float(fisher_exact([[x, n - x], [x_rest, n_rest - x_rest]]).pvalue)
    return Slice(rate=rate, p_rest=min(1.0, p), too_few=False)
