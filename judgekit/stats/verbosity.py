"""Does the judge pass longer answers more easily, given what the humans said?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from judgekit.model.base import Record
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

MOST_STEPS = 40
LARGE_LOGIT = 12.0
"""From here on a fitted logit may be on its way to infinity."""
LogitStatus = Literal["ok", "no_items", "constant_outcome", "collinear", "separation", "few_groups"]


class VerbosityLogit(Record):
    """Effect of length on the judge's pass, given the human verdict.

    Every figure is None unless `status` is `ok`; under `few_groups` the error, p and interval
    alone are missing.
    """

    status: LogitStatus
    n: int
    intercept: float | None = None
    coef_human: float | None = None
    coef_log_length: float | None = None
    se_log_length: float | None = None
    p: float | None = None
    odds_ratio_per_doubling: float | None = None
    low: float | None = None
    high: float | None = None
    loglik: float | None = None


@statistic("verbosity_logit", kind="bias", needs=("judge", "human", "length"), laws=("item_order",))
def verbosity_logit(
    judge: ArrayLike,
    human: ArrayLike,
    length: ArrayLike,
    *,
    groups: Sequence[str] | None = None,
    tail: float = 0.025,
) -> VerbosityLogit:
    """Return the odds ratio of a judge's pass per doubling of length, human verdict held fixed.

    Formula: logit P(judge pass) = b0 + b1 human + b2 ln(length) by maximum likelihood;
    OR per doubling = 2^b2; Wald p. Its interval `low`, `high` is 2^(b2 -+ z se).
    Shapes: (n,) each; judge and human 0/1, length > 0 in any unit. With `groups` (n,) the error is
    the cluster sandwich times G/(G-1) (n-1)/(n-3).
    Undefined: `constant_outcome` (the judge gave one verdict), `collinear` (human verdict or length
    does not vary, or they determine each other), `separation` (no finite maximum), fewer than two
    groups for the error. Weakness: Wald is poor near separation and below about 10 items of the
    rarer verdict per coefficient; sandwich errors are too small below about 20 groups.
    Source: Cox 1958, JRSS B 20:215; sandwich Liang & Zeger 1986, Biometrika 73:13,
    doi 10.1093/biomet/73.1.13; separation Albert & Anderson 1984, Biometrika 71:1,
    doi 10.1093/biomet/71.1.1.

    Raises:
        ValueError: a length is not above 0, or the lengths of the arguments differ.

    Example:
        >>> judge, human = [0, 1, 0, 1, 1, 0, 1, 0], [0, 0, 1, 1, 0, 0, 1, 1]
        >>> found = verbosity_logit(judge, human, [10, 20, 30, 40, 50, 60, 70, 80])
        >>> round(found.odds_ratio_per_doubling, 3)
        1.407
    """
    import numpy as np

    y, h, lengths = (np.asarray(x, dtype=float) for x in (judge, human, length))
    if not len(y) == len(h) == len(lengths):
        raise ValueError("judge, human and length must have the same length")
    if (lengths <= 0).any():
        raise ValueError("every length must be above 0")
    return _fitted(y, h, lengths, groups, tail)


def _fitted(
    y: Floats, h: Floats, lengths: Floats, groups: Sequence[str] | None, tail: float
) -> VerbosityLogit:
    import numpy as np

    if not len(y) or y.min() == y.max():
        return VerbosityLogit(status="constant_outcome" if len(y) else "no_items", n=len(y))
    log_length = np.log(lengths)
    centre = float(log_length.mean())
    x = np.column_stack([np.ones(len(y)), h, log_length - centre])
    if np.linalg.matrix_rank(x) < 3:
        return VerbosityLogit(status="collinear", n=len(y))
    beta = _newton(x, y)
    if beta is None:
        return VerbosityLogit(status="separation", n=len(y))
    return _report(x, y, beta, centre, groups, tail)


def _newton(x: Floats, y: Floats) -> Floats | None:
    """Return the maximum-likelihood coefficients, None where they run off to infinity."""
    import numpy as np
    from scipy.special import expit

    beta = np.zeros(x.shape[1])
    best = _loglik(x, y, beta)
    for _ in range(MOST_STEPS):
        p = expit(x @ beta)
        try:
            step = np.linalg.solve((x.T * (p * (1 - p))) @ x, x.T @ (y - p))
        except np.linalg.LinAlgError:
            return None
        while _loglik(x, y, beta + step) < best - 1e-10 and np.abs(step).max() > 1e-12:
            step = step / 2
        beta = beta + step
        best = _loglik(x, y, beta)
        if np.abs(step).max() <= 1e-10 * (1 + np.abs(beta).max()):
            suspect = np.abs(x @ beta).max() > LARGE_LOGIT
            return None if suspect and _separated(x, y) else beta
    return None


def _separated(x: Floats, y: Floats) -> bool:
    """Tell whether some direction never lowers the likelihood: a linear programme (Konis 2007)."""
    import numpy as np
    from scipy.optimize import linprog

    signed = (2 * y - 1)[:, None] * x
    found = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(y)), bounds=(-1, 1))
    return bool(-found.fun > 1e-9)


def _loglik(x: Floats, y: Floats, beta: Floats) -> float:
    from scipy.special import log_expit

    return float(log_expit((2 * y - 1) * (x @ beta)).sum())


def _report(
    x: Floats, y: Floats, beta: Floats, centre: float, groups: Sequence[str] | None, tail: float
) -> VerbosityLogit:
    from scipy.special import ndtr, ndtri

    se = _error(x, y, beta, groups)
    slope = float(beta[2])
    found = VerbosityLogit(
        status="ok",
        n=len(y),
        intercept=float(beta[0]) - slope * centre,
        coef_human=float(beta[1]),
        coef_log_length=slope,
        odds_ratio_per_doubling=_doubling(slope),
        loglik=_loglik(x, y, beta),
    )
    if se is None:
        return found.model_copy(update={"status": "few_groups"})
    half = float(ndtri(1 - tail)) * se
    shown = {
        "se_log_length": se,
        "p": 2 * float(ndtr(-abs(slope) / se)),
        "low": _doubling(slope - half),
        "high": _doubling(slope + half),
    }
    return VerbosityLogit.model_validate(found.model_dump() | shown)


def _doubling(slope: float) -> float | None:
    """Return 2^slope, None where it is no number a float can hold."""
    return 2.0**slope if slope < 1000 else None


def _error(x: Floats, y: Floats, beta: Floats, groups: Sequence[str] | None) -> float | None:
    """Return the standard error of the last coefficient: of the model, or by groups."""
    import numpy as np
    from scipy.special import expit

    p = expit(x @ beta)
    bread = np.linalg.inv((x.T * (p * (1 - p))) @ x)
    if groups is None:
        return math.sqrt(float(bread[-1, -1]))
    names, position = np.unique(np.asarray(groups), return_inverse=True)
    g, (n, k) = len(names), x.shape
    if g < 2:
        return None
    scores = np.zeros((g, k))
    np.add.at(scores, position, x * (y - p)[:, None])
    scale = g / (g - 1) * (n - 1) / (n - k)
    sandwich = bread @ (scores.T @ scores) @ bread * scale
    return math.sqrt(float(sandwich[-1, -1]))
