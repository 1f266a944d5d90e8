"""The pass rate of a product from a few human labels and many of a judge's verdicts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from judgekit.model.base import Record
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import Interval, wilson
from judgekit.stats.prevalence import clip01
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

FEW_LABELS = 10
"""Below this many labels of either class the Wald shape of PPI is not to be trusted."""
PpiMode = Literal["ppi", "ppi_plus_plus", "labels_only"]


class Ppi(Record):
    """A mean supported by predictions.

    `raw`, `se`, `wald_low` and `wald_high` are the published formula, unclipped and with divisor
    n. `estimate` is for readers: for shares clipped to [0, 1] with a Wilson interval, `few_labels`
    when a class has fewer than 10 labels; for other scores a t interval, none (`zero_variance`)
    where it would have no width.
    """

    estimate: Statistic
    raw: float | None = None
    se: float | None = None
    wald_low: float | None = None
    wald_high: float | None = None
    lam: float | None = None
    n_labelled: int
    n_unlabelled: int


class _Moments(Record):
    """Means and (divisor n) variances of labels Y and predictions F, labelled and unlabelled."""

    n: int
    n_unlabelled: int
    mean_y: float
    mean_f: float
    mean_u: float
    var_y: float
    var_f: float
    cov: float
    var_u: float
    is_share: bool
    least_class: int


@statistic(
    "ppi_mean",
    kind="prevalence",
    needs=("human", "judge_on_labelled", "judge_on_unlabelled"),
    laws=("item_order", "empty_is_undefined"),
)
def ppi_mean(
    human: ArrayLike,
    judge_on_labelled: ArrayLike,
    judge_on_unlabelled: ArrayLike,
    *,
    mode: PpiMode = "ppi_plus_plus",
    tail: float = 0.025,
) -> Ppi:
    """Return a mean from few labels and many predictions (PPI, PPI++ or the labels alone).

    Formula: theta = lam mean(F_unl) + mean(Y - lam F_lab), var = lam^2 var(F_unl)/N +
    var(Y - lam F_lab)/n with divisor n. lam is 1 for `ppi`, 0 for `labels_only` and for
    `ppi_plus_plus` clip(cov(Y, F)/((1 + n/N) var(F)), 0, 1), var(F) pooled over both pools with
    divisor n+N-1; 0 when F is constant.
    Shapes: (n,), (n,), (N,), labels in the unit of the mean; the pools are disjoint and the
    labelled items are a random sample of the target. Undefined without labels, and for `ppi`
    without unlabelled items. Interval: the paper's normal one in `wald_*`; in `estimate` Wilson on
    the n that is as precise, from cells with half an item added (scores other than 0/1: t).
    Weakness: the normal interval covers .88-.94 at n of 50 to 100, the Wilson one .95-.99 in our
    simulation; independent items only; wrong when the labels are no random sample.
    Source: Angelopoulos et al. 2023, Science 382:669, doi 10.1126/science.adi6000; PPI++
    Angelopoulos, Duchi & Zrnic 2023, arXiv 2311.01453.

    Example:
        >>> found = ppi_mean([1, 0], [1, 0], [1, 1, 0, 1])
        >>> found.estimate.value, found.lam
        (0.65625, 0.625)
    """
    import numpy as np

    y, f, u = (np.asarray(x, dtype=float) for x in (human, judge_on_labelled, judge_on_unlabelled))
    if y.shape != f.shape:
        raise ValueError("human and judge_on_labelled must have the same length")
    if not all(x.ndim == 1 and np.isfinite(x).all() for x in (y, f, u)):
        raise ValueError("labels and predictions must be sequences of finite numbers")
    return _ppi(_array_moments(y, f, u), mode, tail)


def _array_moments(y: Floats, f: Floats, u: Floats) -> _Moments:
    import numpy as np

    def mean(x: Floats) -> float:
        return float(x.mean()) if len(x) else 0.0

    shares = all(((x == 0) | (x == 1)).all() for x in (y, f, u))
    ones = int(np.count_nonzero(y))
    return _Moments(
        n=len(y),
        n_unlabelled=len(u),
        mean_y=mean(y),
        mean_f=mean(f),
        mean_u=mean(u),
        var_y=mean((y - mean(y)) ** 2),
        var_f=mean((f - mean(f)) ** 2),
        cov=mean((y - mean(y)) * (f - mean(f))),
        var_u=mean((u - mean(u)) ** 2),
        is_share=bool(shares),
        least_class=min(ones, len(y) - ones) if shares else len(y),
    )


@statistic("ppi_pass_rate", kind="prevalence", needs=("confusion", "judge_passes", "n_unlabelled"))
def ppi_pass_rate(
    confusion: Confusion,
    judge_passes: int,
    n_unlabelled: int,
    *,
    mode: PpiMode = "ppi_plus_plus",
    tail: float = 0.025,
) -> Ppi:
    """Return the pass rate of PPI or PPI++ from counts: the same numbers as `ppi_mean` on 0/1.

    Formula: as `ppi_mean`, moments taken from the table.
    Shapes: `confusion` counts the labelled items (rows human, columns judge; the first label is
    the pass), `judge_passes` of `n_unlabelled` the others. Undefined without labels, and for `ppi`
    without unlabelled items. Interval and weakness: as `ppi_mean`.
    Source: Angelopoulos, Duchi & Zrnic 2023, arXiv 2311.01453.

    Example:
        >>> table = Confusion(labels=("pass", "fail"), rows=((1, 0), (0, 1)))
        >>> ppi_pass_rate(table, 3, 4).estimate.value
        0.65625
    """
    n = confusion.n
    y = confusion.human_totals[0] / n if n else 0.0
    f = confusion.judge_totals[0] / n if n else 0.0
    u = judge_passes / n_unlabelled if n_unlabelled else 0.0
    moments = _Moments(
        n=n,
        n_unlabelled=n_unlabelled,
        mean_y=y,
        mean_f=f,
        mean_u=u,
        var_y=y * (1 - y),
        var_f=f * (1 - f),
        cov=confusion.rows[0][0] / n - y * f if n else 0.0,
        var_u=u * (1 - u),
        is_share=True,
        least_class=min(confusion.human_totals[0], n - confusion.human_totals[0]),
    )
    return _ppi(moments, mode, tail)


def _ppi(m: _Moments, mode: PpiMode, tail: float) -> Ppi:
    from scipy.special import ndtri

    sizes = {"n_labelled": m.n, "n_unlabelled": m.n_unlabelled}
    if m.n == 0:
        return Ppi(estimate=Undefined(undefined="no labels"), **sizes)
    if mode == "ppi" and m.n_unlabelled == 0:
        return Ppi(estimate=Undefined(undefined="no unlabelled items", n=m.n), **sizes)
    lam = _weight(m, mode)
    value, pool, rest = _parts(m, lam)
    se = math.sqrt(pool + rest / m.n)
    half = float(ndtri(1 - tail)) * se
    return Ppi(
        estimate=_readable(m, value, pool, rest, tail, mode),
        raw=value,
        se=se,
        wald_low=value - half,
        wald_high=value + half,
        lam=lam,
        **sizes,
    )


def _weight(m: _Moments, mode: PpiMode) -> float:
    if mode == "ppi_plus_plus":
        return _tuned(m)
    return 1.0 if mode == "ppi" else 0.0


def _parts(m: _Moments, lam: float) -> tuple[float, float, float]:
    """Return the mean, the variance from the unlabelled pool, and n times that from the labels."""
    value = lam * m.mean_u + m.mean_y - lam * m.mean_f
    pool = lam**2 * m.var_u / m.n_unlabelled if lam else 0.0
    return value, pool, max(0.0, m.var_y - 2 * lam * m.cov + lam**2 * m.var_f)


def _tuned(m: _Moments) -> float:
    """Return the lambda of PPI++, 0 where the predictions are constant or there are no others."""
    if m.n_unlabelled == 0:
        return 0.0
    n, total = m.n, m.n + m.n_unlabelled
    between = n * m.n_unlabelled / total * (m.mean_f - m.mean_u) ** 2
    pooled = (n * m.var_f + m.n_unlabelled * m.var_u + between) / (total - 1)
    if pooled < 1e-15:
        return 0.0
    return clip01(m.cov / ((1 + n / m.n_unlabelled) * pooled))


def _readable(
    m: _Moments, value: float, pool: float, rest: float, tail: float, mode: PpiMode
) -> Estimate:
    name = {"ppi": "PPI", "ppi_plus_plus": "PPI++", "labels_only": "labels only"}[mode]
    if not m.is_share:
        return _t_estimate(m, value, pool, rest, tail, name)
    effective = _effective_n(m, mode)
    bounds = wilson(clip01(value) * effective, effective, tail) or Interval(low=0.0, high=1.0)
    return Estimate(
        value=clip01(value),
        low=bounds.low,
        high=bounds.high,
        n=m.n,
        method=f"{name}, Wilson on effective n",
        status="few_labels" if m.least_class < FEW_LABELS else None,
    )


def _effective_n(m: _Moments, mode: PpiMode) -> float:
    """Return the labels that alone would be as precise, from cells with half an item added."""
    n = m.n + 2
    y, f = (m.n * m.mean_y + 1) / n, (m.n * m.mean_f + 1) / n
    both = (m.n * (m.cov + m.mean_y * m.mean_f) + 0.5) / n
    smooth = m.model_copy(
        update={
            "n": n,
            "mean_y": y,
            "mean_f": f,
            "var_y": y * (1 - y),
            "var_f": f * (1 - f),
            "cov": both - y * f,
        }
    )
    _, pool, rest = _parts(smooth, _weight(smooth, mode))
    return m.n * (y * (1 - y) / n) / (pool + rest / n)


def _t_estimate(
    m: _Moments, value: float, pool: float, rest: float, tail: float, name: str
) -> Estimate:
    from scipy.stats import t

    if m.n < 2 or rest < 1e-15:
        return Estimate(value=value, n=m.n, method=name, status="zero_variance")
    half = float(t.ppf(1 - tail, m.n - 1)) * math.sqrt(pool + rest / (m.n - 1))
    low, high = value - half, value + half
    return Estimate(value=value, low=low, high=high, n=m.n, method=f"{name}, t interval")
