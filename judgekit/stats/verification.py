"""Error rates when the items to label were chosen by the judge's verdict."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from judgekit.model.base import Record
from judgekit.stats.agreement import kappa_of_shares
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import Interval, clopper_pearson
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np

KAPPA_DRAWS = 20_000


class VerifiedCounts(Record):
    """All items by judge verdict, and the labelled ones of each by human verdict.

    `pass_fail` counts labelled items that the judge passed and the human failed: false passes.
    Within a verdict the labelled items are a random sample.
    """

    all_pass: int = Field(ge=0)
    all_fail: int = Field(ge=0)
    pass_pass: int = Field(ge=0)
    pass_fail: int = Field(ge=0)
    fail_pass: int = Field(ge=0)
    fail_fail: int = Field(ge=0)

    @property
    def labelled_pass(self) -> int:
        """Return the number of labelled judge passes."""
        return self.pass_pass + self.pass_fail

    @property
    def labelled_fail(self) -> int:
        """Return the number of labelled judge fails."""
        return self.fail_pass + self.fail_fail

    @property
    def n(self) -> int:
        """Return the number of labelled items."""
        return self.labelled_pass + self.labelled_fail

    @property
    def share_pass(self) -> float | None:
        """Return the judge's pass share w; None without items."""
        total = self.all_pass + self.all_fail
        return self.all_pass / total if total else None

    @property
    def mirrored(self) -> VerifiedCounts:
        """Return the counts with pass and fail exchanged: its false-pass rate is the false fails'.

        Example:
            >>> VerifiedCounts(
            ...     all_pass=9, all_fail=5, pass_pass=4, pass_fail=1, fail_pass=2, fail_fail=3
            ... ).mirrored.pass_fail
            2
        """
        return VerifiedCounts(
            all_pass=self.all_fail,
            all_fail=self.all_pass,
            pass_pass=self.fail_fail,
            pass_fail=self.fail_pass,
            fail_pass=self.pass_fail,
            fail_fail=self.pass_pass,
        )


class VerificationBias(Record):
    """Rates reweighted to all items; a rate is None when its class was never seen.

    `naive_false_pass_rate` is what the labelled items alone would say. `logit_se` and the
    interval of `false_pass` (logit, for display) exist only strictly between 0 and 1.
    """

    status: Literal["ok", "stratum_unverified"]
    false_pass: Statistic
    logit_se: float | None = None
    false_fail_rate: float | None = None
    tpr: float | None = None
    tnr: float | None = None
    human_pass_rate: float | None = None
    naive_false_pass_rate: float | None = None


@statistic("begg_greenes", kind="error_rate", needs=("verified_counts",))
def begg_greenes(counts: VerifiedCounts, tail: float = 0.025) -> VerificationBias:
    """Return error rates corrected for labels that were chosen by the judge's verdict.

    Formula: with y1 = P(human pass | judge pass), y0 = P(human pass | judge fail) and w the
    judge's pass share, FPR = (1-y1)w/((1-y1)w + (1-y0)(1-w)); on the logit scale var =
    y1/(v1(1-y1)) + y0/(v0(1-y0)) + 1/(N w(1-w)). The rates of human passes likewise. Range [0, 1].
    Shapes: six counts. Undefined when a verdict has no labelled item. Interval: logit; none at 0
    or 1.
    Weakness: for display only, `false_pass_bounds` is the bound for a decision; independent items.
    Source: Begg & Greenes 1983, Biometrics 39:207, doi 10.2307/2530820.

    Example:
        >>> counts = VerifiedCounts(
        ...     all_pass=900, all_fail=100, pass_pass=60, pass_fail=6, fail_pass=8, fail_fail=62
        ... )
        >>> round(begg_greenes(counts).false_pass.value, 4)
        0.4802
    """
    naive = _ratio(counts.pass_fail, counts.fail_fail)
    w = counts.share_pass
    if w is None or not counts.labelled_pass or not counts.labelled_fail:
        reason = Undefined(undefined="a verdict has no labelled item", n=counts.n)
        return VerificationBias(
            status="stratum_unverified", false_pass=reason, naive_false_pass_rate=naive
        )
    bad1, bad0 = counts.pass_fail / counts.labelled_pass, counts.fail_fail / counts.labelled_fail
    good1, good0 = counts.pass_pass / counts.labelled_pass, counts.fail_pass / counts.labelled_fail
    false_pass = _ratio(bad1 * w, bad0 * (1 - w))
    estimate, se = _logit_estimate(counts, false_pass, tail)
    return VerificationBias(
        status="ok",
        false_pass=estimate,
        logit_se=se,
        false_fail_rate=_ratio(good0 * (1 - w), good1 * w),
        tpr=_ratio(good1 * w, good0 * (1 - w)),
        tnr=_ratio(bad0 * (1 - w), bad1 * w),
        human_pass_rate=good1 * w + good0 * (1 - w),
        naive_false_pass_rate=naive,
    )


def _ratio(part: float, rest: float) -> float | None:
    return part / (part + rest) if part + rest > 0 else None


def _logit_estimate(
    counts: VerifiedCounts, value: float | None, tail: float
) -> tuple[Statistic, float | None]:
    from scipy.special import expit, logit, ndtri

    n, method = counts.n, "Begg-Greenes"
    if value is None:
        return Undefined(undefined="no labelled human fails", n=n), None
    if not 0 < value < 1:
        return Estimate(value=value, n=n, method=method), None
    variance = (
        counts.pass_pass / (counts.labelled_pass * counts.pass_fail)
        + counts.fail_pass / (counts.labelled_fail * counts.fail_fail)
        + 1 / counts.all_pass
        + 1 / counts.all_fail
    )
    se = math.sqrt(variance)
    half = float(ndtri(1 - tail)) * se
    low, high = float(expit(logit(value) - half)), float(expit(logit(value) + half))
    return Estimate(value=value, low=low, high=high, n=n, method=f"{method}, logit"), se


@statistic(
    "false_pass_bounds",
    kind="error_rate",
    range=(0.0, 1.0),
    needs=("verified_counts", "tail"),
    laws=("monotone",),
)
def false_pass_bounds(counts: VerifiedCounts, tail: float, *, w_known: bool = True) -> Interval:
    """Return one-sided bounds of the false-pass rate, each at level `tail`, that always hold.

    Formula: the rate rises in 1-y1 (judge passes that are bad) and falls in 1-y0 (judge fails that
    are bad), so the upper bound takes the Clopper-Pearson upper bound of the first and the lower
    bound of the second, each at tail/2; the lower bound the reverse. With `w_known` False the
    judge's pass share is itself a sample: three bounds at tail/3 each.
    Shapes: six counts. Interval: the two bounds together, at 2 tail; holds at 0 false passes.
    Undefined: [0, 1] without labels of a verdict. For false fails give `counts.mirrored`.
    Weakness: conservative (Bonferroni); independent items only.
    Source: union bound over Clopper & Pearson 1934, doi 10.1093/biomet/26.4.404, on the estimator
    of Begg & Greenes 1983, doi 10.2307/2530820.

    Example:
        >>> counts = VerifiedCounts(
        ...     all_pass=800, all_fail=200, pass_pass=50, pass_fail=0, fail_pass=10, fail_fail=40
        ... )
        >>> round(false_pass_bounds(counts, 0.05).high, 3)
        0.3
    """
    each = tail / (2 if w_known else 3)
    bad1 = clopper_pearson(counts.pass_fail, counts.labelled_pass, each)
    bad0 = clopper_pearson(counts.fail_fail, counts.labelled_fail, each)
    total = counts.all_pass + counts.all_fail
    w = Interval(low=0.0, high=1.0)
    if total and w_known:
        w = Interval(low=counts.all_pass / total, high=counts.all_pass / total)
    elif total:
        w = clopper_pearson(counts.all_pass, total, each)
    low = _ratio(bad1.low * w.low, bad0.high * (1 - w.low))
    high = _ratio(bad1.high * w.high, bad0.low * (1 - w.high))
    return Interval(low=0.0 if low is None else low, high=1.0 if high is None else high)


@statistic("kappa_by_verdict", kind="agreement", range=(-1.0, 1.0), needs=("verified_counts",))
def kappa_by_verdict(
    counts: VerifiedCounts,
    tail: float = 0.025,
    *,
    rng: np.random.Generator,
    draws: int = KAPPA_DRAWS,
) -> Statistic:
    """Return Cohen's kappa over all items when labels were chosen by the judge's verdict.

    Formula: kappa of the table with cells w y1, (1-w) y0, w (1-y1), (1-w)(1-y0), as in
    `begg_greenes`.
    Shapes: six counts. Interval: quantiles under y1 ~ Beta(x1 + .5, v1 - x1 + .5) and y0 likewise,
    w fixed; a Bayesian device that stays honest at pure strata. Undefined when a verdict with
    items has no labelled one, or when both raters gave one and the same answer.
    Weakness: w is taken as known; independent items only; its coverage was not simulated.
    Source: estimator Begg & Greenes 1983, doi 10.2307/2530820; kappa Cohen 1960,
    doi 10.1177/001316446002000104.

    Example:
        >>> import numpy as np
        >>> counts = VerifiedCounts(
        ...     all_pass=60, all_fail=40, pass_pass=54, pass_fail=6, fail_pass=4, fail_fail=36
        ... )
        >>> round(kappa_by_verdict(counts, rng=np.random.default_rng(1)).value, 3)
        0.793
    """
    import numpy as np

    w, n = counts.share_pass, counts.n
    if w is None or not counts.labelled_pass or not counts.labelled_fail:
        return Undefined(undefined="a verdict has no labelled item", n=n)
    y1, y0 = counts.pass_pass / counts.labelled_pass, counts.fail_pass / counts.labelled_fail
    value = float(kappa_of_shares(_cells(w, np.array(y1), np.array(y0))))
    if math.isnan(value):
        return Undefined(undefined="both raters gave one and the same answer", n=n)
    low, high = _kappa_quantiles(counts, w, tail, rng, draws)
    method = "kappa of reweighted cells, Beta draws within verdicts"
    return Estimate(value=value, n=n, method=method, low=min(low, value), high=max(high, value))


def _kappa_quantiles(
    counts: VerifiedCounts, w: float, tail: float, rng: np.random.Generator, draws: int
) -> tuple[float, float]:
    import numpy as np

    drawn1 = rng.beta(counts.pass_pass + 0.5, counts.pass_fail + 0.5, draws)
    drawn0 = rng.beta(counts.fail_pass + 0.5, counts.fail_fail + 0.5, draws)
    low, high = np.quantile(kappa_of_shares(_cells(w, drawn1, drawn0)), [tail, 1 - tail])
    return float(low), float(high)


def _cells(w: float, y1: np.ndarray, y0: np.ndarray) -> np.ndarray:
    """Return (..., 2, 2) shares, rows human and columns judge, pass first."""
    import numpy as np

    rows = [[w * y1, (1 - w) * y0], [w * (1 - y1), (1 - w) * (1 - y0)]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))
