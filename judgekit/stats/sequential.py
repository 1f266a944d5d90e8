"""More than one look: an e-value that is valid at any time, alpha spending and planned looks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from judgekit.model.base import Record
from judgekit.stats.estimate import Undefined
from judgekit.stats.intervals import Interval
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Prior = tuple[float, float]
Spending = Literal["obf", "pocock"]
AnytimeDecision = Literal["approved", "rejected", "need_labels"]
JEFFREYS: Prior = (0.5, 0.5)


class Anytime(Record):
    """Evidence after n labels.

    `log_e_approve` is against rate >= limit, `log_e_reject` against rate <= limit (natural logs).
    `interval` is the two-sided confidence sequence at 1 - alpha. `looked_at` is the number of
    labels at which the decision fell, None where it has not.
    """

    log_e_approve: float
    log_e_reject: float
    interval: Interval
    decision: AnytimeDecision
    n: int
    looked_at: int | None = None


def mean_at_limit(limit: float) -> Prior:
    """Return the prior Beta(0.5, 0.5/limit - 0.5), whose mean is the limit.

    Example:
        >>> mean_at_limit(0.05)
        (0.5, 9.5)
    """
    return 0.5, 0.5 / limit - 0.5


@statistic(
    "anytime_evidence",
    kind="sequential",
    needs=("errors", "n", "limit"),
)
def anytime_evidence(
    x: int, n: int, limit: float, *, alpha: float = 0.05, prior: Prior | None = None
) -> Anytime:
    """Return the log e-values and the confidence sequence after x errors among n labels.

    Formula: prior Beta(a,b) cut to (0,p0), f = n-x; ln E = lnB(a+x,b+f) + ln I_p0(a+x,b+f) -
    lnB(a,b) - ln I_p0(a,b) - x ln p0 - f ln(1-p0); rejection has 1-I for I. Sequence:
    {p: lnB(a+x,b+f) - lnB(a,b) - x ln p - f ln(1-p) < ln(1/alpha)}.
    Shapes: counts 0 <= x <= n, limit and alpha in (0,1), `prior` (a, b) for both; where not given
    its mean is the limit for the e-values, and it is (1/2, 1/2) for the sequence. The decision
    looks at this n alone; over time use `anytime_path`, whose running maximum is what Ville's
    inequality bounds.
    Undefined: nothing; n = 0 is e = 1, [0, 1] and need_labels. Interval: see above, wider than
    Clopper-Pearson. Weakness: independent items in the order they were labelled, not chosen by the
    outcome; approval without an error takes 72 items where one fixed look takes 59 (limit 5 %).
    Source: Ville 1939; Robbins 1970, doi 10.1214/aoms/1177696786; Howard et al. 2021,
    doi 10.1214/20-AOS1991; Waudby-Smith & Ramdas 2024, doi 10.1093/jrsssb/qkad009.

    Example:
        >>> anytime_evidence(0, 72, 0.05).decision
        'approved'
    """
    _check_level(alpha, limit)
    _check_counts(x, n)
    approve, reject = log_e_values(x, n, limit, prior=prior)
    bar = math.log(1 / alpha)
    decision = _decision(float(approve) >= bar, float(reject) >= bar)
    return Anytime(
        log_e_approve=float(approve),
        log_e_reject=float(reject),
        interval=confidence_sequence(x, n, alpha=alpha, prior=prior or JEFFREYS),
        decision=decision,
        n=n,
        looked_at=None if decision == "need_labels" else n,
    )


def _decision(approve: bool, reject: bool) -> AnytimeDecision:
    if reject:
        return "rejected"
    return "approved" if approve else "need_labels"


@statistic("anytime_path", kind="sequential", needs=("error_sequence", "limit"))
def anytime_path(
    errors: Sequence[int], limit: float, *, alpha: float = 0.05, prior: Prior | None = None
) -> Anytime:
    """Return the decision over a sequence of labels, by the running maximum of the e-values.

    Formula: `anytime_evidence` after each label; the first of ln E >= ln(1/alpha) decides and
    stays, later labels notwithstanding.
    Shapes: 1 for an error, 0 for none, in the order the labels arrived, each item once. The
    e-values returned are running maxima; `interval` is that of the last label.
    Undefined: nothing; an empty sequence needs labels. Weakness: as `anytime_evidence`; feed one
    item per group.
    Source: as `anytime_evidence`; Ville 1939.

    Example:
        >>> anytime_path([0] * 100, 0.05).looked_at
        72
    """
    import numpy as np

    _check_level(alpha, limit)
    wrong = np.asarray(errors)
    if wrong.ndim != 1 or not np.isin(wrong, (0, 1)).all():
        raise ValueError("errors must be a sequence of 0 and 1")
    n = np.arange(len(wrong) + 1)
    x = np.concatenate([[0], np.cumsum(wrong.astype(int))]).astype(int)
    approve, reject = log_e_values(x, n, limit, prior=prior)
    bar = math.log(1 / alpha)
    crossed = np.flatnonzero((approve >= bar) | (reject >= bar))
    first = int(crossed[0]) if len(crossed) else None
    decided = first is not None
    return Anytime(
        log_e_approve=float(approve.max()),
        log_e_reject=float(reject.max()),
        interval=confidence_sequence(int(x[-1]), int(n[-1]), alpha=alpha, prior=prior or JEFFREYS),
        decision=_decision(
            decided and bool(approve[first] >= bar), decided and bool(reject[first] >= bar)
        ),
        n=len(wrong),
        looked_at=first,
    )


def log_e_values(
    x: Any, n: Any, limit: float, *, prior: Prior | None = None
) -> tuple[Floats, Floats]:
    """Return (ln E against rate >= limit, ln E against rate <= limit), vectorised over x and n."""
    import numpy as np
    from scipy.special import betaln

    a, b = prior or mean_at_limit(limit)
    x, f = np.asarray(x, dtype=float), np.asarray(n, dtype=float) - np.asarray(x, dtype=float)
    mixture = betaln(a + x, b + f) - betaln(a, b) - x * math.log(limit) - f * math.log1p(-limit)
    below = log_beta_cdf(limit, a + x, b + f) - log_beta_cdf(limit, a, b)
    above = log_beta_cdf(1 - limit, b + f, a + x) - log_beta_cdf(1 - limit, b, a)
    return np.asarray(mixture + below), np.asarray(mixture + above)


def log_beta_cdf(p: float, a: Any, b: Any) -> Floats:
    """Return ln I_p(a, b), finite where I_p underflows; vectorised over a and b.

    Below 1e-280: I_p(a,b) = p^a (1-p)^b/(a B(a,b)) 2F1(a+b, 1; a+1; p), whose terms all are
    positive (NIST DLMF 8.17.8).
    """
    import numpy as np
    from scipy.special import betainc, betaln

    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    plain = np.asarray(betainc(a, b, p))
    found = np.array(np.log(np.maximum(plain, 1e-300)))
    small = plain < 1e-280
    if small.any():
        a, b = a[small], b[small]
        front = a * math.log(p) + b * math.log1p(-p) - np.log(a) - betaln(a, b)
        found[small] = front + np.log(_positive_series(p, a, b))
    return np.asarray(found)


def _positive_series(p: float, a: Floats, b: Floats) -> Floats:
    """Return 2F1(a+b, 1; a+1; p) for p below a/(a+b), where the terms fall from the first."""
    import numpy as np

    term, total, k = np.ones_like(a), np.ones_like(a), 0
    while (term > 1e-17 * total).any():
        term = term * ((a + b + k) * p / (a + 1 + k))
        total, k = total + term, k + 1
    return total


@statistic(
    "confidence_sequence",
    kind="sequential",
    range=(0.0, 1.0),
    needs=("errors", "n"),
    laws=("interval_holds_value",),
)
def confidence_sequence(
    x: int, n: int, *, alpha: float = 0.05, prior: Prior = JEFFREYS
) -> Interval:
    """Return the beta-binomial mixture confidence sequence of a rate after x errors of n.

    Formula: {p: lnB(a+x,b+f) - lnB(a,b) - x ln p - f ln(1-p) < ln(1/alpha)}, f = n-x.
    Shapes: counts 0 <= x <= n, alpha in (0,1). Range [0, 1]; covers at all n at once with
    probability 1 - alpha. Undefined: nothing; [0, 1] at n = 0.
    Weakness: wider than a fixed-n interval, and for independent items only.
    Source: Robbins 1970, doi 10.1214/aoms/1177696786; Howard et al. 2021, doi 10.1214/20-AOS1991.

    Example:
        >>> round(confidence_sequence(0, 59).high, 4)
        0.0907
    """
    from scipy.optimize import brentq
    from scipy.special import betaln

    _check_level(alpha)
    _check_counts(x, n)
    if n == 0:
        return Interval(low=0.0, high=1.0)
    f, (a, b) = n - x, prior
    level = float(betaln(a + x, b + f) - betaln(a, b)) - math.log(1 / alpha)

    def outside(p: float) -> float:
        return level - x * math.log(p) - f * math.log1p(-p)

    share, least = x / n, 1e-15
    low, high = 0.0, 1.0
    if outside(least) > 0 and x:
        low = float(brentq(outside, least, min(share, 1 - least), xtol=1e-14))
    if outside(1 - least) > 0 and x < n:
        high = float(brentq(outside, max(share, least), 1 - least, xtol=1e-14))
    return Interval(low=low, high=high)


def _check_level(alpha: float, limit: float = 0.5) -> None:
    for name, found in (("alpha", alpha), ("limit", limit)):
        if not 0 < found < 1:
            raise ValueError(f"{name} must lie between 0 and 1, got {found}")


def _check_counts(x: int, n: int) -> None:
    if not 0 <= x <= n or x != int(x) or n != int(n):
        raise ValueError(f"x and n must be whole numbers with 0 <= x <= n, got {x} and {n}")


class AlphaSpending(Record):
    """Alpha spent up to each look, and at each look."""

    cumulative: tuple[float, ...]
    increments: tuple[float, ...]


@statistic("alpha_spending", kind="sequential", range=(0.0, 1.0), needs=("information_fractions",))
def alpha_spending(
    fractions: Sequence[float], *, alpha: float = 0.05, function: Spending = "obf"
) -> AlphaSpending:
    """Return the alpha that a spending function gives each planned look.

    Formula: obf 2(1 - Phi(z_{1-alpha/2}/sqrt t)); pocock alpha ln(1 + (e-1)t); t the share of the
    planned information. Each increment may be used as the level of its own Clopper-Pearson bound:
    conservative, and it needs no joint law of the looks.
    Shapes: rising fractions in (0, 1]. The last look spends what is left at t = 1. No interval.
    Undefined: nothing; no looks spend nothing. Weakness: the fractions must be planned, not
    chosen after a look.
    Source: Lan & DeMets 1983, doi 10.1093/biomet/70.3.659; O'Brien & Fleming 1979,
    doi 10.2307/2530245; Pocock 1977, doi 10.1093/biomet/64.2.191.

    Raises:
        ValueError: the fractions do not rise, or leave (0, 1]; alpha is not in (0, 1).

    Example:
        >>> [round(x, 4) for x in alpha_spending([1/3, 2/3, 1]).increments]
        [0.0007, 0.0157, 0.0336]
    """
    import numpy as np
    from scipy.special import ndtr, ndtri

    t = np.asarray(fractions, dtype=float)
    _check_level(alpha)
    rising = t.ndim == 1 and bool((np.diff(t, prepend=0.0) > 0).all())
    if not rising or not (t <= 1 + 1e-9).all():
        raise ValueError("information fractions must rise within (0, 1]")
    if function == "obf":
        cumulative = 2 * ndtr(-ndtri(1 - alpha / 2) / np.sqrt(t))
    else:
        cumulative = alpha * np.log1p((math.e - 1) * t)
    return AlphaSpending(
        cumulative=tuple(map(float, cumulative)),
        increments=tuple(map(float, np.diff(cumulative, prepend=0.0))),
    )


@statistic("planned_alpha", kind="sequential", range=(0.0, 1.0), needs=("look", "max_looks"))
def planned_alpha(look: int, max_looks: int, *, alpha: float = 0.05) -> float | Undefined:
    """Return alpha/max_looks, the level of each planned look.

    Formula: Bonferroni; the levels add up to alpha whatever the looks share.
    Shapes: looks counted from 1. Range (0, alpha]. Undefined: a look beyond the plan, which asks
    for fresh labels. No interval. Weakness: strict where the looks share most of their items.
    Source: Bonferroni's inequality; Dunn 1961, doi 10.1080/01621459.1961.10482090.

    Example:
        >>> planned_alpha(2, 5)
        0.01
    """
    if not 1 <= look <= max_looks:
        return Undefined(undefined=f"look {look} is not one of the {max_looks} planned")
    return alpha / max_looks


@statistic("unplanned_alpha", kind="sequential", range=(0.0, 1.0), needs=("look",))
def unplanned_alpha(look: int, *, alpha: float = 0.05) -> float | Undefined:
    """Return 6 alpha/(pi^2 k^2), the level of look k where nobody knows how many there will be.

    Formula: the levels of all k add up to alpha, since sum 1/k^2 = pi^2/6.
    Shapes: looks counted from 1. Range (0, alpha). Undefined: a look below 1. No interval.
    Weakness: the tenth look has less than a hundredth of alpha.
    Source: Bonferroni's inequality with Euler's sum 1/k^2 (Basel problem); no single paper.

    Example:
        >>> round(unplanned_alpha(1), 4)
        0.0304
    """
    if look < 1:
        return Undefined(undefined=f"look {look} is not counted from 1")
    return 6 * alpha / (math.pi**2 * look**2)
